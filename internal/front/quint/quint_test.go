package quint_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/quint"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// read reads a file of testdata.
func read(t *testing.T, path string) []quint.System {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	systems, _, err := quint.Read(context.Background(), path, string(text), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	return systems
}

// explored reports whether a claim is true in all states, found one by one without any engine. What
// cannot be computed is no state in which it is true.
func explored(t *testing.T, sys *system.System, p *system.Property) (holds bool, states int) {
	t.Helper()
	m, err := interp.NewModel(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	holds = true
	known := map[string]bool{}
	var next []interp.State
	take := func(s interp.State) {
		if key := fmt.Sprint(s); !known[key] {
			known[key] = true
			next = append(next, s)
			truth, err := m.Holds(p.Term, s)
			holds = holds && err == nil && truth
		}
	}
	ctx := context.Background()
	if err := m.Initial(ctx, func(s interp.State) error { take(s); return nil }); err != nil {
		t.Fatal(err)
	}
	for len(next) > 0 {
		s := next[0]
		next = next[1:]
		if m.EachStep(ctx, s, func(to interp.Step) error { take(to.State); return nil }) != nil {
			holds = false
		}
	}
	return holds, len(known)
}

// outcome are the claims of a file that are true of all states, and the ones that are not.
func outcome(t *testing.T, systems []quint.System) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, s := range systems {
		for _, p := range s.Spec.System.Properties {
			if p.Kind == system.Safety && !p.Tried {
				out[p.Name], _ = explored(t, s.Spec.System, p)
			}
		}
	}
	return out
}

// TestOperators reads a file with each operator of the language in a run, where the runs whose
// names say so are false, as quint test has it.
func TestOperators(t *testing.T) {
	out := outcome(t, read(t, "testdata/operators.qnt.json"))
	if len(out) != 14 { // of 13 runs, and the machine can be computed
		t.Errorf("%d claims: %v", len(out), out)
	}
	for name, holds := range out {
		if holds == strings.Contains(name, "Wrong") {
			t.Errorf("%s is %t", name, holds)
		}
	}
}

// TestChoices reads a file with choices of no element, disjunctions that end early and names that
// TLA+ has: its runs do what quint test says. What the compiler was given is claimed, and no more.
func TestChoices(t *testing.T) {
	systems := read(t, "testdata/choices.qnt.json")
	for name, holds := range outcome(t, systems) {
		want := !strings.Contains(name, "Wrong") && name != "large"
		if holds != want {
			t.Errorf("%s is %t", name, holds)
		}
	}
	var claimed []string
	for _, p := range systems[0].Spec.System.Properties {
		if p.Kind == system.Safety && !p.Tried {
			claimed = append(claimed, p.Name)
		}
	}
	if want := []string{"large", "none_inv"}; !slices.Equal(claimed, want) {
		t.Errorf("claimed are %v, not %v", claimed, want)
	}
}

// TestStates counts the states of a machine, and finds its claims.
func TestStates(t *testing.T) {
	systems := read(t, "../../../examples/quint/lease.qnt.json")
	if len(systems) != 3 {
		t.Fatalf("%d systems", len(systems))
	}
	machine := systems[0].Spec.System
	want := map[string]bool{"ordered_inv": true, "one_newest_inv": true, "exclusive": false}
	for _, p := range machine.Properties {
		if p.Kind != system.Safety {
			continue
		}
		holds, states := explored(t, machine, p)
		if holds != want[p.Name] || states != 112 || p.Tried != (p.Name == "exclusive") {
			t.Errorf("%s is %t in %d states, tried: %t", p.Name, holds, states, p.Tried)
		}
		delete(want, p.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	if p := machine.Property("served"); p == nil || !p.IsTemporal() || p.Tried {
		t.Errorf("served is %+v", p)
	}
}

// TestPlaces reads an error's place: the one of the definition around it, or without the text its
// name.
func TestPlaces(t *testing.T) {
	text, err := os.ReadFile("testdata/refused.qnt.json")
	if err != nil {
		t.Fatal(err)
	}
	none := func(string) ([]byte, error) { return nil, os.ErrNotExist }
	for _, x := range []struct {
		files quint.Files
		line  int
	}{{os.ReadFile, 3}, {none, 0}} {
		_, list, err := quint.Read(context.Background(), "testdata/refused.qnt.json", string(text),
			x.files)
		var first *diag.Diagnostic
		for _, d := range list.All {
			first = d
		}
		if err == nil || first == nil || first.Span.Line() != x.line ||
			!strings.Contains(first.Message, "in init: apalache::generate") {
			t.Errorf("%v: %+v", err, first)
		}
	}
}

// TestOpen translates a machine with constants: choices that are only given to a variable, maps
// that are written, a match, a division.
func TestOpen(t *testing.T) {
	const path = "testdata/proved.qnt.json"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	spec, _, err := quint.Open(t.Context(), path, string(text), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"counted_inv", "decided_inv"} {
		if p := spec.System.Property(name); p == nil || p.Tried {
			t.Errorf("%s is %+v", name, p)
		}
	}
	out, err := quint.Text(t.Context(), path, string(text), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"sort rm", "type record = Open | Yes(Yes: int) | No",
		"init forall x: rm. vote(x) = Open", "  require vote(r) is Open;"} {
		if !strings.Contains(out, line+"\n") {
			t.Errorf("%q is missing in\n%s", line, out)
		}
	}
	if _, list, err := quint.Read(t.Context(), path, string(text), os.ReadFile); err == nil ||
		!strings.Contains(list.All[0].Message, "leaves the constants RM, LIMIT without values") {
		t.Errorf("explored without values: %v", err)
	}
}

// tests are the runs that the program quint says succeed, and the ones that fail.
func tests(t *testing.T, path string) map[string]bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	text, _ := exec.CommandContext(ctx, "quint", "test", "--backend", "typescript",
		"--max-samples", "200", path).CombinedOutput() // the exit code is that of failing tests
	out := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^ +(ok|\d+\)) (\w+) (passed|failed) after`+
		`|^ +(ok) (\w+) passed`).FindAllStringSubmatch(string(text), -1) {
		if m[4] == "ok" {
			out[m[5]] = true
		} else {
			out[m[2]] = m[1] == "ok"
		}
	}
	if len(out) == 0 {
		t.Fatalf("quint test shows no test: %s", text)
	}
	return out
}

// TestGenerated compares runs of generated files with what the program quint says of them.
func TestGenerated(t *testing.T) {
	if _, err := exec.LookPath("quint"); err != nil {
		t.Skip("the program quint is not there, so nothing is compared with it")
	}
	for seed := range uint64(testkit.Size(1, 20)) {
		g := &generator{rand.New(rand.NewPCG(seed, 42))}
		path := filepath.Join(t.TempDir(), "generated.qnt")
		if err := os.WriteFile(path, []byte(g.file()), 0o600); err != nil {
			t.Fatal(err)
		}
		have, want := outcome(t, read(t, path)), tests(t, path)
		for name, passes := range want {
			if have[name] != passes {
				text, _ := os.ReadFile(path)
				t.Errorf("seed %d: %s: quint says %t, we %t\n%s", seed, name, passes, have[name], text)
			}
		}
	}
}

// TestImported reads a text whose module imports its machine: what the imported module claims is
// claimed, but for what is no formula or what none says. The program quint is one that knows what
// the compiler says of this text.
func TestImported(t *testing.T) {
	at, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := "#!/bin/sh\ncase \"$*\" in\n" +
		"'parse --source-map '*' --out '*' imported.qnt') cp '" + at + "/imported.tree.json' \"$5\";;\n" +
		"'compile --target json --init init --step step'*" +
		"' --invariant MINVALUE,own_inv,positive_inv,small_inv --temporal moving,zero imported.qnt') " +
		"cat '" + at + "/imported.wrong.json';;\n" +
		"'compile --target json --init init --step step'*" +
		"' --invariant own_inv,positive_inv,small_inv --temporal moving,zero imported.qnt') " +
		"cat '" + at + "/imported.claimed.json';;\n" +
		"'compile --target json --init init --step step imported.qnt') " +
		"cat '" + at + "/imported.qnt.json';;\n*) echo \"$*\" >&2; exit 1;;\nesac\n"
	if err := os.WriteFile(filepath.Join(dir, "quint"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/imported.qnt")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Chdir(dir)
	if err := os.WriteFile("imported.qnt", text, 0o600); err != nil {
		t.Fatal(err)
	}
	systems, _, err := quint.Read(t.Context(), "imported.qnt", string(text), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"own_inv": false, "imported::counter::small_inv": true,
		"imported::counter::positive_inv": false}
	if out := outcome(t, systems); !maps.Equal(out, want) {
		t.Errorf("%v, not %v", out, want)
	}
	if !slices.Contains(systems[0].Claims, "imported::counter::zero") ||
		slices.Contains(systems[0].Claims, "imported::counter::machine") {
		t.Errorf("claimed are %v", systems[0].Claims)
	}
	if u := systems[0].Spec.System.Unread; len(u) != 1 || u[0].Name != "imported::counter::moving" {
		t.Errorf("not stated are %v", u)
	}
}

// TestTranslatedParts translates a fold that adds up as a sum, the size of a set of numbers that
// are listed, and a map whose keys change with a relation for its keys.
func TestTranslatedParts(t *testing.T) {
	for path, parts := range map[string][]string{
		"testdata/folds.qnt.json": {" sum((if ", "some(balances(e))", "size({"},
		"testdata/keys.qnt.json":  {"mutable relation in_"},
		"testdata/within.qnt.json": {"balances: map[accounts, int]", "moved: int",
			"if k in bank.balances]"},
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out, err := quint.Text(t.Context(), path, string(text), os.ReadFile)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			if !strings.Contains(out, part) {
				t.Errorf("%s: %q is missing in\n%s", path, part, out)
			}
		}
		if _, _, err := quint.Open(t.Context(), path, string(text), os.ReadFile); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestWithoutMachine has a file of definitions only: nothing can be proved of its states.
func TestWithoutMachine(t *testing.T) {
	const text = `{"stage":"compiling","main":"m","types":{},"modules":[{"name":"m","declarations":[
{"kind":"def","name":"q::init","qualifier":"action","id":2,
"expr":{"id":1,"kind":"bool","value":true}},
{"kind":"def","name":"q::step","qualifier":"action","id":4,
"expr":{"id":3,"kind":"bool","value":true}}
]}]}`
	systems, _, err := quint.Read(t.Context(), "m.qnt.json", text, os.ReadFile)
	if err != nil || len(systems) != 1 || systems[0].Opens {
		t.Errorf("%v, %v", systems, err)
	}
	_, list, err := quint.Open(t.Context(), "m.qnt.json", text, os.ReadFile)
	if want := "the module m has no state machine"; err == nil || len(list.All) == 0 ||
		!strings.Contains(list.All[0].Message, want) {
		t.Errorf("%v, without %q", err, want)
	}
}

// TestUntranslated names the place in the user's text of what has no translation.
func TestUntranslated(t *testing.T) {
	const path = "testdata/fold.qnt.json"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, list, err := quint.Open(t.Context(), path, string(text), os.ReadFile)
	if err == nil {
		t.Fatal("a fold that adds nothing up is translated")
	}
	d := list.All[0]
	if !strings.HasSuffix(d.Span.Source.Name, "fold.qnt") || d.Span.Line() != 4 ||
		!strings.Contains(d.Message, "a fold is translated where its operator only adds") {
		t.Errorf("%s:%d: %s", d.Span.Source.Name, d.Span.Line(), d.Message)
	}
}
