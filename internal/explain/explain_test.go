package explain_test

import (
	"errors"
	"math/rand"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/explain"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
)

// reachable lists some reachable states, breadth-first.
func reachable(t *testing.T, m *interp.Model, limit int) []interp.State {
	t.Helper()
	var out []interp.State
	seen := map[string]bool{}
	add := func(s interp.State) error {
		if k := m.Key(s); !seen[k] {
			seen[k] = true
			out = append(out, s.Clone())
		}
		if len(out) >= limit {
			return interp.ErrStop
		}
		return nil
	}
	if err := m.Initial(t.Context(), add); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(out) && len(out) < limit; i++ {
		for _, a := range m.System.Actions {
			if err := m.Steps(t.Context(), out[i], a, func(s interp.Step) error {
				return add(s.State)
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// checker checks that the parts of each node determine its value.
type checker struct {
	t     *testing.T
	model *interp.Model
	state interp.State
	seen  map[logic.Op]int
}

func (c *checker) check(n *explain.Node) {
	v, err := c.model.Eval(n.Closed, c.state)
	if err != nil || v != n.Value {
		c.t.Fatalf("%s is shown as %d, and is %d (%v)", n.Closed, n.Value, v, err)
	}
	holds := n.Value == 1
	operands := n.Closed.Args
	switch n.Closed.Op {
	case logic.OpForall, logic.OpExists:
		if len(n.Witness) > 0 {
			with := map[*logic.Var]*logic.Term{}
			for i, w := range n.Witness {
				with[n.Closed.Vars[i]] = value(w)
			}
			operands = []*logic.Term{logic.Subst(n.Closed.Args[0], with)}
			if len(n.Witness) != len(n.Closed.Vars) || holds != (n.Closed.Op == logic.OpExists) {
				c.t.Fatalf("%s is explained by %v", n.Closed, n.Witness)
			}
		} else {
			operands = nil
		}
	case logic.OpLet:
		operands = []*logic.Term{logic.Subst(n.Closed.Args[1],
			map[*logic.Var]*logic.Term{n.Closed.Vars[0]: value(n.Witness[0])})}
	case logic.OpApp:
		if d := c.model.System.DerivedOf(n.Closed.Symbol); d != nil && d.Body != nil {
			with := map[*logic.Var]*logic.Term{}
			for i, v := range d.Vars {
				with[v] = value(n.Witness[i])
			}
			operands = []*logic.Term{logic.Subst(d.Body, with)}
		}
	}
	part := func(t *logic.Term) *explain.Node {
		for _, p := range n.Subformulas {
			if logic.Equal(p.Closed, t) {
				return p
			}
		}
		return nil
	}
	found, falses := 0, 0
	for _, o := range operands {
		if p := part(o); p != nil {
			found++
			if p.Value == 0 {
				falses++
			}
		}
	}
	if found < len(n.Subformulas) {
		c.t.Fatalf("%s has parts that are not its own", n.Closed)
	}
	switch n.Closed.Op {
	case logic.OpAnd, logic.OpOr:
		plain := 0 // operands that are literals have no node
		for _, o := range operands {
			if o.IsTrue() || o.IsFalse() {
				plain++
			}
		}
		decided := holds == (n.Closed.Op == logic.OpOr)
		if decided && len(n.Subformulas) > 1 || !decided && found+plain != len(operands) {
			c.t.Fatalf("%s is %t and has %d parts", n.Closed, holds, len(n.Subformulas))
		}
		if holds && falses > 0 || !holds && falses < found {
			c.t.Fatalf("%s is %t, with %d false parts of %d", n.Closed, holds, falses, found)
		}
	case logic.OpForall, logic.OpExists, logic.OpLet:
		if found == 1 && n.Subformulas[0].Value != n.Value {
			c.t.Fatalf("%s is %d, and what it says of the witness is %d", n.Closed, n.Value,
				n.Subformulas[0].Value)
		}
	case logic.OpNot:
		if found == 1 && n.Subformulas[0].Value == n.Value {
			c.t.Fatalf("%s has the value of what it negates", n.Closed)
		}
	}
	c.seen[n.Closed.Op]++
	for _, p := range n.Subformulas {
		c.check(p)
	}
}

func value(a interp.Arg) *logic.Term {
	switch {
	case a.Var.Sort == logic.Bool:
		return logic.BoolLit(a.Value == 1)
	case a.Var.Sort.Base() == logic.Int:
		return logic.IntLit(a.Value)
	}
	return logic.Member(a.Var.Sort, int(a.Value))
}

func TestTreesAreConsistent(t *testing.T) {
	seen := map[logic.Op]int{}
	falseRoots := 0
	for seed := range int64(60) {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)), systemtest.Options{Bits: 6})
		if err != nil {
			t.Fatal(err)
		}
		m, err := interp.NewModel(sys, systemtest.Unnamed(sys))
		if err != nil {
			t.Fatal(err)
		}
		var formulas []*logic.Term
		for _, p := range sys.Properties {
			formulas = append(formulas, p.Term)
		}
		for _, f := range sys.Inits {
			formulas = append(formulas, f.Term)
		}
		for _, s := range reachable(t, m, 40) {
			for _, f := range formulas {
				holds, err := m.Holds(f, s)
				if err != nil {
					t.Fatal(err)
				}
				n, err := explain.Explain(m, f, s)
				if err != nil {
					t.Fatal(err)
				}
				if (n.Value == 1) != holds || n.Term != f {
					t.Fatalf("seed %d: %s is %t, and the root %s is %d", seed, f, holds, n.Term,
						n.Value)
				}
				if !holds {
					falseRoots++
				}
				(&checker{t, m, s, seen}).check(n)
			}
		}
	}
	for _, op := range []logic.Op{logic.OpNot, logic.OpAnd, logic.OpOr, logic.OpImplies,
		logic.OpForall, logic.OpExists, logic.OpApp, logic.OpEq} {
		if seen[op] == 0 {
			t.Errorf("no tree has a node of operator %d", op)
		}
	}
	if falseRoots == 0 {
		t.Error("no formula was false")
	}
}

// show prints a tree, one line for each node.
func show(w *result.Why, indent string) string {
	out := indent + w.Text + " is " + w.Value.String()
	for _, b := range w.Witness {
		out += ", " + b.Name + " = " + b.Value.String()
	}
	out += "\n"
	for _, p := range w.Subformulas {
		out += show(p, indent+"  ")
	}
	return out
}

func TestTrace(t *testing.T) {
	for _, test := range []struct{ name, property, want string }{
		{"conjunction", "x >= 0 & x < 3 & y = 1", `
0 <= x & x < 3 & y = 1 is false
  x < 3 is false
    x is 3
`},
		{"quantifiers", "forall A. on(A) -> exists B:node. owner(A) = B & !on(B)", `
forall A:node. on(A) -> exists B:node. owner(A) = B & !on(B) is false, A = node0
  on(A) -> exists B:node. owner(A) = B & !on(B) is false
    on(A) is true
    exists B:node. owner(A) = B & !on(B) is false
`},
		{"definition", "forall A. !safe(A)", `
forall A:node. !safe(A) is false, A = node0
  !safe(A) is false
    safe(A) is true, N = node0
      owner(N) = N is true
        owner(N) is node0
`},
		{"range", "forall I:0..2. level(I) < 2", `
forall I:0..2. level(I) < 2 is false, I = 2
  level(I) < 2 is false
    level(I) is 2
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			sys, _, err := ere.Compile("x.ere", `
sort node
mutable constant x: int
mutable constant y: int
mutable relation on(node)
mutable function owner(node): node
mutable function level(0..2): 0..2
derived relation safe(node): safe(N) <-> owner(N) = N
init x = 3 & y = 1 & on(N) & owner(N) = N & level(I) = I
action stay() { }
safety [p] `+test.property)
			if err != nil {
				t.Fatal(err)
			}
			in := &system.Instance{Name: "two", Sizes: map[*logic.Sort]int{sys.Sorts[0]: 2}}
			m, err := interp.NewModel(sys, in)
			if err != nil {
				t.Fatal(err)
			}
			var first interp.State
			err = m.Initial(t.Context(), func(s interp.State) error {
				first = s.Clone()
				return interp.ErrStop
			})
			if err != nil && !errors.Is(err, interp.ErrStop) {
				t.Fatal(err)
			}
			w := explain.Trace(m, m.TraceOf(first), sys.Property("p").Term)
			if w == nil {
				t.Fatal("there is no explanation")
			}
			if got := show(w, ""); got != strings.TrimPrefix(test.want, "\n") {
				t.Errorf("the tree is\n%s", got)
			}
			if w.Line != 11 || w.Column != 12 {
				t.Errorf("the root is at %d:%d", w.Line, w.Column)
			}
			if explain.Trace(m, m.TraceOf(first), logic.True) != nil {
				t.Error("a true formula is explained as a violation")
			}
		})
	}
}
