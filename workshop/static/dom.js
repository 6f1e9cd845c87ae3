// What the forms of the kit share: elements, and controls that JupyterLab's one-key shortcuts stay away from.
const make = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
};
// b adds a cell, x cuts one: not while a control marked like this has the focus.
const control = (tag, attributes, ...children) =>
  make(tag, { "data-lm-suppress-shortcuts": "", ...attributes }, ...children);

