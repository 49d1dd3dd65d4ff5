package system

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

func (v *validator) action(a *Action) {
	v.at(a.Span, "action %s", a.Name)
	v.variables(a.Params)
	if a.Fairness < Unfair || a.Fairness > Strong {
		v.errorf("unknown fairness %d", a.Fairness)
	}
	if a.FairIf != nil {
		if a.Fairness == Unfair {
			v.errorf("has a condition of fairness, and is not fair")
		}
		v.formula(a.FairIf, scope{steps: logic.Pre}.with(a.Params))
		v.at(a.Span, "action %s", a.Name)
	}
	for i, m := range a.Modifies {
		switch {
		case m == nil || !v.symbols[m]:
			v.errorf("modifies a symbol that is not one of the system")
		case !m.Mutable || m.Derived:
			v.errorf("modifies %s, which is immutable or derived", m)
		case slices.Contains(a.Modifies[:i], m):
			v.errorf("modifies %s twice", m)
		}
	}
	if v.sys.Computed != nil {
		v.computedAction(a)
		return
	}
	if !a.Imperative && a.Relation == nil {
		v.errorf("written as a formula, but has no relation")
	}
	if a.Relation != nil {
		v.relation(a)
	}
	v.at(a.Span, "action %s, code", a.Name)
	v.code(a, a.Code, scope{steps: logic.Post}.with(a.Params))
}

func (v *validator) relation(a *Action) {
	r := a.Relation
	v.at(a.Span, "action %s, relation", a.Name)
	v.variables(append(slices.Clone(a.Params), r.Choices...))
	v.inputs(r.Inputs)
	defer func() {
		for _, in := range r.Inputs {
			delete(v.names, in.Name)
			delete(v.symbols, in)
		}
	}()
	sc := scope{steps: logic.Post}.with(a.Params).with(r.Choices)
	for i, g := range r.Guard {
		if g == nil {
			v.errorf("guard %d is missing", i+1)
			continue
		}
		v.at(g.Span, "action %s, guard %d", a.Name, i+1)
		v.formula(g, sc)
	}
	updated := map[*logic.Symbol]bool{}
	for i, u := range r.Updates {
		v.at(u.Span, "action %s, update %d", a.Name, i+1)
		if !v.update(a, u, sc) {
			continue
		}
		if updated[u.Symbol] {
			v.errorf("a second update of %s", u.Symbol)
		}
		if !slices.EqualFunc(u.Vars, u.Args, func(x *logic.Var, t *logic.Term) bool {
			return t.Op == logic.OpVar && t.Var == x
		}) {
			v.errorf("the arguments of %s are not exactly the update's variables", u.Symbol)
		}
		v.parameters(u.Vars, u.Symbol)
		for t := range logic.Applications(u.Value) {
			if t.Step == logic.Post && !updated[t.Symbol] {
				v.errorf("the value reads the new value of %s, which no earlier update gives",
					t.Symbol)
			}
		}
		updated[u.Symbol] = true
	}
}

// inputs checks the inputs of a relation and adds them to the symbols.
func (v *validator) inputs(inputs []*logic.Symbol) {
	for _, in := range inputs {
		if in.Mutable || in.Derived {
			v.errorf("the input %s is mutable or derived", in)
		}
		if v.names[in.Name] {
			v.errorf("the input %s has the name of another symbol", in)
		}
		v.signature(in)
		v.names[in.Name], v.symbols[in] = true, true
	}
}

// update checks the conditions on updates in both renderings. It reports whether the terms are well
// formed.
func (v *validator) update(a *Action, u Update, sc scope) bool {
	if !v.target(a, u.Symbol, u.Vars, u.Args, sc) {
		return false
	}
	if !v.term(u.Value, sc.with(u.Vars)) {
		return false
	}
	if u.Value.Sort != u.Symbol.Result.Base() {
		v.errorf("the value of %s has sort %s, not %s", u.Symbol, u.Value.Sort,
			u.Symbol.Result.Base())
	}
	return true
}

// target checks the written points: each argument is a variable, or a term without the variables,
// and each variable is an argument.
// variable is an argument.
func (v *validator) target(
	a *Action, sym *logic.Symbol, vars []*logic.Var, args []*logic.Term, sc scope,
) bool {
	if sym == nil || !slices.Contains(a.Modifies, sym) {
		v.errorf("writes a symbol that is not among the modified ones")
		return false
	}
	n := len(v.errs)
	v.variables(vars)
	if len(args) != len(sym.Args) {
		v.errorf("%s is written at %d arguments instead of %d", sym, len(args), len(sym.Args))
		return false
	}
	used := map[*logic.Var]bool{}
	for i, arg := range args {
		if arg != nil && arg.Op == logic.OpVar && slices.Contains(vars, arg.Var) {
			used[arg.Var] = true
			v.term(arg, sc.with(vars))
		} else {
			v.term(arg, sc)
		}
		if arg != nil && arg.Sort != sym.Args[i].Base() {
			v.errorf("argument %d of %s has the wrong sort", i+1, sym)
		}
	}
	for _, x := range vars {
		if !used[x] {
			v.errorf("the variable %s is not an argument of %s", x, sym)
		}
	}
	return len(v.errs) == n
}

func (v *validator) code(a *Action, code []Stmt, sc scope) {
	for _, stmt := range code {
		switch s := stmt.(type) {
		case Require:
			v.at(s.Span, "action %s, require", a.Name)
			v.formula(s.Cond, sc)
		case Assign:
			if len(s.Updates) == 0 {
				v.at(a.Span, "action %s, assignment", a.Name)
				v.errorf("assigns nothing")
			}
			for _, u := range s.Updates {
				v.at(u.Span, "action %s, assignment", a.Name)
				v.update(a, u, sc)
			}
		case Havoc:
			v.at(s.Span, "action %s, assignment of any value", a.Name)
			v.target(a, s.Symbol, s.Vars, s.Args, sc)
		case Choose:
			v.at(s.Span, "action %s, choose", a.Name)
			v.variables([]*logic.Var{s.Var})
			sc = v.bind(sc, []*logic.Var{s.Var})
			v.formula(s.Such, sc)
		case Let:
			v.at(s.Span, "action %s, let", a.Name)
			v.variables([]*logic.Var{s.Var})
			if v.term(s.Value, sc) && s.Var != nil && s.Var.Sort != nil &&
				s.Value.Sort != s.Var.Sort.Base() {
				v.errorf("%s has sort %s, its value %s", s.Var, s.Var.Sort, s.Value.Sort)
			}
			sc = v.bind(sc, []*logic.Var{s.Var})
		case If:
			v.at(s.Span, "action %s, if", a.Name)
			v.formula(s.Cond, sc)
			v.code(a, s.Then, sc)
			v.code(a, s.Else, sc)
		default:
			v.errorf("unknown statement %T", stmt)
		}
	}
}
