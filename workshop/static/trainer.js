// The retry table trainer. It needs no kernel once it is shown.
function render({ model, el }) {
  const rows = model.get("rows");
  const columns = Object.entries(model.get("columns"));
  const actions = Object.entries(model.get("actions"));
  const against = model.get("against");
  const holds = model.get("holds");
  const found = {}; // "error column" to the actions found there
  let chosen; // { error, column, name, button }

  const status = make("p", { class: "ao-note", role: "status" });
  const score = make("p", { class: "ao-quiet" });
  const question = make("p", { class: "ao-ask" });
  const choices = make("div", { class: "ao-choices" });
  const panel = make("div", { role: "group", "aria-label": "Action" }, question, choices);

  const cell = (error, [column, name]) => {
    const button = control("button", { type: "button", "aria-pressed": "false" });
    const here = { error, column, name, button };
    label(here);
    button.addEventListener("click", () => choose(here));
    return make("td", {}, button);
  };
  const label = ({ error, column, name, button }) => {
    const right = found[`${error} ${column}`] ?? [];
    button.textContent = right.length ? `✓ ${right.join(" or ")}` : "?";
    button.className = right.length ? "ao-yes" : "ao-open";
    button.setAttribute("aria-label", `${error}, ${name}: ${right.join(" or ") || "not found yet"}`);
  };
  const choose = (here) => {
    chosen?.button.setAttribute("aria-pressed", "false");
    chosen = here;
    here.button.setAttribute("aria-pressed", "true");
    panel.setAttribute("aria-label", `Action after ${here.error}, ${here.name}`);
    question.replaceChildren(make("code", {}, here.error), `, ${here.name}. ${rows[here.error].ask}`);
    status.textContent = "";
    choices.replaceChildren(...actions.map(([action, words]) => {
      const button = control("button", { type: "button" }, make("code", {}, action), ` ${words}`);
      button.addEventListener("click", () => tryOut(action));
      return button;
    }));
    choices.firstChild.focus();
  };
  const tryOut = (action) => {
    const { error, column } = chosen;
    const right = holds[error]?.[column] ?? [];
    const does = right.includes(action);
    status.className = `ao-note ${does ? "ao-yes" : "ao-no"}`;
    if (does) {
      const before = found[`${error} ${column}`] ?? [];
      const now = (found[`${error} ${column}`] = [...new Set([...before, action])].sort());
      const more = right.length > now.length ? " Something else holds here too." : "";
      status.textContent = `✓ ${action} holds. ${rows[error][column]}${more}`;
      label(chosen);
      tally();
    } else status.textContent = `✗ ${action} does not hold here. ${against[column][action] ?? rows[error].ask}`;
  };
  const tally = () => {
    score.textContent = `${Object.keys(found).length} of ${Object.keys(rows).length * columns.length} cells found.`;
  };

  question.textContent = "Choose a cell of the table.";
  tally();
  el.classList.add("ao", "ao-trainer");
  el.replaceChildren(
    make("table", {},
      make("caption", {}, "The retry table"),
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Error"),
        ...columns.map(([, name]) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, ...Object.keys(rows).map((error) =>
        make("tr", {}, make("th", { scope: "row" }, make("code", {}, error)),
          ...columns.map((column) => cell(error, column)))))),
    panel, status, score);
}

export default { render };
