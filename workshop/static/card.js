// The stamp card's form. Every change goes to the kernel, which keeps it in card.json.
const QUIET_FOR = 250; // ms without a key before a change is sent

let cards = 0;

function render({ model, el }) {
  const id = `ao-card-${++cards}`;
  const drills = model.get("drills");
  const fields = model.get("fields");
  const cells = []; // { drill, field, input, mark }
  const status = make("p", { class: "ao-note", role: "status" });
  const missed = make("div", { class: "ao-misses" });

  const input = (field, attributes) =>
    field === "decision"
      ? control("select", attributes, make("option", { value: "" }, "choose"),
          ...model.get("decisions").map((word) => make("option", { value: word }, word)))
      : control("input", {
          type: "text", autocomplete: "off", spellcheck: "false", autocapitalize: "off",
          ...(field === "side_effect_counter" ? { inputmode: "numeric" } : {}), ...attributes,
        });
  const rows = fields.map((field, row) =>
    make("tr", {}, make("th", { scope: "row" }, make("code", {}, field)),
      ...drills.map(({ letter }) => {
        const mark = make("span", { class: "ao-mark", id: `${id}-${letter}-${row}` });
        const box = input(field, { "aria-label": `Drill ${letter}, ${field}`, "aria-describedby": mark.id });
        cells.push({ drill: letter, field, input: box, mark });
        return make("td", {}, box, mark);
      })));
  const table = make("table", {},
    make("caption", {}, "Stamp card"),
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Field"),
      ...drills.map(({ letter, title }) =>
        make("th", { scope: "col" }, make("strong", {}, letter), ` ${title}`)))),
    make("tbody", {}, ...rows));
  const print = control("button", { type: "button" }, "Print the card");
  const form = make("form", { "aria-label": "Stamp card" }, table,
    make("p", { class: "ao-quiet" },
      "Leave a field empty where the reply has no value. Of a digest, the first eight characters are enough."),
    make("div", { class: "ao-controls" },
      control("button", { type: "submit", class: "ao-primary" }, "Compare with the transcripts"), print),
    status, missed);
  el.classList.add("ao", "ao-card");
  el.replaceChildren(form);

  const written = () => {
    const values = {};
    for (const { drill, field, input } of cells) (values[drill] ??= {})[field] = input.value;
    return values;
  };
  let waiting;
  const send = () => {
    clearTimeout(waiting);
    waiting = undefined;
    model.set("values", written());
    model.save_changes();
  };
  form.addEventListener("input", () => {
    for (const cell of cells) show(cell, undefined); // marks speak of what was compared, not of this
    status.textContent = "";
    clearTimeout(waiting);
    waiting = setTimeout(send, QUIET_FOR);
  });
  form.addEventListener("change", send);
  // Inside JupyterLab a browser does not submit a form by Enter in a field by itself.
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || event.target.tagName !== "INPUT") return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    status.textContent = "Comparing…";
    model.set("asked", model.get("asked") + 1);
    send(); // one save for both, so that the comparison cannot overtake the last field
  });
  print.addEventListener("click", () => printCard(cells, drills, fields, model.get("misses")));

  const fill = () => {
    const values = model.get("values");
    for (const { drill, field, input } of cells)
      if (document.activeElement !== input) input.value = values[drill]?.[field] ?? "";
  };
  const show = ({ input, mark }, found) => {
    const [kind, words] = !found ? ["", ""]
      : found.same ? ["ao-yes", "✓ same"]
      : !input.value.trim() ? ["ao-quiet", "○ still empty"] // no answer: the transcript's value stays hidden
      : ["ao-no", found.transcript === null ? "✗ drill not run yet" : `✗ transcript: ${brief(found.transcript)}`];
    mark.className = `ao-mark ${kind}`;
    mark.textContent = words;
    if (kind === "ao-no") input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  };
  const answered = () => {
    const { marks, problem } = model.get("result");
    for (const cell of cells) show(cell, marks[cell.drill]?.[cell.field]);
    const same = cells.filter(({ drill, field }) => marks[drill]?.[field].same).length;
    status.textContent = problem || (Object.keys(marks).length ? `${same} of ${cells.length} fields agree with the transcripts.` : "");
  };
  const listMisses = () => {
    const misses = model.get("misses");
    missed.replaceChildren(...(misses.length ? [
      make("p", {}, make("strong", {}, "Missed on the way")),
      make("ul", {}, ...misses.map((miss) => make("li", {}, sentence(miss)))),
    ] : []));
  };
  const listeners = { values: fill, result: answered, misses: listMisses };
  for (const [trait, listener] of Object.entries(listeners)) model.on(`change:${trait}`, listener);
  fill();
  answered();
  listMisses();
  return () => {
    if (waiting) send();
    for (const [trait, listener] of Object.entries(listeners)) model.off(`change:${trait}`, listener);
  };
}

const brief = (value) => (value.length > 24 ? `${value.slice(0, 12)}…` : value || "no value");
const sentence = ({ drill, field, written, transcript }) =>
  `${drill}, ${field}: wrote ${brief(written)}, the transcript has ${brief(transcript)}.`;

// The browser's own File > Print prints the page as saved, with an empty card: so a page of its own.
function printCard(cells, drills, fields, misses) {
  const frame = make("iframe", { title: "Stamp card to print", class: "ao-print", "aria-hidden": "true" });
  document.body.append(frame);
  const page = frame.contentDocument;
  page.title = "Stamp card";
  page.documentElement.lang = "en";
  const value = (letter, field) =>
    cells.find((cell) => cell.drill === letter && cell.field === field);
  page.head.append(make("style", {}, `
    body { font: 12pt/1.4 system-ui, sans-serif; margin: 1.5cm }
    table { width: 100%; border-collapse: collapse; table-layout: fixed }
    th, td { border: 1px solid #000; padding: 6pt; height: 2.4em; text-align: left; vertical-align: top;
      overflow-wrap: anywhere; font-weight: 400 }
    small { display: block } .line { margin-top: 18pt }`));
  page.body.append(
    make("h1", {}, "Stamp card"),
    make("p", {}, "Name: ____________________________   Date: ______________"),
    make("table", {},
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Field"),
        ...drills.map(({ letter, title }) => make("th", { scope: "col" }, `${letter} ${title}`)))),
      make("tbody", {}, ...fields.map((field) => make("tr", {}, make("th", { scope: "row" }, field),
        ...drills.map(({ letter }) => {
          const { input, mark } = value(letter, field);
          return make("td", {}, input.value, make("small", {}, mark.textContent));
        }))))),
    ...(misses.length ? [make("h2", {}, "Missed on the way"),
      make("ul", {}, ...misses.map((miss) => make("li", {}, sentence(miss))))] : []),
    make("p", { class: "line" }, "The drill that failed first, in one sentence:"),
    make("p", { class: "line" }, "_".repeat(70)),
  );
  frame.contentWindow.addEventListener("afterprint", () => frame.remove());
  frame.contentWindow.print();
}

export default { render };
