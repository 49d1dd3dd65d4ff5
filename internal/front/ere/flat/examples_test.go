package flat_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/flat/oracletest"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// Instances of the examples have the states, levels and violations of the oracle's search.
func TestExamplesAgainstOracle(t *testing.T) {
	for _, c := range []struct {
		file, instance string
		constants      map[string]int // values of constants
		sizes          map[string]int
	}{
		{"or_set", "small", map[string]int{"most": 1}, map[string]int{"replica": 2, "item": 1}},
		{"or_set_union", "small", map[string]int{"most": 1}, map[string]int{"replica": 2, "item": 1}},
		{"vector_clocks", "two", map[string]int{"most": 1}, map[string]int{"process": 2}},
		{"vector_clocks_last", "two", map[string]int{"most": 1}, map[string]int{"process": 2}},
		{"chain_replication", "two", map[string]int{"length": 2, "most": 2}, map[string]int{"value": 2}},
		{"chain_replication", "three", map[string]int{"length": 3, "most": 2}, map[string]int{"value": 2}},
		{"chain_replication_lost", "three", map[string]int{"length": 3, "most": 2},
			map[string]int{"value": 2}},
		{"key_value", "three", map[string]int{"most": 1},
			map[string]int{"server": 3, "key": 1, "reader": 2}},
		{"key_value_hasty", "three", map[string]int{"most": 1},
			map[string]int{"server": 3, "key": 1, "reader": 1}},
	} {
		t.Run(c.file+" "+c.instance, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "examples", "data",
				c.file+".ere"))
			if err != nil {
				t.Fatal(err)
			}
			sys, list, err := ere.Compile(c.file, string(text))
			if err != nil {
				t.Fatalf("%v: %v", err, list)
			}
			x, err := explicit.Explore(t.Context(), sys, sys.Instance(c.instance),
				explicit.Options{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			errs := &diag.List{}
			file := syntax.Parse(diag.NewSource(c.file, plain(string(text), c.constants)), errs)
			if errs.Err() != nil {
				t.Fatal(errs)
			}
			m := oracletest.New(file, c.sizes)
			want := m.Explore(20_000)
			if want.TooMany || want.Overflow || want.Failed > 0 {
				t.Fatalf("the oracle says %+v", want)
			}
			agree(t, m, want, sys, x)
		})
	}
}

// plain is a file as the oracle reads it: with numbers for its constants, and an initial condition
// for each symbol.
func plain(text string, constants map[string]int) string {
	text = regexp.MustCompile(`(?m)^(immutable|axiom|instance|expect) .*\n`).ReplaceAllString(text, "")
	for name, n := range constants {
		word := regexp.MustCompile(`\b` + name + `\b`)
		text = word.ReplaceAllString(text, fmt.Sprint(n))
	}
	return regexp.MustCompile(`(?m)^init .*\n`).ReplaceAllStringFunc(text, func(line string) string {
		return strings.ReplaceAll(line, " & ", "\ninit ")
	})
}
