package archtest

import (
	"go/ast"
	"slices"
	"testing"
)

// clocks are the files and folders that wait for the clock, with the reason. The others are the
// engines, and what they rest on.
var clocks = map[string]string{
	"internal/result/limit.go":        "a limit that a person gives",
	"internal/discharge/discharge.go": "what is left of a limit that a person gives",
	"internal/engine/zone/engine.go":  "which queries come first, not what they say",
	"internal/effort/processor.go":    "when to ask for the time of the processor",
	"internal/smt/process.go":         "when to ask for the time of the processor",
	"internal/smt/driver.go":          "a program that does not say its version is no solver",
	"internal/smt/wasmz3/wasmz3.go":   "a notice",
	"internal/testkit/":               "tests",
	"internal/cli/":                   "people",
	"cmd/erelong/":                    "people",
	"internal/work/":                  "other machines",
	"trace/":                          "programs under test",
	"examples/":                       "programs under test",
	"bench/":                          "commands that are measured",
	"tools/":                          "commands that are run",
}

// waits are the functions that end something after a time.
var waits = map[string][]string{
	"context": {"WithTimeout", "WithDeadline", "WithTimeoutCause", "WithDeadlineCause"},
	"time":    {"After", "AfterFunc", "NewTimer", "NewTicker", "Tick", "Sleep"},
}

// No verdict depends on the speed or the load of a machine: an engine counts its work, or the time
// of the processor, unless a person gave the limit.
func TestVerdictsWaitForNoClock(t *testing.T) {
	noReads(t, func(file *ast.File) (out []read) {
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, ok := s.X.(*ast.Ident)
			if ok && slices.Contains(waits[of.Name], s.Sel.Name) {
				out = append(out, read{s.Pos(), of.Name + "." + s.Sel.Name})
			}
			return true
		})
		return out
	}, clocks, "the clock decides here")
}
