package lsp

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

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

// A violation is shown while the search for others goes on.
func TestViolationWhileRunning(t *testing.T) {
	c := start(t, nil)
	c.open(lockURI, "mutable constant x: 0..200000000\ninit x = 0\naction up() { x := if x < 200000000 then x + 1 else 0; }\n"+
		"safety [low] x <= 200000000\nsafety [three] x != 3\ninstance one { }\n")
	c.request("workspace/executeCommand", map[string]any{"command": commandVerify,
		"arguments": []string{lockURI, "", "check"}}, nil)
	c.until("a violation beside a run", func() bool {
		if len(c.statuses) == 0 {
			return false
		}
		states := map[string]string{}
		for _, p := range c.statuses[len(c.statuses)-1].Properties {
			states[p.Name] = p.State
		}
		return states["three"] == "violated" && states["low"] == stateRunning
	})
	c.request("workspace/executeCommand", map[string]any{"command": commandStop,
		"arguments": []string{lockURI}}, nil)
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
