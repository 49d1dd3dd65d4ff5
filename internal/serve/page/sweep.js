// Results over two numbers of the instances: where a property holds, and what it costs to find out.
import { h, fill, say, drawing, seconds } from "./dom.js";
import { ask, follow } from "./transport.js";
import { addressOf, go } from "./place.js";

export const offered = (file) => Boolean(file?.sweep);

// What is at work, by file: {run, event, problem}. It survives moves between the views.
const states = new Map();

export async function show(main, at, file) {
  const state = states.get(at.file) ?? { run: 0, event: null, problem: null };
  states.set(at.file, state);
  const controls = h("section", { class: "panel", "aria-labelledby": "sweep-form-title" });
  const draw = () => fill(controls, form(at, file, state, draw));
  let results = null; // while one is at work, its end shows them
  if (at.run && !state.run) {
    try {
      results = h("section", { class: "panel", "aria-labelledby": "sweep-title" }, await map(at));
    } catch (e) {
      state.problem = e; // such as a run that is not kept any more
    }
  }
  draw();
  fill(main, h("div", { class: "columns" }, controls, results));
}

// form asks for the instances, or for saved results.
function form(at, file, state, draw) {
  const instances = h("input", { id: "sweep", name: "sweep", value: at.sweep || file.sweep, autocomplete: "off", spellcheck: "false" });
  const limit = h("input", { id: "seconds", type: "number", min: "0", value: "60" });
  const begin = async (e) => {
    e.preventDefault();
    state.problem = null;
    try {
      const { run } = await ask("start", { file: at.file, command: "check", instances: [instances.value], seconds: Number(limit.value) });
      watch(run, { ...at, sweep: instances.value }, state, draw);
      say("the sweep has begun");
    } catch (x) {
      state.problem = x;
    }
    draw();
  };
  const saved = h("input", { id: "saved", type: "file", accept: ".json,application/json", change: async (e) => {
    state.problem = null;
    try {
      const { run } = await ask("saved", { file: at.file, text: lean(await e.target.files[0].text()) });
      go({ file: at.file, view: "sweep", run });
    } catch (x) {
      state.problem = x;
      draw();
    }
  } });
  return [
    h("h2", { id: "sweep-form-title" }, "Sweep"),
    h("form", { class: "line", submit: begin },
      h("label", { for: "sweep" }, "Instances, with ranges of numbers, such as ", h("code", {}, file.sweep)), instances,
      h("button", { id: "start", type: "submit", class: "main", disabled: Boolean(state.run || file.problem) }, "Explore"),
      state.run ? h("button", { id: "stop", type: "button", click: () => ask("stop", { run: state.run }) }, "Stop") : null),
    h("div", { class: "controls" }, h("label", {}, "Time limit in seconds (0: none) ", limit),
      h("label", {}, "or saved results (", h("code", {}, "--format json"), ") ", saved)),
    state.problem ? h("div", { role: "alert", class: "problem" }, messages(state.problem)) : null,
    state.run ? h("div", { id: "progress" }, progress(state)) : null,
  ];
}

function messages(x) {
  const list = x.problem?.diagnostics ?? [];
  return list.length ? h("ul", { class: "messages" }, list.map((m) => h("li", {}, m.text, m.fix ? h("div", { class: "soft" }, m.fix) : null))) : h("p", {}, x.message);
}

// lean is a text of results without runs and proofs, which a sweep does not show.
function lean(text) {
  let all;
  try { all = JSON.parse(text); } catch { return text; } // the program says what is wrong with it
  for (const r of all.results ?? []) for (const part of ["trace", "shows", "why", "diagnosis", "evidence", "levels", "vacuity"]) delete r[part];
  return JSON.stringify(all);
}

function progress(state) {
  const e = state.event;
  return [h("p", {}, e ? `${e.text}; ${seconds(e.seconds)}` : "It has begun."), h("progress", { "aria-label": "at work" })];
}

// watch follows a run to its end, and shows its results if the page still shows the sweep.
function watch(run, at, state, draw) {
  Object.assign(state, { run, event: null });
  follow(run, (event) => {
    state.event = event;
    if (!event.last) {
      const element = document.getElementById("progress");
      if (element) fill(element, progress(state));
      return;
    }
    Object.assign(state, { run: 0, problem: event.problem ? Object.assign(new Error(event.problem.error), { problem: event.problem }) : null });
    if (!document.getElementById("sweep")) return;
    if (event.report) go({ ...at, run }, true);
    else draw();
  });
}

// map is the picture of the results, with what can be chosen.
async function map(at) {
  const a = await ask("sweep", { file: at.file, run: at.run, text: at.property, measure: at.measure, x: at.x, y: at.y, slice: at.slice });
  if (a.note) return [h("h2", { id: "sweep-title" }, "Results"), h("p", {}, a.note)];
  const choose = (name, key, value, options) => options.length > 1 ? h("label", {}, `${name} `,
    h("select", { id: `choose-${key}`, change: (e) => go({ ...at, x: a.x, y: a.y, ...swapped(a, key, e.target.value), [key]: e.target.value }, true) },
      options.map((x) => h("option", { value: x, selected: x === value }, x)))) : null;
  const picture = drawing(a.svg);
  const cells = new Map();
  for (const link of picture.querySelectorAll("a[data-x]")) {
    const [x, y] = [Number(link.dataset.x), Number(link.dataset.y)];
    const point = a.points[y][x];
    cells.set(`${x},${y}`, link);
    link.setAttribute("href", addressOf({ file: at.file, view: "state", ...(point.result >= 0 ? { run: a.run, result: point.result } : { instance: point.instance }) }));
  }
  const region = h("div", { class: "drawing", tabindex: "0", role: "region", "aria-label": "Map", keydown: (e) => arrows(e, cells) }, picture);
  return [
    h("h2", { id: "sweep-title" }, a.property),
    h("div", { class: "controls" }, choose("Property", "property", a.property, a.properties), choose("Shown", "measure", a.measure, a.measures),
      a.numbers.length > 2 ? [choose("Across", "x", a.x, a.numbers), choose("Upwards", "y", a.y, a.numbers)] : null,
      choose("With", "slice", a.slice, a.slices)),
    h("p", { id: "front", class: "summary" }, `It ${a.text}.`),
    region,
    h("p", { class: "soft" }, "A point is a link to a run that violates the property, or else to the initial state. The arrow keys go from point to point. " +
      "✓ holds, ✗ violated, ? open. The thick line is the border, and the points with a frame are the extreme ones at which the property holds."),
  ];
}

// swapped exchanges the numbers if the other axis has the one that is chosen.
function swapped(a, key, value) {
  if (key === "x" && value === a.y) return { y: a.x };
  if (key === "y" && value === a.x) return { x: a.y };
  return {};
}

// arrows moves the focus to the next point that there is.
function arrows(e, cells) {
  const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
  if (!move || e.altKey || e.ctrlKey || e.metaKey || !cells.size) return;
  e.preventDefault();
  e.stopPropagation();
  const from = document.activeElement?.closest("a[data-x]");
  if (!from) {
    cells.values().next().value.focus();
    return;
  }
  let [x, y] = [Number(from.dataset.x), Number(from.dataset.y)];
  for (let i = 0; i < 10_000; i++) {
    [x, y] = [x + move[0], y + move[1]];
    const next = cells.get(`${x},${y}`);
    if (next) {
      next.focus();
      return;
    }
    if (x < 0 || y < 0) return;
  }
}
