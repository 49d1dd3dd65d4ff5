//go:build embedz3

package wasmz3

import _ "embed"

//go:embed module/z3.wasm.gz
var packed []byte

// Licence is the licence of z3.
//
//go:embed module/LICENSE.txt
var Licence string
