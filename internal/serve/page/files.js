// The files of the folder, each with the verdicts of its last run.
import { h, fill, say } from "./dom.js";
import { ask, follow } from "./transport.js";
import { addressOf } from "./place.js";
import { summary } from "./file.js";

export const offered = (file, start) => start.files.length > 1;

// What is known outlives the table: its work goes on while another part of the page is shown.
const latest = new Map(); // the last event of each file
const followed = new Set(); // runs
let cells = new Map(), button = null, working = false;

export async function show(main, at, file, start) {
  cells = new Map(start.files.map((name) => [name, h("td", {}, h("span", { class: "soft" }, "not run yet"))]));
  button = h("button", { id: "run-all", type: "button", class: "main", disabled: working, click: () => runAll(start.files) }, "Run all");
  fill(main, h("section", { class: "panel", "aria-labelledby": "files-title" }, h("h2", { id: "files-title" }, "Files"),
    h("p", { class: "controls" }, button, h("span", { class: "soft" }, "one file after the other, with the first command of each")),
    h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Files and verdicts" }, h("table", { id: "files" },
      h("thead", {}, h("tr", {}, ["file", "verdicts"].map((x) => h("th", { scope: "col" }, x)))),
      h("tbody", {}, start.files.map((name) => h("tr", {}, h("th", { scope: "row" }, h("a", { href: addressOf({ file: name }) }, name)), cells.get(name))))))));
  for (const [name, event] of latest) tell(name, event);

  const { runs } = await ask("runs");
  const last = new Map(runs.filter((r) => !r.saved).map((r) => [start.files.find((name) => r.file === name || r.file.endsWith(`/${name}`)), r]));
  for (const [name, r] of last) if (name) watch(name, r.run);
}

// tell shows how far a run is, or what it found.
function tell(name, event) {
  latest.set(name, event);
  const cell = cells.get(name);
  if (!cell) return;
  if (!event.last) fill(cell, h("span", { class: event.violated ? "bad" : "soft" }, event.text));
  else if (event.report) fill(cell, h("span", { class: event.report.outcomes.some((o) => o.verdict === "violated") ? "bad" : null }, summary(event.report)));
  else fill(cell, h("span", { class: "bad" }, event.problem?.error ?? "the run gave no report"));
}

// watch follows a run up to its end; each run is followed once.
function watch(name, run) {
  if (followed.has(run)) return Promise.resolve();
  followed.add(run);
  return new Promise((done) => follow(run, (event) => {
    tell(name, event);
    if (event.last) done();
  }));
}

// runAll runs one file after the other. A file that cannot be run says why, and the next one follows.
async function runAll(names) {
  if (working) return;
  working = button.disabled = true;
  for (const name of names) {
    try {
      const described = await ask("file", { file: name });
      if (described.problem) throw described;
      const { run } = await ask("start", { file: name, command: described.commands[0], instances: [], properties: [], seconds: 0, depth: 0 });
      await watch(name, run);
    } catch (e) {
      tell(name, { last: true, problem: e.problem ?? { error: String(e) } });
    }
  }
  working = button.disabled = false;
  say("all files were run");
}
