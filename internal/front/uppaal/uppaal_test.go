package uppaal

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/timed"
)

// frame is a process around an update, after which the locations show whether a condition holds.
const frame = `
process P() { state a, ok, wrong; init a; trans
  a -> ok { guard %; }, a -> wrong { guard not (%); };
}
system P;`

// TestExpressions evaluates conditions whose values follow from the rules of the language.
func TestExpressions(t *testing.T) {
	for _, c := range []struct{ declarations, condition string }{
		{"", "1 + 2 * 3 == 7 && 7 / 2 == 3 && -7 / 2 == -3 && -7 % 3 == -1"},
		{"", "(1 <? 2) == 1 && (1 >? 2) == 2 && 1 << 4 == 16 && (6 & 3) == 2 && (6 | 3) == 7 && (6 ^ 3) == 5"},
		{"", "!(false imply false imply false)"},
		{"", "!(not 1 == 2) and not 1 == 0 and (true ? 1 : 0) == 1"},
		{"", "!(not false && false) && (false and false || true) && (true || true and false)"},
		{"", "(false xor true and false) == false && (true xor true or true)"},
		{"", "!(true or true ? false : false)"},
		{"bool f() { bool p; p = false or true; return p; }", "f()"},
		{"int f(const int &p) { return p + 1; } bool g(const int[0,3] &p, bool q) { return p > 2; }",
			"f(4) == 5 && f(f(2) * 2) == 7 && g(3, true)"},
		{"int a[3] = {4, 5, 6}; typedef int[0,2] t;", "(sum (i : t) a[i]) == 15 && forall (i : t) a[i] > 3 && exists (i : t) a[i] == 5"},
		{"const int n[2][2] = {{1, 2}, {3, 4}};", "n[1][0] == 3"},
		{"struct { int x; bool y; } s = {7, true};", "s.x == 7 && s.y"},
		{"int f(int n) { int r = 1; while (n > 1) { r = r * n; n--; } return r; }", "f(5) == 120"},
		{"int f(int a, int b) { return a - b; }", "f(f(9, 1), f(4, 2)) == 6"},
		{"int f() { int i; int s = 0; for (i = 0; i < 5; i++) { if (i == 3) return s; s += i; } return -1; }", "f() == 3"},
		{"typedef int[1,4] t; int f() { int s; for (i : t) s += i; do { s--; } while (s > 7); return s; }", "f() == 7"},
		{"typedef struct { int p; int q; } pair; pair swap(pair a) { pair b; b.p = a.q; b.q = a.p; return b; } pair c = {1, 2}; int f() { pair d = swap(swap(swap(c))); return 10 * d.p + d.q; }", "f() == 21"},
		{"int v[2] = {1, 2}; int add(const int w[2]) { return w[0] + w[1]; } ", "add(v) == 3"},
		{"void set(int &x, int a[2]) { x = 5; a[0] = 9; } int v[2]; int f() { int x; set(x, v); return x + v[0]; }", "f() == 5"},
		{"int v[2]; bool empty(int &a[2]) { return a[0] == 0; }", "empty(v)"},
		{"const int big = 50000;", "big == 50000"},
		{"", "forall (i : int[2,4]) i > 1 && i < 5 && !(forall (j : int[-2,1]) j > -2)"},
		{"", "(forall (i : int[-2,1]) i >= -2) && (exists (i : int[3,4]) i == 4) && !(exists (i : int[3,4]) i == 5)"},
		{"", "(sum (i : int[-2,1]) i) == -2 && (sum (i : int[2,4]) i * i) == 29"},
		{"const int c = 3; int f(int x) { int s = 0; for (i : int[0,2]) s += x; return s + c; } int y = f(c) + f(1); int z[f(0)];", "y == 18 && z[2] == 0"},
		{"typedef struct { int p; int q; } pair; int twice(int x) { return 2 * x; } pair make(int x) { pair a; a.p = x; a.q = twice(x); return a; } pair b = make(4);", "b.p == 4 && b.q == 8"},
		{"int one[2] = {1, 2}; int two[2] = {3, 4}; int f(bool first) { int c[2]; c = first ? one : two; return 10 * c[0] + c[1]; }", "f(true) == 12 && f(false) == 34"},
		{"int one[2] = {1, 2}; int two[2] = {3, 4}; int add(const int w[2]) { return w[0] + w[1]; }", "add(one[0] == 1 ? two : one) == 7 && (one[1] == 1 ? two : one)[0] == 1"},
		{"const N 5; const M = 6; const int[0,9] K = N;", "N == 5 && M == 6 && K == 5"},
		{"struct { int x; bool y; int z[2]; } s = {x: 7, y: true, z: {8, 9}};", "s.x == 7 && s.y && s.z[1] == 9"},
		{"int f() { int x; x := 9; x += 4; x -= 1; x *= 5; x /= 2; x %= 19; return x; }", "f() == 11"},
		{"int f() { int x = 9; x |= 6; x &= 13; x ^= 7; x <<= 3; x >>= 1; return x; }", "f() == 40"},
		{"int a[2] = {1, 2}; int f() { int b[2] = {3, 4}; int c[2]; c := b; b[0] = 9; c[1] += a[1]; return 10 * c[0] + c[1]; }",
			"f() == 36"},
		{"int f() { typedef int[0,5] t; const int k = 3; t x = 2; return x + k; }", "f() == 5"},
		{"int f() { int x = 5; int y = x++; int z = ++x; return 100 * y + 10 * z + x--; }", "f() == 577"},
		{"int f() { int s; for (;;) { s++; if (s > 4) return s; } return 0; }", "f() == 5"},
		{"int f(int n) { if (n > 2) return 1; else if (n > 1) { return 2; } return 3; }",
			"f(3) == 1 && f(2) == 2 && f(1) == 3"},
		{"bool f(bool b) { return b; }", "f(3) && !f(0)"},
		{"", "abs(-3) == 3 && abs(4) == 4 && fint(5) == 5"},
		{"int v[2] = {1, 2}; int w[2] = {1, 2}; struct { int p; } s, t = {1};", "v == w && s != t"},
	} {
		text := c.declarations + strings.ReplaceAll(frame, "%", c.condition)
		net, err := Read("m.xta", text, "", "")
		if err != nil {
			t.Errorf("%s %s: %v", c.declarations, c.condition, err)
			continue
		}
		s := timed.NewStepper(net, nil)
		targets := []int{}
		s.Each(func(parts []timed.Participant) { targets = append(targets, parts[0].Edge.Target) })
		if len(targets) != 1 || targets[0] != 1 || s.Memory.Fault != nil {
			t.Errorf("%s %s: targets %v, fault %v", c.declarations, c.condition, targets,
				s.Memory.Fault)
		}
	}
}

// TestRefusals: a wrong or unsupported construct is named, with its position.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ text, at, message string }{
		{"double d; system P;", "1:1", "double"},
		{"hybrid clock x; system P;", "1:1",
			"floating-point values, which statistical queries need"},
		{"process P() { state a; init a; trans a -> a { guard 1.5 > 1; }; } system P;", "1:53", "states hold integers only"},
		{"int v; before_update { v = 1 } before_update { v = 2 } process P() { state a; init a; } system P;", "1:32", "before_update is declared already"},
		{"process P() { int v; after_update { v = 1 } state a; init a; } system P;", "1:22", "belongs to the global declarations"},
		{"after_update { w = 1 } process P() { state a; init a; } system P;", "1:16", "no variable w"},
		{"process P() { state a; init b; } system P;", "1:1", "no initial location b"},
		{"process P() { state a; init a; trans a -> a { probability 3; }; } system P;", "1:59", "only an edge from a branchpoint"},
		{"process P() { state a; branchpoint b; init a; trans a -> b { }; } system P;", "1:53", "no edge leaves the branchpoint b"},
		{"process P() { state a; branchpoint b; init a; trans a -> b { }, b -> a { guard 1 == 1; }; } system P;", "1:65", "no guard and no synchronisation"},
		{"process P() { state a; branchpoint b; init a; trans a -> b { }, b -> a { probability 0; }; } system P;", "1:86", "may be 0"},
		{"process P() { state a; branchpoint b; init a; trans a -> b { }, b -> b { }; } system P;",
			"1:65", "unknown location"},
		{"clock x; process P() { state a { x' == 2 }; init a; } system P;", "1:40", "another rate than 0 and 1"},
		{"clock x; process P() { state a { x' <= 0 }; init a; } system P;", "1:34", "stands in an equation only"},
		{"clock x; process P() { state a { !(x' == 0) }; init a; } system P;", "1:34", "cannot be negated"},
		{"clock x; int v; process P() { state a { x' == 0 imply v == 0 }; init a; } system P;", "1:41", "cannot be negated"},
		{"clock x; process P() { state a { x' == 0 || x < 2 }; init a; } system P;", "1:34", "disjunction"},
		{"clock x, y; process P() { state a { (x - y)' == 0 }; init a; } system P;", "1:37", "only a clock has a rate"},
		{"clock x; int v; process P() { state a { v' == 0 }; init a; } system P;", "1:41", "only a clock has a rate"},
		{"clock x; process P() { state a; init a; trans a -> a { guard x' == 0; }; } system P;", "1:62", "in invariants only"},
		{"int f(int n) { return f(n - 1); } process P() { state a; init a; } system P;", "1:23", "recursive"},
		{"chan a; chan priority default < a < z; process P() { state a; init a; } system P;",
			"1:37", "no variable z"},
		{"chan a[2]; chan priority a < default < a[1]; process P() { state a; init a; } system P;",
			"1:40", "a[1] has a priority already"},
		{"chan a; int v; chan priority default < a, v; process P() { state a; init a; } system P;",
			"1:43", "a channel is needed"},
		{"chan a[2]; int[0,1] v; chan priority default < a[v]; process P() { state a; init a; } system P;", "1:48", "must be constant"},
		{"int g; int f() { return g; } int h(int x) { return f() + x; } int y = h(1); process P() { state a; init a; } system P;", "1:71", "an initial value must be constant"},
		{"int g; int f() { g = 1; return 2; } int y = f(); process P() { state a; init a; } system P;", "1:45", "an initial value must be constant"},
		{"int g; int f(int x) { return x; } int y = f(g); process P() { state a; init a; } system P;", "1:43", "an initial value must be constant"},
		{"int g; int a[2]; int b[2]; void f() { a = (g++ > 1) ? a : b; } process P() { state a; init a; } system P;", "1:44", "an effect inside ?: between arrays"},
		{"urgent broadcast chan b; clock x; process P() { state a; init a; trans a -> a { guard x > 1; sync b?; }; } system P;", "1:87", "urgent channel"},
		{"urgent chan u; clock x; process P() { state a; init a; trans a -> a { guard x > 1; sync u!; }; } system P;", "1:77", "urgent channel"},
		{"clock x; process P() { state a; init a; trans a -> a { guard x > 1 || x < 1; }; } system P;", "1:62", "disjunction"},
		{"int[0,3] v = 4; process P() { state a; init a; } system P;", "1:14",
			"not between 0 and 3"},
		{"typedef scalar[3] s; process P(s a) { state a; init a; trans a -> a { guard a < a; }; } system P;", "1:77", "cannot be compared"},
		{"process P(int[0,1] x) { state a; init a; } Q = P(2); system Q;", "1:44", "not between 0 and 1"},
		{"process P() { state a; init a; trans a -> a { guard z == 1; }; } system P;", "1:53", "no variable z"},
		{"int v; process P() { state a; init a; trans a -> a { guard v = 1; }; } system P;", "1:60",
			"changes the state"},
		{"int v; bool f(int &x) { x = 1; return true; } bool g(int &x) { return f(x); } process P() { state a { g(v) }; init a; } system P;", "1:105", "changes the state"},
		{"int v; int f() { return v++; } process P() { state a { f() > 0 }; init a; } system P;", "1:56", "changes the state"},
		{"process P() { state a; init a; } system Q;", "1:41", "no process Q"},
		{"struct { int x; int y; } s = {y: 7, x: 1}; process P() { state a; init a; } system P;", "1:34", "the field x is expected here"},
	} {
		_, err := Read("m.xta", c.text, "", "")
		var list *diag.List
		if !errors.As(err, &list) {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if d := list.All[0]; !strings.HasSuffix(d.Span.String(), ":"+c.at) ||
			!strings.Contains(d.Message, c.message) {
			t.Errorf("%s: %s", c.text, d.Error())
		}
	}
}

const document = `<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.6//EN' 'http://www.it.uu.se/research/group/darts/uppaal/flat-1_6.dtd'>
<nta><declaration>clock x; int v; chan c;</declaration>
<template><name>P</name><parameter>const int[0,1] id, int &amp;w</parameter>
<location id="id0"><name>a</name><label kind="invariant">x &lt;= 3 &amp;&amp; v &lt; 5</label><label kind="exponentialrate">1:2</label></location>
<location id="id1"><urgent/></location>
<init ref="id0"/>
<transition><source ref="id0"/><target ref="id1"/><label kind="guard"><![CDATA[x >= 1 && id < 1]]></label><label kind="synchronisation">c!</label><label kind="assignment">w = id + 1, x = 0</label><label kind="comments">don't look</label></transition>
<transition><source ref="id0"/><target ref="id0"/><label kind="guard">id == 1</label><label kind="synchronisation">c?</label></transition>
</template>
<system>A = P(0, v); B = P(1, v); system A, B;</system>
<queries><query><formula>E&lt;&gt; v == 1</formula><result outcome="success" type="quality"/></query>
<query><formula>A[] Old.x == 0 // why
</formula></query><query><formula/></query><query><formula>Pr[&lt;=5](&lt;&gt; v == 1)</formula></query></queries></nta>`

func TestXML(t *testing.T) {
	net, err := Read("m.xml", document, "", "")
	if err != nil {
		t.Fatal(err)
	}
	a := net.Processes[0]
	if a.Name != "A" || a.Locations[0].Name != "a" || a.Locations[1].Name != "id1" ||
		!a.Locations[1].Urgent || len(a.Locations[0].Clocks) != 1 || a.Locations[0].Data == nil {
		t.Errorf("the locations of %s are wrong: %+v %+v", a.Name, a.Locations[0], a.Locations[1])
	}
	if e := a.Locations[0].Out[0]; len(e.Clocks) != 1 || e.Sync != timed.Send ||
		len(e.Resets) != 1 {
		t.Errorf("the edge is wrong: %+v", e)
	}
	var texts []string
	for _, q := range net.Queries {
		texts = append(texts, q.Text+" | "+q.Recorded+" | "+q.Refused)
	}
	if len(texts) != 3 || texts[0] != "E<> v == 1 | satisfied | " || !strings.HasPrefix(texts[1], "A[] Old.x == 0 |  | there is no variable and no process Old") ||
		!strings.Contains(texts[2], "statistical queries are not supported") {
		t.Errorf("queries:\n%s", strings.Join(texts, "\n"))
	}
}

// A query about a location that a process does not have is an error of the file, at its place.
func TestMisspeltLocations(t *testing.T) {
	const text = "process P() { state alpha, b; init b; } p = P(); system p;"
	for query, want := range map[string]string{
		"E<> p.bb":     "m.q:1:5 has no location and no variable bb, Did you mean 'b'?",
		"A[] !p.alpah": "m.q:1:6 has no location and no variable alpah, Did you mean 'alpha'?",
		"E<> p.zzzzz":  "m.q:1:5 has no location and no variable zzzzz, It has alpha, b.",
	} {
		_, err := Read("m.xta", text, "m.q", query)
		var list *diag.List
		if !errors.As(err, &list) {
			t.Errorf("%s: %v", query, err)
			continue
		}
		d := list.All[0]
		got := fmt.Sprintf("%s %s, %s", d.Span, strings.TrimPrefix(d.Message, "the process "), d.Fix)
		if got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

func TestBranchpoints(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"m.xta", `int v; process P() { int[1,3] w = 2; state a, ok, no; branchpoint b; init a; trans a -> b { select i : int[1,2]; assign v = i; },
  b -> ok { assign v = 10 * v; probability 3; }, b -> no { select j : int[5,6]; assign v = v + j; probability w; }; } system P;`},
		{"m.xml", `<nta><declaration>int v;</declaration><template><name>P</name><location id="id0"/><location id="id1"><name>ok</name></location>
<location id="id2"/><branchpoint id="id3"/><init ref="id0"/>
<transition><source ref="id0"/><target ref="id3"/><label kind="select">i : int[1,2]</label><label kind="assignment">v = i</label></transition>
<transition><source ref="id3"/><target ref="id1"/><label kind="assignment">v = 10 * v</label><label kind="probability">3</label></transition>
<transition><source ref="id3"/><target ref="id2"/><label kind="select">j : int[5,6]</label><label kind="assignment">v = v + j</label></transition>
</template><system>system P;</system></nta>`},
	} {
		net, err := Read(c.name, c.text, "", "")
		if err != nil {
			t.Fatal(err)
		}
		s := timed.NewStepper(net, nil)
		start := s.State(nil)
		var got []string
		s.Each(func(parts []timed.Participant) {
			s.Apply(parts)
			state := s.State(nil)
			got = append(got, fmt.Sprint(state[0], state[1]))
			s.Load(start)
		})
		if slices.Sort(got); strings.Join(got, ",") != "1 10,1 20,2 6,2 7,2 7,2 8" {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// TestPlaces: a message points into the XML file, after its entities.
func TestPlaces(t *testing.T) {
	_, err := Read("m.xml", strings.Replace(document, "v &lt; 5", "&lt;&lt; 5", 1), "", "")
	var list *diag.List
	if !errors.As(err, &list) || list.All[0].Span.Line() != 5 || list.All[0].Span.Text() != "&lt;&lt;" {
		t.Errorf("%v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(document, "")
	f.Add(strings.ReplaceAll(frame, "%", "1 == 1"), "E<> P.ok\nA[] not deadlock")
	f.Add("typedef scalar[2] s; int a[s]; process P(s i) { state q; init q; trans q -> q { select k : s; assign a[k] = 1; }; } system P;", "P(0).q --> P(1).q")
	f.Fuzz(func(t *testing.T, text, queries string) {
		net, err := Read("m.xta", text, "m.q", queries)
		if (net == nil) == (err == nil) {
			t.Errorf("network %v, error %v", net, err)
		}
	})
}
