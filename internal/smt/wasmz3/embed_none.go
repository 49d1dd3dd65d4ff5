//go:build !embedz3

package wasmz3

var packed []byte

// Licence is empty in a program without z3.
const Licence = ""
