package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const counterTLA = `---- MODULE Counter ----
EXTENDS Naturals, Limits
VARIABLE x
\* It begins with nothing.
Init == x = 0
Next == x < Most /\ x' = x + 1
Small == x <= Most
====
`

func TestTLA(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"Limits.tla":  "---- MODULE Limits ----\n\\* How far it counts.\nMost == 3\n====\n",
		"Counter.tla": counterTLA,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	uri := "file://" + filepath.ToSlash(dir) + "/"
	const config = "INIT Init\nNEXT Next\nINVARIANT Small\nCHECK_DEADLOCK FALSE\n"
	c := start(t, nil)
	c.open(uri+"Counter.tla", counterTLA)
	c.open(uri+"Counter.cfg", config)
	for _, x := range []struct{ file, text, mark, hover, definition string }{
		{"Counter.tla", counterTLA, "x <= Most", "variable x", "Counter.tla"},
		{"Counter.tla", counterTLA, "Most /", "How far it counts.", "Limits.tla"},
		{"Counter.cfg", config, "Small", "Small == x <= Most", "Counter.tla"},
		{"Counter.cfg", config, "Init\n", "It begins with nothing.", "Counter.tla"},
	} {
		p := at(uri+x.file, x.text, x.mark, 0)
		var h *hover
		c.request("textDocument/hover", p, &h)
		if h == nil || !strings.Contains(h.Contents.Value, x.hover) {
			t.Errorf("hover at %q: %+v", x.mark, h)
		}
		var locations []location
		c.request("textDocument/definition", p, &locations)
		if len(locations) != 1 || locations[0].URI != uri+x.definition {
			t.Errorf("definition at %q: %+v", x.mark, locations)
		}
	}
	params := at(uri+"Counter.tla", counterTLA, "x = 0", 0)
	var found []location
	for declaration, want := range map[bool]int{true: 6, false: 5} {
		params["context"] = map[string]any{"includeDeclaration": declaration}
		c.request("textDocument/references", params, &found)
		if len(found) != want {
			t.Errorf("%d references instead of %d", len(found), want)
		}
	}
	var symbols []documentSymbol
	c.request("textDocument/documentSymbol",
		map[string]any{"textDocument": textDocument{uri + "Counter.tla"}}, &symbols)
	var names []string
	for _, s := range symbols {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, " "); got != "Counter x Init Next Small" {
		t.Errorf("symbols: %s", got)
	}
	initial := strings.Index(counterTLA, "x = 0")
	c.edit(uri+"Counter.tla", initial, initial+1, "y")
	c.until("the error is shown", func() bool {
		return len(c.published[uri+"Counter.tla"].Diagnostics) == 1
	})
}
