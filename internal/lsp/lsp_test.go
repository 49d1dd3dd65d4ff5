package lsp

import (
	"encoding/json"
	"fmt"
	"os/exec"
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

func TestVerification(t *testing.T) {
	off := false
	c := start(t, &settings{VerifyOnSave: &off})
	c.open(lockURI, spec)
	var lenses []codeLens
	c.request("textDocument/codeLens", map[string]any{"textDocument": textDocument{lockURI}},
		&lenses)
	var titles []string
	for _, l := range lenses {
		titles = append(titles, fmt.Sprintf("%d %s", l.Range.Start.Line+1, l.Command.Title))
	}
	want := "1 verify all, 21 check, 21 prove, 21 infer, 22 check, 22 prove, 23 check, 23 live"
	if got := strings.Join(titles, ", "); got != want {
		t.Errorf("lenses: %s\nwant: %s", got, want)
	}
	execute := func(args ...string) {
		var out statusParams
		c.request("workspace/executeCommand", map[string]any{"command": commandVerify,
			"arguments": args}, &out)
		if out.Version != c.versions[lockURI] {
			t.Errorf("the status is of version %d", out.Version)
		}
	}
	execute(lockURI, "mutex", "check")
	if p := c.verdict(lockURI, "mutex"); p.State != "holds" || !strings.Contains(p.Detail,
		"in the instances explored") {
		t.Errorf("%+v", p)
	}
	// A change makes it stale, and a violation is shown with its steps.
	guard := "require forall X. !held(X);"
	i := strings.Index(spec, guard)
	c.edit(lockURI, i, i+len(guard), "require true;")
	c.until("stale states", func() bool {
		last := c.statuses[len(c.statuses)-1]
		return last.Version == c.versions[lockURI] && !slices.ContainsFunc(last.Properties,
			func(p propertyStatus) bool { return p.State != stateStale })
	})
	execute(lockURI, "", "check")
	if p := c.verdict(lockURI, "mutex"); p.State != "violated" || !strings.Contains(p.Trace,
		"state 2: lock") {
		t.Errorf("%+v", p)
	}
	c.until("the diagnostic of the violation",
		func() bool { return len(c.published[lockURI].Diagnostics) > 0 })
	d := c.diagnostics(lockURI)[0]
	if d.Code != "violated" || d.Severity != severityError || len(d.Related) != 3 ||
		d.Related[2].Location.Range.Start.Line != 9 {
		t.Errorf("%+v", d)
	}
	var h *hover
	c.request("textDocument/hover", at(lockURI, c.texts[lockURI], "mutex", 0), &h)
	if !strings.Contains(h.Contents.Value, "**violated**") {
		t.Errorf("%+v", h)
	}
	// A violation that the file expects is no error.
	expected := strings.Index(c.texts[lockURI], "[mutex] holds")
	c.edit(lockURI, expected, expected+len("[mutex] holds"), "[mutex] violated")
	execute(lockURI, "mutex", "check")
	c.until("the diagnostic of the violation", func() bool {
		return c.published[lockURI].Version == c.versions[lockURI] &&
			len(c.published[lockURI].Diagnostics) > 0
	})
	if d := c.diagnostics(lockURI)[0]; d.Severity != severityInformation {
		t.Errorf("%+v", d)
	}
	// The outcome does not outlive its text.
	c.edit(lockURI, 0, 0, "# a comment\n")
	if list := c.diagnostics(lockURI); len(list) != 0 {
		t.Errorf("diagnostics of the old version: %+v", list)
	}
	c.until("the progress of three runs", func() bool {
		kinds := map[string]int{}
		for _, p := range c.progress {
			kinds[p.Kind]++
		}
		return kinds["begin"] == 3 && kinds["end"] == 3
	})
	for _, x := range [][]string{{"file:///other.ere"}, {lockURI, "nothing"}, {lockURI, "mutex",
		"hope"}, {}} {
		c.refused("workspace/executeCommand", map[string]any{"command": commandVerify,
			"arguments": x})
	}
	c.refused("workspace/executeCommand", map[string]any{"command": "erelong.dance",
		"arguments": []string{lockURI}})
	var text string
	c.request("workspace/executeCommand", map[string]any{"command": commandExplain,
		"arguments": []string{"E0101"}}, &text)
	if text == "" {
		t.Error("nothing is explained")
	}
}

// Verification ends when the text changes, and when the client asks for it.
func TestVerificationEnds(t *testing.T) {
	c := start(t, nil)
	text := "mutable constant x: 0..200000000\ninit x = 0\naction up() { x := if x < 200000000 then x + 1 else 0; }\n" +
		"safety [low] x <= 200000000\ninstance one { }\n"
	c.open(lockURI, text)
	running := func() bool {
		if len(c.statuses) == 0 {
			return false
		}
		last := c.statuses[len(c.statuses)-1]
		return last.Version == c.versions[lockURI] && slices.ContainsFunc(last.Properties,
			func(p propertyStatus) bool { return p.State == stateRunning })
	}
	for range 2 {
		c.request("workspace/executeCommand", map[string]any{"command": commandVerify,
			"arguments": []string{lockURI, "low", "check"}}, nil)
		c.until("a run", running)
		c.edit(lockURI, 0, 0, "#\n")
		c.until("stale states", func() bool { return !running() })
	}
	c.request("workspace/executeCommand", map[string]any{"command": commandVerify,
		"arguments": []string{lockURI, "low", "check"}}, nil)
	c.until("a run", running)
	c.request("workspace/executeCommand", map[string]any{"command": commandStop,
		"arguments": []string{lockURI}}, nil)
	c.until("stale states", func() bool { return !running() })
}

// What waits for the verification of another document is stale after a stop, and can be asked for
// again.
func TestStopWhileWaiting(t *testing.T) {
	c := start(t, nil)
	const other = "file:///other.ere"
	c.open(lockURI, "mutable constant x: 0..200000000\ninit x = 0\naction up() { x := if x < 200000000 then x + 1 else 0; }\n"+
		"safety [low] x <= 200000000\ninstance one { }\n")
	c.open(other, spec)
	reaches := func(uri, name, state string) {
		t.Helper()
		c.until(name+" "+state, func() bool {
			for _, s := range slices.Backward(c.statuses) {
				if s.URI == uri {
					return slices.ContainsFunc(s.Properties, func(p propertyStatus) bool {
						return p.Name == name && p.State == state
					})
				}
			}
			return false
		})
	}
	command := func(name string, args ...string) {
		t.Helper()
		c.request("workspace/executeCommand", map[string]any{"command": name, "arguments": args},
			nil)
	}
	command(commandVerify, lockURI, "low", "check")
	reaches(lockURI, "low", stateRunning)
	command(commandVerify, other, "mutex", "check")
	reaches(other, "mutex", stateQueued)
	command(commandStop, other)
	reaches(other, "mutex", stateStale)
	command(commandVerify, other, "mutex", "check")
	command(commandStop, lockURI)
	reaches(other, "mutex", "holds")
	reaches(lockURI, "low", stateStale)
}

func TestVerificationOnSave(t *testing.T) {
	if _, err := exec.LookPath("z3"); err != nil {
		t.Skip("there is no z3")
	}
	c := start(t, nil)
	c.open(lockURI, strings.Replace(spec, "forall X. !held(X)", "true", 1))
	c.notify("textDocument/didSave", map[string]any{"textDocument": textDocument{lockURI}})
	if p := c.verdict(lockURI, "mutex"); p.State != "violated" {
		t.Errorf("%+v", p)
	}
	if p := c.verdict(lockURI, "bound"); p.State != "holds" || !strings.Contains(p.Detail,
		"for all") {
		t.Errorf("%+v", p)
	}
}

// Invariants that are found can be written into the file, which then is proved without a search.
func TestInference(t *testing.T) {
	if _, err := exec.LookPath("z3"); err != nil {
		t.Skip("there is no z3")
	}
	c := start(t, nil)
	text := `sort node
mutable relation asks(node)
mutable relation has(node)
mutable relation free
init !asks(N) & !has(N) & free
action ask(n: node) { asks(n) := true; }
action take(n: node) { require asks(n) & free; free := false; has(n) := true; }
action leave(n: node) { require has(n); has(n) := false; asks(n) := false; free := true; }
safety [one] has(A) & has(B) -> A = B
`
	c.open(lockURI, text)
	for range 2 {
		c.request("workspace/executeCommand", map[string]any{"command": commandVerify,
			"arguments": []string{lockURI, "one", "infer"}}, nil)
		if p := c.verdict(lockURI, "one"); p.State != "holds" {
			t.Fatalf("%+v", p)
		}
		var actions []codeAction
		c.request("textDocument/codeAction", map[string]any{
			"textDocument": textDocument{lockURI}, "range": newText(c.texts[lockURI]).whole(),
			"context": map[string]any{},
		}, &actions)
		i := slices.IndexFunc(actions, func(a codeAction) bool {
			return strings.Contains(a.Title,
				"that were found")
		})
		if strings.Contains(c.texts[lockURI], "invariant [") {
			if i >= 0 {
				t.Errorf("nothing new is needed: %+v", actions[i])
			}
			break
		}
		if i < 0 {
			t.Fatalf("no action: %+v", actions)
		}
		var h *hover
		c.request("textDocument/hover", at(lockURI, c.texts[lockURI], "one]", 0), &h)
		if !strings.Contains(h.Contents.Value, "which were found") {
			t.Errorf("%+v", h)
		}
		e := actions[i].Edit.Changes[lockURI][0]
		x := newText(c.texts[lockURI])
		c.edit(lockURI, x.offset(e.Range.Start), x.offset(e.Range.End), e.NewText)
		if list := c.diagnostics(lockURI); len(list) > 0 && list[0].Severity == severityError {
			t.Errorf("%+v", list)
		}
	}
}

// Invariants that are found again take the place of the earlier ones. What the proof assumes is
// named.
func TestInferenceAgain(t *testing.T) {
	if _, err := exec.LookPath("z3"); err != nil {
		t.Skip("there is no z3")
	}
	c := start(t, nil)
	c.open(lockURI, `sort node
mutable relation asks(node)
mutable relation has(node)
mutable relation free
init !asks(N) & !has(N) & free
action ask(n: node) { asks(n) := true; }
action take(n: node) { require asks(n) & free; free := false; has(n) := true; }
action leave(n: node) { require has(n); has(n) := false; asks(n) := false; free := true; }
safety [one] has(A) & has(B) -> A = B
trusted invariant [calm] asks(N) | !has(N)
`)
	var edits []string
	for round := range 2 {
		c.request("workspace/executeCommand", map[string]any{"command": commandVerify,
			"arguments": []string{lockURI, "one", "infer"}}, nil)
		c.until("the end of the search", func() bool {
			return len(slices.DeleteFunc(slices.Clone(c.progress),
				func(p workProgress) bool { return p.Kind != "end" })) > round
		})
		if p := c.verdict(lockURI, "one"); p.State != "holds" ||
			!strings.Contains(p.Detail, "assuming calm") {
			t.Errorf("%+v", p)
		}
		var actions []codeAction
		c.request("textDocument/codeAction", map[string]any{
			"textDocument": textDocument{lockURI}, "range": newText(c.texts[lockURI]).whole(),
			"context": map[string]any{},
		}, &actions)
		for _, a := range actions {
			if strings.Contains(a.Title, "found") {
				edits = append(edits, a.Title+"\n"+a.Edit.Changes[lockURI][0].NewText)
			}
		}
	}
	if len(edits) != 2 || edits[0] != edits[1] {
		t.Errorf("%q", edits)
	}
}

// Invariants are looked for in a system of its own, and neither in a model nor in what is derived
// from an algorithm.
func TestInferenceIsRefused(t *testing.T) {
	off := false
	c := start(t, &settings{VerifyOnSave: &off})
	for uri, text := range map[string]string{
		"file:///m.xml": model,
		"file:///a.ere": examples(t)["../../examples/heartbeat/doubling.ere"],
	} {
		c.open(uri, text)
		if got := c.refused("workspace/executeCommand", map[string]any{"command": commandVerify,
			"arguments": []string{uri, "", "infer"}}); !strings.Contains(got, "no invariants are looked for") {
			t.Errorf("%s: %s", uri, got)
		}
	}
}

const model = `<?xml version="1.0"?><nta><declaration>clock x;</declaration><template><name>P</name>
<location id="a"><name>A</name></location><init ref="a"/></template><system>system P;</system>
<queries><query><formula>A[] P.A</formula></query></queries></nta>`

// A model of UPPAAL is verified, too.
func TestModelVerification(t *testing.T) {
	c := start(t, nil)
	const uri = "file:///fischer.xml"
	c.open(uri, model)
	if list := c.diagnostics(uri); len(list) != 0 {
		t.Fatalf("%+v", list)
	}
	c.request("workspace/executeCommand", map[string]any{"command": commandVerify,
		"arguments": []string{uri}}, nil)
	if p := c.verdict(uri, "A[] P.A"); p.State != "holds" {
		t.Errorf("%+v", p)
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
