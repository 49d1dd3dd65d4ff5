// The files of the folder, each with the verdicts of its last run.
import { h, fill, say } from "./dom.js";
import { ask, follow } from "./transport.js";
import { addressOf } from "./place.js";
import { summary } from "./file.js";

export const offered = (file, start) => start.files.length > 1;

let round = 0; // a newer one ends the work of an older one

export async function show(main, at, file, start) {
  const mine = ++round;
  const cells = new Map(start.files.map((name) => [name, h("td", {}, h("span", { class: "soft" }, "not run yet"))]));
  const button = h("button", { id: "run-all", type: "button", class: "main", click: () => runAll(mine) }, "Run all");
  fill(main, h("section", { class: "panel", "aria-labelledby": "files-title" }, h("h2", { id: "files-title" }, "Files"),
    h("p", { class: "controls" }, button, h("span", { class: "soft" }, "one file after the other, with the first command of each")),
    h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Files and verdicts" }, h("table", { id: "files" },
      h("thead", {}, h("tr", {}, ["file", "verdicts"].map((x) => h("th", { scope: "col" }, x)))),
      h("tbody", {}, start.files.map((name) => h("tr", {}, h("th", { scope: "row" }, h("a", { href: addressOf({ file: name }) }, name)), cells.get(name))))))));

  // tell shows how far a run is, or what it found.
  const tell = (name, event) => {
    const cell = cells.get(name);
    if (!cell || mine !== round) return;
    if (!event.last) fill(cell, h("span", { class: event.violated ? "bad" : "soft" }, event.text));
    else if (event.report) fill(cell, h("span", { class: event.report.outcomes.some((o) => o.verdict === "violated") ? "bad" : null }, summary(event.report)));
    else fill(cell, h("span", { class: "bad" }, event.problem?.error ?? "the run gave no report"));
  };

  async function runAll(current) {
    button.disabled = true;
    for (const name of start.files) {
      if (current !== round) return;
      const described = await ask("file", { file: name });
      if (described.problem) {
        tell(name, { last: true, problem: described.problem });
        continue;
      }
      const { run } = await ask("start", { file: name, command: described.commands[0], instances: [], properties: [], seconds: 0, depth: 0 });
      await new Promise((done) => follow(run, (event) => {
        tell(name, event);
        if (event.last) done();
      }));
    }
    button.disabled = false;
    say("all files were run");
  }

  const { runs } = await ask("runs");
  const last = new Map(runs.filter((r) => !r.saved).map((r) => [start.files.find((name) => r.file === name || r.file.endsWith(`/${name}`)), r]));
  for (const [name, r] of last) if (name) follow(r.run, (event) => tell(name, event));
}
