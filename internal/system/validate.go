package system

import (
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
)

// Validate checks a system after a pass. All terms must be well-sorted, over allowed states, the
// system's own symbols and variables in scope, and the parts of the system must fit together. A
// finding is a defect of the pass, not of the user's file. The error joins all findings, each with
// the element that it concerns.
func Validate(s *System) (err error) {
	v := &validator{sys: s, sorts: set(s.Sorts), symbols: set(s.Symbols),
		names: map[string]bool{}, bound: map[*logic.Var]int{}}
	defer func() { // a nil pointer in the system
		if r := recover(); r != nil {
			v.errorf("malformed: %v", r)
			err = errors.Join(v.errs...)
		}
	}()
	if v.declarations(); v.errs != nil {
		return errors.Join(v.errs...) // the other checks rely on these
	}
	v.derived()
	for i, f := range s.Axioms {
		v.at(f.Span, "axiom %d%s", i+1, bracket(f.Name))
		v.formula(f.Term, scope{steps: -1})
	}
	for i, f := range s.Inits {
		v.at(f.Span, "init %d%s", i+1, bracket(f.Name))
		v.formula(f.Term, scope{steps: logic.Pre})
	}
	var names []string
	for _, a := range s.Actions {
		names = append(names, a.Name)
		v.action(a)
	}
	v.unique("action", names)
	v.properties()
	v.instances()
	v.rankings()
	v.computed()
	return errors.Join(v.errs...)
}

type validator struct {
	sys     *System
	sorts   map[*logic.Sort]bool
	symbols map[*logic.Symbol]bool // the declared symbols, and the inputs of the current relation
	names   map[string]bool        // of symbols
	bound   map[*logic.Var]int     // how often, by the binders around the current term
	element string
	errs    []error
}

func set[T comparable](elements []T) map[T]bool {
	m := make(map[T]bool, len(elements))
	for _, e := range elements {
		m[e] = true
	}
	return m
}

func bracket(name string) string {
	if name == "" {
		return ""
	}
	return " [" + name + "]"
}

// at sets the element for the following checks.
func (v *validator) at(span diag.Span, format string, args ...any) {
	v.element = fmt.Sprintf(format, args...)
	if !span.IsZero() {
		v.element += " (" + span.String() + ")"
	}
}

func (v *validator) errorf(format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf("%s: %w", v.element, fmt.Errorf(format, args...)))
}

func (v *validator) unique(what string, names []string) {
	v.element = "names"
	seen := map[string]bool{}
	for _, n := range names {
		switch {
		case n == "":
			v.errorf("%s without a name", what)
		case seen[n]:
			v.errorf("%s %s declared twice", what, n)
		}
		seen[n] = true
	}
}

func (v *validator) declarations() {
	var sorts, symbols []string
	for _, s := range v.sys.Sorts {
		sorts = append(sorts, s.Name)
		v.at(s.Span, "sort %s", s.Name)
		switch s.Kind {
		case logic.KindUninterpreted:
		case logic.KindInterned:
			if v.sys.Computed == nil {
				v.errorf("has values that nothing computes")
			}
		case logic.KindEnum:
			if len(s.Members) == 0 {
				v.errorf("enum without members")
			}
			if len(set(s.Members)) != len(s.Members) {
				v.errorf("enum with two members of one name")
			}
		default:
			v.errorf("neither uninterpreted, interned nor an enum")
		}
	}
	v.unique("sort", sorts)
	for _, s := range v.sys.Symbols {
		symbols, v.names[s.Name] = append(symbols, s.Name), true
		v.at(s.Span, "symbol %s", s.Name)
		v.signature(s)
		switch {
		case s.Derived && !slices.ContainsFunc(v.sys.Derived, func(d *Derived) bool {
			return d.Symbol == s
		}):
			v.errorf("derived without a definition")
		case s.Kind == logic.Relation && s.Result != logic.Bool:
			v.errorf("relation with a result that is not bool")
		case s.Kind == logic.Constant && len(s.Args) > 0:
			v.errorf("constant with arguments")
		}
	}
	v.unique("symbol", symbols)
}

func (v *validator) signature(s *logic.Symbol) {
	for _, a := range s.Args {
		v.sort(a)
	}
	v.sort(s.Result)
}

// derived checks the definitions; no definition may need its own value.
func (v *validator) derived() {
	seen := map[*logic.Symbol]bool{}
	for _, d := range v.sys.Derived {
		if d.Symbol == nil {
			v.errorf("definition without a symbol")
			continue
		}
		v.at(d.Symbol.Span, "derived %s", d.Symbol)
		switch {
		case !v.symbols[d.Symbol] || !d.Symbol.Derived:
			v.errorf("not a derived symbol of the system")
		case seen[d.Symbol]:
			v.errorf("defined twice")
		}
		seen[d.Symbol] = true
		if d.Predicate != nil {
			v.predicate(d)
			continue
		}
		v.formula(d.Axiom, scope{steps: logic.Pre})
		if f := d.Fold; f != nil {
			v.variables(f.Over)
			if !f.Finite() {
				v.errorf("an integer of the fold has no ends")
			}
			sc := scope{steps: logic.Pre}.with(d.Vars).with(f.Over)
			v.formula(f.Cond, sc)
			if v.term(f.Value, sc) && f.Value.Sort != logic.Int {
				v.errorf("%s is no number", f.Value)
			}
		}
		if d.Body == nil {
			continue
		}
		if !v.parameters(d.Vars, d.Symbol) {
			continue
		}
		sc := scope{steps: logic.Pre}.with(d.Vars)
		if v.term(d.Body, sc) && d.Body.Sort != d.Symbol.Result.Base() {
			v.errorf("the definition has sort %s, not %s", d.Body.Sort, d.Symbol.Result.Base())
		}
		if v.circular(d.Symbol, d.Body, map[*logic.Symbol]bool{}) {
			v.errorf("the definition needs its own value")
		}
	}
}

// parameters checks that there is one variable for each argument of a symbol.
func (v *validator) parameters(vars []*logic.Var, sym *logic.Symbol) bool {
	n := len(v.errs)
	v.variables(vars)
	if len(vars) != len(sym.Args) {
		v.errorf("%d variables for the %d arguments of %s", len(vars), len(sym.Args), sym)
		return false
	}
	for i, x := range vars {
		if x != nil && x.Sort != nil && !logic.SameSort(x.Sort, sym.Args[i]) {
			v.errorf("variable %s has sort %s, the argument of %s has sort %s", x, x.Sort, sym,
				sym.Args[i])
		}
	}
	return len(v.errs) == n
}

func (v *validator) circular(sym *logic.Symbol, t *logic.Term, seen map[*logic.Symbol]bool) bool {
	found := false
	logic.Walk(t, func(t *logic.Term) bool {
		if t != nil && t.Op == logic.OpApp && t.Symbol != nil && t.Symbol.Derived &&
			!seen[t.Symbol] {
			seen[t.Symbol] = true
			d := v.sys.DerivedOf(t.Symbol)
			found = found || t.Symbol == sym ||
				d != nil && d.Body != nil && v.circular(sym, d.Body, seen)
		}
		return !found && t != nil
	})
	return found
}

func (v *validator) properties() {
	var names []string
	for _, p := range v.sys.Properties {
		names = append(names, p.Name)
		v.at(p.Span, "%s %s", p.Kind, p.Name)
		steps := logic.Pre
		switch p.Kind {
		case Safety, Invariant, Range, Argument, Defined, Trusted, Temporal, FbiiProof:
		case Liveness:
			t := p.Term
			for t != nil && t.Op == logic.OpForall && len(t.Args) == 1 {
				t = t.Args[0]
			}
			if t != nil && t.Op != logic.OpLeadsTo {
				v.errorf("not of the form trigger ~> good")
			}
		case Theorem:
			if p.States < 0 || p.States > 2 {
				v.errorf("theorem of %d states", p.States)
			}
			steps = p.States - 1
		default:
			v.errorf("unknown kind")
		}
		v.formula(p.Term, scope{steps: steps, temporal: p.IsTemporal()})
		if !p.IsTemporal() {
			v.ofState(p.Term)
		}
	}
	for _, s := range v.sys.Scenarios {
		names = append(names, s.Name)
		v.scenario(s)
	}
	for _, f := range v.sys.Fbiis {
		v.fbii(f)
	}
	v.unique("property or scenario", names)
	for i, e := range v.sys.Expectations {
		v.at(e.Span, "expectation %d", i+1)
		if !slices.Contains(names, e.Property) &&
			(e.Property != result.Deadlock || e.Instance == nil) {
			v.errorf("no property or scenario is called %s", e.Property)
		}
		if !slices.Contains(result.All, result.Verdict(e.Verdict)) {
			v.errorf("%q is not a verdict", e.Verdict)
		}
		if e.Instance != nil && !slices.Contains(v.sys.Instances, e.Instance) {
			v.errorf("instance %s is not one of the system", e.Instance.Name)
		}
	}
}

// fbii checks a proof, whose steps have symbols of their own.
func (v *validator) fbii(f *Fbii) {
	var own []*logic.Symbol
	for i, s := range f.Steps {
		v.at(s.Span, "step %d of %s", i+1, f.Property.Name)
		if s.Prophecy != nil {
			own = append(own, s.Prophecy.Params...)
		}
		for _, sym := range own {
			v.symbols[sym] = true
		}
		for _, f := range s.Body {
			v.formula(f.Term, scope{steps: logic.Pre})
		}
		if s.Prophecy == nil {
			continue
		}
		v.symbols[s.Prophecy.Viable] = true
		for _, t := range s.Prophecy.By {
			v.formula(t, scope{steps: logic.Pre})
		}
		delete(v.symbols, s.Prophecy.Viable)
	}
	for _, sym := range own {
		delete(v.symbols, sym)
	}
}

func (v *validator) scenario(s *Scenario) {
	for i, part := range s.Components {
		v.at(part.Span, "scenario %s, part %d", s.Name, i+1)
		kinds := 0
		for _, is := range []bool{part.Assert != nil, part.Any, part.Calls != nil} {
			if is {
				kinds++
			}
		}
		if kinds != 1 {
			v.errorf("must be one of: an assertion, any step, calls")
		}
		if part.Assert != nil {
			v.formula(part.Assert, scope{steps: logic.Pre})
		}
		for _, c := range part.Calls {
			if c.Action == nil || !slices.Contains(v.sys.Actions, c.Action) {
				v.errorf("call of an action that is not one of the system")
				continue
			}
			if c.Args != nil && len(c.Args) != len(c.Action.Params) {
				v.errorf("call of %s with %d arguments instead of %d", c.Action.Name, len(c.Args),
					len(c.Action.Params))
				continue
			}
			for i, arg := range c.Args {
				if arg != nil && v.term(arg, scope{steps: logic.Pre}) &&
					arg.Sort != c.Action.Params[i].Sort.Base() {
					v.errorf("call of %s: argument %d has sort %s", c.Action.Name, i+1, arg.Sort)
				}
			}
		}
	}
}

func (v *validator) instances() {
	var names []string
	for _, in := range v.sys.Instances {
		names = append(names, in.Name)
		v.at(in.Span, "instance %s", in.Name)
		for _, s := range v.sys.Sorts {
			if n, ok := in.Sizes[s]; ok && n < 1 {
				v.errorf("sort %s has size %d", s, n)
			}
		}
		for s := range in.Sizes {
			if !v.sorts[s] || s.Kind != logic.KindUninterpreted {
				v.errorf("size of %s, which is not an uninterpreted sort of the system", s)
			}
		}
		for sym, value := range in.Values {
			switch {
			case !v.symbols[sym] || sym.Mutable || len(sym.Args) > 0:
				v.errorf("value of %s, which is not an immutable constant of the system", sym)
			case value == nil:
				v.errorf("%s has no value", sym)
			case !isLiteral(value, in):
				v.errorf("the value of %s is not a literal", sym)
			case value.Sort != sym.Result.Base():
				v.errorf("the value of %s has sort %s", sym, value.Sort)
			}
		}
	}
	v.unique("instance", names)
}

func isLiteral(t *logic.Term, in *Instance) bool {
	switch t.Op {
	case logic.OpTrue, logic.OpFalse:
		return t.Sort == logic.Bool
	case logic.OpInt:
		return t.Int != nil && t.Sort == logic.Int
	case logic.OpMember:
		if t.Sort == nil || t.Index < 0 {
			return false
		}
		return t.Sort.Kind == logic.KindEnum && t.Index < len(t.Sort.Members) ||
			t.Sort.Kind == logic.KindUninterpreted && t.Index < in.Sizes[t.Sort]
	}
	return false
}
