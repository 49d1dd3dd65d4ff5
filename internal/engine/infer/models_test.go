package infer

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"erelong/internal/lang"
	"erelong/internal/system"
)

func TestTry(t *testing.T) {
	for _, name := range strings.Fields(os.Getenv("INFER")) {
		sys, list, err := lang.Load(filepath.Join("..", "..", "..", "..", "shared", "models", "mypyvy", "examples", name+".pyv"))
		if err != nil {
			t.Fatal(err, list)
		}
		sys.Properties = slices.DeleteFunc(sys.Properties, func(p *system.Property) bool { return p.Kind == system.Invariant })
		start := time.Now()
		out, err := Find(t.Context(), sys, Options{Progress: func(s string) { fmt.Println("   ", time.Since(start).Round(time.Millisecond), s) }})
		if err != nil {
			t.Error(name, err)
			continue
		}
		fmt.Println(name, out.Proved, out.Reason, out.Queries, time.Since(start))
		for _, l := range out.Lemmas {
			fmt.Println("  ", l.Name, "for", l.For, l.Term)
		}
	}
}
