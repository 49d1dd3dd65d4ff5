// The search over all pages: every word must occur in a part; parts with the words in their headings
// come first.
"use strict";
const up = document.currentScript.dataset.up;
const field = document.getElementById("search");
const found = document.getElementById("found");
const most = 30;

function element(name, fields, ...children) {
  const e = Object.assign(document.createElement(name), fields);
  e.append(...children);
  return e;
}

function matches(words) {
  const out = [];
  for (const part of index) {
    const heading = `${part.title} ${part.section}`.toLowerCase();
    const text = part.text.toLowerCase();
    if (!words.every((w) => heading.includes(w) || text.includes(w))) continue;
    out.push({ part, weight: words.filter((w) => heading.includes(w)).length });
  }
  return out.sort((a, b) => b.weight - a.weight);
}

// excerpt is the text around the first word.
function excerpt(text, words) {
  const at = Math.max(0, ...words.map((w) => text.toLowerCase().indexOf(w)).filter((i) => i >= 0).slice(0, 1));
  return (at > 60 ? "…" : "") + text.slice(Math.max(0, at - 60), at + 120);
}

field.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.hidden = words.length === 0;
  if (found.hidden) return;
  const list = matches(words);
  found.replaceChildren(element("p", {}, `${list.length} ${list.length === 1 ? "part" : "parts"} found`),
    element("ul", {}, ...list.slice(0, most).map(({ part }) => element("li", {},
      element("a", { href: `${up}${part.page}${part.anchor ? `#${part.anchor}` : ""}` }, part.section && part.section !== part.title ? `${part.title}: ${part.section}` : part.title),
      element("div", { className: "soft" }, excerpt(part.text, words))))));
});
