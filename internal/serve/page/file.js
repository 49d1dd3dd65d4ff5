// The specification with its verdicts, and the engines.
import { h, fill, say, count, seconds, verdictClass } from "./dom.js";
import { ask, follow, reportOf, editor } from "./transport.js";
import { addressOf } from "./place.js";

export function offered() { return true; }

// How to show a file again, by file.
const redraws = new Map();

// What the engines have found, by file. It survives moves between the views.
const runs = new Map();

export async function show(main, at, file) {
  const known = runs.has(at.file);
  const state = runs.get(at.file) ?? { run: 0, event: null, log: [], violated: [], report: null, problem: null, digest: "" };
  runs.set(at.file, state);
  const kept = document.getElementById("editor");
  if (kept && kept.dataset.file === at.file) { // somebody is typing there
    redraws.get(at.file)?.(file, true);
    return;
  }
  const engines = h("section", { "aria-labelledby": "engines-title", class: "panel" });
  const source = h("section", { "aria-labelledby": "source-title", class: "panel source" });
  let present = file;
  const draw = (fresh = present, edited = false) => {
    present = fresh;
    if (!document.getElementById("editor") || !source.isConnected) fill(source, text(fresh, state, at));
    fill(engines, controls(fresh, state, draw), results(at, fresh, state));
    if (edited && !fresh.problem) document.getElementById("start").click();
  };
  redraws.set(at.file, draw);
  draw();
  if (!known) recall(file, state, draw);
  fill(main, h("div", { class: "columns file" }, source, engines));
  if (at.line) document.getElementById(`line-${at.line}`)?.scrollIntoView({ block: "center" });
}

const words = new Set(("sort enum type immutable mutable relation function constant init axiom action transition require choose if then else " +
  "let in modifies new old forall exists safety invariant liveness temporal theorem trusted instance expect definition derived " +
  "fair strong weak always eventually until sat unsat trace any any_transition algorithm process message task with havoc assert assume").split(" "));

// text shows the lines of the file, with a mark beside each line that has a verdict or a message.
function text(file, state, at) {
  if (editor) {
    const element = editor(file);
    element.dataset.file = file.file;
    return [h("h2", { id: "source-title" }, file.name), element];
  }
  const marks = new Map();
  const mark = (line, element) => { if (line) marks.set(line, [...(marks.get(line) ?? []), element]); };
  for (const m of [...file.warnings, ...(file.problem?.diagnostics ?? [])]) {
    if (m.file === file.name) mark(m.line, h("span", { class: m.severity === "error" ? "mark bad" : "mark unsure", title: m.text }, m.severity));
  }
  if (!state.report && state.digest === file.digest) { // what is known while engines are at work
    for (const p of file.properties) if (state.violated.includes(p.name)) mark(p.line, h("span", { class: "mark bad" }, "violated"));
  }
  if (state.report && state.digest === file.digest) {
    for (const p of file.properties) {
      const o = state.report.outcomes.find((x) => x.property === p.name);
      if (o) mark(p.line, h("span", { class: `mark ${verdictClass(o.verdict)}` }, verdictOf(o)));
    }
  }
  const lines = file.text.replace(/\n$/, "").split("\n").map((line, i) =>
    h("li", { id: `line-${i + 1}`, class: at.line === i + 1 ? "here" : null }, h("code", {}, coloured(line)), marks.get(i + 1) ? [" ", marks.get(i + 1)] : null));
  return [
    h("h2", { id: "source-title" }, file.name),
    h("ol", { class: "lines", tabindex: "0", "aria-labelledby": "source-title" }, lines),
  ];
}

function coloured(line) {
  const out = [];
  const parts = /^(\s*)([^#]*)(#.*)?$/.exec(line);
  if (!parts) return [line];
  out.push(parts[1]);
  for (const word of parts[2].split(/(\b[a-zA-Z_]\w*\b)/)) {
    out.push(words.has(word) ? h("b", {}, word) : word);
  }
  if (parts[3]) out.push(h("span", { class: "soft" }, parts[3]));
  return out;
}

// controls are the request for the engines, and their progress.
function controls(file, state, draw) {
  const command = h("select", { id: "command", name: "command" }, file.commands.map((c) => h("option", {}, c)));
  const instances = [...new Set(file.systems.flatMap((s) => s.instances.map((i) => i.name)))];
  const instance = h("select", { id: "instance", name: "instance" }, h("option", { value: "" }, "all of the file"), instances.map((i) => h("option", {}, i)));
  const property = h("select", { id: "property", name: "property" }, h("option", { value: "" }, "all"), file.properties.map((p) => h("option", { value: p.name }, `${p.name} (${p.kind})`)));
  const limit = h("input", { id: "seconds", type: "number", min: "0", value: state.seconds ?? "0", size: "5" });
  const depth = h("input", { id: "depth", type: "number", min: "0", value: state.depth ?? "10", size: "4" });
  const working = state.run && !state.report && !state.problem;
  for (const [element, key] of [[command, "command"], [instance, "instance"], [property, "property"]]) {
    if (state[key] !== undefined) element.value = state[key];
    element.addEventListener("change", () => { state[key] = element.value; });
  }
  const begin = async (e) => {
    e.preventDefault();
    Object.assign(state, { report: null, problem: null, log: [], violated: [], event: null, seconds: limit.value, depth: depth.value });
    try {
      const run = await ask("start", {
        file: file.file, command: command.value, instances: instance.value ? [instance.value] : [], properties: property.value ? [property.value] : [],
        seconds: Number(limit.value), depth: Number(depth.value),
      });
      state.digest = run.digest;
      watch(run.run, state, draw);
      draw();
      say(`${command.value} has begun`);
    } catch (x) {
      state.problem = x.problem ?? { error: x.message, diagnostics: [] };
      draw();
    }
  };
  return [
    h("h2", { id: "engines-title" }, "Engines"),
    file.problem ? problem(file.problem, file) : null,
    h("form", { class: "controls", submit: begin },
      h("label", {}, "Command ", command), file.kind === "specification" ? h("label", {}, "Instance ", instance) : null,
      h("label", {}, "Property ", property), h("label", {}, "Time limit in seconds (0: none) ", limit),
      file.commands.includes("bmc") ? h("label", {}, "Steps of bmc ", depth) : null,
      h("button", { id: "start", type: "submit", class: "main", disabled: Boolean(working || file.problem) }, "Run"),
      working ? h("button", { id: "stop", type: "button", click: () => ask("stop", { run: state.run }) }, "Stop") : null),
    file.warnings.length ? h("ul", { class: "messages" }, file.warnings.map((m) => message(m, file))) : null,
    working ? h("div", { id: "progress" }, progressOf(state)) : null,
  ];
}

// watch follows a run of engines to its end.
function watch(run, state, draw) {
  state.run = run;
  follow(run, (event) => {
    if (event.finished) state.log.push(event.text);
    const news = event.violated && !state.violated.includes(event.violated);
    if (news) state.violated.push(event.violated);
    state.event = event;
    if (!event.last) {
      progress(state);
      if (news) {
        draw();
        say(event.text);
      }
      return;
    }
    state.report = event.report ?? null;
    state.problem = event.problem ?? (event.report ? null : { error: "the run gave no report", diagnostics: [] });
    draw();
    say(state.report ? summary(state.report) : state.problem.error);
  });
}

// recall shows the last run of a file again, after the page was loaded anew.
async function recall(file, state, draw) {
  const { runs: all } = await ask("runs");
  const last = all.filter((r) => r.file === file.name && !r.saved).pop();
  if (!last || state.run) return;
  Object.assign(state, { command: last.command, digest: last.digest });
  watch(last.run, state, draw);
  draw();
}

function progress(state) {
  const element = document.getElementById("progress");
  if (element) fill(element, progressOf(state));
}

function progressOf(state) {
  const e = state.event;
  return [
    state.violated.length ? h("p", { class: "bad" }, `violated so far: ${state.violated.join(", ")}`) : null,
    h("ul", { class: "log" }, state.log.map((line) => h("li", {}, line))),
    e ? h("p", {}, e.text, "; ", seconds(e.seconds)) : h("p", {}, "It has begun."),
    e?.total ? h("progress", { max: e.total, value: e.done, "aria-label": e.text }) : h("progress", { "aria-label": "at work" }),
  ];
}

function message(m, file) {
  return h("li", {}, h("span", { class: m.severity === "error" ? "bad" : "unsure" }, `${m.severity} ${m.code}`),
    m.line ? [" ", m.file === file.name ? h("a", { href: addressOf({ file: file.file, line: m.line }) }, `line ${m.line}`) : `${m.file}, line ${m.line}`] : null, `: ${m.text}`, m.fix ? h("div", { class: "soft" }, m.fix) : null);
}

function problem(p, file) {
  if (!p.diagnostics.length) return h("div", { role: "alert", class: "problem" }, h("p", {}, p.error));
  return h("div", { role: "alert", class: "problem" }, h("ul", { class: "messages" }, p.diagnostics.map((m) => message(m, file))));
}

// verdictOf is the verdict of an outcome with its scope: what holds in some instances may be false
// in others.
function verdictOf(o) {
  const assuming = o.assumptions?.length && o.verdict.startsWith("holds") ? `, assuming ${o.assumptions.join(", ")}` : "";
  return (o.verdict === "holds" ? `holds ${o.coverage === "all" ? "for all" : "in the instances explored"}` : o.verdict) + assuming;
}

export function summary(report) {
  const by = new Map();
  for (const o of report.outcomes) by.set(verdictOf(o), (by.get(verdictOf(o)) ?? 0) + 1);
  return `${count(report.outcomes.length, "property", "properties")}: ${[...by].map(([v, n]) => `${n} ${n === 1 ? v : v.replace(/^holds/, "hold")}`).join(", ")}`;
}

// results are the verdicts of the last run.
function results(at, file, state) {
  const out = [];
  if (state.problem) out.push(problem(state.problem, file));
  const report = state.report;
  if (!report) return out;
  if (state.digest !== file.digest) out.push(h("p", { class: "unsure" }, "The file has changed since: these verdicts are about its earlier text."));
  const lineOf = (r) => (file.properties.find((p) => p.name === r.property) ?? r).line; // of another file for none
  const spoken = (r) => r.verdict + (r.assumptions?.length && r.verdict.startsWith("holds") ? `, assuming ${r.assumptions.map((a) => a.name).join(", ")}` : "");
  const hidden = report.results.filter((r) => (r.kind === "invariant" || r.kind === "range") && r.verdict === "holds").length;
  const rows = report.results.map((r, i) => [r, i]).filter(([r]) => !((r.kind === "invariant" || r.kind === "range") && r.verdict === "holds") || hidden === report.results.length);
  out.push(
    h("p", { id: "summary", class: "summary" }, summary(report)),
    h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Verdicts" }, h("table", { id: "verdicts" },
      h("caption", { class: "visually-hidden" }, "Verdicts"),
      h("thead", {}, h("tr", {}, ["property", "verdict", "scope", "engine", "states", "time", "run"].map((x) => h("th", { scope: "col" }, x)))),
      h("tbody", {}, rows.map(([r, i]) => h("tr", {},
        h("th", { scope: "row" }, lineOf(r) ? h("a", { href: addressOf({ file: at.file, line: lineOf(r) }) }, r.property) : r.property),
        h("td", { class: verdictClass(r.verdict) }, spoken(r), r.reason ? h("div", { class: "soft" }, r.reason.text) : null),
        h("td", {}, r.scope), h("td", {}, r.engine), h("td", { class: "number" }, r.states ? r.states.toLocaleString("en") : "-"), h("td", { class: "number" }, seconds(r.seconds)),
        h("td", { class: "whole" }, r.trace ? h("a", { id: `trace-${i}`, href: addressOf({ file: at.file, view: "state", run: state.run, result: i }) },
          count(r.trace.states?.length ?? 0, "state")) : null)))))),
    hidden && hidden !== report.results.length ? h("p", { class: "soft" }, `${count(hidden, "auxiliary invariant")} ${hidden === 1 ? "holds" : "hold"}, too.`) : null,
    report.lemmas?.length ? [h("h3", {}, "Invariants that were found"), h("ul", {}, report.lemmas.map((l) => h("li", {}, h("code", {}, `invariant [${l.name}] ${l.formula}`), ` (for ${l.for})`)))] : null,
    report.notes.length ? [h("h3", {}, "Notes"), h("ul", {}, report.notes.map((n) => h("li", {}, n)))] : null,
    report.instances?.length > 2 ? h("p", {}, h("a", { id: "as-sweep", href: addressOf({ file: at.file, view: "sweep", run: state.run }) }, "The instances as a map")) : null,
    reportOf(state.run) ? h("p", {}, h("a", { href: reportOf(state.run), target: "_blank", rel: "noopener" }, "The whole report"), ", one page to keep") : null,
  );
  return out;
}
