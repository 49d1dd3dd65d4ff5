package synth

import (
	"slices"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// exchange is an exchange of two bits; the values of other have nothing to do with them.
const exchange = `
	sort data
	sort place
	immutable constant first: place
	mutable relation a, b, other
	mutable relation here(data)
	mutable relation bit(data)
	mutable function at(place): data
	mutable constant now: place
	init a & b & !other
	fair action send() { choose m: data with !here(m); here(m) := true; bit(m) := a; }
	strong fair action receive() {
		require a <-> b;
		choose m: data with here(m);
		here(m) := false;
		if bit(m) <-> b { b := !b; }
	}
	action drop(m: data) { require here(m); here(m) := false; at(now) := m; }
	action turn() { other := true; }
	fair action finish() { require !(a <-> b); a := b; }
	liveness [l] true ~> !(a <-> b)
	instance two { data = 2, place = 2 }
	`

// Truth values are compared where one is a copy of the other, and nowhere else.
func TestKinds(t *testing.T) {
	sys := testkit.Compile(t, exchange)
	k := kindsIn(system.Normal(sys))
	symbol := func(name string) *logic.Symbol {
		i := slices.IndexFunc(sys.Symbols, func(s *logic.Symbol) bool { return s.Name == name })
		return sys.Symbols[i]
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"a", "b", true}, {"bit", "a", true}, {"bit", "b", true}, {"other", "a", false},
		{"here", "bit", false}, {"a", "a", false},
	} {
		if got := k.same(symbol(c.a), symbol(c.b)); got != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}

// What the system compares, and which arguments it gives, is in its words.
func TestVocabulary(t *testing.T) {
	p := problem(t, exchange)
	s := newSearch(p)
	place := s.scope(p.System.Sorts[1])
	own, others := []string{}, []string{}
	for i, a := range place.atoms {
		if i < place.own {
			own = append(own, a.String())
		} else {
			others = append(others, a.String())
		}
	}
	for _, text := range []string{"a <-> b", "a", "other"} {
		if !slices.Contains(own, text) {
			t.Errorf("%s is not in the words of the system: %q", text, own)
		}
	}
	for _, text := range []string{"now = first", "at(first) = at(now)"} {
		if slices.Contains(own, text) {
			t.Errorf("%s is in the words of the system", text)
		}
	}
	if len(others) == 0 {
		t.Error("all atoms are in the words of the system")
	}
}

// What is remembered of a candidate is what a new look at it shows.
func TestRefuted(t *testing.T) {
	seen, taken := 0, 0
	for _, text := range []string{shop, exchange} {
		s, err := New(t.Context(), problem(t, text))
		if err != nil {
			t.Fatal(err)
		}
		f := &fitting{search: s.search, graphs: s.conditions[0].graphs[0],
			literals: map[*scope][]literal{}, refuted: map[key]refutation{}}
		f.begin()
		for i, stages := 0, f.stages(); i < len(stages) && f.remaining() > 0; i++ {
			for c := range stages[i] {
				_, again, _ := f.examine(c)
				if _, n := f.try(c); n != again {
					t.Fatalf("%s explains %d steps, and %d are remembered", c.measure(), again, n)
				}
				if seen++; f.take(c) {
					taken, i = taken+1, -1
					break
				}
			}
		}
	}
	if seen < 100 || taken < 6 {
		t.Errorf("%d candidates, %d of them taken", seen, taken)
	}
}

// A condition that is given for the graphs stands for the one when an action can be taken.
func TestSimplify(t *testing.T) {
	p := problem(t, shop)
	i := slices.IndexFunc(p.System.Actions, func(a *system.Action) bool { return a.Name == "forget" })
	a := p.System.Actions[i]
	same := p.Enabled[a]
	p.Enabled[a] = logic.And(same, logic.Not(logic.And(same, logic.Not(same))))
	states := 0
	p.Simpler = func(seen []*interp.Graph) []Simpler {
		for _, g := range seen {
			states += len(g.States)
		}
		return []Simpler{{Action: a, Enabled: same, Due: same}}
	}
	if _, err := New(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if states < 100 {
		t.Errorf("%d states are seen", states)
	}
	if !logic.Equal(p.Enabled[a], same) {
		t.Errorf("it can be taken where %s", p.Enabled[a])
	}
}
