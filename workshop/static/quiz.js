// Questions with one answer each. The form writes a line for the notebook's cell, since only that is handed in.
let forms = 0;

function render({ model, el }) {
  const name = `ao-quiz-${++forms}`;
  const questions = model.get("questions");
  const line = control("textarea", { readonly: "", rows: "3", "aria-label": "The line for your cell", spellcheck: "false" });
  const copy = control("button", { type: "button", class: "ao-primary" }, "Copy the line");
  const status = make("p", { class: "ao-note", role: "status" });
  const radios = []; // { question, letter, input }

  const fields = questions.map(({ id, text, options }, place) =>
    make("fieldset", {}, make("legend", {}, `${place + 1}. ${text}`),
      ...Object.entries(options).map(([letter, words]) => {
        const input = control("input", { type: "radio", name: `${name}-${id}`, value: letter });
        radios.push({ question: id, letter, input });
        return make("label", {}, input, make("strong", {}, letter), ` ${words}`);
      })));
  const form = make("form", { "aria-label": "Questions" }, ...fields,
    make("div", { class: "ao-line" }, line, copy), status);
  form.addEventListener("submit", (event) => event.preventDefault());

  const show = () => {
    const answers = model.get("answers");
    for (const { question, letter, input } of radios) input.checked = answers[question] === letter;
    line.value = `answers = ${JSON.stringify(answers).replaceAll(":", ": ").replaceAll(",", ", ")}`;
    const left = questions.filter(({ id }) => !answers[id]).length;
    status.textContent = left ? `${left} of ${questions.length} questions are still open.`
      : "All are answered. Copy the line and put it into the cell below.";
  };
  form.addEventListener("change", ({ target }) => {
    const radio = radios.find(({ input }) => input === target);
    if (!radio) return;
    model.set("answers", { ...model.get("answers"), [radio.question]: radio.letter });
    model.save_changes();
    show();
  });
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(line.value);
      status.textContent = "Copied. Put it into the cell below, in place of the line that raises.";
    } catch { // no clipboard here: an address without https, or not allowed
      line.select();
      status.textContent = "The line is selected. Copy it with the keyboard.";
    }
  });
  model.on("change:answers", show);
  el.classList.add("ao", "ao-quiz");
  el.replaceChildren(form);
  show();
  return () => model.off("change:answers", show);
}

export default { render };
