// Package wasm writes WebAssembly modules in the binary format.
//
// In: functions, built instruction by instruction with structured control, globals, data and one
// memory. Out: the bytes of a module (WebAssembly Core Specification 1.0, chapter 5; only numeric
// types, and no tables). It checks nothing: the runtime that loads the module validates it.
package wasm
