// Elements of the page. Text from a file is only ever set as text.

// h makes an element. Attributes that are functions are listeners, null and false leave one out.
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else element.setAttribute(key, value);
  }
  add(element, children);
  return element;
}

export function add(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) parent.append(child);
  }
}

// fill replaces the children of an element, and keeps the focus on the element with the same id.
export function fill(parent, ...children) {
  const focused = parent.contains(document.activeElement) ? document.activeElement.id : "";
  parent.replaceChildren();
  add(parent, children);
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

// drawing makes an element of a picture of the program, whose texts are escaped. Scripts in it
// would not run.
export function drawing(text) {
  const svg = new DOMParser().parseFromString(text, "text/html").querySelector("svg");
  return document.importNode(svg, true);
}

// say tells a short text to screen readers.
export function say(text) {
  document.getElementById("status").textContent = text;
}

// count gives "1 state", "2 states".
export function count(n, one, many = one + "s") {
  return n === 1 ? `1 ${one}` : `${n.toLocaleString("en")} ${many}`;
}

// seconds gives a time in the unit that fits.
export function seconds(s) {
  if (s < 0.001) return "<1ms";
  if (s < 1) return `${Math.floor(s * 1000)}ms`;
  if (s < 10) return `${s.toFixed(2)}s`;
  if (s < 60) return `${s.toFixed(1)}s`;
  return `${Math.floor(s / 60)}m${Math.floor(s % 60)}s`;
}

// verdictClass is the class of the colour of a verdict.
export function verdictClass(verdict) {
  if (verdict === "holds") return "good";
  if (verdict === "violated" || verdict === "no run") return "bad";
  return "unsure";
}
