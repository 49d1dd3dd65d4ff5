// The explorer: a run, one of its states, and the steps that it has.
import { h, fill, say, drawing } from "./dom.js";
import { ask } from "./transport.js";
import { addressOf, go, requestOf } from "./place.js";

export function offered() { return true; }

let pending = null;

// What was asked and is not part of the address: the explanation, and how the tree is shown.
const shown = { why: null, of: "", all: false, error: "", picture: false, open: new Set() };

export async function show(main, at, file) {
  pending?.abort();
  pending = new AbortController();
  const { signal } = pending;
  const picture = await ask("state", requestOf(at), signal);
  const watched = await Promise.all(at.watch.map((text) => ask("evaluate", { ...requestOf(at), text }, signal).then(
    (answer) => ({ text, values: answer.values }), (e) => {
      if (e.name === "AbortError") throw e;
      return { text, error: e.problem?.diagnostics[0]?.text ?? e.message };
    })));
  const { ranks } = picture.recorded || picture.timed ? { ranks: [] } : await ask("ranks", requestOf(at), signal);
  const step = shown.picture ? await ask("structure", requestOf(at), signal) : null;
  if (signal.aborted) return;
  const here = { ...at, first: picture.address.first, steps: picture.address.steps ?? [], at: picture.address.at };
  if (shown.of !== addressOf({ ...here, watch: [] })) Object.assign(shown, { why: null, error: "", of: addressOf({ ...here, watch: [] }) });
  const redraw = () => show(main, here, file);
  const perform = async (word, body) => {
    try {
      const next = await ask(word, { ...requestOf(here), ...body });
      shown.error = "";
      go({ ...here, first: next.address.first, steps: next.address.steps ?? [], at: next.address.at });
    } catch (e) {
      shown.error = e.problem?.diagnostics[0]?.text ?? e.message;
      redraw();
    }
  };
  fill(main, h("div", { class: "columns explorer" },
    run(here, picture, watched, file, ranks), state(here, picture, redraw, step), steps(here, picture, perform)));
  const stop = picture.run[here.at];
  say(`state ${here.at}${stop.call ? `: ${stop.call}` : ""}. ${stop.changes.slice(0, 5).join(". ")}${stop.violated.length ? `. ${stop.violated.join(", ")} violated` : ""}`);
  document.querySelector(".run [aria-current]")?.scrollIntoView({ block: "nearest" });
}

// run is the list of the states, with the watched expressions beside them.
function run(here, picture, watched, file, ranks) {
  const last = picture.run.length - 1;
  const to = (at) => addressOf({ ...here, at });
  const violations = picture.run.map((s, i) => (s.violated.length ? i : -1)).filter((i) => i >= 0);
  const next = violations.find((i) => i > here.at) ?? violations[0];
  const move = (id, label, at, off) => h("button", { id, type: "button", disabled: off, "aria-label": label[1], title: label[1], click: () => go({ ...here, at }, true) }, label[0]);
  const systems = file.systems.length > 1 && !here.run ? h("label", {}, "System ", select("system", file.systems.map((s) => s.name), here.system,
    (system) => go({ file: here.file, view: here.view, system }))) : null;
  const instances = (file.systems.find((s) => s.name === here.system) ?? file.systems[0])?.instances ?? [];
  const instance = !here.run && instances.length > 1 ? h("label", {}, "Instance ", select("instance", instances.map((i) => i.name), here.instance,
    (name) => go({ file: here.file, view: here.view, system: here.system, instance: name, watch: here.watch }))) : null;
  const initial = picture.initial > 1 ? h("label", {}, `Initial state (of ${picture.initial}${picture.more ? " or more" : ""}) `,
    h("input", { id: "initial", type: "number", min: "1", max: picture.initial, value: here.first, change: (e) => go({ ...here, first: Number(e.target.value), steps: [], at: 0 }) })) : null;
  return h("section", { class: "panel run", "aria-labelledby": "run-title" },
    h("h2", { id: "run-title" }, "Run", picture.title ? h("span", { class: "soft" }, ` of ${picture.title}`) : null),
    picture.lasting ? h("p", {}, h("a", { id: "lasting", href: addressOf({ file: here.file, view: here.view, system: picture.system, instance: picture.title, first: picture.lasting.first, steps: picture.lasting.steps, at: picture.lasting.at, watch: here.watch }) }, "A link to this state that lasts")) : null,
    picture.arbitrary ? h("p", { class: "unsure" }, "The first state need not be reachable.") : null,
    h("div", { class: "controls" }, systems, instance, initial),
    h("div", { class: "moves", role: "group", "aria-label": "Move in the run" },
      move("step-first", ["First", "first state"], 0, here.at === 0), move("step-back", ["Back", "one state back"], here.at - 1, here.at === 0),
      move("step-forward", ["Forward", "one state forward"], here.at + 1, here.at === last), move("step-last", ["Last", "last state"], last, here.at === last),
      violations.length ? h("button", { id: "step-violation", type: "button", disabled: next === here.at, click: () => go({ ...here, at: next }, true) }, "Violation") : null),
    h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "States of the run" }, h("table", { class: "states" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "state"), h("th", { scope: "col" }, "step"),
        watched.map((w) => h("th", { scope: "col" }, h("code", {}, w.text), " ",
          h("button", { type: "button", class: "small", "aria-label": `remove ${w.text}`, click: () => go({ ...here, watch: here.watch.filter((x) => x !== w.text) }, true) }, "×"))))),
      h("tbody", {}, picture.run.map((s, i) => h("tr", { class: i === here.at ? "here" : null },
        h("td", {}, h("a", { id: `state-${i}`, href: to(i), "aria-current": i === here.at ? "true" : null, "aria-label": `state ${i}` }, String(i)),
          picture.loop >= 0 && i >= picture.loop ? h("span", { class: "loop", title: "part of the loop" }, " ↻") : null),
        h("td", {}, s.call || h("span", { class: "soft" }, picture.arbitrary ? "any state" : "initial"), s.violated.length ? [" ", h("span", { class: "mark bad" }, `violates ${s.violated.join(", ")}`)] : null),
        watched.map((w) => h("td", { class: changed(w.values, i) ? "new" : null }, w.values ? w.values[i] : i ? "" : h("span", { class: "bad" }, w.error)))))))),
    picture.loop >= 0 ? h("p", {}, `From its last state the run returns to state ${picture.loop}.`) : null,
    ranks.map((r) => ranking(here, r)),
    picture.recorded || picture.timed ? null : h("form", { class: "line", submit: (e) => {
      e.preventDefault();
      const input = e.target.elements.expression;
      if (input.value.trim() && !here.watch.includes(input.value)) go({ ...here, watch: [...here.watch, input.value] }, true);
      input.value = "";
    } }, h("label", { for: "expression" }, "Evaluate in every state"), h("input", { id: "expression", name: "expression", autocomplete: "off", spellcheck: "false" }),
    h("button", { type: "submit", id: "evaluate" }, "Evaluate")));
}

// ranking shows the ranking functions of a proof in each state in which the property is pending.
function ranking(here, { property, rows }) {
  return h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `Ranking functions of ${property}` }, h("table", { class: "states ranks" },
    h("caption", {}, `Ranking functions of ${property}, where it is pending`),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "state"), rows.map((r) => h("th", { scope: "col" }, h("code", {}, r.function), r.for ? h("span", { class: "soft" }, ` for ${r.for}`) : null)))),
    h("tbody", {}, rows[0].values.map((_, i) => h("tr", { class: i === here.at ? "here" : null }, h("th", { scope: "row" }, String(i)),
      rows.map((r) => h("td", { class: changed(r.values, i) ? "new" : null }, r.values[i])))))));
}

function changed(values, i) { return values && i > 0 && values[i] !== values[i - 1]; }

function select(id, names, value, choose) {
  return h("select", { id, change: (e) => choose(e.target.value) }, names.map((n) => h("option", { value: n, selected: n === value }, n)));
}

// state shows the values of a state as trees, and the properties.
function state(here, picture, redraw, step) {
  const stop = picture.run[here.at];
  const toggle = h("input", { id: "all", type: "checkbox", change: (e) => { shown.all = e.target.checked; redraw(); } });
  toggle.checked = shown.all;
  const asPicture = h("input", { id: "picture", type: "checkbox", change: (e) => { shown.picture = e.target.checked; redraw(); } });
  asPicture.checked = shown.picture;
  const ask_ = async (text) => {
    try {
      shown.why = await ask("why", { ...requestOf(here), text });
      shown.error = "";
    } catch (e) {
      shown.why = null;
      shown.error = e.problem?.diagnostics[0]?.text ?? e.message;
    }
    await redraw();
    document.getElementById("reason")?.focus();
  };
  const changes = picture.state.filter((p) => p.changed);
  const visible = shown.all || here.at === 0 ? picture.state : changes;
  return h("section", { class: "panel state", "aria-labelledby": "state-title" },
    h("h2", { id: "state-title" }, `State ${here.at}`, stop.call ? h("span", { class: "soft" }, ` after ${stop.call}`) : null),
    stop.violated.map((p) => h("p", { class: "bad" }, `${p} is violated. `, picture.recorded || picture.timed ? null : h("button", { type: "button", id: `why-${p}`, click: () => ask_(p) }, "Why?"))),
    picture.deadlock && !picture.recorded ? h("p", { class: "bad" }, "Deadlock: this state has no successor.") : null,
    here.at > 0 ? h("p", { class: "box" }, h("label", {}, toggle, " show unchanged values, too")) : null,
    visible.length ? h("ul", { class: "tree" }, visible.map((p) => tree(p, p.name))) : h("p", { class: "soft" }, "Nothing changes."),
    picture.timed && picture.zone ? h("div", { id: "zone" }, h("p", {}, "The same steps lead here with all clock values of this zone:"),
      h("ul", { class: "tree" }, (picture.zone.length ? picture.zone : ["any"]).map((c) => h("li", {}, h("code", {}, c))))) : null,
    picture.finding ? h("p", { class: "unsure" }, `${picture.finding}.`) : null,
    picture.hints?.length ? [h("p", {}, picture.exclusion), h("dl", { class: "hints" }, picture.hints.map((x) => [h("dt", {}, h("code", {}, x.formula)), h("dd", { class: "soft" }, x.worth)]))] : null,
    h("p", { class: "box" }, h("label", {}, asPicture, " as a picture, too")),
    step ? (step.svg ? h("div", { class: "drawing", tabindex: "0", role: "region", "aria-label": "Picture of the step" }, drawing(step.svg)) : h("p", { class: "soft" }, step.note)) : null,
    picture.constants.length ? h("details", { id: "constants" }, h("summary", {}, "Constants"), h("ul", { class: "tree" }, picture.constants.map((p) => tree(p, p.name)))) : null,
    picture.truths.length ? h("table", { class: "truths" }, h("caption", {}, "Properties of states"), h("tbody", {}, picture.truths.map((t) => h("tr", {},
      h("th", { scope: "row" }, t.line ? h("a", { href: addressOf({ file: here.file, line: t.line }) }, t.name) : t.name), h("td", { class: "soft" }, t.kind),
      h("td", { class: t.value === "true" ? "good" : "bad" }, t.value), h("td", {}, picture.timed ? t.remark : h("button", { type: "button", class: "small", "aria-label": `why is ${t.name} ${t.value}`, click: () => ask_(t.name) }, "why")))))) : null,
    picture.recorded || picture.timed ? null : h("form", { class: "line", submit: (e) => { e.preventDefault(); ask_(e.target.elements.why.value); } },
      h("label", { for: "why" }, "Why is it false, or true"), h("input", { id: "why", name: "why", autocomplete: "off", spellcheck: "false" }), h("button", { type: "submit" }, "Explain")),
    shown.error ? h("p", { role: "alert", class: "bad" }, shown.error) : null,
    shown.why ? h("div", { id: "reason", tabindex: "-1", class: "reason" }, h("ul", { class: "tree" }, reason(shown.why, here))) : null);
}

function reason(r, here) {
  return h("li", {}, h("code", {}, r.text), r.line ? [" ", h("a", { class: "soft", href: addressOf({ file: here.file, line: r.line }) }, `line ${r.line}`)] : null,
    r.parts.length ? h("ul", {}, r.parts.map((p) => reason(p, here))) : null);
}

// tree shows a value. What changed is open.
function tree(p, path) {
  const value = h("code", { class: p.changed ? "new" : null }, p.parts?.length && p.value.length > 60 && !p.was ? "" : p.value);
  const was = p.was ? [h("code", { class: "old" }, p.was), h("span", { "aria-label": "becomes" }, " → ")] : null;
  const head = [h("span", { class: p.changed ? "name changed" : "name" }, p.name), p.value || p.was ? " = " : "", was, value];
  if (!p.parts?.length) return h("li", {}, head);
  const details = h("details", { toggle: (e) => (e.target.open ? shown.open.add(path) : shown.open.delete(path)) },
    h("summary", {}, head), h("ul", {}, p.parts.map((q) => tree(q, `${path}/${q.name}`))));
  details.open = p.changed || shown.open.has(path);
  return h("li", {}, details);
}

// steps lists what can happen next.
function steps(here, picture, perform) {
  const taken = picture.run[here.at + 1]?.call;
  if (picture.recorded) {
    return h("section", { class: "panel steps", "aria-labelledby": "steps-title" }, h("h2", { id: "steps-title" }, "Steps"),
      h("p", {}, "This run is recorded: its steps can be looked at, and no others taken."));
  }
  return h("section", { class: "panel steps", "aria-labelledby": "steps-title" },
    h("h2", { id: "steps-title" }, "Steps"),
    picture.choices.length ? h("ol", { class: "choices" }, picture.choices.map((c) => h("li", {},
      c.number ? h("button", { id: `take-${c.number}`, type: "button", class: c.call === taken ? "choice taken" : "choice", click: () => perform("take", { step: c.number }) },
        h("span", { class: "call" }, c.call), h("span", { class: "soft changes" }, c.changes.slice(0, 4).join(", ") + (c.changes.length > 4 ? `, and ${c.changes.length - 4} more` : "") || "nothing changes"))
        : h("div", { class: "choice off" }, h("span", { class: "call" }, c.call), h("span", { class: "soft changes" }, c.why))))) : h("p", {}, "No step is possible."),
    picture.timed ? h("p", { class: "soft" }, "A step takes no time; wait lets time pass. The delays are the ones after which other steps are possible, and a short one.") :
    h("form", { class: "line", submit: (e) => { e.preventDefault(); perform("until", { text: e.target.elements.until.value }); } },
      h("label", { for: "until" }, "Go to the nearest state where"), h("input", { id: "until", name: "until", autocomplete: "off", spellcheck: "false" }), h("button", { type: "submit" }, "Go")));
}
