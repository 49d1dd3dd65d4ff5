package infer

import (
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// ordered has an order, functions, an enum and quantifiers, of which atoms are made.
const ordered = `
sort node
sort id
immutable relation le(id, id)
axiom le(X, X) & (le(X, Y) & le(Y, Z) -> le(X, Z)) & (le(X, Y) & le(Y, X) -> X = Y) & (le(X, Y) | le(Y, X))
immutable function name(node): id
axiom name(X) = name(Y) -> X = Y
enum phase { idle, busy }
mutable function at(node): phase
mutable relation heard(node, id)
mutable constant last: id
type small = 0..3
mutable constant count: small
mutable function score(node): small
immutable constant limit: small
derived relation many(small): many(K) <-> K >= 2
definition known(n: node, i: id) = heard(n, i) & (exists M. name(M) = i & at(M) = busy)
init at(N) = idle & !heard(N, I) & count = 0 & score(N) = 0
action wake(n: node) {
  require at(n) = idle & !(forall M. at(M) = busy);
  at(n) := busy;
  score(n) := if score(n) + count <= limit then 3 - count else score(n);
  count := if count < 3 then count + 1 else 3;
}
action hear(n: node, m: node) { require at(m) = busy & !(exists I. heard(n, I) & !le(I, name(m))); heard(n, name(m)) := true; last := name(m); }
action rest(n: node) { require forall M. known(n, name(M)) & name(M) != last | many(count); at(n) := idle; }
safety heard(N, I) -> exists M. name(M) = I
`

// The fast evaluators, of one state and of all states at once, agree with the interpreter on
// clauses over the atoms of all templates.
func TestEvaluators(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	texts := []string{ordered}
	for seed := range int64(5) {
		texts = append(texts, protocol(rand.New(rand.NewSource(seed))))
	}
	clauses, trues := 0, 0
	for _, text := range texts {
		sys, list, err := ere.Compile("x.ere", text)
		if err != nil {
			t.Fatal(err, list)
		}
		among := newInstances(sys)
		orders := findOrders(t.Context(), among)
		shapes := map[string]int{}
		for _, inst := range among.small(2, 3) {
			of, err := among.structure(inst)
			if err != nil {
				t.Fatal(err)
			}
			w, err := explore(t.Context(), of, nil, nil, 0, exploreAll)
			if err != nil {
				t.Fatal(err)
			}
			w.states = w.states[:min(len(w.states), 200)]
			v := &vocabulary{sys: sys, orders: orders, measures: measuresOf(sys), inner: true,
				shapes: shapes, cone: map[*logic.Symbol]bool{}}
			for _, sym := range sys.Symbols {
				v.cone[sym] = sym.Mutable
			}
			v.collectQuantified()
			for n := range 4 {
				for _, form := range v.templates(n) {
					for range 12 {
						var literals []int
						for range 1 + rng.Intn(3) {
							literals = append(literals, rng.Intn(2*len(form.atoms)))
						}
						c := &candidate{term: form.clause(literals), form: form, literals: literals}
						clauses++
						if agree(t, w, c) {
							trues++
						}
					}
				}
			}
		}
	}
	if clauses < 300 || trues < 50 {
		t.Errorf("%d clauses were compared, %d of which are true everywhere", clauses, trues)
	}
}

// agree compares the evaluators of a clause, and reports whether it is true in all states.
func agree(t *testing.T, w *world, c *candidate) bool {
	t.Helper()
	column := w.truth(w.ground(c.term, nil))
	var excluded []uint64
	used := c.form.usesAll(c.literals)
	if v := c.form.view(w); used && len(v.envs) > 0 {
		excluded = c.excluded(v)
	}
	everywhere := true
	for i, st := range w.states {
		want, err := w.model.Holds(c.term, st)
		if err != nil {
			t.Fatalf("%s: %v", c.term, err)
		}
		everywhere = everywhere && want
		x := sample{w.structure, st}
		if got := x.holds(c.term); got != want {
			t.Fatalf("%s in state %v: %v, the interpreter says %v", c.term, st, got, want)
		}
		if got := column[i/64]>>(i%64)&1 == 1; got != want {
			t.Fatalf("%s in state %v of many: %v, the interpreter says %v", c.term, st, got, want)
		}
		if excluded != nil && (excluded[i/64]>>(i%64)&1 == 1) == want {
			t.Fatalf("%s in state %v: excludes is %v", c.term, st, want)
		}
	}
	if excluded != nil && (first(excluded) >= 0) == everywhere {
		t.Fatalf("%s: false in some state is %v", c.term, everywhere)
	}
	return everywhere
}

// A proved bound is true in all reachable states of instances with other parameters than the ones
// it was fitted to.
func TestBoundsElsewhere(t *testing.T) {
	sys, out := provedTank(t)
	for _, values := range [][2]int64{{4, 9}, {7, 1}, {6, 6}} {
		inst := &system.Instance{Sizes: map[*logic.Sort]int{},
			Values: map[*logic.Symbol]*logic.Term{}}
		for _, sym := range sys.Symbols {
			switch sym.Name {
			case "N":
				inst.Values[sym] = logic.IntLit(values[0])
			case "M":
				inst.Values[sym] = logic.IntLit(values[1])
			}
		}
		m, err := interp.NewModel(sys, inst)
		if err != nil {
			t.Fatal(err)
		}
		w, err := explore(t.Context(), newStructure(m), nil, nil, 0, exploreAll)
		if err != nil || !w.complete || len(w.states) < 10 {
			t.Fatalf("%d states, %v", len(w.states), err)
		}
		for _, st := range w.states {
			for _, l := range out.Lemmas {
				if is, err := m.Holds(l.Term, st); err != nil || !is {
					t.Errorf("%s is false with N, M = %v in state %v (%v)", l.Term, values, st, err)
				}
			}
		}
	}
}
