package flat_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/flat/oracletest"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/itf"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// mostStates bounds the states of a generated system.
const mostStates = 300

// tally counts what the generated systems were.
type tally map[string]int

func (c tally) String() string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(c)) {
		parts = append(parts, fmt.Sprintf("%s %d", k, c[k]))
	}
	return strings.Join(parts, ", ")
}

// systems is the number of generated systems; 10,000 take minutes.
func systems() int64 {
	if os.Getenv("ERELONG_LONG") != "" {
		return 10_000
	}
	return testkit.Size(200, 1200)
}

// TestGeneratedSystems compares explorations of flat systems with the oracle.
func TestGeneratedSystems(t *testing.T) {
	counts := tally{}
	for seed := range systems() {
		text := oracletest.Generate(rand.New(rand.NewSource(seed)))
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { compare(t, text, counts) }) {
			t.Log(text)
		}
	}
	t.Log(counts)
	if all := systems(); counts["compared"] < int(all/2) {
		t.Errorf("only %d of %d systems were compared", counts["compared"], all)
	}
	if all := systems(); counts["with codes"] < int(all/20) {
		t.Errorf("only %d of %d systems have codes", counts["with codes"], all)
	}
}

// Systems that are written for a defect.
func TestWrittenSystems(t *testing.T) {
	for name, text := range map[string]string{
		"a measure that stays the same": `sort node
			mutable constant x: 0..2
			mutable constant s: seq[0..2, 3]
			init x = 0
			init s = []
			action set(k: 0..2) { x := k; }
			action push(k: 0..2) { require size(s) < 3; s := append(s, k); }
			definition f(k: 0..2): int measure(if k = 2 then 1 else 0) depth 3 = if k = 0 then 0 else 1 + f(k - 1)
			safety [p] x < 2 -> f(x) = x
			instance small { node = 1 }`,
		"a measure that becomes negative": `sort node
			mutable constant x: 0..2
			mutable constant s: seq[0..2, 3]
			init x = 0
			init s = []
			action set(k: 0..2) { x := k; }
			action push(k: 0..2) { require size(s) < 3; s := append(s, k); }
			definition f(k: 0..2): int measure(k - 1) = if k = 0 then 0 else 1 + f(k - 1)
			safety [p] x < 2 -> f(x) = x
			instance small { node = 1 }`,
		"a measure that grows": `sort node
			mutable constant x: 0..2
			mutable constant s: seq[0..2, 3]
			init x = 0
			init s = []
			action set(k: 0..2) { x := k; }
			action push(k: 0..2) { require size(s) < 3; s := append(s, k); }
			definition f(k: 0..2): int measure(2 - k) = if k = 0 then 0 else 1 + f(k - 1)
			safety [p] f(x) = x
			instance small { node = 1 }`,
		"a measure that becomes smaller": `sort node
			mutable constant x: 0..2
			mutable constant s: seq[0..2, 3]
			init x = 0
			init s = []
			action set(k: 0..2) { x := k; }
			action push(k: 0..2) { require size(s) < 3; s := append(s, k); }
			definition f(k: 0..2): int measure(k) = if k = 0 then 0 else 1 + f(k - 1)
			safety [p] f(x) = x
			instance small { node = 1 }`,
		"the size of a sequence as a measure": `sort node
			mutable constant x: 0..2
			mutable constant s: seq[0..2, 3]
			init x = 0
			init s = []
			action set(k: 0..2) { x := k; }
			action push(k: 0..2) { require size(s) < 3; s := append(s, k); }
			definition f(s: seq[0..2, 3]): int measure(size(s)) = if s = [] then 0 else last(s) + f(front(s))
			safety [p] f(s) < 6
			instance small { node = 1 }`,
		"a measure next to a guard": `sort node
			mutable constant x: 0..2
			mutable constant s: seq[0..2, 3]
			init x = 0
			init s = []
			action set(k: 0..2) { x := k; }
			action push(k: 0..2) { require size(s) < 3; s := append(s, k); }
			definition f(k: 0..2): bool measure(k) = k = 1 | f(k - 1)
			safety [p] x > 0 -> f(x)
			instance small { node = 1 }`,
		"a step that needs a measure": `sort node
			mutable constant x: 0..2
			mutable constant s: seq[0..2, 3]
			init x = 0
			init s = []
			action set(k: 0..2) { x := k; }
			action push(k: 0..2) { require size(s) < 3; s := append(s, k); }
			definition f(k: 0..2): int measure(k) = if k = 1 then 1 else f(k - 1)
			action use() { require x >= 0; x := f(x); }
			safety [p] x < 3
			instance small { node = 1 }`,
		"a record outside of the ranges of a comprehension": `sort node
type entry = { term: 0..2, ok: bool }
mutable constant v: entry
init v = { term: 1, ok: true }
action a() { v := { term: 2, ok: true }; }
invariant [p1] !({ term: 9, ok: true } in {e for e: entry if e.ok})
instance small { node = 1 }
`,
		"folds over sets whose elements have other ranges": `sort node
mutable constant a: set[0..2]
init a = {1}
mutable constant b: set[0..9]
init b = {1, 5}
mutable constant c: set[0..12]
init c = {2, 11}
action x() { b := b with 7; }
action y() { a := a with 2; c := c without 11; }
safety [p1] size(a union b) + 1 <= 5
safety [p2] max(a union b) + 1 <= 9
safety [p3] sum(b union a) <= 14
safety [p4] sum(x for x in a union b) <= 12
safety [p5] sum(a union (b union c)) + size((c union a) union b) <= 28
safety [p6] sum(x + y for x in a union c, y in b union a if x != y) <= 60
safety [p7] min(c minus a) + min((c union a) minus {1}) >= 5
invariant [p8] size({x for x in a union c if x in b}) + 1 >= 1
instance small { node = 1 }
`,
		"a capital letter stands for every value of a variant": `sort node
type state = alive | suspect(by: node, at: 0..1) | dead
type pair = { s: state, o: option[node] }
mutable function f(node, state): bool
mutable function g(pair): 0..2
mutable function h(option[node]): set[state]
init f(N, S) = false
init g(X) = 0
init h(O) = {}
action a(n: node) { f(n, S) := S is suspect | S = dead; }
action b(n: node) { f(n, suspect(n, 1)) := false; f(N, S) := f(N, S) & N = n; }
action c() { g(X) := if X.s is suspect then (if X.o is some then 2 else 1) else 0; }
action d(n: node) { h(O) := if O is some then {alive, suspect(n, 0)} else {dead}; }
safety [p1] f(N, alive) -> f(N, dead)
safety [p2] forall n: node. f(n, suspect(n, 1)) -> f(n, dead)
safety [p3] forall n: node. g({ s: dead, o: some(n) }) = 0
invariant [p4] forall n: node. g({ s: suspect(n, 0), o: none }) = 0
invariant [p5] forall n: node. alive in h(some(n)) -> !(alive in h(none))
instance small { node = 2 }
`,
		"values that are named between changes of what they are made of": `sort node
type state = alive | suspect(by: node, at: 0..2) | dead
type job = { s: state, n: 0..2, o: option[bool] }
mutable constant cur: job
mutable constant all: set[job]
mutable constant log: seq[job, 2]
init cur = { s: alive, n: 0, o: none }
init all = {}
init log = []
action a(x: node) {
  require cur.n < 2;
  cur.n := cur.n + 1;
  let j = cur;
  cur.s := suspect(x, j.n);
  let k = cur;
  let s = cur.s;
  cur.o := some(cur.s is suspect);
  cur.s := alive;
  all := all with j;
  if s is suspect & s.at > 1 { all := all with k; }
}
action b() {
  require size(log) < 2;
  log := append(log, cur);
  let l = last(log);
  log[1] := l with { o: some(true) };
  all := all with l;
}
action c() { log := []; let l = last(log); cur := l; }
action d(x: node) {
  cur.s := if cur.n = 1 then suspect(x, 1) else dead;
  match cur.s { suspect(y, i) { cur.s := alive; cur.n := i + 1; } dead { cur.s := alive; } _ { } }
}
safety [p1] forall j in all. j.n > 0 | j.o = none
safety [p2] forall j in all. !(j.s is suspect)
invariant [p3] forall i in positions(log). log[i].n <= cur.n
instance small { node = 2 }
`,
		"a value that is named where it may not be there": `sort node
type state = alive | suspect(by: node, at: 0..1)
type job = { s: state, n: 0..1 }
mutable constant cur: job
mutable constant log: seq[job, 1]
init cur = { s: alive, n: 0 }
init log = []
action a() { log := []; let l = last(log); if size(log) > 0 { cur := l; } }
action b() { log := [cur]; }
action c(x: node) {
  require size(log) > 0 & last(log).n = 0;
  log[1].n := 1;
  match last(log).s { alive { cur.s := suspect(x, 1); } suspect(_y, i) { cur.n := i; } }
}
invariant [p1] size(log) = 0 | last(log).n = 0
invariant [p2] cur.n = 0
instance small { node = 1 }
`,
		"a field of a variant that not all constructors have": `sort node
type type1 = c1_1(f1: 0..1) | c1_2
type type2 = c2_1 | c2_3(f1: type1)
mutable constant s: type1
init s = c1_2
action a() { s := c1_1(1); }
invariant [p1] exists y: type2. s = y.f1
invariant [p2] exists y: type2. y.f1 = c1_2
instance small { node = 1 }
`,
		"a part that does not depend on what has any value": `sort node
type type1 = c1_1 | c1_2
mutable constant start: node
mutable constant v1: seq[type1]
init v1 = []
mutable function v2(type1): set[option[bool]]
init forall X:type1. v2(X) = {}
action a1() {
  require size(v1) < 3;
  v1 := append(v1, c1_2);
}
action a2() {
  v2((if 1 <= 1 & 1 <= size(v1) then v1[1] else c1_2)) := *;
  v2((let l8: node = start in (if size(v1) > 0 then last(v1) else c1_2))) :=
    v2((let l8: node = start in (if size(v1) > 0 then last(v1) else c1_2))) with some(false);
}
safety [p1] size(v1) <= 3
instance small { node = 1 }
`,
	} {
		t.Run(name, func(t *testing.T) {
			counts := tally{}
			if compare(t, text, counts); counts["compared"] != 1 {
				t.Errorf("it is not compared: %v", counts)
			}
		})
	}
}

func compare(t *testing.T, text string, counts tally) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	errs := &diag.List{}
	file := syntax.Parse(diag.NewSource("generated.ere", text), errs)
	if errs.Err() != nil {
		t.Fatalf("%v", errs)
	}
	sizes := map[string]int{"node": 1}
	if strings.Contains(text, "node = 2") {
		sizes["node"] = 2
	}
	m := oracletest.New(file, sizes)
	want := m.Explore(mostStates)
	if want.TooMany {
		counts["too many states"]++
		return
	}
	sys, list, err := ere.Compile("generated.ere", text)
	if err != nil {
		for _, d := range list.All {
			if d.Severity != diag.Error {
				continue
			}
			if d.Code != diag.Unsupported {
				t.Fatalf("%v: %v", err, list)
			}
			counts["refused: "+d.Message]++
		}
		return
	}
	x, err := explicit.Explore(t.Context(), sys, sys.Instances[0], explicit.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want.Overflow {
		counts["leave a range"]++
		if !slices.ContainsFunc(x.Results, func(r result.Result) bool {
			return r.Verdict == result.Violated && strings.Contains(r.Property, ":")
		}) {
			t.Errorf("a range is left, which nothing reports: %v", verdicts(x))
		}
		return
	}
	if want.Passing { // a later statement of the action may mend it, or not
		counts["leave a range within a step"]++
		return
	}
	listed(t, sys, counts)
	counts["compared"]++
	for what, is := range map[string]bool{"with 10 states": want.States >= 10,
		"violated": len(want.Violated) > 0, "undefined": len(want.Undefined) > 0,
		"with errors in steps": want.Failed > 0} {
		if is {
			counts[what]++
		}
	}
	agree(t, m, want, sys, x)
}

// listed checks the axioms that instances are not asked about: what they list satisfies them.
func listed(t *testing.T, sys *system.System, counts tally) {
	t.Helper()
	if len(sys.Coded) == 0 {
		return
	}
	counts["with codes"]++
	m, err := interp.NewModel(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	states, err := m.Nearest(t.Context(), nil, func([]interp.Reached) error {
		return interp.ErrStop
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range sys.Axioms {
		if holds, err := m.Holds(f.Term, states[0].State); f.Listed && (err != nil || !holds) {
			t.Errorf("%s is %v: %v", f.Term, holds, err)
		}
	}
}

func verdicts(x *explicit.Exploration) (out []string) {
	for _, r := range x.Results {
		out = append(out, fmt.Sprintf("%s %s %d", r.Property, r.Verdict, r.Depth))
	}
	return out
}

// agree compares counts, verdicts and traces.
func agree(
	t *testing.T, m *oracletest.Machine, want *oracletest.Report, sys *system.System,
	x *explicit.Exploration,
) {
	t.Helper()
	states, depth := int(x.Stats.States), int(x.Stats.Depth)
	if x.Stats.Complete && (states != want.States || depth != want.Depth) {
		t.Errorf("%d states in %d levels, and the oracle has %d in %d", states, depth,
			want.States, want.Depth)
	}
	failed := 0
	for _, r := range x.Results {
		depth := 0
		kind, name, implicit := strings.Cut(r.Property, ":")
		switch {
		case implicit && kind == "argument":
			if r.Verdict == result.Violated && (failed == 0 || int(r.Depth) < failed) {
				failed = int(r.Depth)
			}
			continue
		case implicit && kind == "defined":
			depth = want.Undefined[name]
		case implicit:
		default:
			if depth = want.Violated[r.Property]; want.Undefined[r.Property] > 0 {
				continue // its claim says so
			}
		}
		if got := r.Verdict == result.Violated; got != (depth > 0) ||
			got && int(r.Depth) != depth {
			t.Errorf("%s is %s %v in state %d; the oracle has %d", r.Property, r.Verdict, r.Reason, r.Depth,
				depth)
		}
		if r.Trace != nil {
			replay(t, m, r.Trace.Shown())
			if t.Failed() {
				return
			}
			readBack(t, sys, r)
		}
	}
	if failed != want.Failed {
		t.Errorf("a step is an error in state %d; the oracle has %d", failed, want.Failed)
	}
	for _, name := range slices.Sorted(maps.Keys(want.Undefined)) {
		if !slices.ContainsFunc(x.Results, func(r result.Result) bool {
			return r.Property == "defined:"+name
		}) {
			t.Errorf("%s has no value in state %d of a run, which no claim says", name,
				want.Undefined[name])
		}
	}
}

// readBack checks that a trace is written and read back as the same run.
func readBack(t *testing.T, sys *system.System, r result.Result) {
	t.Helper()
	var b bytes.Buffer
	if err := itf.Write(&b, r.Trace); err != nil {
		t.Fatal(err)
	}
	written := b.String()
	read, err := itf.Read(&b)
	if err != nil {
		t.Fatalf("%v\n%s", err, written)
	}
	if diff := cmp.Diff(r.Trace.Shown().Steps, read.Steps, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("read with other values: %s\n%s", diff, written)
		return
	}
	flat, err := read.Flat(sys.View)
	if err == nil {
		err = interp.Replay(t.Context(), sys, flat, nil)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, written)
	}
}

// replay checks that a trace is a run of the oracle.
func replay(t *testing.T, m *oracletest.Machine, trace *result.Trace) {
	t.Helper()
	states := m.Initial()
	for i, step := range trace.Steps {
		shown := map[string]string{}
		for _, b := range step.State {
			shown[b.Name] = text(b.Value)
		}
		var args []string
		for _, b := range step.Args {
			args = append(args, text(b.Value))
		}
		at := slices.IndexFunc(states, func(s oracletest.State) bool {
			return maps.Equal(m.Shown(s), shown)
		})
		if at < 0 {
			t.Errorf("state %d of a trace is none of the oracle after %s(%s): %v\nbut e.g. %v", i,
				step.Action, strings.Join(args, ", "), shown, states)
			return
		}
		s := states[at]
		states = nil
		if i+1 == len(trace.Steps) {
			return
		}
		next := trace.Steps[i+1]
		steps, _ := m.Steps(s)
		for _, o := range steps {
			same := o.Action == next.Action && len(next.Args) >= len(o.Params)
			for k, p := range o.Params {
				same = same && text(next.Args[k].Value) == p
			}
			if same {
				states = append(states, o.To)
			}
		}
	}
}

// text writes a value with the rows of a symbol in the order of their texts.
func text(v result.Value) string {
	if v.Rows == nil || v.Kind.Structured() {
		return v.String()
	}
	var parts []string
	for _, r := range v.Rows {
		p := r.KeyString()
		if v.Kind == result.MapValue {
			p += ": " + r.Result.String()
		}
		parts = append(parts, p)
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ", ") + "}"
}
