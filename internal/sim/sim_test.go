package sim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
)

// counter has two initial states, a choice, a trusted invariant, a deadlock and a violation.
const counter = `
sort s
enum color { red, green }
immutable constant flip: bool
mutable relation r(s)
mutable constant n: 0..4
mutable constant shade: color
init !r(X) & n = 0 & shade = red
definition some() = exists X. r(X)

action mark(x: s) {
  require !r(x);
  r(x) := true;
}
action add() {
  choose k: 1..3 with n + k < 5 { n := n + k; }
  shade := if flip then green else shade;
}
action stop() { require n = 4; r(X) := true; n := 0; }

trusted invariant [little] n < 4 | some
invariant [reds] shade = red -> !flip | n = 0
safety [few] r(X) & r(Y) -> X = Y
liveness [live] true ~> r(X)
instance two { s = 2 }
`

func read(t testing.TB, text string) *ere.Specification {
	t.Helper()
	spec, list, err := ere.Read("x.ere", text)
	if err != nil {
		t.Fatal(list)
	}
	return spec
}

func start(t testing.TB, spec *ere.Specification, o Options) *Session {
	t.Helper()
	s, err := New(context.Background(), spec, spec.System.Instances[0], o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The lines are carried out in order. The answer, or the message, has the given parts; a part that
// begins with ! is absent.
func TestCommands(t *testing.T) {
	s := start(t, read(t, counter), Options{Page: 3})
	if text, err := s.Opening(context.Background()); err != nil || !strings.Contains(text, "first of 2 initial states") {
		t.Errorf("%v\n%s", err, text)
	}
	for i, c := range []struct {
		line string
		want []string
	}{
		{"", nil},
		{"   # nothing", nil},
		{"list", []string{"5 steps are possible", "1  mark(x = s0)  r(s0): false -> true", "further lines: `more`", "!add(k = 3)"}},
		{"mo", []string{"4  add(k = 2)    n: 0 -> 2", "5  add(k = 3)", "!mark"}},
		{"more", []string{"error: there is nothing more"}},
		{"list ad", []string{"3 steps", "3  add(k = 1)", "!mark"}},
		{"l nix", []string{`error: there is no action "nix"; the actions are: mark, add, stop`}},
		{"back", []string{"error: this is the first state"}},
		{"forward", []string{"error: this is the last state"}},
		{"add", []string{"3 steps are possible", "3  add(k = 1)", "Choose one by its number"}},
		{"add(5)", []string{"error: add is not enabled with these arguments"}},
		{"add(z = 1)", []string{"error: add has no parameter z"}},
		{"add(1, 2)", []string{"error: add takes at most 1 argument"}},
		{"add(1", []string{"error: the parenthesis"}},
		{"add(k =)", []string{"error: the value of k is missing"}},
		{"add k = = 1", []string{"error: arguments are"}},
		{"add((1))", []string{"error: arguments are"}},
		{"stop", []string{"error: stop is not enabled in this state"}},
		{"6", []string{`error: a step is a number from 1 to 5, not "6"`}},
		{"0", []string{"error: a step is"}},
		{"99999999999999999999", []string{"error: a step is"}},
		{"1 2", []string{"error: a number takes that step"}},
		{"step", []string{"error: step takes"}},
		{"step ad(3)", []string{"state 1: add(k = 3)\n  n: 0 -> 3\n", "-  add(k = 1)", "trusted invariant little"}},
		{"add", []string{"error: add(k = 1) is not available: the trusted invariant little"}},
		{"diff", []string{"state 1: add(k = 3)\n  n: 0 -> 3\n"}},
		{"diff 1", []string{"mark(x = s0)\n  r(s0): false -> true\n"}},
		{"diff 9", []string{"error: a step is"}},
		{"show", []string{"flip = false", "r = {}", "n = 3"}},
		{"show n", []string{"n = 3"}},
		{"show flip", []string{"flip = false"}},
		{"show shad", []string{`error: there is no symbol "shad"; did you mean "shade"?`}},
		{"? n + 1", []string{"4\n"}},
		{"eval shade", []string{"red\n"}},
		{"eval if some then s0 else s1", []string{"s1\n"}},
		{"eval r(X) -> X = s0", []string{"true\n"}},
		{"eval exists K: 0..5. K > n & K < 5", []string{"true\n"}},
		{"eval few & !reds", []string{"false\n"}},
		{"eval", []string{"error: an expression is expected"}},
		{"eval n +", []string{"expression:1:4: error E0003"}},
		{"eval m", []string{"expression:1:1: error E0101: 'm' is not declared"}},
		{"eval forall I: int. I = I", []string{"cannot be enumerated"}},
		{"eval n * 9223372036854775807 * 2", []string{"does not fit in 64 bits"}},
		{"eval live", []string{"E0309"}},
		{"eval r(s2)", []string{"E0101"}},
		{"props", []string{"true  little", "true  few", "true  range:n", "!live"}},
		{"why", []string{"error: no property is false"}},
		{"mark s0", []string{"state 2: mark(x = s0)"}},
		{"mark", []string{"state 3: mark(x = s1)", "few is violated (x.ere:23:14)",
			"see `why few`"}},
		{"props", []string{"false  few", "(x.ere:23:14)"}},
		{"why", []string{"few is false in state 3 (x.ere:23:1)\n  for X = s0, Y = s1\n    r(X) & r(Y) -> X = Y is false\n", "      X = Y is false\n"}},
		{"why reds", []string{"reds is true"}},
		{"why n = 3 & exists X. !r(X)", []string{"the formula is false", "exists X:s. !r(X) is false"}},
		{"why !(n < 3 | some)", []string{"the formula is false", "is true for X = s0", "r(X) is true"}},
		{"why n", []string{"error: a formula is expected, but this has sort int"}},
		{"why if flip then false else n = 2",
			[]string{"flip is false", "n = 2 is false", "n is 3"}},
		{"why let k = n in k > 4", []string{"for k = 3", "4 < k is false"}},
		{"trace", []string{"counterexample to few, 4 states", "few is violated in state 3"}},
		{"back 2", []string{"state 1: add(k = 3)"}},
		{"forward 3", []string{`error: how far to go forward is a number from 1 to 2, not "3"`}},
		{"f", []string{"state 2: mark(x = s0)"}},
		{"goto 0", []string{"state 0\n"}},
		{"g 4", []string{`error: a state of the run is a number from 0 to 3, not "4"`}},
		{"goto", []string{"error: a state of the run"}},
		{"add(3)", []string{"state 1: add"}},
		{"forward 2", []string{"state 3: mark(x = s1)"}},
		{"goto 1", nil},
		{"2", []string{"state 2: mark(x = s1)"}},
		{"forward", []string{"error: this is the last state"}},
		{"until n = 0 & some",
			[]string{"state 3: add(k = 1)", "state 4: stop\n", "few is violated"}},
		{"u some", []string{"error: the formula is true in this state already"}},
		{"until shade = green", []string{"error: the formula is false in every state that can be reached from here"}},
		{"until n", []string{"error: a formula is expected"}},
		{"until", []string{"error: an expression is expected"}},
		{"restart", []string{"2 initial states", "   2  flip: false -> true\n"}},
		{"init 3", []string{`error: an initial state is a number from 1 to 2`}},
		{"init n = 1", []string{"error: the formula is false in every initial state"}},
		{"init flip", []string{"state 0\n"}},
		{"show flip", []string{"flip = true"}},
		{"init 1", []string{"state 0\n"}},
		{"show flip", []string{"flip = false"}},
		{"random 5", []string{"state "}},
		{"random 0", []string{"error: how many steps"}},
		{"random 10001", []string{"error: how many steps"}},
		{"save", []string{"error: save takes the name"}},
		{"save x", []string{"error: there is no place for files"}},
		{"s", []string{`error: "s" may stand for step, show, save, stop`}},
		{"sta", []string{`error: there is no command or action "sta"`}},
		{"lsit", []string{`error: there is no command or action "lsit"; did you mean "list"?`}},
		{"n = 3", []string{`error: there is no command or action "n"`, "`eval EXPR` evaluates an expression"}},
		{"!few", []string{`error: "!few" is not a command`}},
		{"help", []string{"until EXPR", "A number takes that step"}},
		{"help re", []string{"restart\n", "!random"}},
		{"help nix", []string{`error: there is no command "nix"`}},
		{"trace 1", []string{"error: trace takes no argument"}},
		{"quit now", []string{"error: quit takes no argument"}},
		{"q", []string{"error: quit"}},
	} {
		text, err := s.Do(context.Background(), c.line)
		if err != nil {
			text += "error: " + err.Error()
		}
		for _, w := range c.want {
			if absent, ok := strings.CutPrefix(w, "!"); strings.Contains(text,
				strings.TrimPrefix(w, "!")) == ok {
				t.Errorf("%d: %s: %q is there: %t\n%s", i, c.line, absent, ok, text)
			}
		}
		if c.want == nil && err != nil ||
			len(c.want) > 0 && strings.HasPrefix(c.want[0], "error") != (err != nil) &&
				!strings.Contains(text, "E0") &&
				!strings.Contains(text, "enumerated") && !strings.Contains(text, "64 bits") {
			t.Errorf("%d: %s: error: %v", i, c.line, err)
		}
	}
}

// A word that begins an action and no command stands for the action; an exact name comes before
// beginnings.
func TestWords(t *testing.T) {
	s := start(t, read(t, `
mutable constant n: 0..9
init n = 0
action b() { n := 1; }
action list() { n := 2; }
action inc() { n := 3; }
action incr() { n := 4; }
action x() { n := 5; }
instance i { }
`), Options{})
	for _, c := range []struct {
		line string
		n    string // after it, empty for an unchanged state
	}{
		{"b", "1"}, {"list", ""}, {"step list", "2"}, {"inc", "3"}, {"incr", "4"}, {"in", ""},
		{"x", "5"}, {"step x", "5"}, {"do", ""},
	} {
		before := s.state()
		_, _ = s.Do(context.Background(), c.line)
		want := c.n
		if want == "" {
			want = fmt.Sprint(before[0])
		}
		if got := fmt.Sprint(s.state()[0]); got != want {
			t.Errorf("%s: n = %s, want %s", c.line, got, want)
		}
	}
}

// A warning states exactly the defects of a state or a file.
func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		name, text string
		lines      []string
		want       string
	}{
		{"deadlock", "mutable constant n: 0..1\ninit n = 0\naction a() { require n = 0; n := 1; }\ninstance i { }", []string{"a"},
			"deadlock: this state has no successor"},
		{"all steps are cut", "mutable constant n: 0..1\ninit n = 0\naction a() { n := 1; }\ntrusted invariant n = 0\ninstance i { }", nil,
			"deadlock: this state has no successor: trusted invariants cut off 1 step\n   -  a  not available: trusted invariant trusted:4"},
		{"no value", "mutable constant n: int\ninit n = 9223372036854775807\naction a() { n := n + 1; }\ninstance i { }", nil,
			"no step is possible\n   !  a  error: action a(): x.ere:3:19: the result of + does not fit in 64 bits"},
		{"a range", "mutable constant n: 0..1\ninit n = 0\naction a() { n := n + 1; }\ninstance i { }", []string{"a", "a"}, "range:n is violated (x.ere:1:18)"},
		{"a property without a value",
			"mutable constant n: int\nmutable relation r(0..1)\ninit n = 0\naction a() { n := n + 2; }\nsafety [p] r(n) | !r(n)\ninstance i { }", []string{"a"},
			"p has no value here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, read(t, c.text), Options{})
			text, err := s.Opening(context.Background())
			for _, l := range c.lines {
				text, err = s.Do(context.Background(), l)
			}
			if err != nil || !strings.Contains(text, c.want) {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
	spec := read(t, "mutable constant n: 0..1\ninit n = 0 & n = 1\ninstance i { }")
	if _, err := New(context.Background(), spec, spec.System.Instances[0], Options{}); err == nil ||
		!strings.Contains(err.Error(), "no initial state") {
		t.Errorf("no initial state: %v", err)
	}
}

// Limits are respected and reported.
func TestLimits(t *testing.T) {
	s := start(t, read(t, `
mutable relation r(0..7)
mutable constant n: int
init n = 0
action any_of() { r := *; n := n + 1; }
action one() { n := n + 1; }
instance i { }
`), Options{MaxSteps: 10, MaxStates: 30})
	text, err := s.Opening(context.Background())
	if err != nil || !strings.Contains(text, "more than 10 initial states") ||
		!strings.Contains(text, "11 steps are possible") ||
		!strings.Contains(text, "any_of has more steps: only 10 are listed") {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := s.Do(context.Background(), "until n = 100"); err == nil ||
		!strings.Contains(err.Error(), "false in the 30 states that are nearest") {
		t.Errorf("until: %v", err)
	}
	if _, err := s.Do(context.Background(), "init n = 1"); err == nil ||
		!strings.Contains(err.Error(), "false in the first 30") {
		t.Errorf("init: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Do(ctx, "until n = 100"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if s.at != 0 || len(s.run) != 1 {
		t.Errorf("a failed command moved to %d of %d", s.at, len(s.run))
	}
}

// Elements with the same name have no name in expressions.
func TestSharedNames(t *testing.T) {
	spec := read(t, "sort a\nsort a1\nmutable relation r(a)\nmutable relation q(a1)\ninstance i { a = 11, a1 = 1 }")
	s := start(t, spec, Options{MaxSteps: 1})
	for text, ok := range map[string]bool{"r(a9)": true, "r(a10)": false, "q(a10)": false} {
		if _, err := s.Do(context.Background(), "eval "+text); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestComplete(t *testing.T) {
	s := start(t, read(t, counter), Options{})
	for line, want := range map[string]string{
		"": "", "ma": "mark", "sto": "stop", "s": "save show step stop", "mark(s": "s0 s1 shade stop", "eval fl": "flip", "?sh": "shade", "zz": "",
	} {
		if got := strings.Join(s.Complete(line), " "); got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}

// A session can begin in any state of a trace, also of a trace without a state or with a loop.
func TestOfTrace(t *testing.T) {
	ctx := context.Background()
	spec := read(t, counter)
	s := start(t, spec, Options{})
	for _, line := range []string{"add(3)", "mark(s0)", "mark(s1)"} {
		if _, err := s.Do(ctx, line); err != nil {
			t.Fatal(err)
		}
	}
	trace := s.trace()
	if trace.Kind != result.Counterexample || trace.Violates != "few" || trace.Line == 0 {
		t.Errorf("%s of %s, line %d", trace.Kind, trace.Violates, trace.Line)
	}
	trace.Kind, trace.Loop = result.ToInduction, 1
	trace.Steps = trace.Steps[1:]
	s, err := NewOfTrace(t.Context(), spec, trace, 1, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Opening(ctx)
	for _, want := range []string{"need not be reachable", "states 0 to 2", "returns to state 1", "state 1: mark(x = s0)\n  r(s0): false -> true"} {
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%q is missing: %v\n%s", want, err, text)
		}
	}
	if kind := s.trace().Kind; kind != result.ToInduction {
		t.Errorf("saved as %s", kind)
	}
	if _, err := s.Do(ctx, "init 1"); err != nil || s.trace().Kind != result.Witness {
		t.Errorf("a run from an initial state is saved as %s (%v)", s.trace().Kind, err)
	}
	if _, err := NewOfTrace(t.Context(), spec, trace, 3, Options{}); err == nil ||
		!strings.Contains(err.Error(), "no state 3") {
		t.Errorf("state 3: %v", err)
	}
	trace.Steps[0].State = nil
	if _, err := NewOfTrace(t.Context(), spec, trace, 0, Options{}); err == nil ||
		!strings.Contains(err.Error(), "no value is given") {
		t.Errorf("without values: %v", err)
	}
}

// The same seed gives the same walk.
func TestSeed(t *testing.T) {
	spec := read(t, counter)
	walk := func(seed uint64) string {
		s := start(t, spec, Options{Seed: seed})
		text, err := s.Do(context.Background(), "random 6")
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	different := false
	for seed := range uint64(10) {
		if once, again := walk(seed), walk(seed); once != again {
			t.Errorf("seed %d gives two walks", seed)
		}
		different = different || walk(seed) != walk(0)
	}
	if !different {
		t.Error("ten seeds give one walk")
	}
}

// Any line gives an answer or an error; nothing panics, and the current state stays within the run.
func FuzzDo(f *testing.F) {
	for _, line := range []string{
		"list", "add(k = 1)", "mark s0\nback\nforward", "? r(X) -> some", "until n = 3\nwhy", "init flip", "random 4", "diff 1", "goto 0", "((", "1", "step 2 3", "save x",
	} {
		f.Add(line)
	}
	spec := read(f, counter)
	f.Fuzz(func(t *testing.T, text string) {
		digits := 0
		for _, r := range text {
			if digits++; r < '0' || r > '9' {
				digits = 0
			}
			if digits > 1 { // 0..99 in a quantifier only takes long
				return
			}
		}
		s := start(t, spec, Options{MaxStates: 50})
		for i, line := range strings.Split(text, "\n") {
			if i == 5 || len(line) > 80 {
				return
			}
			_, err := s.Do(context.Background(), line)
			if err != nil && err.Error() == "" {
				t.Errorf("%q: an empty message", line)
			}
			if s.at < 0 || s.at >= len(s.run) {
				t.Fatalf("%q: state %d of %d", line, s.at, len(s.run))
			}
			s.Complete(line)
		}
	})
}
