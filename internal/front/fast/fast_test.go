package fast

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
)

const pool = `// two pools of a resource
model pool {
  var free, used, total;
  states s;
  transition take := { from := s; to := s; guard := free >= 1; action := free' = free - 1, used' = used + 1; };
  transition give := { from := s; to := s; guard := used > 0; action := used' = used - 1, free' = free + 1; };
}
strategy all {
  setMaxState(0); setMaxAcc(100);
  Region init := { state = s && used = 0 && free = total };
  Transitions t := { take, give, take };
  Region reach := post*(init, t, 2);
  Region bad := { !(free + used = total) };
  boolean kept := isEmpty(reach && bad);
  if kept && subSet(reach, {used <= total}) then print("safe"); else print("unsafe"); endif
  print(kept);
}
`

// What is read is written as a specification, in which everything has its place.
func TestRead(t *testing.T) {
	f, list, err := Read(t.Context(), "pool.fst", pool)
	if err != nil {
		t.Fatal(list)
	}
	if len(f.Systems) != 1 || !slices.Equal(f.Systems[0].Claims, []string{"kept", "reach_in"}) {
		t.Fatalf("systems: %+v", f.Systems)
	}
	if f.Systems[0].Name != "" || f.Program != nil {
		t.Errorf("the only system has the name %q", f.Systems[0].Name)
	}
	text, err := Text("pool.fst", pool)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "let ") {
		t.Errorf("a value has a name that nothing needs:\n%s", text)
	}
	for _, want := range []string{
		"immutable constant total: int", "mutable constant free: int", "axiom total >= 0", "init free >= 0",
		"require free >= 1;", "require free - 1 >= 0;", "safety [kept] free + used = total",
		"safety [reach_in] used <= total",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if _, list, err := ere.Compile("pool.ere", text); err != nil {
		t.Errorf("%v\n%s", list, text)
	}
}

// A strategy prints what the outcomes of its tests decide.
func TestSays(t *testing.T) {
	f, _, err := Read(t.Context(), "pool.fst", pool)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kept, within Outcome
		want         []string
	}{
		{True, True, []string{"safe", "true"}},
		{True, False, []string{"unsafe", "true"}},
		{False, Open, []string{"unsafe", "false"}},
		{True, Open, []string{"true"}},
		{Open, Open, nil},
	} {
		var want []string
		for _, w := range c.want {
			want = append(want, "strategy all prints: "+w)
		}
		got := f.Says(func(claim string) Outcome {
			if claim == "kept" {
				return c.kept
			}
			return c.within
		})
		if !slices.Equal(got, want) {
			t.Errorf("%v, %v: %q, want %q", c.kept, c.within, got, want)
		}
	}
}

const head = "model m { var x, y; states a, b; transition t := { from := a; to := b; guard := x > y; action := x' = y, y' = x; }; }\n"

// What is wrong or not supported is named at its place.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"model m { var x; }", "has no states"},
		{"model m { var x; states a, a; }", "'a' is declared twice"},
		{"model m { var x; states a; transition t := { from := a; to := c; guard := true; action := ; }; }", "there is no state 'c'"},
		{"model m { var x; states a; transition t := { from := a; guard := true; action := ; }; }", "has no 'to'"},
		{"model m { var x; states a; transition t := { from := a; to := a; guard := z > 0; action := ; }; }", "there is no variable 'z'"},
		{"model m { var x; states a; transition t := { from := a; to := a; guard := true; action := x' = x + ?; }; }", "'?' is read as a whole value"},
		{"model m { var x; states a; transition t := { from := a; to := a; guard := x; action := ; }; }", "a formula is expected"},
		{head + "model n { var x; states a; }", "a second model"},
		{head + "strategy s { while 1 do endwhile }", "a test is expected"},
		{head + "strategy s { while true do print(1); endwhile }", "a region is expected"},
		{head + "strategy s { Region r := {exists x. x > 0}; }", "'exists' is not read"},
		{head + "strategy s { Region r := {x > 0}; Region r := {x > 1}; }", "'r' is declared twice"},
		{head + "strategy s { q := {x > 1}; }", "'q' is not declared"},
		{head + "strategy s { q := true; }", "'q' is not declared"},
		{head + "strategy s { print(\"no end\n); }", "a text without its end"},
		{head + "strategy s { Transitions t1 := {u}; }", "the name of a transition"},
		{head + "strategy s { boolean b := isEmpty(q); }", "there is no region 'q'"},
		{head + "strategy s { Region r := {state < a}; }", "states have no order"},
		{head + "strategy s { cheese(1); }", "'cheese' is not read"},
		{head + "strategy s { Region r := " + strings.Repeat("(", 2000), "nested more than 1000 deep"},
		{"model m { /* ", "'/*' without its end"},
		{"\x00", "is not UTF-8 text"},
		{head + "strategy s { Region r := {x ~ y}; }", "unexpected character '~'"},
	} {
		_, list, err := Read(t.Context(), "x.fst", c.text)
		if err == nil || !strings.Contains(list.Error(), c.want) {
			t.Errorf("%s\n%v, want %q", c.text, list, c.want)
		}
		for _, d := range list.All {
			if d.Span.Start > d.Span.End || d.Span.End > len(c.text) {
				t.Errorf("%s\n%s has the place %d to %d", c.text, d.Message, d.Span.Start, d.Span.End)
			}
		}
	}
}

// What no engine's claims decide is left to a program, with a claim's name for each test in it.
func TestProgram(t *testing.T) {
	for _, c := range []struct {
		text   string
		claims string // of engines, and in brackets the ones of the program
	}{
		{"Region r := post*({x = 0}, u); boolean ok := subSet(r, {x > 0});", "ok"},
		{"Region r := post*({x = 0}, u); boolean ok := subSet({x > 0}, r);", "[ok]"},
		{"Region r := post*({x = 0}, u); boolean ok := equal({x > 0}, r);", "[ok]"},
		{"boolean ok := isEmpty(post*({x = 0}, u) && pre*({x = 1}, u));", "[ok]"},
		{"boolean ok := isEmpty(post*(pre*({x = 1}, u), u));", "[ok]"},
		{"Region r := {x = 0}; while !isEmpty(r) do r := r && {x > 1}; endwhile boolean ok := isEmpty(r);",
			"[r_empty ok]"},
		{"boolean yes := isEmpty({x < x}); if yes then yes := false; endif boolean ok := isEmpty({x = 0}); print(yes);",
			"yes ok []"},
		{"Region r := {x = 0}; print(r); print(r && {y = 0});", "[]"},
		{"boolean ok := true; ok := subSet(post*({x = 0}, u || {t}), {x > 9}); print(ok);", "ok"},
		{"Region r := post*({x = 0}, u); Region s := {x > 9}; if subSet(r, s) then print(\"in\"); endif if isEmpty(r) then print(\"none\"); endif",
			"r_in_s r_empty"},
		{"Region r := {x = 0}; if equal({x > 1}, r) then print(\"same\"); endif", "equal_r equal_r_2"},
		{"if isEmpty({x > 1}) then print(\"none\"); endif", "line_2"},
	} {
		f, list, err := Read(t.Context(), "x.fst", head+"strategy s { Transitions u := {t}; "+c.text+" }")
		if err != nil {
			t.Errorf("%s\n%v", c.text, list)
			continue
		}
		var all, left []string
		for _, s := range f.Systems {
			all = append(all, s.Claims...)
		}
		if _, err := Text("x.fst", f.Systems[0].Spec.System.Source.Text); (err == nil) !=
			(f.Program == nil && len(f.Systems) == 1) {
			t.Errorf("%s\nas a specification: %v", c.text, err)
		}
		if f.Program != nil {
			var walk func(v *Value)
			walk = func(v *Value) {
				if v == nil {
					return
				}
				if v.Claim != "" {
					left = append(left, v.Claim)
				}
				for _, a := range v.Args {
					walk(a)
				}
			}
			var each func(body []Command)
			each = func(body []Command) {
				for _, c := range body {
					walk(c.Value)
					each(c.Then)
					each(c.Else)
				}
			}
			for _, p := range f.Program.Procedures {
				each(p.Body)
			}
			all = append(all, fmt.Sprint(left))
		}
		if got := strings.Join(all, " "); got != c.claims {
			t.Errorf("%s\n%s, want %s", c.text, got, c.claims)
		}
	}
}

// The transitions of a set are the actions of the system that is explored, each once.
func TestTransitions(t *testing.T) {
	const three = `model m { var x; states a;
  transition t := { from := a; to := a; guard := true; action := x' = x + 1; };
  transition u := { from := a; to := a; guard := x > 0; action := x' = x - 1; };
  transition v := { from := a; to := a; guard := x > 9; action := x' = 0; };
}
strategy s { Transitions a1 := {t}; Transitions b1 := {u, t, u}; `
	for _, c := range []struct{ set, want string }{
		{"{t}", "t"}, {"{v, t}", "v t"}, {"{}", ""}, {"a1", "t"}, {"b1", "u t"}, {"a1 || {v}", "t v"},
		{"{v} || a1", "v t"}, {"b1 || a1", "u t"}, {"a1 || b1 || {v, u}", "t u v"},
		{"{u, v} || b1", "u v t"},
	} {
		f, list, err := Read(t.Context(), "x.fst",
			three+"boolean ok := isEmpty(post*({x = 0}, "+c.set+") && {x > 3}); }")
		if err != nil {
			t.Errorf("%s: %v", c.set, list)
			continue
		}
		var names []string
		for _, a := range f.Systems[0].Spec.System.Actions {
			names = append(names, a.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.set, got, c.want)
		}
	}
}

// Assignments happen at once, a predecessor asks the same as a successor, and files with ? are
// about integers. Products of variables are read.
func TestMeaning(t *testing.T) {
	text, err := Text("x.fst", head+"strategy s { Transitions u := {t}; boolean b := isEmpty({x = 0 && y = 7} && pre*({x > 9}, u)); }")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"let new_y: int = x;", "x := y;", "y := new_y;", "safety [b_2] !(x > 9)", "init x = 0 & y = 7"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	text, err = Text("x.fst", "model m { var #x, @y, _z, a.b; states s; transition t := { from := s; to := s; "+
		"guard := #x >= 1999 && 90 < @y; action := _z' = a.b + 109; }; }")
	if err != nil || !strings.Contains(text, "1999") || !strings.Contains(text, "+ 109") ||
		!strings.Contains(text, "90 <") {
		t.Errorf("%v\n%s", err, text)
	}
	text, err = Text("x.fst", "model m { var x; states a; transition t := { from := a; to := a; guard := true; action := x' = ?; }; }")
	if err != nil || strings.Contains(text, ">= 0") || !strings.Contains(text, "x := *;") {
		t.Errorf("%v\n%s", err, text)
	}
	text, err = Text("x.fst", "model m { var x; states a; transition t := { from := a; to := a; "+
		"guard := x * x > 3 * x; action := x' = x * x - 1; }; }")
	if err != nil || !strings.Contains(text, "require x * x > 3 * x;") ||
		!strings.Contains(text, "x := x * x - 1;") ||
		!strings.Contains(text, "require x * x - 1 >= 0;") {
		t.Errorf("%v\n%s", err, text)
	}
}

// Every code about FAST files has an example that fails with it, and with no other code.
func TestCatalogue(t *testing.T) {
	for _, e := range diag.Catalogue() {
		if !Extension(e.File) {
			continue
		}
		_, list, err := Read(t.Context(), "x.fst", e.Example)
		if warning := strings.HasPrefix(string(e.Code), "W"); (err == nil) != warning ||
			len(list.All) == 0 {
			t.Errorf("%s: %v, %v", e.Code, err, list)
		}
		for _, d := range list.All {
			if d.Code != e.Code && !diag.IsLint(d.Code) {
				t.Errorf("%s: another code: %v", e.Code, d)
			}
		}
	}
}

// Every text gives specifications or an error with a position; nothing panics.
func FuzzRead(f *testing.F) {
	f.Add(pool)
	f.Add(head)
	for _, e := range diag.Catalogue() {
		if Extension(e.File) {
			f.Add(e.Example)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, list, err := Read(t.Context(), "x.fst", text)
		var d *diag.List
		if err == nil {
			return
		}
		if !errors.As(err, &d) {
			t.Fatalf("an error without a position: %v", err)
		}
		for _, x := range list.All {
			if x.Span.IsZero() {
				t.Errorf("no position: %s", x.Message)
			}
		}
	})
}
