package horn

import (
	"maps"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// fewValues bounds the values of a number that is given bit by bit.
const fewValues = 64

// smallSets finds the numbers, and members of enums, that have few values, by abstract
// interpretation: the initial values, and what the updates of actions make of them, for each value
// of the control and together. It is not trusted; package induction proves what comes of it. Values
// are in ascending order.
func smallSets(sys *system.System, control *logic.Symbol) (all sets, reached map[int64]sets) {
	first := initialSets(sys)
	reached = map[int64]sets{} // by the value of the control
	var work []int64
	reach := func(place int64, s sets) {
		old := reached[place]
		merged, grown := old.or(s)
		if old == nil || grown {
			reached[place] = merged
			work = append(work, place)
		}
	}
	places := []int64{0}
	if control != nil {
		places = first[control]
	}
	for _, place := range places {
		reach(place, first.at(control, place))
	}
	for len(work) > 0 {
		place := work[0]
		work = work[1:]
		for _, a := range sys.Actions {
			within := reached[place].where(a.Relation.Guard)
			if within == nil {
				continue
			}
			after := sets{}
			for sym, vs := range within {
				after[sym] = vs
			}
			for _, sym := range a.Modifies {
				delete(after, sym)
				if sym.Result.Kind == logic.KindEnum {
					after[sym] = first[sym] // all members, if nothing else is known
					if sym == control {
						after[sym] = members(sym)
					}
				}
				for _, u := range a.Relation.Updates {
					if vs, ok := within.of(u.Value); u.Symbol == sym && ok && len(vs) <= fewValues {
						after[sym] = vs
					}
				}
			}
			next := []int64{0}
			if control != nil {
				next = after[control]
			}
			for _, to := range next {
				reach(to, after.at(control, to))
			}
		}
	}
	for _, s := range reached {
		all, _ = all.or(s)
	}
	maps.DeleteFunc(all, func(sym *logic.Symbol, vs []int64) bool {
		return sym == control || len(vs) == 0 || vs[0] < 0 || vs[len(vs)-1] >= 1<<16
	})
	return all, reached
}

// initialSets are the values that the initial states give.
func initialSets(sys *system.System) sets {
	s := sets{}
	for _, sym := range sys.Symbols {
		if len(sym.Args) == 0 && !sym.Derived && sym.Result.Kind == logic.KindEnum {
			s[sym] = members(sym)
		}
	}
	for _, f := range slices.Concat(sys.Axioms, sys.Inits) {
		for _, c := range logic.Conjuncts(f.Term) {
			if c.Op != logic.OpEq {
				continue
			}
			for i, a := range c.Args {
				if a.Op != logic.OpApp || len(a.Args) > 0 || a.Symbol.Derived ||
					a.Symbol.Result.Kind == logic.KindBool {
					continue
				}
				if vs, ok := (sets{}).of(c.Args[1-i]); ok {
					s[a.Symbol] = vs
				}
			}
		}
	}
	return s
}

func members(s *logic.Symbol) (out []int64) {
	for i := range s.Result.Members {
		out = append(out, int64(i))
	}
	return out
}

// sets are the possible values of symbols; one that is missing may have any value.
type sets map[*logic.Symbol][]int64

// at is a copy with one value of the control.
func (s sets) at(control *logic.Symbol, place int64) sets {
	out := maps.Clone(s)
	if control != nil {
		out[control] = []int64{place}
	}
	return out
}

// or joins sets, and reports whether the first ones grow; nil ones have no values yet.
func (s sets) or(t sets) (out sets, grown bool) {
	if s == nil {
		return t, true
	}
	out = sets{}
	for sym, vs := range s {
		more, ok := t[sym]
		all := union(vs, more)
		if !ok || len(all) > fewValues {
			grown = true
			continue
		}
		out[sym] = all
		grown = grown || len(all) > len(vs)
	}
	return out, grown
}

// where keeps the values that pass the conjuncts that compare a symbol with a number; nil where
// none does.
func (s sets) where(guards []*logic.Term) sets {
	out := maps.Clone(s)
	for _, g := range guards {
		for _, c := range logic.Conjuncts(g) {
			if (c.Op != logic.OpEq && c.Op != logic.OpLt && c.Op != logic.OpLe) ||
				len(c.Args) != 2 {
				continue
			}
			for i, a := range c.Args {
				n, ok := (sets{}).of(c.Args[1-i])
				if !ok || len(n) != 1 || a.Op != logic.OpApp || a.Step != logic.Pre ||
					out[a.Symbol] == nil {
					continue
				}
				out[a.Symbol] = slices.DeleteFunc(slices.Clone(out[a.Symbol]), func(v int64) bool {
					x, y := v, n[0]
					if i == 1 {
						x, y = y, x
					}
					return !(c.Op == logic.OpEq && x == y || c.Op == logic.OpLt && x < y ||
						c.Op == logic.OpLe && x <= y)
				})
				if len(out[a.Symbol]) == 0 {
					return nil
				}
			}
		}
	}
	return out
}

// of gives the possible values of a term; false when there may be others.
func (s sets) of(t *logic.Term) ([]int64, bool) {
	switch t.Op {
	case logic.OpInt:
		if !t.Int.IsInt64() {
			return nil, false
		}
		return []int64{t.Int.Int64()}, true
	case logic.OpMember:
		return []int64{int64(t.Index)}, true
	case logic.OpApp:
		vs, ok := s[t.Symbol]
		return vs, ok && t.Step == logic.Pre
	case logic.OpIte:
		a, ok := s.of(t.Args[1])
		b, also := s.of(t.Args[2])
		return union(a, b), ok && also
	case logic.OpAdd, logic.OpSub, logic.OpMul:
		// What is said of one symbol twice is said of the same value.
		if sym := only(t); sym != nil && len(s[sym]) > 1 {
			var out []int64
			for _, v := range s[sym] {
				vs, ok := (sets{sym: {v}}).of(t)
				if !ok {
					return nil, false
				}
				out = union(out, vs)
			}
			return out, true
		}
		return s.combined(t)
	}
	return nil, false
}

// only is the symbol of a term that has just one, else nil.
func only(t *logic.Term) (sym *logic.Symbol) {
	for app := range logic.Applications(t) {
		if sym != nil && sym != app.Symbol {
			return nil
		}
		sym = app.Symbol
	}
	return sym
}

// combined gives the values of a sum, a difference or a product.
func (s sets) combined(t *logic.Term) ([]int64, bool) {
	out, ok := s.of(t.Args[0])
	for _, a := range t.Args[1:] {
		b, also := s.of(a)
		if !ok || !also || len(out)*len(b) > fewValues*fewValues {
			return nil, false
		}
		var next []int64
		for _, x := range out {
			for _, y := range b {
				if max(x, -x, y, -y) > 1<<20 {
					return nil, false
				}
				z, _ := logic.Calculate(t.Op, 1, x, y)
				next = append(next, z)
			}
		}
		out = union(next, nil)
	}
	return out, ok
}

func union(a, b []int64) []int64 {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// among says that a symbol has one of the values.
func among(s *logic.Symbol, vs []int64) *logic.Term {
	if n := len(vs); n > 2 && s.Result.Kind != logic.KindEnum && vs[n-1]-vs[0] == int64(n-1) {
		x := logic.App(s, logic.Pre)
		return logic.And(logic.Le(logic.IntLit(vs[0]), x), logic.Le(x, logic.IntLit(vs[n-1])))
	}
	var out []*logic.Term
	for _, v := range vs {
		out = append(out, is(s, v))
	}
	return logic.Or(out...)
}

// is says that a symbol has a value.
func is(s *logic.Symbol, v int64) *logic.Term {
	x := logic.App(s, logic.Pre)
	if s.Result.Kind == logic.KindEnum {
		return logic.Eq(x, logic.Member(s.Result, int(v)))
	}
	return logic.Eq(x, logic.IntLit(v))
}
