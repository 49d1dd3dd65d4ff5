package horn

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// space is a system that the interpreter runs, as the oracle of edges.
type space struct {
	*problem
	model *interp.Model
	slot  map[*logic.Symbol]int
	sets  map[string][]interp.State // successors by the keys of states
}

func newSpace(t *testing.T, sys *system.System) *space {
	t.Helper()
	p, err := newProblem(sys)
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.NewModel(sys, &system.Instance{Name: "only"})
	if err != nil {
		t.Fatal(err)
	}
	s := &space{problem: p, model: m, slot: map[*logic.Symbol]int{},
		sets: map[string][]interp.State{}}
	for i, sym := range m.SlotSymbols() {
		s.slot[sym] = i
	}
	return s
}

func (s *space) initial(t *testing.T) (out []interp.State) {
	t.Helper()
	if err := s.model.Initial(t.Context(), func(x interp.State) error {
		out = append(out, x.Clone())
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func (s *space) successors(t *testing.T, x interp.State) []interp.State {
	t.Helper()
	k := s.model.Key(x)
	if out, ok := s.sets[k]; ok {
		return out
	}
	var out []interp.State
	for _, a := range s.sys.Actions {
		if err := s.model.Steps(t.Context(), x, a, func(step interp.Step) error {
			out = append(out, step.State.Clone())
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	s.sets[k] = out
	return out
}

// reachable lists states in the order in which a search finds them.
func (s *space) reachable(t *testing.T, most int) []interp.State {
	t.Helper()
	seen := map[string]bool{}
	var out []interp.State
	add := func(all []interp.State) {
		for _, x := range all {
			if k := s.model.Key(x); !seen[k] && len(out) < most {
				seen[k] = true
				out = append(out, x)
			}
		}
	}
	add(s.initial(t))
	for i := 0; i < len(out); i++ {
		add(s.successors(t, out[i]))
	}
	return out
}

func (s *space) place(x interp.State) int {
	if s.control == nil {
		return 0
	}
	return int(x[s.slot[s.control]])
}

func (s *space) bad(t *testing.T, x interp.State) bool {
	t.Helper()
	ok, err := s.model.Holds(s.sys.Properties[0].Term, x)
	if err != nil {
		t.Fatal(err)
	}
	return !ok
}

// through gives the states that some states lead to by places that are gone, and whether one on
// the way, at such a place, is a violation.
func (s *space) through(
	t *testing.T, from []interp.State, gone []block,
) (ends []interp.State, violated bool) {
	t.Helper()
	seen := map[string]bool{}
	todo := slices.Clone(from)
	for len(todo) > 0 {
		x := todo[0]
		todo = todo[1:]
		if k := s.model.Key(x); seen[k] {
			continue
		} else {
			seen[k] = true
		}
		if !slices.ContainsFunc(gone, func(b block) bool { return b.place == s.place(x) }) {
			ends = append(ends, x)
			continue
		}
		violated = violated || s.bad(t, x)
		todo = append(todo, s.successors(t, x)...)
	}
	return ends, violated
}

// is says that variables have the values of a state.
func (s *space) is(vars []*logic.Var, x interp.State) *logic.Term {
	var out []*logic.Term
	for i, sym := range s.state {
		value := logic.IntLit(x[s.slot[sym]])
		if sym.Result == logic.Bool {
			value = logic.BoolLit(x[s.slot[sym]] == 1)
		}
		out = append(out, logic.Eq(logic.Ref(vars[i]), value))
	}
	return logic.And(out...)
}

// asker asks a solver whether a step along an edge is possible.
type asker struct{ *smt.Session }

func (a asker) possible(t *testing.T, e *edge, more ...*logic.Term) bool {
	t.Helper()
	script := smt.NewScript()
	declared := map[*logic.Var]bool{}
	for _, v := range slices.Concat(e.in, e.out, e.locals) {
		if declared[v] {
			continue
		}
		declared[v] = true
		if err := script.DeclareVar(v); err != nil {
			t.Fatal(err)
		}
	}
	if err := script.Assert(logic.And(append(more, e.body)...)); err != nil {
		t.Fatal(err)
	}
	got, err := a.Check(t.Context(), smt.Query{Name: "edge", Body: script.Lines()})
	if err != nil || got.Status == smt.Unknown {
		t.Fatalf("%v, %+v", err, got)
	}
	return got.Status == smt.Sat
}

// compare checks that edges lead from a state exactly where the oracle says; ends are states at
// places that are left.
func (s *space) compare(
	t *testing.T, a asker, edges []*edge, from int, x interp.State, ends []interp.State,
	violated bool,
) error {
	t.Helper()
	to := map[int][]interp.State{}
	for _, y := range ends {
		to[s.place(y)] = append(to[s.place(y)], y)
	}
	seen := map[int]bool{}
	for _, e := range edges {
		if e.from != from {
			continue
		}
		if seen[e.to] {
			return fmt.Errorf("two edges from %d to %d", from, e.to)
		}
		seen[e.to] = true
		before := logic.True
		if from != start {
			before = s.is(e.in, x)
		}
		if e.to == bad {
			if got := a.possible(t, e, before); got != violated {
				return fmt.Errorf("from %d, %v, to a violation: %v", from, x, got)
			}
			continue
		}
		others := []*logic.Term{before}
		for _, y := range to[e.to] {
			if !a.possible(t, e, before, s.is(e.out, y)) {
				return fmt.Errorf("from %d, %v, no step to %v", from, x, y)
			}
			others = append(others, logic.Not(s.is(e.out, y)))
		}
		if a.possible(t, e, others...) {
			return fmt.Errorf("from %d, %v, a step to place %d and another state than %v",
				from, x, e.to, to[e.to])
		}
	}
	for place, ys := range to {
		if !seen[place] {
			return fmt.Errorf("from %d, %v, no edge to place %d, as to %v", from, x, place, ys[0])
		}
	}
	if violated && !seen[bad] {
		return fmt.Errorf("from %d, %v, no edge to a violation", from, x)
	}
	return nil
}

// Edges lead where the interpreter's steps lead; when places are eliminated, where runs through
// them lead, and to the violations in them.
func TestEdges(t *testing.T) {
	session := smt.NewSession(solver(t)[0], smt.Config{})
	defer session.Close()
	a := asker{session}
	compared, passed := 0, 0
	for seed := range testkit.Size(16, 100) {
		text := stepping(rand.New(rand.NewSource(seed)))
		sys := testkit.Compile(t, text)
		s := newSpace(t, sys)
		edges, err := s.edges([]*logic.Term{sys.Properties[0].Term})
		if err != nil {
			t.Fatal(err)
		}
		within := seed%2 == 0
		left, gone := s.eliminate(edges, within)
		passed += len(gone)
		check := func(err error) {
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
		}
		first := s.initial(t)
		check(s.compare(t, a, edges, start, nil, first, false))
		ends, violated := s.through(t, first, gone)
		check(s.compare(t, a, left, start, nil, ends, violated && within))
		for _, x := range s.reachable(t, 6) {
			next := s.successors(t, x)
			compared++
			check(s.compare(t, a, edges, s.place(x), x, next, s.bad(t, x)))
			if slices.ContainsFunc(gone, func(b block) bool { return b.place == s.place(x) }) {
				continue
			}
			ends, violated := s.through(t, next, gone)
			check(s.compare(t, a, left, s.place(x), x, ends,
				s.bad(t, x) || violated && within))
		}
	}
	if t.Logf("%d states, %d places eliminated", compared, passed); compared < 50 || passed < 10 {
		t.Errorf("too little was compared: %d states, %d places eliminated", compared, passed)
	}
}

// stepping writes a finite system with a place, numbers, a member, a parameter and choices.
func stepping(rng *rand.Rand) string {
	pick := func(options ...string) string { return options[rng.Intn(len(options))] }
	place := func() string { return pick("a", "b", "c", "d") }
	text := `enum place { a, b, c, d }
enum colour { red, green, blue }
mutable constant at: place
mutable constant x: int
mutable constant y: int
mutable constant k: colour
mutable relation p
` + pick("mutable constant limit: int\ninit limit = 1 | limit = 2\n",
		"immutable constant limit: int\naxiom limit = 2\n")
	text += fmt.Sprintf("init at = %s & x = %s & y = %s & (p <-> %s)\n", place(),
		pick("0", "1", "limit"), pick("0", "limit"), pick("true", "x = 0", "k = red"))
	for i := range 4 + rng.Intn(4) {
		text += fmt.Sprintf("action step%d(%s) {\n  require at = %s & %s;\n", i,
			pick("", "", "q: bool", "m: colour"), place(),
			pick("x < limit", "y <= x", "k = red", "k != green", "p", "!p", "true", "x != y"))
		if rng.Intn(3) == 0 {
			text += "  choose n: 0..2 with n < limit; x := n;\n"
		} else if rng.Intn(2) == 0 {
			text += "  x := " + pick("y", "0", "limit", "if p then 1 else y",
				"if x < 3 then x + 1 else x") + ";\n"
		}
		if rng.Intn(2) == 0 {
			text += "  y := " + pick("x", "limit - 1", "if k = blue then 2 else y",
				"if y > 0 then y - 1 else limit") + ";\n"
		}
		switch rng.Intn(4) {
		case 0:
			text += "  k := *;\n"
		case 1:
			text += "  k := " + pick("blue", "if p then red else green") + ";\n"
		}
		if rng.Intn(3) == 0 {
			text += "  p := " + pick("!p", "x < y", "k = red", "*") + ";\n"
		}
		text += fmt.Sprintf("  at := %s;\n}\n", place())
	}
	return text + "safety [goal] " + pick("x <= 2", "x + y < 4", "at = c -> x < limit",
		"p -> k != blue", "y < limit | at != b") + "\n"
}
