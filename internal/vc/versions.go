package vc

import (
	"maps"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Versions gives the copy of each mutable symbol in a state. States share the copy of a symbol that
// did not change between them, so no axiom is needed for its equality. A missing symbol has copy 0.
type Versions map[*logic.Symbol]int

// Next gives the versions of the state after a step that modifies the given symbols. The copies are
// numbered step.
func (v Versions) Next(sys *system.System, modified []*logic.Symbol, step int) Versions {
	out := Versions{}
	maps.Copy(out, v)
	for sym, is := range affectedBy(sys, modified) {
		if is {
			out[sym] = step
		}
	}
	return out
}

// affectedBy gives the symbols whose value may change with the modified ones: these, and the
// derived symbols that depend on them. A derived symbol may always change if its axiom does not fix
// its value or its definition is circular.
func affectedBy(sys *system.System, modified []*logic.Symbol) map[*logic.Symbol]bool {
	affected := map[*logic.Symbol]bool{}
	for _, sym := range modified {
		affected[sym] = true
	}
	done := map[*logic.Symbol]bool{}
	var visit func(sym *logic.Symbol) bool
	visit = func(sym *logic.Symbol) bool {
		if !sym.Derived || done[sym] {
			return affected[sym]
		}
		done[sym] = true
		affected[sym] = true // during the visit, so that a circular symbol counts as affected
		d := sys.DerivedOf(sym)
		if d == nil || d.Body == nil && d.Fold == nil {
			return true
		}
		reads := []*logic.Term{d.Body}
		if f := d.Fold; f != nil {
			reads = []*logic.Term{f.Cond, f.Value}
		}
		found := slices.ContainsFunc(reads, func(t *logic.Term) bool {
			return logic.Has(t, func(t *logic.Term) bool {
				return t.Op == logic.OpApp && visit(t.Symbol)
			})
		})
		affected[sym] = found
		return found
	}
	for _, d := range sys.Derived {
		visit(d.Symbol)
	}
	return affected
}

// In moves a term to states: a symbol of the state numbered i becomes its copy in states[i].
func In(t *logic.Term, states ...Versions) *logic.Term {
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Op != logic.OpApp || !t.Symbol.Mutable || t.Step >= len(states) {
			return t
		}
		n := states[t.Step][t.Symbol]
		if n == t.Step {
			return t
		}
		c := *t
		c.Step = n
		return &c
	})
}

// SameIn reports whether a formula over one state has the same copies of symbols in both states.
func SameIn(t *logic.Term, a, b Versions) bool {
	return !logic.Has(t, func(t *logic.Term) bool {
		return t.Op == logic.OpApp && t.Symbol.Mutable && a[t.Symbol] != b[t.Symbol]
	})
}

// StateSymbols are the mutable symbols that are not derived.
func StateSymbols(sys *system.System) []*logic.Symbol {
	var out []*logic.Symbol
	for _, sym := range sys.Symbols {
		if sym.Mutable && !sym.Derived {
			out = append(out, sym)
		}
	}
	return out
}

// Mutable gives the mutable symbols of a term.
func Mutable(t *logic.Term) map[*logic.Symbol]bool {
	out := map[*logic.Symbol]bool{}
	for app := range logic.Applications(t) {
		if app.Symbol.Mutable {
			out[app.Symbol] = true
		}
	}
	return out
}
