// Keys. A key does what an element with its name would do, so there is one way to do a thing. Keys
// that are letters or digits can be turned off.
import { h } from "./dom.js";

const table = [
  ["ArrowLeft", "step-back", "← ", "go back one state"],
  ["ArrowRight", "step-forward", "→", "go forward in the run"],
  ["Home", "step-first", "Home", "go to the first state"],
  ["End", "step-last", "End", "go to the last state"],
  ["v", "step-violation", "v", "go to the next state that violates a property"],
  ["e", "expression", "e", "evaluate an expression"],
  ["w", "why", "w", "why is a formula false, or true"],
  ["r", "start", "r", "run the engines"],
];
const stored = "erelong-keys-off";

function off() {
  try { return localStorage.getItem(stored) === "1"; } catch { return false; }
}

// keys handles a key of the page.
export function keys(e) {
  if (e.altKey || e.ctrlKey || e.metaKey || e.target.closest("input, select, textarea, dialog, [contenteditable]")) return;
  if (e.key.length === 1 && off()) return;
  if (e.key === "?") {
    showKeys();
    return;
  }
  const digit = /^[1-9]$/.test(e.key) ? `take-${e.key}` : "";
  const row = table.find(([key]) => key === e.key);
  const element = document.getElementById(digit || row?.[1] || "");
  if (!element || element.disabled) return;
  e.preventDefault();
  if (element.matches("input")) element.focus();
  else element.click();
}

// showKeys shows the table of keys.
export function showKeys() {
  const box = h("input", { type: "checkbox", id: "keys-off", change: (e) => {
    try { localStorage.setItem(stored, e.target.checked ? "1" : "0"); } catch { /* not kept */ }
  } });
  box.checked = off();
  const dialog = h("dialog", { "aria-labelledby": "keys-title", close: (e) => e.target.remove() },
    h("h2", { id: "keys-title" }, "Keys"),
    h("dl", { class: "pairs" },
      table.map(([, , name, what]) => [h("dt", {}, h("kbd", {}, name)), h("dd", {}, what)]),
      h("dt", {}, h("kbd", {}, "1"), " to ", h("kbd", {}, "9")), h("dd", {}, "take a step of the list"),
      h("dt", {}, h("kbd", {}, "?")), h("dd", {}, "this table")),
    h("p", {}, h("label", {}, box, " Turn off keys that are letters, digits or signs")),
    h("button", { type: "button", id: "keys-close", click: () => dialog.close() }, "Close"));
  document.body.append(dialog);
  dialog.showModal();
}
