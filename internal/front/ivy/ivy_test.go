package ivy

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
)

// What is wrong or not supported is named at its place.
func TestErrors(t *testing.T) {
	const head = "#lang ivy1.7\ntype t\nrelation r(X:t)\nindividual c : t\n"
	const object = head + "object o(self:t) = { individual b : bool\n"
	for _, c := range []struct{ text, want string }{
		{"#lang ivy1.2\n", "1:1 E0801 version 1.2 of Ivy's language"},
		{"#lang ivy2.0\n", "1:1 E0801 version 2.0"},
		{"#lang dafny\n", "1:1 E0003 the language is given as"},
		{head + "axiom r(X", "5:10 E0003 expected ')'"},
		{head + "axiom s(X)", "5:7 E0101 's' is not declared"},
		{head + "axiom r(X, c)", "5:7 E0105 'r' takes 1 arguments, but here it has 2"},
		{head + "axiom r(true)", "5:9 E0201 this has type bool, but t is expected"},
		{head + "axiom X = Y", "E0202 the type of"},
		{head + "relation r(X:t)", "5:10 E0103 'r' is declared twice"},
		{head + "relation s(X:u)", "5:14 E0102 there is no type 'u'"},
		{head + "variant u of t", "5:1 E0801 a variant of a type"},
		{head + "export a", "5:8 E0101 there is no action 'a'"},
		{head + "export b\naction b = { r(c) := s }", "6:22 E0101 's' is not declared"},
		{head + "export b\naction b = { r(c) := r(X) }", "6:24 E0101 'X' is not bound here"},
		{head + "export b\naction b = { if r(X) { } }", "6:19 E0101 'X' is not bound here"},
		{head + "export b\naction b = { call b }", "6:14 E0801 a call of the action 'b' by itself"},
		{head + "export b\naction b = { while * { } }", "E0801 a loop 'while' with this condition"},
		{head + "definition r(X) = X = c\nexport b\naction b = { r(c) := true }", "7:14 E0307 'r' is defined"},
		{head + "relation s(X:t)\ndefinition s(X) = r(X) & ~s(X)\nexport b\naction b = { r(c) := true }", "5:10 E0801 the definition of 's' in terms of itself, which reads 'r'"},
		{head + "instance i : m(t)", "5:14 E0101 there is no module 'm'"},
		{head + "module m(a) = { }\ninstance i : m", "6:1 E0105 the module 'm' takes 1 arguments"},
		{head + "interpret t -> strbv[3]", "5:1 E0801 the interpretation 'strbv[3]'"},
		{head + "axiom r(X) isa t", "E0801 a test of a variant"},
		{head + "init ~r(c)\nafter init { r(c) := true }", "5:1 E0801 'init' about 'r', which 'after init' assigns"},
		{head + "export b\naction a returns (x:t) = { }\naction b = { require r(c if r(c) else a) }", "E0801 a call within a conditional term"},
		{head + "axiom r(X).f", "5:12 E0101 'f' is not declared"},
		{head + "alias b = bool\naxiom b.f", "6:9 E0101 there is no 'f' in 'b'"},
		{head + "export b\naction b(x) = { r(c) := true }", "6:10 E0202 the type of 'x' is not given"},
		{head + "export b\naction b = { while r(X) { } }", "6:22 E0101 'X' is not bound here: variables in the condition of 'while'"},
		{object + "after init { if r(self) { b := true } } }", "6:17 E0801 a condition about the parameter 'self' in an initialisation"},
		{object + "after init { var x := self; } }", "6:23 E0801 a value that depends on the parameter 'self'"},
		{object + "after init { if * { b := true } } }", "6:14 E0801 a choice, a loop or a call in the initialisation of an object"},
		{object + "action a returns (x:bool) = { }\nafter init { b := a } }", "7:14 E0801 a choice, a loop or a call"},
		{object + "after init { local x:bool { b := x } } }", "6:14 E0801 a choice, a loop or a call"},
		{object + "type u = struct { f : t }\nindividual v : u\nafter init { v.f := c } }", "8:14 E0801 an assignment to a field in the initialisation"},
		{object + "common { individual d : bool } }", "6:1 E0801 'common' in an object with parameters"},
		{head + "export b\naction b = { var x := 1 + s }", "6:27 E0101 's' is not declared"},
		{head + "type u\ninterpret u -> {0..z}\nindividual d : u", "5:1 E0801 the end 'z' of a range"},
		{head + "type u\ninterpret u -> {0..t}\nindividual d : u", "5:1 E0801 the end 't' of a range"},
		{head + "axiom \"a\" = true", "5:7 E0201 '\"a\"' is no value of type bool"},
		{"#lang ivy1.7\nrelation s(X:u)", "2:14 E0102 there is no type 'u'"},
		{"type t\n#lang ivy1.6\n", "2:1 E0003 '#lang' must stand before all declarations"},
		{head + "relation s(X:t,Y:t)\ndefinition s(X:t,X) = true", "6:18 E0103 the parameter 'X' occurs twice in the definition"},
		{head + "relation s(X:t,X:t) = r(X)", "5:16 E0103 the parameter 'X' occurs twice in the definition"},
		{head + "interpret t -> int\ndefinition (X:t < Y:t) = true", "6:26 E0103 '<' on t is defined here, but t is interpreted as int"},
		{head + "relation (X:t < Y:t) = true\ninterpret t -> bv[2]", "5:24 E0103 '<' on t is defined here, but t is interpreted as bv[2]"},
		{head + "mixord r -> c", "5:1 E0801 an order of monitors ('mixord')"},
		{head + "after init { assert r(c) }", "5:14 E0801 an assertion in an initialisation"},
		{head + strings.Repeat("object o = { ", 200) + strings.Repeat("}", 200), "E0005 objects and modules are nested"},
		{head + "axiom " + strings.Repeat("(", 2000), "E0005 this is nested more than 1000 deep"},
		{"#lang ivy1.7\n\x00", "E0001"},
		{head + "axiom r(X) ?", "5:12 E0002"},
	} {
		_, list, err := Read(t.Context(), "x.ivy", c.text, os.ReadFile)
		if err == nil {
			t.Errorf("no error, want %s\n%s", c.want, c.text)
			continue
		}
		var got string
		if len(list.All) > 0 {
			d := list.All[0]
			got = strings.TrimPrefix(d.Span.String(), "x.ivy:") + " " + string(d.Code) + " " +
				d.Message
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%.60q...: %s, want %s", c.text[len(c.text)-min(len(c.text), 60):], got,
				c.want)
		}
	}
}

// What Ivy's library has and is not read is said to be of that library.
func TestMissingParts(t *testing.T) {
	for text, want := range map[string]string{
		"include order\ninstance n : bounded_sequence(int)":                                 "Ivy's library 'order' a part",
		"include order\ninclude udp\ninstance n : b":                                        "Ivy's library 'order', 'udp' a part",
		"include order\ninstance n : iterable\naction a = { var x := n.random }\nexport a":  "Ivy's library 'order' a part",
		"include order\ntype t\nproperty segment(X:t,Y:t)":                                  "Ivy's library 'order' a part",
		"module m = { type t }\ninstance n : m\naction a = { var x := n.random }\nexport a": "",
	} {
		_, list, err := Read(t.Context(), "x.ivy", "#lang ivy1.7\n"+text, os.ReadFile)
		if err == nil || !strings.Contains(list.All[0].Fix, want) ||
			want == "" && list.All[0].Fix != "" {
			t.Errorf("%s: %v", text, list)
		}
	}
}

// Conditions within conditions are read once for each depth, and not twice as often with each.
func TestNested(t *testing.T) {
	text := "k := c"
	for range 60 {
		text = "if r(d) { k := d } else { " + text + " }"
	}
	text = "#lang ivy1.7\ntype t\nindividual c : t\nindividual d : t\nrelation r(X:t)\naction f returns (k:t) = { " + text +
		" }\naction a = { c := f }\nexport a\n"
	if _, list, err := Read(t.Context(), "x.ivy", text, os.ReadFile); err != nil {
		t.Fatal(list)
	}
}

// Every code about Ivy files has an example that fails with it, and with no other code.
func TestCatalogue(t *testing.T) {
	for _, e := range diag.Catalogue() {
		if !Extension(e.File) {
			continue
		}
		_, list, err := Read(t.Context(), "x.ivy", e.Example, os.ReadFile)
		if warning := strings.HasPrefix(string(e.Code), "W"); (err == nil) != warning ||
			len(list.All) == 0 {
			t.Errorf("%s: %v, %v", e.Code, err, list)
		}
		for _, d := range list.All {
			if d.Code != e.Code {
				t.Errorf("%s: another code: %v", e.Code, d)
			}
		}
	}
}

// Every text gives a specification or an error with a position; nothing panics.
func FuzzRead(f *testing.F) {
	for _, p := range pairs {
		f.Add(p.ivy)
	}
	for _, e := range diag.Catalogue() {
		if Extension(e.File) {
			f.Add(e.Example)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, list, err := Read(t.Context(), "x.ivy", text, os.ReadFile)
		var d *diag.List
		if err == nil {
			return
		}
		if !errors.As(err, &d) {
			t.Fatalf("an error without a position: %v", err)
		}
		for _, d := range list.All {
			if d.Span.IsZero() || d.Message == "" {
				t.Errorf("no position: %v", d)
			}
		}
	})
}

// Other people's files give a specification, or an error that names what is not supported.
// ERELONG_IVY lists folders with such files.
func TestFiles(t *testing.T) {
	folders := filepath.SplitList(os.Getenv("ERELONG_IVY"))
	if len(folders) == 0 {
		t.Skip("ERELONG_IVY names no folder with files of Ivy")
	}
	read, refused := 0, 0
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !Extension(path) {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			_, list, err := Read(t.Context(), path, string(text), os.ReadFile)
			if err == nil {
				read++
				return nil
			}
			refused++
			var l *diag.List
			if !errors.As(err, &l) {
				t.Errorf("%s: an error without a position: %v", path, err)
			}
			t.Logf("%s: %v", path, list.All[0])
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d are read, %d refused", read, refused)
}

// The monitor that a delegate names in brackets is no declaration of its own, as in repstore2.ivy.
func TestDelegatedMonitor(t *testing.T) {
	_, list, err := Read(t.Context(), "x.ivy", `#lang ivy1.6
type t
relation r(X:t)
object o = {}
action a(x:t) = { r(x) := true }
export a
delegate a[before] -> o
conjecture r(X) -> r(X)
`, os.ReadFile)
	if err != nil {
		t.Error(list)
	}
}
