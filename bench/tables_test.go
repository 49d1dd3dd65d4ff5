package main

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/cli"
)

// Every row is a command line that the program takes: files, queries, instances and options. The
// context has ended, so nothing is computed.
func TestRows(t *testing.T) {
	t.Chdir("..")
	ended, end := context.WithCancel(t.Context())
	end()
	for _, table := range tables {
		for _, r := range table.Rows {
			if table.Clone != nil {
				continue // its files are elsewhere
			}
			var out, errOut bytes.Buffer
			args := append(slices.Clone(r.Args), "--format", "json", "-q")
			code := cli.Main(ended, args, nil, &out, &errOut)
			if code == cli.ExitUsage || code == cli.ExitFile {
				t.Errorf("%s, %s: exit %d of %q\n%s", table.Name, r.Name, code, args, &errOut)
			}
		}
	}
}
