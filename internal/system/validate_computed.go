package system

import "erelong.dev/erelong/internal/logic"

// computed checks what is special of a system that a front end computes.
func (v *validator) computed() {
	c := v.sys.Computed
	if c == nil {
		return
	}
	v.element = "the computed system"
	switch s := v.sys; {
	case c.Computed == nil:
		v.errorf("there is nothing that computes it")
	case len(s.Axioms)+len(s.Inits)+len(s.Scenarios)+len(s.Rankings)+len(s.Fbiis) > 0:
		v.errorf("has formulas that nothing evaluates")
	}
	for _, sym := range v.sys.Symbols {
		v.at(sym.Span, "symbol %s", sym.Name)
		switch {
		case sym.Derived:
		case !sym.Mutable || len(sym.Args) > 0 || sym.Result.Kind != logic.KindInterned:
			v.errorf("not a mutable symbol of computed values")
		}
	}
	for i, f := range c.Boundary {
		v.at(f.Span, "boundary %d%s", i+1, bracket(f.Name))
		v.formula(f.Term, scope{steps: logic.Pre})
	}
	for _, f := range c.Conditions {
		v.at(f.Span, "fairness %s", f.Name)
		v.formula(f.Enabled, scope{steps: logic.Pre})
		v.ofState(f.Enabled)
		v.formula(f.Taken, scope{steps: logic.Pre})
	}
}

// predicate checks a computed predicate.
func (v *validator) predicate(d *Derived) {
	sym := d.Symbol
	switch {
	case v.sys.Computed == nil:
		v.errorf("a predicate that nothing computes")
	case d.Axiom != nil || d.Body != nil:
		v.errorf("a computed predicate with a definition")
	case !sym.Mutable || len(sym.Args) > 0 || sym.Result != logic.Bool:
		v.errorf("not a formula of a state")
	case d.Predicate.Number < 0:
		v.errorf("predicate %d", d.Predicate.Number)
	}
}

// computedAction checks an action whose steps are computed.
func (v *validator) computedAction(a *Action) {
	for _, p := range a.Params {
		if p != nil && p.Sort != nil && p.Sort.Kind != logic.KindInterned {
			v.errorf("parameter %s has no computed values", p)
		}
	}
	if a.Relation != nil || a.Code != nil || len(a.Modifies) > 0 || a.Fairness != Unfair {
		v.errorf("says more of its steps than its name and its parameters")
	}
}

// ofState refuses a predicate of steps.
func (v *validator) ofState(t *logic.Term) {
	if t != nil && v.sys.OfStep(t) {
		v.errorf("a formula of states that is about a step: %s", t)
	}
}
