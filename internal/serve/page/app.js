// The frame of the page: the header, and the view that the address names.
import { h, fill } from "./dom.js";
import { ask } from "./transport.js";
import { place, addressOf } from "./place.js";
import { keys, showKeys } from "./keys.js";
import * as file from "./file.js";
import * as states from "./states.js";
import { chart, graph } from "./pictures.js";
import * as sweep from "./sweep.js";
import * as files from "./files.js";

const views = [
  ["file", "Specification", file],
  ["state", "States", states],
  ["chart", "Chart", chart],
  ["graph", "Graph", graph],
  ["sweep", "Sweep", sweep],
  ["files", "Files", files],
];

const start = { files: [], version: "" };
let description = null;
let shown = 0; // a newer view ends the work of an older one, which may have its answer later

async function show() {
  const mine = ++shown;
  const at = place();
  const main = document.getElementById("main");
  if (location.hash === "#main") { // the link that skips the header
    main.focus();
    return;
  }
  if (!at.file && start.files.length) at.file = start.files[0];
  try {
    if (!description || description.file !== at.file || at.view === "file") {
      const described = await ask("file", { file: at.file });
      if (mine !== shown) return;
      description = described;
    }
  } catch (e) {
    if (mine === shown) fill(main, problem(e));
    return;
  }
  header(at);
  document.title = `${at.file}: erelong`;
  const view = views.find(([name]) => name === at.view) ?? views[0];
  try {
    await view[2].show(main, at, description, start);
  } catch (e) {
    if (mine === shown && e.name !== "AbortError") fill(main, problem(e), back(at));
  }
}

function back(at) {
  return h("p", {}, h("a", { href: addressOf({ file: at.file }) }, "Back to the specification"));
}

// problem shows an error.
function problem(e) {
  return h("div", { role: "alert", class: "problem" }, h("p", {}, e.message));
}

function header(at) {
  const choice = h("select", { id: "choose-file", change: (e) => { location.hash = addressOf({ file: e.target.value }); } },
    start.files.map((name) => h("option", { value: name, selected: name === at.file }, name)));
  const tabs = views.filter(([, , view]) => view.offered(description, start)).map(([name, title]) =>
    h("a", {
      href: addressOf(name === "file" || name === "files" ? { file: at.file, view: name } : { ...at, view: name, line: 0, by: "" }),
      "aria-current": at.view === name ? "page" : null,
    }, title));
  fill(document.getElementById("header"),
    h("h1", {}, h("span", { class: "brand" }, "erelong "), h("span", { class: "visually-hidden" }, at.file)),
    h("label", {}, h("span", { class: "visually-hidden" }, "File "), choice),
    h("nav", { "aria-label": "Views" }, tabs),
    h("span", { class: "spring" }),
    h("button", { id: "keys", type: "button", click: showKeys }, "Keys"));
}

// renew shows the page again if the file has changed, as when an editor has saved it.
async function renew() {
  if (!description) return;
  const fresh = await ask("file", { file: description.file }).catch(() => null);
  if (!fresh || fresh.text === description.text && fresh.digest === description.digest) return;
  description = null;
  await show();
}

addEventListener("hashchange", show);
addEventListener("focus", renew);
addEventListener("edited", renew); // in the playground
document.addEventListener("keydown", (e) => keys(e, place()));
try {
  Object.assign(start, await ask("files"));
} catch (e) {
  fill(document.getElementById("main"), problem(e));
}
await show();
