package tla

import "embed"

// library holds modules that specifications extend, and which are not built in.
//
//go:embed library/*.tla
var library embed.FS
