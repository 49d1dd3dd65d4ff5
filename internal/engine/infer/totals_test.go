package infer

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// A counter is what it counts, over the whole state or for each element of a sort.
func TestTotals(t *testing.T) {
	for i, c := range []struct{ name, text, lemma string }{
		{"the size of a relation", `
sort proc
immutable constant permits: int
axiom permits >= 1
mutable constant free: int
mutable relation inside(proc)
init free = permits & !inside(P)
action enter(p: proc) { require free > 0 & !inside(p); free := free - 1; inside(p) := true; }
action leave(p: proc) { require inside(p); inside(p) := false; free := free + 1; }
safety [none] free = permits -> !inside(P)
`, "free + size({p1 for p1: proc if inside(p1)}) = permits"},
		{"a size for each element", `
sort obj
sort proc
mutable relation holds(proc, obj)
mutable relation freed(obj)
mutable function count(obj): int
init !holds(P, O) & !freed(O) & count(O) = 0
action take(p: proc, o: obj) {
  require !freed(o) & !holds(p, o);
  holds(p, o) := true;
  count(o) := count(o) + 1;
}
action drop(p: proc, o: obj) { require holds(p, o); holds(p, o) := false; count(o) := count(o) - 1; }
action free(o: obj) { require count(o) = 0; freed(o) := true; }
safety [no_dangling] holds(P, O) -> !freed(O)
`, "forall Obj:obj. size({p1 for p1: proc if holds(p1, Obj)}) = count(Obj)"},
		{"a sum", `
sort shard
mutable function n(shard): int
mutable constant added: int
mutable constant pending: int
init n(S) = 0 & added = 0 & pending = 0
action add() { added := added + 1; pending := pending + 1; }
action flush(s: shard) { require pending > 0; pending := pending - 1; n(s) := n(s) + 1; }
safety [no_more] n(S) <= added
`, "pending + sum(n(s1) for s1: shard) = added"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if i > 0 {
				testkit.InCI(t)
			}
			out, err := Find(testkit.Solving(t), testkit.Compile(t, c.text), options(t))
			if err != nil || !out.Proved {
				t.Fatalf("%v, %+v", err, out)
			}
			for _, l := range out.Lemmas {
				if strings.Contains(l.Term.String(), c.lemma) && len(l.Folds) == 1 {
					return
				}
			}
			t.Errorf("no lemma %s: %v", c.lemma, out.Lemmas)
		})
	}
}

// Where nothing counts, or who asks can prove nothing next to sums, there are none.
func TestNoTotals(t *testing.T) {
	const lock = `
sort proc
mutable constant turns: int
mutable relation inside(proc)
init turns = 0 & !inside(P)
action enter(p: proc) { require !inside(Q); inside(p) := true; turns := turns + 1; }
action leave(p: proc) { inside(p) := false; }
safety [some] turns >= 0
`
	sys := testkit.Compile(t, lock)
	s := newSearch(sys, options(t), nil)
	if err := s.samples.sample(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if withTotals(sys, s.samples.worlds) != nil {
		t.Error("the number of turns is the size of something")
	}
	infinite := testkit.Compile(t, strings.Replace(lock, "sort proc", "sort proc @infinite", 1))
	if c := newTotals(infinite, nil); c != nil {
		t.Error("elements of an infinite sort are counted")
	}
	counting := strings.Replace(lock, "inside(p) := false;",
		"require inside(p); inside(p) := false; turns := turns - 1;", 1)
	own := testkit.Compile(t, counting+
		"safety [own] size({q for q: proc if inside(q)}) <= turns")
	if c := newTotals(own, nil); c != nil {
		t.Errorf("the file has the size itself, with another name for an element: %v", c.columns)
	}
	for _, left := range []bool{false, true} {
		sys := testkit.Compile(t, counting)
		o := options(t)
		o.NoTotals = left
		s := newSearch(sys, o, nil)
		if violated, err := s.begun(t.Context()); violated || err != nil {
			t.Fatal(violated, err)
		}
		if some := s.totals() != nil; some == left {
			t.Errorf("left out: %v, and there are some: %v", left, some)
		}
	}
}
