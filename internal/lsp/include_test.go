package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What another file declares is known here: where it is, what it says, and that it is taken. A
// change of the other file is one of this document.
func TestInclude(t *testing.T) {
	dir := t.TempDir()
	low := filepath.Join(dir, "low.ere")
	const lowText = "# How far.\nmutable function level(node): 0..3\nsort node\n" +
		"type pair = { left: node, right: node }\ninit level(N) = 0\n"
	if err := os.WriteFile(low, []byte(lowText), 0o600); err != nil {
		t.Fatal(err)
	}
	uri := "file://" + filepath.ToSlash(dir) + "/"
	const text = "include \"low.ere\"\nmutable relation done(node)\ninit !done(N)\n" +
		"mutable constant at: pair\ninit at.left = at.right\n" +
		"action go(n: node) { require level(n) = 0; done(n) := true; at := at with { left: n }; }\n"
	c := start(t, nil)
	c.open(uri+"low.ere", lowText)
	c.open(uri+"up.ere", text)
	if got := c.published[uri+"up.ere"].Diagnostics; len(got) > 0 {
		t.Errorf("diagnostics: %+v", got)
	}
	p := at(uri+"up.ere", text, "level(n)", 0)
	var h *hover
	c.request("textDocument/hover", p, &h)
	if h == nil || !strings.Contains(h.Contents.Value, "mutable function level(node): 0..3") {
		t.Errorf("hover: %+v", h)
	}
	var places []location
	c.request("textDocument/definition", p, &places)
	if len(places) != 1 || places[0].URI != uri+"low.ere" || places[0].Range.Start.Line != 1 {
		t.Errorf("definition: %+v", places)
	}
	p["context"] = map[string]any{"includeDeclaration": true}
	c.request("textDocument/references", p, &places)
	if len(places) != 1 || places[0].URI != uri+"up.ere" {
		t.Errorf("references: %+v", places)
	}
	p["newName"] = "height"
	if err := c.conn.Call(t.Context(), "textDocument/rename", p, nil); err == nil ||
		!strings.Contains(err.Error(), "low.ere:2:18") {
		t.Errorf("renaming what another file declares: %v", err)
	}
	p = at(uri+"up.ere", text, "done(n) :=", 0)
	p["newName"] = "level"
	if err := c.conn.Call(t.Context(), "textDocument/rename", p, nil); err == nil ||
		!strings.Contains(err.Error(), "already a function, in line 2 of") {
		t.Errorf("renaming to what another file declares: %v", err)
	}
	var items []completionItem
	c.request("textDocument/completion", at(uri+"up.ere", text, "level(n)", 0), &items)
	found := false
	for _, i := range items {
		found = found || i.Label == "level"
	}
	if !found {
		t.Error("completion does not offer what another file declares")
	}
	changed := strings.ReplaceAll(lowText, "level", "depth")
	if err := os.WriteFile(low, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	c.notify("textDocument/didSave", map[string]any{"textDocument": textDocument{uri + "low.ere"}})
	c.until("the error is shown", func() bool {
		return len(c.published[uri+"up.ere"].Diagnostics) > 0
	})
}
