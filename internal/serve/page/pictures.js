// The chart of a run, and the graph of the states.
import { h, fill, drawing, count } from "./dom.js";
import { ask } from "./transport.js";
import { addressOf, go, requestOf } from "./place.js";

let pending = null;

function begin() {
  pending?.abort();
  pending = new AbortController();
  return pending.signal;
}

// enlarge makes the controls for the size of a picture.
function sizes(picture) {
  let factor = 1;
  const width = Number(picture.getAttribute("width"));
  const height = Number(picture.getAttribute("height"));
  const set = (f) => {
    factor = Math.min(4, Math.max(0.25, f));
    picture.setAttribute("width", width * factor);
    picture.setAttribute("height", height * factor);
  };
  return h("div", { role: "group", "aria-label": "Size", class: "moves" },
    h("button", { type: "button", "aria-label": "smaller", click: () => set(factor / 1.25) }, "−"),
    h("button", { type: "button", click: () => set(1) }, "Original size"),
    h("button", { type: "button", "aria-label": "larger", click: () => set(factor * 1.25) }, "+"));
}

export const chart = {
  offered: () => true,
  async show(main, at, file) {
    const answer = await ask("chart", { ...requestOf(at), by: at.by }, begin());
    const panel = h("section", { class: "panel", "aria-labelledby": "picture-title" }, h("h2", { id: "picture-title" }, "Chart of the run"));
    if (!answer.svg) {
      fill(main, panel);
      panel.append(h("p", {}, answer.note), h("p", {}, h("a", { href: addressOf({ ...at, view: "state" }) }, "Take some steps")));
      return;
    }
    const picture = drawing(answer.svg);
    for (const link of picture.querySelectorAll("a[data-state]")) {
      link.setAttribute("href", addressOf({ ...at, view: "state", at: Number(link.dataset.state) }));
    }
    const by = answer.by.length > 1 ? h("label", {}, "Lanes ", h("select", { id: "by", change: (e) => go({ ...at, by: e.target.value }, true) },
      answer.by.map((s) => h("option", { selected: s === at.by }, s)))) : null;
    panel.append(h("div", { class: "controls" }, by, sizes(picture)),
      h("p", { class: "soft" }, "Time goes downwards. A number at the left is a link to the state."),
      h("div", { class: "drawing", tabindex: "0", role: "region", "aria-label": "Chart" }, picture),
      ...[["Mermaid", answer.mermaid], ["PlantUML", answer.plantuml]].map(([name, text]) =>
        h("details", {}, h("summary", {}, `As text for ${name}`), h("pre", { class: "wide", tabindex: "0", "aria-label": name }, text))));
    fill(main, panel);
  },
};

export const graph = {
  offered: (file) => file?.kind === "specification",
  async show(main, at, file) {
    const panel = h("section", { class: "panel", "aria-labelledby": "picture-title" }, h("h2", { id: "picture-title" }, "Graph of the states"),
      h("form", { class: "line", submit: (e) => { e.preventDefault(); go({ ...at, by: e.target.elements.by.value }); } },
        h("label", { for: "by" }, "One node for all states in which this expression has the same value (empty: a node for each state)"),
        h("input", { id: "by", name: "by", value: at.by, autocomplete: "off", spellcheck: "false" }), h("button", { type: "submit" }, "Draw")));
    fill(main, panel);
    let answer;
    try {
      answer = await ask("graph", { ...requestOf(at), text: at.by }, begin());
    } catch (e) {
      if (e.name === "AbortError") throw e;
      panel.append(h("p", { role: "alert", class: "bad" }, e.problem?.diagnostics[0]?.text ?? e.message));
      return;
    }
    const picture = drawing(answer.svg);
    for (const link of picture.querySelectorAll("a[data-node]")) {
      const a = answer.addresses[Number(link.dataset.node)];
      link.setAttribute("href", addressOf({ file: at.file, system: answer.system, instance: answer.instance, view: "state", first: a.first, steps: a.steps, at: a.at }));
    }
    panel.append(h("div", { class: "controls" }, sizes(picture), h("span", {}, `${count(answer.nodes, "node")}, ${count(answer.edges, "edge")}`)),
      ...(answer.note ? [h("p", { class: "unsure" }, answer.note)] : []),
      h("p", { class: "soft" }, "A thick frame is initial, red violates a property, a broken frame has no successor. A node is a link to one of its states."),
      h("div", { class: "drawing", tabindex: "0", role: "region", "aria-label": "Graph" }, picture));
    (picture.querySelector(".node.here") ?? picture.querySelector(".node.initial"))?.scrollIntoView({ block: "nearest", inline: "center", behavior: "instant" });
  },
};
