// A press on a column's head sorts the heat map by it, a second press turns the order round. Nothing else needs a script.
const value = (row, place) => row.cells[place].textContent.trim();
const number = (text) => (/^[\d.]+(\/\d+)?$/.test(text) ? parseFloat(text) : text === "–" ? -1 : NaN);
const compare = (left, right) => {
  const [a, b] = [number(left), number(right)];
  return Number.isNaN(a) || Number.isNaN(b) ? left.localeCompare(right) : a - b;
};

for (const table of document.querySelectorAll("table[data-sortable]")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      const rows = [...table.tBodies[0].rows]; // sort() keeps the order of equals
      rows.sort((one, other) => (down ? -1 : 1) * compare(value(one, place), value(other, place)));
      table.tBodies[0].append(...rows);
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
    });
  });
}
