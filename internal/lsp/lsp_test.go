package lsp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const lockURI = "file:///lock.ere"

const lock = `# A lock.
sort node  # who wants it
enum mode { idle, 😀 }
`

// spec is a specification with one of most things.
const spec = `sort node
immutable constant last: int
mutable relation held(node)  # who has the lock
mutable function at(node): 0..last

# Nobody begins with the lock.
init !held(N) & at(N) = 0

# Take the lock.
action lock(n: node, steps: 0..last) {
  require forall X. !held(X);
  held(n) := true;
  at(n) := steps;
}
fair action unlock(n: node) {
  held(n) := false;
}
definition free(n: node) = !held(n)

# At most one has it.
safety [mutex] held(A) & held(B) -> A = B
invariant [bound] at(N) <= last
liveness [again] held(N) ~> free(N)
instance two { node = 2, last = 1 }
expect [mutex] holds
`

func texts(text string, ranges ...textRange) (out []string) {
	t := newText(text)
	for _, r := range ranges {
		out = append(out, t.string[t.offset(r.Start):t.offset(r.End)])
	}
	return out
}

func TestDiagnostics(t *testing.T) {
	c := start(t, nil)
	c.open(lockURI, lock)
	for _, d := range c.diagnostics(lockURI) {
		if d.Severity == severityError && d.Code != "E0002" {
			t.Errorf("%+v", d)
		}
	}
	text := strings.Replace(spec, "require forall X. !held(X)", "require 😀 forall X. !hold(X)", 1)
	c.edit(lockURI, 0, len(lock), text)
	c.edit(lockURI, strings.Index(text, "😀"), strings.Index(text, "😀")+len("😀 "), "")
	list := c.diagnostics(lockURI)
	if len(list) != 1 || list[0].Code != "E0101" || !strings.Contains(list[0].Message,
		"Did you mean 'held'?") {
		t.Fatalf("%+v", list)
	}
	if got := texts(c.texts[lockURI], list[0].Range); got[0] != "hold" {
		t.Errorf("it is at %q", got)
	}
	// The fix.
	var actions []codeAction
	c.request("textDocument/codeAction", map[string]any{
		"textDocument": textDocument{lockURI}, "range": list[0].Range,
		"context": map[string]any{"diagnostics": list},
	}, &actions)
	if len(actions) != 2 || actions[0].Edit == nil ||
		actions[0].Edit.Changes[lockURI][0].NewText != "held" {
		t.Fatalf("%+v", actions)
	}
	e := actions[0].Edit.Changes[lockURI][0]
	x := newText(c.texts[lockURI])
	c.edit(lockURI, x.offset(e.Range.Start), x.offset(e.Range.End), e.NewText)
	if list := c.diagnostics(lockURI); len(list) != 0 {
		t.Errorf("after the fix: %+v", list)
	}
	if c.texts[lockURI] != spec {
		t.Errorf("the text is\n%s", c.texts[lockURI])
	}
	// The other declaration is a related position; a lint can be meant.
	c.edit(lockURI, len(spec), len(spec), "sort node\nimmutable relation spare(node)\n")
	list = c.diagnostics(lockURI)
	if len(list) == 0 || len(list[0].Related) != 1 || texts(c.texts[lockURI],
		list[0].Related[0].Location.Range)[0] != "node" {
		t.Errorf("%+v", list)
	}
	c.edit(lockURI, len(spec), len(spec)+len("sort node\n"), "")
	list = c.diagnostics(lockURI)
	if len(list) != 1 || list[0].Severity != severityWarning || !slices.Equal(list[0].Tags,
		[]int{tagUnnecessary}) {
		t.Fatalf("%+v", list)
	}
	c.request("textDocument/codeAction", map[string]any{
		"textDocument": textDocument{lockURI}, "range": list[0].Range, "context": map[string]any{},
	}, &actions)
	e = actions[0].Edit.Changes[lockURI][0]
	x = newText(c.texts[lockURI])
	c.edit(lockURI, x.offset(e.Range.Start), x.offset(e.Range.End), e.NewText)
	if list := c.diagnostics(lockURI); len(list) != 0 {
		t.Errorf("after %q: %+v", actions[0].Title, list)
	}
	c.notify("textDocument/didClose", map[string]any{"textDocument": textDocument{lockURI}})
	c.until("no diagnostics of a closed file",
		func() bool { return len(c.published[lockURI].Diagnostics) == 0 })
	if msg := c.refused("textDocument/hover", at(lockURI, spec, "held", 0)); !strings.Contains(msg,
		"is not open") {
		t.Errorf("%s", msg)
	}
}

func TestModelDiagnostics(t *testing.T) {
	c := start(t, nil)
	const uri = "file:///m.xta"
	c.open(uri, "clock x;\nprocess P() { state a; init b; }\nsystem P;\n")
	list := c.diagnostics(uri)
	if len(list) == 0 || list[0].Severity != severityError || list[0].Range.Start.Line != 1 {
		t.Errorf("%+v", list)
	}
	var none []completionItem
	c.request("textDocument/completion", at(uri, c.texts[uri], "state", 0), &none)
	const ivy = "file:///m.ivy"
	c.open(ivy, "#lang ivy1.7\ntype node\nrelation r(X:nod)\n")
	if list := c.diagnostics(ivy); len(list) != 1 || list[0].Range.Start.Line != 2 {
		t.Errorf("%+v", list)
	}
	var h *hover
	if c.request("textDocument/hover", at(ivy, c.texts[ivy], "r(X", 0), &h); h != nil {
		t.Errorf("%+v", h)
	}
}

func TestNames(t *testing.T) {
	c := start(t, nil)
	c.open(lockURI, spec)
	for _, x := range []struct {
		mark  string
		plus  int
		wants []string
	}{
		{"held(n) := true", 0, []string{"mutable relation held(node)", "who has the lock"}},
		{"held(A)", 5, []string{"A: node", "stands for every value"}},
		{"steps;", 0, []string{"steps: 0..last"}},
		{"lock(n: node, steps", 0, []string{"action lock(", "Take the lock."}},
		{"free(", 0, []string{"definition free(n: node) = !held(n)"}},
		{"mutex] holds", 0, []string{"safety [mutex] held(A)", "At most one has it."}},
		{"require", 1, []string{"the action can be taken only where this holds"}},
	} {
		var h *hover
		c.request("textDocument/hover", at(lockURI, spec, x.mark, x.plus), &h)
		for _, want := range x.wants {
			if h == nil || !strings.Contains(h.Contents.Value, want) {
				t.Errorf("at %s: no %q in %+v", x.mark, want, h)
			}
		}
	}
	var locations []location
	c.request("textDocument/definition", at(lockURI, spec, "held(n) := true", 2), &locations)
	if len(locations) != 1 || locations[0].Range.Start != (position{2, 17}) {
		t.Errorf("definition: %+v", locations)
	}
	params := at(lockURI, spec, "held(n) := true", 0)
	params["context"] = map[string]any{"includeDeclaration": false}
	c.request("textDocument/references", params, &locations)
	if want := strings.Count(spec, "held(") - 1; len(locations) != want {
		t.Errorf("%d references, want %d", len(locations), want)
	}
	var marks []highlight
	c.request("textDocument/documentHighlight", params, &marks)
	writes := 0
	for _, m := range marks {
		if m.Kind == highlightWrite {
			writes++
		}
	}
	if len(marks) != strings.Count(spec, "held(") || writes != 2 {
		t.Errorf("%d marks, %d of them writes", len(marks), writes)
	}
	var symbols []documentSymbol
	c.request("textDocument/documentSymbol", map[string]any{"textDocument": textDocument{lockURI}},
		&symbols)
	var got []string
	for _, s := range symbols {
		got = append(got, s.Name)
	}
	want := "node last held at init:7 lock unlock free mutex bound again two"
	if strings.Join(got, " ") != want {
		t.Errorf("symbols: %s\nwant: %s", strings.Join(got, " "), want)
	}
	var found []symbolInformation
	c.request("workspace/symbol", map[string]any{"query": "LOCK"}, &found)
	if len(found) != 2 {
		t.Errorf("workspace symbols: %+v", found)
	}
}

func TestRename(t *testing.T) {
	c := start(t, nil)
	c.open(lockURI, spec)
	rename := func(mark string, plus int, name string) map[string]any {
		p := at(lockURI, spec, mark, plus)
		p["newName"] = name
		return p
	}
	var edit workspaceEdit
	c.request("textDocument/rename", rename("held(B)", 0, "owned"), &edit)
	text := newText(spec)
	edits := edit.Changes[lockURI]
	for _, e := range slices.Backward(edits) {
		text = newText(text.replace(contentChange{&e.Range, e.NewText}))
	}
	if text.string != strings.ReplaceAll(spec, "held(", "owned(") {
		t.Errorf("renamed:\n%s", text.string)
	}
	var range1 prepareRename
	c.request("textDocument/prepareRename", at(lockURI, spec, "held(B)", 1), &range1)
	if range1.Placeholder != "held" {
		t.Errorf("%+v", range1)
	}
	for _, x := range []struct {
		mark       string
		plus       int
		name, want string
	}{
		{"held(B)", 0, "mutex", "already a formula"},
		{"held(A)", 5, "B", "already a variable that stands for every value, in line"},
		{"held(B)", 0, "forall", "not a name"},
		{"held(B)", 0, "a b", "not a name"},
		{"held(B)", 0, "action", "not a name"},
		{"held(B)", 5, "b", "begins with a capital letter"},
		{":= true", 0, "x", "there is no name here"},
	} {
		if got := c.refused("textDocument/rename", rename(x.mark, x.plus,
			x.name)); !strings.Contains(got, x.want) {
			t.Errorf("%s to %s: %s", x.mark, x.name, got)
		}
	}
}

func TestCompletion(t *testing.T) {
	c := start(t, nil)
	for _, x := range []struct {
		text     string // | is the place
		has, not []string
	}{
		{spec + "\nsa|", []string{"safety", "action", "instance ..."}, []string{"held", "require"}},
		{strings.Replace(spec, "held(n) := true;", "|", 1), []string{"require", "choose", "held",
			"n", "steps"}, []string{"safety", "node"}},
		{strings.Replace(spec, "= !held(n)", "= !|", 1), []string{"held", "at", "free", "n",
			"forall"}, []string{"action", "node"}},
		{spec + "mutable |", []string{"relation", "constant", "function"}, []string{"held"}},
		{spec + "mutable relation r(|", []string{"node", "bool", "int"}, []string{"held"}},
		{spec + "definition d(x: |", []string{"node", "bool"}, []string{"held"}},
		{spec + "expect [|", []string{"mutex", "again"}, []string{"held"}},
		{spec + "expect [mutex] |", []string{"holds", "violated", "not inductive"},
			[]string{"held"}},
		{spec + "expect [mutex] holds in |", []string{"two"}, []string{"held"}},
		{spec + "instance b { |", []string{"node", "last"}, []string{"forall"}},
		{spec + "temporal [t] held(N) & |", []string{"always", "eventually", "held"},
			[]string{"action"}},
		{"algorithm a {\n  |\n}", []string{"message", "send", "timing"}, []string{"safety"}},
		{spec + "transition t(n: node) modifies |", []string{"held", "at"}, []string{"forall"}},
		{spec + "rank [again] { |", []string{"choose", "variable"}, nil},
	} {
		before, after, _ := strings.Cut(x.text, "|")
		uri := fmt.Sprintf("file:///%d.ere", len(x.text))
		c.open(uri, before+after)
		var items []completionItem
		c.request("textDocument/completion", map[string]any{
			"textDocument": textDocument{uri},
			"position":     newText(before + after).position(len(before))}, &items)
		labels := map[string]bool{}
		for _, i := range items {
			labels[i.Label] = true
		}
		for _, want := range x.has {
			if !labels[want] {
				t.Errorf("…%s|: no %s among %v", before[max(0, len(before)-20):], want, labels)
			}
		}
		for _, other := range x.not {
			if labels[other] {
				t.Errorf("…%s|: %s is offered", before[max(0, len(before)-20):], other)
			}
		}
	}
}

func TestSignature(t *testing.T) {
	c := start(t, nil)
	text := spec + "invariant [x] free(at(N"
	c.open(lockURI, text)
	var help *signatureHelp
	c.request("textDocument/signatureHelp", map[string]any{"textDocument": textDocument{lockURI},
		"position": newText(text).position(len(text))}, &help)
	if help == nil || help.Signatures[0].Label != "at(node): 0..last" {
		t.Errorf("%+v", help)
	}
	text += "), "
	c.edit(lockURI, len(text)-3, len(text)-3, "), ")
	c.request("textDocument/signatureHelp", map[string]any{"textDocument": textDocument{lockURI},
		"position": newText(text).position(len(text))}, &help)
	if help == nil || help.Signatures[0].Label != "free(n: node)" {
		t.Errorf("%+v", help)
	}
}

func TestLayout(t *testing.T) {
	c := start(t, nil)
	ugly := strings.Replace(spec, "require forall X. !held(X);",
		"   require   forall X.!held( X ) ;", 1)
	c.open(lockURI, ugly)
	var edits []textEdit
	c.request("textDocument/formatting", map[string]any{"textDocument": textDocument{lockURI},
		"options": map[string]any{}}, &edits)
	if len(edits) != 1 || newText(ugly).replace(contentChange{&edits[0].Range,
		edits[0].NewText}) != spec {
		t.Errorf("%+v", edits)
	}
	if edits[0].Range.Start.Line != edits[0].Range.End.Line-1 {
		t.Errorf("the edit is of %+v, and one line differs", edits[0].Range)
	}
	c.edit(lockURI, 0, 4, "srot")
	c.request("textDocument/formatting", map[string]any{"textDocument": textDocument{lockURI},
		"options": map[string]any{}}, &edits)
	if len(edits) != 0 {
		t.Errorf("a text with errors: %+v", edits)
	}
	var folds []foldingRange
	c.request("textDocument/foldingRange", map[string]any{"textDocument": textDocument{lockURI}},
		&folds)
	if !slices.Contains(folds, foldingRange{9, 12, "region"}) {
		t.Errorf("%+v", folds)
	}
	var chain []selectionRange
	c.request("textDocument/selectionRange", map[string]any{"textDocument": textDocument{lockURI},
		"positions": []position{{20, 20}}}, &chain)
	var got []string
	for s := &chain[0]; s != nil; s = s.Parent {
		got = append(got, texts(c.texts[lockURI], s.Range)...)
	}
	if len(got) < 4 || got[0] != "A" || got[1] != "held(A)" ||
		got[len(got)-2] != "safety [mutex] held(A) & held(B) -> A = B" {
		t.Errorf("%q", got)
	}
}

func TestTokensAndHints(t *testing.T) {
	c := start(t, nil)
	c.open(lockURI, spec)
	var tokens semanticTokens
	c.request("textDocument/semanticTokens/full",
		map[string]any{"textDocument": textDocument{lockURI}}, &tokens)
	found := map[string]string{}
	line, column := 0, 0
	for i := 0; i+4 < len(tokens.Data); i += 5 {
		if tokens.Data[i] > 0 {
			column = 0
		}
		line += int(tokens.Data[i])
		column += int(tokens.Data[i+1])
		word := texts(spec, textRange{position{line, column},
			position{line, column + int(tokens.Data[i+2])}})[0]
		text := tokenTypes[tokens.Data[i+3]]
		for m, name := range tokenModifiers {
			if tokens.Data[i+4]&(1<<m) != 0 {
				text += " " + name
			}
		}
		found[fmt.Sprintf("%d:%s", line+1, word)] = text
	}
	for place, want := range map[string]string{
		"1:sort": "keyword", "1:node": "type declaration", "3:held": "variable declaration mutable",
		"3:# who has the lock": "comment",
		"2:last":               "variable declaration readonly", "12:held": "variable modification mutable",
		"10:action": "keyword",
		"15:unlock": "method declaration fair", "21:A": "parameter readonly bound implied",
		"22:<=": "operator", "7:0": "number",
	} {
		if found[place] != want {
			t.Errorf("%s is %q, want %q", place, found[place], want)
		}
	}
	x := newText(spec)
	var hints []inlayHint
	c.request("textDocument/inlayHint", map[string]any{"textDocument": textDocument{lockURI},
		"range": x.whole()}, &hints)
	var got []string
	for _, h := range hints {
		got = append(got, fmt.Sprintf("%d %s", h.Position.Line+1, h.Label))
	}
	want := []string{"7 forall N: node.", "10 unfair", "11 : node", "21 forall A: node, B: node.",
		"22 forall N: node.", "23 forall N: node."}
	if !slices.Equal(got, want) {
		t.Errorf("hints: %q\nwant: %q", got, want)
	}
	// With an error elsewhere the rest of the file still has sorts.
	c.edit(lockURI, len(spec), len(spec), "\nsafety [broken] held(\n")
	c.request("textDocument/inlayHint", map[string]any{"textDocument": textDocument{lockURI},
		"range": x.whole()}, &hints)
	if len(hints) != len(want) {
		t.Errorf("%d hints beside an error: %+v", len(hints), hints)
	}
}

// A request that the server does not know, or cannot read, is refused by a code of the protocol.
func TestBadRequests(t *testing.T) {
	c := start(t, nil)
	if got := c.refused("textDocument/dance", nil); !strings.Contains(got, "-32601") {
		t.Errorf("%s", got)
	}
	c.open(lockURI, spec)
	if got := c.refused("textDocument/hover", json.RawMessage(`{"textDocument":{"uri":"`+lockURI+`"},"position":7}`)); !strings.Contains(got, "-32602") {
		t.Errorf("%s", got)
	}
}
