package derive

import (
	"cmp"
	"path"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
)

// explored adds the reason why the first instance of a system cannot be explored.
func explored(sys *system.System, list *diag.List) error {
	m, err := interp.NewModel(sys, sys.Instances[0])
	if err == nil {
		err = m.Enumerable()
	}
	if d := interp.Diagnostic(err, sys.Instances[0]); d != nil {
		list.All = append(list.All, d)
	}
	return err
}

// Every code has an example that fails with it, and with no other code.
func TestCatalogue(t *testing.T) {
	seen := map[diag.Code]bool{}
	for _, e := range diag.Catalogue() {
		t.Run(string(e.Code), func(t *testing.T) {
			if seen[e.Code] {
				t.Fatal("listed twice")
			}
			seen[e.Code] = true
			name := cmp.Or(e.File, "example.ere")
			if ext := path.Ext(name); ext != ".ere" && ext != ".pyv" {
				t.Skipf("the package of the front end for %s files tests it", ext)
			}
			if e.Title == "" || strings.TrimSpace(e.Text) == "" {
				t.Fatal("no explanation")
			}
			ds, list, err := Read(t.Context(), name, e.Example, Options{})
			if err == nil && len(list.All) == 0 {
				err = explored(ds[0].Spec.System, list)
			}
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
