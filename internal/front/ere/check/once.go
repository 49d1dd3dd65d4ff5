package check

import (
	"slices"

	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
)

// sharing is what has been elaborated, where it may stand in several places.
type sharing struct {
	// calls holds the results of calls of large definitions: a second call with the same arguments
	// shares the first one's term.
	calls    map[string]*logic.Term
	identity *logic.Identity
	known    map[*syntax.Expr]*made
	names    names
}

// made is the term of an expression for the variables that its names mean, in a state.
type made struct {
	term *logic.Term
	sort *cell
	vars []*logic.Var
	step int
	old  bool
}

// names are the names that occur in expressions, in their order.
type names map[*syntax.Expr][]string

func (n names) in(x *syntax.Expr) []string {
	if out, ok := n[x]; ok {
		return out
	}
	var out []string
	if x.Kind == syntax.ExprName {
		out = append(out, x.Name.Text)
	}
	for _, a := range x.Args {
		out = append(out, n.in(a)...)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	n[x] = out
	return out
}

// expr elaborates an expression, and gives its sort. What package flat has put in several places is
// elaborated once.
func (e *elaborator) expr(x *syntax.Expr) (*logic.Term, *cell) {
	if x.Kind != syntax.ExprIf && x.Kind != syntax.ExprNeeds {
		return e.construct(x)
	}
	var vars []*logic.Var
	for _, name := range e.names.in(x) {
		vars = append(vars, e.lookup(name))
	}
	if k := e.known[x]; k != nil && k.step == e.step && k.old == e.inOld &&
		slices.Equal(k.vars, vars) {
		return k.term, k.sort
	}
	free, messages := len(e.free), len(e.c.errs.All)
	term, sort := e.construct(x)
	if len(e.free) == free && len(e.c.errs.All) == messages {
		e.known[x] = &made{term, sort, vars, e.step, e.inOld}
	}
	return term, sort
}
