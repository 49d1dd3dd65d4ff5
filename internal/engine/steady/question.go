package steady

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// Obligation claims that a theory entails a goal.
type Obligation struct {
	Name   string
	Theory *vc.Theory
	Goal   *logic.Term
}

// Obligations are the obligations of a proof that a claim holds: facts about all states, of which
// the proof uses the known ones, and that no sequence of pieces violates the claim.
func Obligations(
	sys *system.System, p *system.Property, known func(name string) bool,
) ([]Obligation, error) {
	c, err := newCounters(sys)
	if err != nil {
		return nil, err
	}
	var out []Obligation
	q, err := newPieces(c, func(os ...Obligation) (bool, error) {
		for _, o := range os {
			if !known(o.Name) {
				return false, nil
			}
		}
		out = append(out, os...)
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return append(out, q.question(p).Obligation), nil
}

// pieces makes questions about sequences of pieces, with facts about all states.
type pieces struct {
	*counters
	natural []bool        // of vars: it is never negative
	allows  []*logic.Term // of moves: what the guard says of what never changes in a piece
	exact   []bool        // of moves: the guard says more, and not only of natural counters
	shared  []bool        // of flags: all actions give it the same next value
	// raises says of flags that an action leads to a state in which the next action makes it true.
	raises map[*move][]bool
	// ends says that the last action of a piece matters: comparisons become false, actions make
	// something true, or a guard says more of the state before the action.
	ends bool
}

// newPieces asks for the facts: holds says whether all of some obligations are proved.
func newPieces(
	c *counters, holds func(...Obligation) (bool, error),
) (d *pieces, err error) {
	d = &pieces{counters: c, natural: make([]bool, len(c.vars)), shared: make([]bool, len(c.flags)),
		raises: map[*move][]bool{}}
	for i, s := range d.vars {
		if d.natural[i], err = holds(d.notNegative(s)...); err != nil {
			return nil, err
		}
	}
	d.findTurns(d.isNatural)
	for _, m := range d.moves {
		d.allows = append(d.allows, d.possible(m.guard, false))
		d.exact = append(d.exact, d.saysMore(m))
	}
	d.ends = len(d.flags) > 0 || slices.Contains(d.exact, true) ||
		slices.ContainsFunc(d.turns, func(x turn) bool { return x.falls })
	for k, f := range d.flags {
		d.shared[k] = len(d.moves) > 0 && !slices.ContainsFunc(d.moves, func(m *move) bool {
			return !logic.Equal(m.set[f], d.moves[0].set[f])
		})
		for _, m := range d.moves {
			raises := false
			if d.shared[k] {
				t := d.taking(m)
				t.Assume(d.naturals(vc.Versions{})...)
				if raises, err = holds(Obligation{
					fmt.Sprintf("the step after %s makes %s true", m.Name, f.Name), t,
					m.after(m.set[f])}); err != nil {
					return nil, err
				}
			}
			d.raises[m] = append(d.raises[m], raises)
		}
	}
	return d, nil
}

// most is the number of pieces of a run, at most.
func (d *pieces) most() int { return len(d.turns) + len(d.flags) + 1 }

// notNegative are the obligations of a counter that is never negative.
func (d *pieces) notNegative(s *logic.Symbol) []Obligation {
	goal := logic.Le(logic.IntLit(0), logic.App(s, logic.Pre))
	out := []Obligation{{"initiation of " + s.Name + " >= 0", vc.InitialState(d.sys), goal}}
	for _, m := range d.moves {
		if m.add[s] != nil && m.add[s].Sign() < 0 {
			t := d.taking(m)
			t.Assume(goal)
			out = append(out, Obligation{m.Name + " preserves " + s.Name + " >= 0", t,
				m.after(goal)})
		}
	}
	return out
}

// taking is a state in which an action can be taken.
func (d *pieces) taking(m *move) *vc.Theory {
	t := &vc.Theory{}
	for _, f := range d.sys.Axioms {
		t.Assume(f.Term)
	}
	t.Assume(m.guard)
	return t
}

// after is a formula about the state after an action, in the state before it.
func (m *move) after(t *logic.Term) *logic.Term {
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		switch {
		case t.Op != logic.OpApp || !t.Symbol.Mutable:
			return t
		case t.Symbol.Result == logic.Bool:
			return m.set[t.Symbol]
		case m.add[t.Symbol] == nil:
			return t
		}
		return logic.Add(t, logic.BigLit(m.add[t.Symbol]))
	})
}

func (d *pieces) isNatural(s *logic.Symbol) bool { return d.natural[slices.Index(d.vars, s)] }

// naturals are the counters that are never negative, in a state.
func (d *pieces) naturals(at vc.Versions) (out []*logic.Term) {
	for i, s := range d.vars {
		if d.natural[i] {
			out = append(out, logic.Le(logic.IntLit(0), vc.In(logic.App(s, logic.Pre), at)))
		}
	}
	return out
}

// question is the question for a run that violates a claim.
type question struct {
	Obligation
	pieces []*piece
	last   vc.Versions
}

// piece is a part of a run: actions as often as times says, in any order but for the last one.
type piece struct {
	from, to vc.Versions
	times    []*logic.Term // of moves
	last     []*logic.Term // of moves, truth values; false where it does not matter
	moves    *logic.Term   // an action is taken
	same     *logic.Term   // after the piece, no guard and no truth value has changed
}

// question makes the question of a claim.
func (d *pieces) question(p *system.Property) *question {
	q := &question{last: vc.Versions{}}
	q.Name = fmt.Sprintf("no run of at most %s violates %s",
		engine.Counted(d.most(), "piece", "pieces"), p.Name)
	q.Theory = vc.InitialState(d.sys)
	q.Theory.Assume(d.naturals(q.last)...)
	for range d.most() {
		d.piece(q)
	}
	q.Goal = vc.In(p.Term, q.last)
	return q
}

// state is another copy of the state of a run.
func (d *pieces) state(number int) vc.Versions {
	out := vc.Versions{}
	for _, s := range d.vars {
		out[s] = number
	}
	for _, f := range d.flags {
		out[f] = number
	}
	return out
}

// piece adds a piece to a question.
func (d *pieces) piece(q *question) {
	n := len(q.pieces)
	p := &piece{from: q.last, to: d.state(n + 1), moves: logic.False}
	t := q.Theory
	constant := func(what string, m *move, sort *logic.Sort) *logic.Term {
		v := &logic.Var{Name: fmt.Sprintf("%s_%s_%d", what, m.Name, n), Sort: sort}
		t.Consts = append(t.Consts, v)
		return logic.Ref(v)
	}
	for i, m := range d.moves {
		p.times = append(p.times, constant("times", m, logic.Int))
		p.last = append(p.last, logic.False)
		t.Assume(logic.Le(logic.IntLit(0), p.times[i]),
			logic.Implies(p.some(i), vc.In(d.allows[i], p.from)))
		p.moves = logic.Or(p.moves, p.some(i))
		if d.ends {
			p.last[i] = constant("last", m, logic.Bool)
		}
	}
	for _, s := range d.vars {
		now := logic.App(s, logic.Pre)
		after := vc.In(now, p.from)
		for i, m := range d.moves {
			if by := m.add[s]; by != nil && by.Sign() != 0 {
				after = logic.Add(after, logic.Mul(logic.BigLit(by), p.times[i]))
			}
		}
		t.Assume(logic.Eq(vc.In(now, p.to), after))
	}
	t.Assume(d.naturals(p.to)...)
	p.same = d.turned(t, p)
	if d.ends {
		d.lastAction(t, p)
		d.flagged(t, p)
	}
	if n > 0 { // pieces are as long as they can be, and stand before the ones that are empty
		before := q.pieces[n-1]
		t.Assume(logic.Implies(p.moves, logic.And(before.moves, logic.Not(before.same))))
	}
	q.pieces, q.last = append(q.pieces, p), p.to
}

// turned states in which direction comparisons change in a piece, and gives the formula that none
// of them changes, and no truth value.
func (d *pieces) turned(t *vc.Theory, p *piece) *logic.Term {
	var same []*logic.Term
	for _, x := range d.turns {
		before, after := vc.In(x.Term, p.from), vc.In(x.Term, p.to)
		if x.falls {
			before, after = after, before
		}
		t.Assume(logic.Implies(before, after))
		same = append(same, logic.Iff(before, after))
	}
	for _, f := range d.flags {
		x := logic.App(f, logic.Pre)
		same = append(same, logic.Iff(vc.In(x, p.from), vc.In(x, p.to)))
	}
	return logic.And(same...)
}

// lastAction states that a piece that is not empty has one last action, before which no comparison
// has become false.
func (d *pieces) lastAction(t *vc.Theory, p *piece) {
	t.Assume(logic.Implies(p.moves, logic.Or(p.last...)))
	for i, m := range d.moves {
		only := []*logic.Term{p.some(i)}
		for _, other := range p.last[:i] {
			only = append(only, logic.Not(other))
		}
		if d.exact[i] {
			only = append(only, d.before(p, m.guard))
		}
		t.Assume(logic.Implies(p.last[i], logic.And(only...)))
	}
	for _, x := range d.turns {
		if x.falls {
			t.Assume(logic.Implies(logic.And(p.moves, vc.In(x.Term, p.from)), d.before(p, x.Term)))
		}
	}
}

// some says that a move is taken.
func (p *piece) some(i int) *logic.Term { return logic.Lt(logic.IntLit(0), p.times[i]) }

// saysMore reports whether a guard says more than is known of the counters, and of what never
// changes in a piece.
func (d *pieces) saysMore(m *move) (found bool) {
	d.leaves(m.guard, func(t *logic.Term) {
		found = found || t.Op != logic.OpApp && d.moving(t).changes() && !d.isTurn(t) &&
			!m.needs(t, d.isNatural)
	})
	return found
}

// before is a formula about the state before the last action of a piece.
func (d *pieces) before(p *piece, t *logic.Term) *logic.Term {
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		switch {
		case t.Op != logic.OpApp || !t.Symbol.Mutable:
			return t
		case t.Symbol.Result == logic.Bool:
			return vc.In(t, p.from)
		}
		out := vc.In(t, p.to)
		for i, m := range d.moves {
			if by := m.add[t.Symbol]; by != nil && by.Sign() != 0 {
				out = logic.Sub(out, logic.Ite(p.last[i], logic.BigLit(by), logic.IntLit(0)))
			}
		}
		return out
	})
}

// flagged states what the truth values are in a piece: only its last action changes them.
func (d *pieces) flagged(t *vc.Theory, p *piece) {
	one, zero := logic.IntLit(1), logic.IntLit(0)
	total := zero
	for _, n := range p.times {
		total = logic.Add(total, n)
	}
	for k, f := range d.flags {
		now := logic.App(f, logic.Pre)
		is, after, early := vc.In(now, p.from), vc.In(now, p.from), zero
		for i, m := range d.moves {
			set := d.before(p, m.set[f])
			after = logic.Ite(p.last[i], set, after)
			beforeLast := logic.Sub(p.times[i], logic.Ite(p.last[i], one, zero))
			changes := d.possible(logic.Not(logic.Iff(m.set[f], now)), true)
			t.Assume(logic.Implies(logic.Lt(zero, beforeLast), logic.Not(vc.In(changes, p.from))))
			if d.shared[k] && d.raises[m][k] {
				early = logic.Add(early, beforeLast)
			}
		}
		t.Assume(logic.Iff(vc.In(now, p.to), after))
		if !d.shared[k] {
			continue
		}
		set := d.moves[0].set[f]
		// Where there are two actions, the first one changes nothing.
		t.Assume(logic.Implies(logic.Lt(one, total), logic.Iff(vc.In(set, p.from), is)))
		// After an action that leads to such a state there is the last one only.
		t.Assume(logic.Or(is,
			logic.Le(early, logic.Ite(d.before(p, set), one, zero))))
	}
}
