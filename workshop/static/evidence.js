// The evidence log: a press on a column's head sorts by it, a second press turns the order round.
const value = (row, place) => row.cells[place].textContent.trim();
const compare = (left, right) => {
  const [a, b] = [Number(left), Number(right)];
  return Number.isNaN(a) || Number.isNaN(b) ? left.localeCompare(right) : a - b;
};

const live = (table) => {
  const heads = [...table.tHead.rows[0].cells];
  const sort = (place) => {
    const down = heads[place].getAttribute("aria-sort") === "ascending";
    const rows = [...table.tBodies[0].rows]; // sort() keeps the order of equals
    rows.sort((one, other) => (down ? -1 : 1) * compare(value(one, place), value(other, place)));
    table.tBodies[0].append(...rows);
    heads.forEach((head, number) => {
      head.removeAttribute("aria-sort");
      head.querySelector("[aria-hidden]").textContent = number !== place ? "" : down ? " ▼" : " ▲";
    });
    heads[place].setAttribute("aria-sort", down ? "descending" : "ascending");
  };
  heads.forEach((head, place) => {
    const arrow = make("span", { "aria-hidden": "true" });
    const style = "min-height:24px;padding:0 2px;border:0;background:none;color:inherit";
    const button = control("button", { type: "button", style }, head.textContent, arrow);
    button.addEventListener("click", () => sort(place));
    head.replaceChildren(button);
  });
  table.dataset.aoLive = "";
};

for (const table of document.querySelectorAll(".jp-NotebookPanel [data-ao-evidence]:not([data-ao-live])")) live(table);
