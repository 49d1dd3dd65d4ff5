// The way to the program in the playground: a worker with the program as WebAssembly. The files are
// in memory. It has the interface of the module for the server.
import { h } from "./dom.js";

const files = new Map((await (await fetch("examples.json")).json()).map((x) => [x.file, x.text]));
const order = [...files.keys()];

// An address may bring a text, as the pages of the site do: ?name=lock.ere&text=...
const given = new URLSearchParams(location.search);
if (given.has("text")) {
  const name = given.get("name") || "given.ere";
  files.set(name, given.get("text"));
  order.splice(0, order.length, name, ...order.filter((x) => x !== name));
}
const compiled = WebAssembly.compileStreaming(new Response(
  (await fetch("erelong.wasm.gz")).body.pipeThrough(new DecompressionStream("gzip")), { headers: { "Content-Type": "application/wasm" } }));

let worker = null; // a promise
let stopWorker = () => {};
let last = 0;
const waiting = new Map(); // requests by number
const following = new Map(); // runs by number
let working = false;

// begin starts the program with the files as they are now.
function begin() {
  worker = (async () => {
    const module = await compiled;
    const w = new Worker("worker.js");
    stopWorker = () => w.terminate();
    await new Promise((resolve, reject) => {
      w.onerror = (e) => reject(new Error(e.message));
      w.onmessage = (e) => {
        const message = JSON.parse(e.data);
        if (message.ready) resolve();
        if (message.run) following.get(message.run)?.(message.event);
        if (message.id) {
          const { yes, no } = waiting.get(message.id) ?? {};
          waiting.delete(message.id);
          if (message.problem) no?.(failure(message.problem));
          else yes?.(message.answer);
        }
      };
      w.postMessage({ module });
    });
    for (const [file, text] of files) send(w, "write", { file, text });
    return w;
  })();
}

// restart ends the program at once. What engines have found is gone.
function restart(reason) {
  stopWorker();
  for (const { no } of waiting.values()) no(failure({ error: reason, diagnostics: [] }));
  for (const tell of following.values()) tell({ last: true, text: "", problem: { error: reason, diagnostics: [] } });
  waiting.clear();
  following.clear();
  working = false;
  begin();
}

function failure(problem) {
  return Object.assign(new Error(problem.error), { problem });
}

function send(w, word, body) {
  const id = ++last;
  return new Promise((yes, no) => {
    waiting.set(id, { yes, no });
    w.postMessage({ id, word, body: JSON.stringify(body) });
  });
}

begin();

export async function ask(word, body = {}, signal = undefined) {
  if (word === "stop") {
    restart("it was stopped");
    return {};
  }
  const answer = await send(await worker, word, body);
  if (signal?.aborted) throw new DOMException("", "AbortError");
  if (word === "files") answer.files = order;
  return answer;
}

export function follow(run, tell) {
  working = true;
  following.set(run, (event) => {
    if (event.last) {
      working = false;
      following.delete(run);
    }
    tell(event);
  });
  worker.then((w) => send(w, "follow", { run })).catch(() => {});
  return () => following.delete(run);
}

export function reportOf() { return null; }

let timer = 0;

// editor is a place for the text of a file. What is typed is checked when one pauses.
export function editor(file) {
  const element = h("textarea", {
    id: "editor", class: "editor", spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-label": `text of ${file.name}`, rows: "32",
    input: (e) => {
      files.set(file.file, e.target.value);
      clearTimeout(timer);
      timer = setTimeout(async () => {
        if (working) restart("the text has changed");
        const { value } = e.target;
        await ask("write", { file: file.file, text: value });
        dispatchEvent(new CustomEvent("edited", { detail: file.file }));
      }, 300);
    },
  });
  element.value = file.text;
  return element;
}
