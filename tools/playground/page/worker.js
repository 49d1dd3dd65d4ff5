// The worker: Go's loader, and the program. The first message has the compiled module.
importScripts("wasm_exec.js");

onmessage = async (e) => {
  onmessage = null;
  const go = new Go();
  const instance = await WebAssembly.instantiate(e.data.module, go.importObject);
  go.run(instance);
};
