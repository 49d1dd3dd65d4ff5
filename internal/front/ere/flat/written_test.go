package flat_test

import "testing"

// counting is what the systems with a measure have in common.
const counting = `sort node
	mutable constant x: 0..2
	mutable constant s: seq[0..2, 3]
	init x = 0
	init s = []
	action set(k: 0..2) { x := k; }
	action push(k: 0..2) { require size(s) < 3; s := append(s, k); }
	instance small { node = 1 }
	`

// Systems that are written for a defect.
func TestWrittenSystems(t *testing.T) {
	for name, text := range map[string]string{
		"a measure that stays the same": counting + `definition f(k: 0..2): int measure(if k = 2 then 1 else 0) depth 3 = if k = 0 then 0 else 1 + f(k - 1)
			safety [p] x < 2 -> f(x) = x`,
		"a measure that becomes negative": counting + `definition f(k: 0..2): int measure(k - 1) = if k = 0 then 0 else 1 + f(k - 1)
			safety [p] x < 2 -> f(x) = x`,
		"a measure that grows": counting + `definition f(k: 0..2): int measure(2 - k) = if k = 0 then 0 else 1 + f(k - 1)
			safety [p] f(x) = x`,
		"a measure that becomes smaller": counting + `definition f(k: 0..2): int measure(k) = if k = 0 then 0 else 1 + f(k - 1)
			safety [p] f(x) = x`,
		"the size of a sequence as a measure": counting + `definition f(s: seq[0..2, 3]): int measure(size(s)) = if s = [] then 0 else last(s) + f(front(s))
			safety [p] f(s) < 6`,
		"a measure next to a guard": counting + `definition f(k: 0..2): bool measure(k) = k = 1 | f(k - 1)
			safety [p] x > 0 -> f(x)`,
		"a step that needs a measure": counting + `definition f(k: 0..2): int measure(k) = if k = 1 then 1 else f(k - 1)
			action use() { require x >= 0; x := f(x); }
			safety [p] x < 3`,
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
		"the size of a set without an element that has a value under a condition": `sort node
type type1 = c1_1 | c1_2(f1: bool, f2: 0..2) | c1_3
type type2 = c2_1(f1: type1) | c2_2(f1: option[node], f2: type1)
mutable constant start: node
mutable function v1(node): option[type2]
init forall X:node. v1(X) = none
action a(n: node) { v1(n) := some(c2_2(none, c1_2(true, 1))); }
safety [p1] size({} without (if v1(start) is some & v1(start).value is c2_2 then v1(start).value.f2 else c1_3)) + 2 > 1
safety [p2] size({c1_1} without v1(start).value.f2) + size({c1_2(true, 1)} without v1(start).value.f2) < 2
instance small { node = 2 }
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
