// Command strip removes the parts of specifications that help a proof.
//
// In: files. Out: each file, in the directory of -out and under its own name, without invariants,
// hints, proofs, traces, expectations, and unused definitions. The rest states the system and its
// claims, so it shows what `erelong infer` finds alone. Trusted invariants stay: they are
// assumptions. -temporal=false also removes properties of runs. -hints removes only the hints for
// liveness, so the rest shows what `erelong live` finds alone.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"erelong.dev/erelong/internal/front/ere/strip"
)

func main() {
	out := flag.String("out", "", "the directory for the files; it is made if there is none")
	temporal := flag.Bool("temporal", true, "keep temporal and liveness properties")
	hints := flag.Bool("hints", false, "remove only the hints for liveness")
	flag.Parse()
	if *out == "" || flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: strip -out DIR FILE...")
		os.Exit(2)
	}
	for _, path := range flag.Args() {
		if err := file(path, *out, *temporal, *hints); err != nil {
			fmt.Fprintln(os.Stderr, "strip:", err)
			os.Exit(1)
		}
	}
}

func file(path, dir string, temporal, hints bool) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	stripped, err := strip.Source(path, string(text), temporal)
	if hints {
		stripped, err = strip.Hints(path, string(text))
	}
	if err != nil {
		return fmt.Errorf("stripping %s: %w", path, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, filepath.Base(path)), []byte(stripped), 0o644)
}
