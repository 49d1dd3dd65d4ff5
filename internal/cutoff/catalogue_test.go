package cutoff

import (
	"strings"
	"testing"

	"erelong/internal/diag"
)

// Every code has an example that fails with it, and with no other code.
func TestCatalogue(t *testing.T) {
	seen := map[diag.Code]bool{}
	for _, e := range diag.Catalogue() {
		t.Run(string(e.Code), func(t *testing.T) {
			if seen[e.Code] {
				t.Fatal("listed twice")
			}
			seen[e.Code] = true
			if e.Title == "" || strings.TrimSpace(e.Text) == "" {
				t.Fatal("no explanation")
			}
			name := "example.ere"
			if e.Mypyvy {
				name = "example.pyv"
			}
			_, list, err := Read(name, e.Example, Options{})
			if warning := strings.HasPrefix(string(e.Code), "W"); (err == nil) != warning {
				t.Fatalf("error: %v", err)
			}
			if len(list.All) == 0 {
				t.Fatal("no message")
			}
			for _, d := range list.All {
				if d.Code != e.Code {
					t.Errorf("another code: %v", d)
				}
				if d.Span.IsZero() {
					t.Errorf("no position: %v", d)
				}
			}
		})
	}
}
