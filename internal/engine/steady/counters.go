package steady

import (
	"fmt"
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// refuse says why runs of a system are not divided into pieces.
func refuse(format string, args ...any) error {
	return fmt.Errorf("runs have no steady pieces: "+format, args...)
}

// counters is a system as integers to which actions add numbers, and truth values.
type counters struct {
	sys   *system.System
	vars  []*logic.Symbol // mutable integers
	flags []*logic.Symbol // mutable truth values
	moves []*move
	turns []turn
}

// turn is a comparison of guards that changes at most once in a run: it becomes true, or falls.
type turn struct {
	*logic.Term
	falls bool
}

// move is an action.
type move struct {
	*system.Action
	guard *logic.Term
	add   map[*logic.Symbol]*big.Int    // nil for a counter that keeps its value
	set   map[*logic.Symbol]*logic.Term // the next values of all flags
}

// newCounters reads a system.
func newCounters(sys *system.System) (*counters, error) {
	if sys.Computed != nil {
		return nil, refuse("the steps are computed")
	}
	c := &counters{sys: sys}
	if more := sys.BeyondConstants(); more != "" {
		return nil, refuse("%s", more)
	}
	for _, s := range sys.Symbols {
		switch {
		case !s.Mutable && s.Result.Base() != logic.Int && s.Result != logic.Bool:
			return nil, refuse("%s is neither an integer nor a truth value", s.Name)
		case !s.Mutable:
		case s.Result == logic.Int:
			c.vars = append(c.vars, s)
		case s.Result == logic.Bool:
			c.flags = append(c.flags, s)
		default:
			return nil, refuse("%s is neither an integer without a range nor a truth value", s.Name)
		}
	}
	for _, a := range sys.Actions {
		m, err := c.move(a)
		if err != nil {
			return nil, err
		}
		c.moves = append(c.moves, m)
	}
	for _, f := range c.flags {
		if !c.stays(f, true) && !c.stays(f, false) {
			return nil, refuse("%s may change more than once", f.Name)
		}
	}
	return c, nil
}

// move reads an action.
func (c *counters) move(a *system.Action) (*move, error) {
	if len(a.Params)+len(a.Relation.Choices)+len(a.Relation.Inputs) > 0 {
		return nil, refuse("something is chosen in %s", a.Name)
	}
	m := &move{Action: a, add: map[*logic.Symbol]*big.Int{}, set: map[*logic.Symbol]*logic.Term{}}
	for _, f := range c.flags {
		m.set[f] = logic.App(f, logic.Pre)
	}
	var guards []*logic.Term
	for _, g := range a.Relation.Guard {
		g = plain(g)
		if logic.MaxStep(g) > logic.Pre {
			return nil, refuse("%s of %s is about the state after it", g, a.Name)
		}
		guards = append(guards, g)
	}
	m.guard = logic.And(guards...)
	for _, s := range a.Modifies {
		i := slices.IndexFunc(a.Relation.Updates, func(u system.Update) bool {
			return u.Symbol == s
		})
		if i < 0 {
			return nil, refuse("%s may be anything after %s", s.Name, a.Name)
		}
		value := plain(a.Relation.Updates[i].Value)
		if logic.MaxStep(value) > logic.Pre {
			return nil, refuse("the value of %s in %s is about the state after it", s.Name, a.Name)
		}
		if s.Result == logic.Bool {
			m.set[s] = value
			continue
		}
		sum := logic.SumOf(logic.Sub(value, logic.App(s, logic.Pre)))
		if slices.ContainsFunc(sum.Factors, func(f *big.Int) bool { return f.Sign() != 0 }) {
			return nil, refuse("%s adds no number to %s", a.Name, s.Name)
		}
		m.add[s] = sum.Number
	}
	return m, nil
}

// stays reports whether no action changes a truth value once it is the given one.
func (c *counters) stays(f *logic.Symbol, is bool) bool {
	return !slices.ContainsFunc(c.moves, func(m *move) bool {
		after := logic.Map(m.set[f], func(t *logic.Term) *logic.Term {
			if t.Op == logic.OpApp && t.Symbol == f {
				return logic.BoolLit(is)
			}
			return logic.Simplified(t)
		})
		if is {
			return !after.IsTrue()
		}
		return !after.IsFalse()
	})
}

// plain is a term without names for parts of it, and with an equation of integers as two
// comparisons.
func plain(t *logic.Term) *logic.Term {
	return logic.Map(logic.Unfolded(t), func(t *logic.Term) *logic.Term {
		if t.Op == logic.OpEq && t.Args[0].Sort == logic.Int {
			a, b := t.Args[0], t.Args[1]
			return logic.And(logic.Le(a, b), logic.Le(b, a))
		}
		return t
	})
}

// motion says in which directions a comparison may change: become true, become false.
type motion struct{ rises, falls bool }

// changes reports whether a comparison may change.
func (d motion) changes() bool { return d.rises || d.falls }

// once reports whether a comparison changes, and at most once in a run.
func (d motion) once() bool { return d.rises != d.falls }

// moving gives the directions in which a comparison may change.
func (c *counters) moving(t *logic.Term) (d motion) {
	if t.Op != logic.OpLe && t.Op != logic.OpLt {
		changes := logic.Has(t, func(t *logic.Term) bool {
			return t.Op == logic.OpApp && t.Symbol.Mutable
		})
		return motion{changes, changes}
	}
	sum := logic.SumOf(logic.Sub(t.Args[1], t.Args[0]))
	for _, m := range c.moves {
		total := new(big.Int)
		for i, part := range sum.Parts {
			switch {
			case part.Op == logic.OpApp && !part.Symbol.Mutable:
			case part.Op == logic.OpApp && m.add[part.Symbol] != nil:
				total.Add(total, new(big.Int).Mul(sum.Factors[i], m.add[part.Symbol]))
			case part.Op != logic.OpApp && logic.Has(part, func(t *logic.Term) bool {
				return t.Op == logic.OpApp && t.Symbol.Mutable
			}):
				return motion{true, true}
			}
		}
		d.rises = d.rises || total.Sign() > 0
		d.falls = d.falls || total.Sign() < 0
	}
	return d
}

// leaves gives the parts of a formula below its connectives.
func (c *counters) leaves(t *logic.Term, f func(*logic.Term)) {
	switch t.Op {
	case logic.OpAnd, logic.OpOr, logic.OpNot, logic.OpImplies:
		for _, a := range t.Args {
			c.leaves(a, f)
		}
	default:
		f(t)
	}
}

// findTurns finds the comparisons that change at most once in a run. Not among them is the one that
// a counter is large enough for what an action takes from it: that is known of counters that are
// never negative.
func (c *counters) findTurns(natural func(*logic.Symbol) bool) {
	for _, m := range c.moves {
		c.leaves(m.guard, func(t *logic.Term) {
			if d := c.moving(t); d.once() && !m.needs(t, natural) && !c.isTurn(t) {
				c.turns = append(c.turns, turn{t, d.falls})
			}
		})
	}
}

func (c *counters) isTurn(t *logic.Term) bool {
	return slices.ContainsFunc(c.turns, func(u turn) bool { return logic.Equal(t, u.Term) })
}

// needs reports whether a comparison says no more than that a counter is large enough for an
// action.
func (m *move) needs(t *logic.Term, natural func(*logic.Symbol) bool) bool {
	if t.Op != logic.OpLe && t.Op != logic.OpLt {
		return false
	}
	sum := logic.SumOf(logic.Sub(t.Args[1], t.Args[0]))
	if t.Op == logic.OpLt {
		sum.Number.Sub(sum.Number, big.NewInt(1))
	}
	if len(sum.Parts) != 1 || sum.Factors[0].Cmp(big.NewInt(1)) != 0 ||
		sum.Parts[0].Op != logic.OpApp {
		return false
	}
	s := sum.Parts[0].Symbol
	return m.add[s] != nil && natural(s) && m.add[s].Cmp(sum.Number) <= 0
}

// possible is what a formula says of the comparisons that change at most once, and of flags: it is
// true where the formula is. With sure, the formula is true where it is.
func (c *counters) possible(t *logic.Term, sure bool) *logic.Term {
	switch t.Op {
	case logic.OpAnd, logic.OpOr:
		var parts []*logic.Term
		for _, a := range t.Args {
			parts = append(parts, c.possible(a, sure))
		}
		if t.Op == logic.OpAnd {
			return logic.And(parts...)
		}
		return logic.Or(parts...)
	case logic.OpNot:
		return logic.Not(c.possible(t.Args[0], !sure))
	case logic.OpImplies:
		return logic.Implies(c.possible(t.Args[0], !sure), c.possible(t.Args[1], sure))
	case logic.OpApp: // a flag, or a parameter
		return t
	}
	if c.moving(t).changes() && !c.isTurn(t) {
		return logic.BoolLit(!sure)
	}
	return t
}
