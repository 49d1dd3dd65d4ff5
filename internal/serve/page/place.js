// Where the page is: everything that is shown follows from the part of the address after #, so an
// address can be shared.

// place reads the address.
export function place() {
  const p = new URLSearchParams(location.hash.slice(1));
  const steps = p.get("steps");
  return {
    file: p.get("file") ?? "",
    view: p.get("view") ?? "file",
    system: p.get("system") ?? "",
    instance: p.get("instance") ?? "",
    run: Number(p.get("run") ?? 0),
    result: Number(p.get("result") ?? 0),
    first: Number(p.get("first") ?? 0),
    steps: steps ? steps.split(".").map(Number) : [],
    at: Number(p.get("at") ?? -1),
    watch: p.getAll("watch"),
    line: Number(p.get("line") ?? 0),
    by: p.get("by") ?? "",
    sweep: p.get("sweep") ?? "",
    property: p.get("property") ?? "",
    measure: p.get("measure") ?? "",
    x: p.get("x") ?? "",
    y: p.get("y") ?? "",
    slice: p.get("slice") ?? "",
  };
}

// addressOf is the address of a place.
export function addressOf(x) {
  const p = new URLSearchParams();
  const set = (key, value, none) => { if (value !== none && value !== undefined) p.append(key, value); };
  set("file", x.file, "");
  set("view", x.view, "file");
  set("system", x.system, "");
  set("instance", x.instance, "");
  set("run", x.run, 0);
  if (x.run) set("result", x.result, undefined);
  set("first", x.first, 0);
  if (x.steps?.length) p.append("steps", x.steps.join("."));
  set("at", x.at, -1);
  for (const w of x.watch ?? []) p.append("watch", w);
  set("line", x.line, 0);
  for (const key of ["by", "sweep", "property", "measure", "x", "y", "slice"]) set(key, x[key], "");
  return "#" + p.toString();
}

// go shows a place. A small move in the same run replaces the entry in the history.
export function go(x, replace = false) {
  const address = addressOf(x);
  if (address === location.hash) return;
  if (replace) {
    history.replaceState(null, "", address);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = address;
  }
}

// of gives the fields of a place that a request about a state has.
export function requestOf(x) {
  return {
    file: x.file, system: x.system, instance: x.instance, run: x.run, result: x.result,
    address: { first: x.first, steps: x.steps, at: x.at },
  };
}
