package interp_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// program writes actions with many branches, whose values are exponentially large as trees.
type program struct {
	*rand.Rand
	out  strings.Builder
	lets []string
	n    int
}

func (p *program) pick(of ...string) string { return of[p.IntN(len(of))] }

func (p *program) element() string { return p.pick("p", "q", "at(p)", "at(at(q))", "some") }

func (p *program) number() string {
	terms := append([]string{"x", "y", "old(x)", "0", "1"}, p.lets...)
	a, b := p.pick(terms...), p.pick(terms...)
	return p.pick(a, "if "+p.formula()+" then "+a+" else "+b, "if "+a+" < 2 then "+a+" + 1 else 0",
		"let v = "+a+" in if v = 0 then 1 else v - 1")
}

func (p *program) formula() string {
	e, f := p.element(), p.element()
	return p.pick("b", "!b", "x = y", "x < y", "r("+e+")", "old(r("+e+"))", e+" = "+f, "same_place",
		"r("+e+") = r("+f+")",
		"(exists Z:c. r(Z) & Z != "+e+")", "(forall Z:c. r(Z) | at(Z) = "+e+")", "both()",
		"linked("+e+")", "b & r("+f+")")
}

func (p *program) statements(n, depth int) {
	lets := len(p.lets)
	for range n {
		switch p.IntN(9) {
		case 0, 1, 2:
			if depth == 0 {
				continue
			}
			fmt.Fprintf(&p.out, "if %s {\n", p.formula())
			p.statements(1+p.IntN(2), depth-1)
			p.out.WriteString("} else {\n")
			p.statements(p.IntN(3), depth-1)
			p.out.WriteString("}\n")
		case 3:
			fmt.Fprintf(&p.out, "b := %s;\n", p.formula())
		case 4:
			fmt.Fprintf(&p.out, "%s := %s;\n", p.pick("x", "y"), p.number())
		case 5:
			fmt.Fprintf(&p.out, "r(%s) := %s;\n", p.element(), p.formula())
		case 6:
			fmt.Fprintf(&p.out, "r(N) := %s;\n", p.pick("!r(N)", "r(N) <-> "+p.formula(), "(exists Z:c. r(Z) & at(Z) = N)", "r(at(N))"))
		case 7:
			fmt.Fprintf(&p.out, "%s := %s;\n", p.pick("some", "at("+p.element()+")"), p.element())
		case 8:
			p.n++
			fmt.Fprintf(&p.out, "let l%d = %s;\n", p.n, p.number())
			p.lets = append(p.lets, fmt.Sprintf("l%d", p.n))
		}
		if p.IntN(25) == 0 {
			fmt.Fprintf(&p.out, "require %s | %s;\n", p.formula(), p.formula())
		}
	}
	p.lets = p.lets[:lets]
}

// TestManyBranches compares the two renderings of actions whose values are shared: in every state,
// the relation must hold for exactly the successors by the code.
func TestManyBranches(t *testing.T) {
	large, related, unrelated := 0, 0, 0
	for seed := range uint64(12) {
		p := &program{Rand: rand.New(rand.NewPCG(seed, 7))}
		p.statements(4+p.IntN(20), 3)
		text := `sort c
mutable constant x: 0..2
mutable constant y: 0..2
mutable constant b: bool
mutable constant some: c
mutable relation r(c)
mutable function at(c): c
derived relation same_place: same_place <-> (exists Z:c. r(Z) & at(Z) = Z)
definition both() = b & same_place
definition linked(e: c) = at(e) = some | (exists Z:c. at(Z) = e & r(Z))
action a(p: c, q: c) {
` + p.out.String() + `}
instance i { c = 2 }
`
		sys, list, err := ere.Compile("x.ere", text)
		if err != nil {
			t.Fatalf("%v\n%v\n%s", err, list, text)
		}
		for _, u := range sys.Actions[0].Relation.Updates {
			if strings.Contains(u.Value.String(), "let v1 = ") {
				large++
			}
			if n := logic.Size(u.Value); n > 40_000 {
				t.Errorf("the new value of %s has %d nodes:\n%s", u.Symbol, n, text)
			}
		}
		m, err := interp.NewModel(sys, sys.Instances[0])
		if err != nil {
			t.Fatal(err)
		}
		var states []interp.State
		if err := m.Initial(t.Context(), func(s interp.State) error {
			states = append(states, s)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			pre := states[p.IntN(len(states))]
			type key string
			posts := map[key]bool{}
			name := func(args []interp.Arg, s interp.State) key {
				return key(fmt.Sprint(args[:2], s))
			}
			var steps []interp.Step
			if err := m.Steps(t.Context(), pre, sys.Actions[0], func(s interp.Step) error {
				s.Args, s.State = slices.Clone(s.Args), slices.Clone(s.State)
				steps = append(steps, s)
				posts[name(s.Args, s.State)] = true
				return nil
			}); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			for _, s := range steps {
				for _, post := range []interp.State{s.State, states[p.IntN(len(states))]} {
					want := posts[name(s.Args, post)]
					got, err := m.Related(t.Context(), sys.Actions[0], s.Args[:2], pre, post)
					if err != nil || got != want {
						t.Fatalf("seed %d: %v -> %v with %v: related: %v, %v, by the code %v\n%s\n%s", seed, pre, post, s.Args, got, err, want, text, sys)
					}
					if want {
						related++
					} else {
						unrelated++
					}
				}
			}
		}
	}
	t.Logf("%d large values, %d pairs of states are related, %d are not", large, related, unrelated)
	if large < 10 || related < 200 || unrelated < 200 {
		t.Error("too little was compared")
	}
}
