// The way from the page to the program in a panel of VS Code: messages to the extension, which asks
// the server. It has the interface of the module for the server.
const host = acquireVsCodeApi();
const waiting = new Map(); // requests by number
const following = new Map(); // runs by the number of the request
// A panel that was hidden begins anew, and must not take answers for what it asked before.
let last = Math.floor(Math.random() * 2 ** 40);

// The address of the page begins with what was asked for, or with what was shown before the panel
// was hidden.
const begin = host.getState()?.hash ?? document.querySelector("meta[name=erelong-begin]").content;
if (begin) location.hash = begin;
addEventListener("hashchange", () => host.setState({ hash: location.hash }));

addEventListener("message", ({ data }) => {
  if (data.show !== undefined) location.hash = data.show;
  if (data.event) following.get(data.id)?.(data.event);
  if (data.answer !== undefined || data.problem) {
    const { yes, no } = waiting.get(data.id) ?? {};
    waiting.delete(data.id);
    if (data.problem) no?.(failure(data.problem));
    else yes?.(data.answer);
  }
});

// A link within the page changes its address, and another one is opened in the browser. VS Code
// would only scroll.
addEventListener("click", (e) => {
  const href = e.target.closest?.("a[href]")?.getAttribute("href");
  if (!href || e.button !== 0) return;
  e.preventDefault();
  e.stopImmediatePropagation();
  if (!href.startsWith("#")) host.postMessage({ open: href });
  else if (href === "#main") document.getElementById("main").focus();
  else location.hash = href;
}, true);

function failure(problem) {
  return Object.assign(new Error(problem.error), { problem });
}

// ask sends a request, and gives the answer. An error has the field problem.
export function ask(word, body = {}, signal = undefined) {
  const id = ++last;
  return new Promise((yes, no) => {
    waiting.set(id, { yes, no });
    signal?.addEventListener("abort", () => {
      if (waiting.delete(id)) no(new DOMException("", "AbortError"));
    });
    host.postMessage({ id, word, body });
  });
}

// follow calls tell for each event of a run of engines, up to the last.
export function follow(run, tell) {
  const id = ++last;
  following.set(id, (event) => {
    if (event.last) following.delete(id);
    tell(event);
  });
  host.postMessage({ id, follow: run });
  return () => {
    following.delete(id);
    host.postMessage({ id, leave: run });
  };
}

// reportOf is the address of the report of a run, which is opened in the browser.
export function reportOf(run) {
  return `report/${run}`;
}

// editor is the place where a text can be changed; null where files are changed elsewhere.
export const editor = null;
