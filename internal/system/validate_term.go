package system

import (
	"erelong.dev/erelong/internal/logic"
)

// scope is what a term may contain: variables, states up to steps (-1 for no state at all), and
// temporal operators.
type scope struct {
	vars     *varList
	steps    int
	temporal bool
}

// with adds variables.
func (s scope) with(vars []*logic.Var) scope {
	for _, v := range vars {
		s.vars = &varList{v, s.vars}
	}
	return s
}

// varList is a list of variables, the innermost first.
type varList struct {
	first *logic.Var
	outer *varList
}

func (l *varList) has(v *logic.Var) bool {
	for ; l != nil; l = l.outer {
		if l.first == v {
			return true
		}
	}
	return false
}

// bind adds variables, none of which may be in scope already: engines give each variable one slot.
func (v *validator) bind(sc scope, vars []*logic.Var) scope {
	for _, x := range vars {
		if x != nil && sc.vars.has(x) {
			v.errorf("variable %s is bound within its own scope", x)
		}
	}
	return sc.with(vars)
}

// sort checks a sort that a declaration or a variable has.
func (v *validator) sort(s *logic.Sort) {
	switch {
	case s == nil:
		v.errorf("no sort")
	case s == logic.Bool, s == logic.Int, v.sorts[s]:
	case s.Kind != logic.KindRange:
		v.errorf("sort %s is not one of the system", s)
	default:
		for _, end := range []*logic.Term{s.Lo, s.Hi} {
			if v.term(end, scope{steps: -1}) && end.Sort != logic.Int {
				v.errorf("an end of the range %s is not an integer", s)
			}
		}
	}
}

// variables checks declarations of variables that are in scope together.
func (v *validator) variables(vars []*logic.Var) {
	seen := map[*logic.Var]bool{}
	for _, x := range vars {
		switch {
		case x == nil:
			v.errorf("a variable is missing")
			continue
		case seen[x]:
			v.errorf("variable %s is declared twice", x)
		case x.Sort == nil:
			v.errorf("variable %s has no sort", x)
		default:
			v.sort(x.Sort)
		}
		seen[x] = true
	}
}

// inScope reports whether a variable is in the scope, or bound by a binder around the current term.
func (v *validator) inScope(x *logic.Var, sc scope) bool { return v.bound[x] > 0 || sc.vars.has(x) }

// formula checks a term of sort bool.
func (v *validator) formula(t *logic.Term, sc scope) {
	if v.term(t, sc) && t.Sort != logic.Bool {
		v.errorf("a formula of sort %s", t.Sort)
	}
}

// term checks a term with all its parts, and reports whether it is well-formed.
func (v *validator) term(t *logic.Term, sc scope) bool {
	if t == nil {
		v.errorf("a term is missing")
		return false
	}
	n := len(v.errs)
	binds := t.IsQuantifier() || t.Op == logic.OpLet
	if binds {
		v.variables(t.Vars)
	}
	for i, a := range t.Args {
		if !binds || t.Op == logic.OpLet && i == 0 {
			v.term(a, sc)
			continue
		}
		for _, x := range t.Vars {
			if x != nil && v.inScope(x, sc) {
				v.errorf("variable %s is bound within its own scope", x)
			}
			v.bound[x]++
		}
		v.term(a, sc)
		for _, x := range t.Vars {
			v.bound[x]--
		}
	}
	if len(v.errs) > n {
		return false // the sorts of the parts are unknown
	}
	v.node(t, sc)
	return len(v.errs) == n
}

// node checks the root of a term whose arguments are well formed.
func (v *validator) node(t *logic.Term, sc scope) {
	sig, known := t.Op.Signature()
	if known && !v.operands(t, sig) {
		return
	}
	switch t.Op {
	case logic.OpInt:
		if t.Int == nil {
			v.errorf("a number without a value")
		}
	case logic.OpDiv, logic.OpMod:
		if n := t.Args[1]; n.Op != logic.OpInt || n.Int == nil || n.Int.Sign() <= 0 {
			v.errorf("a division by something else than a positive number: %s", t)
		}
	case logic.OpMember:
		switch {
		case t.Sort == nil || !v.sorts[t.Sort]:
			v.errorf("a member of a sort that is not one of the system")
		case t.Sort.Kind != logic.KindEnum:
			v.errorf("an element of %s, which has elements in an instance only", t.Sort)
		case t.Index < 0 || t.Index >= len(t.Sort.Members):
			v.errorf("member %d of the enum %s, which has %d", t.Index, t.Sort, len(t.Sort.Members))
		}
	case logic.OpVar:
		switch {
		case t.Var == nil || t.Var.Sort == nil:
			v.errorf("an occurrence of a variable without the variable or its sort")
		case !v.inScope(t.Var, sc):
			v.errorf("variable %s is not in scope", t.Var)
		case t.Sort != t.Var.Sort.Base():
			v.errorf("variable %s occurs with the wrong sort", t.Var)
		}
	case logic.OpApp:
		v.application(t, sc)
	case logic.OpAdd:
		if len(t.Args) == 0 {
			v.errorf("a sum of nothing")
		}
	case logic.OpIte:
		switch {
		case len(t.Args) != 3:
			v.errorf("if with %d arguments", len(t.Args))
		case t.Args[0].Sort != logic.Bool:
			v.errorf("if with a condition of sort %s: %s", t.Args[0].Sort, t)
		case t.Args[1].Sort != t.Args[2].Sort || t.Sort != t.Args[1].Sort:
			v.errorf("if with branches of sorts %s and %s: %s", t.Args[1].Sort, t.Args[2].Sort, t)
		}
	case logic.OpForall, logic.OpExists:
		if len(t.Vars) == 0 {
			v.errorf("a quantifier without variables")
		}
	case logic.OpAlways, logic.OpEventually, logic.OpUntil, logic.OpLeadsTo:
		if !sc.temporal {
			v.errorf("a temporal operator: %s", t)
		}
	case logic.OpLet:
		switch {
		case len(t.Args) != 2 || len(t.Vars) != 1:
			v.errorf("let with %d arguments and %d variables", len(t.Args), len(t.Vars))
		case t.Args[0].Sort != t.Vars[0].Sort.Base():
			v.errorf("let: %s has sort %s, its value %s", t.Vars[0], t.Vars[0].Sort, t.Args[0].Sort)
		case t.Sort != t.Args[1].Sort:
			v.errorf("let has the wrong sort")
		}
	default:
		if !known {
			v.errorf("unknown operator %d", t.Op)
		}
	}
}

func (v *validator) application(t *logic.Term, sc scope) {
	sym := t.Symbol
	switch {
	case sym == nil || !v.symbols[sym]:
		v.errorf("an application of a symbol that is not one of the system")
		return
	case len(t.Args) != len(sym.Args):
		v.errorf("%s with %d arguments instead of %d", sym, len(t.Args), len(sym.Args))
		return
	case sym.Result == nil:
		return // reported with the declaration
	case t.Sort != sym.Result.Base():
		v.errorf("%s occurs with the wrong sort", sym)
	case !sym.Mutable && t.Step != logic.Pre:
		v.errorf("the immutable %s is read in state %d", sym, t.Step)
	case sym.Mutable && (t.Step < 0 || t.Step > sc.steps):
		v.errorf("%s is read in state %d, which may not occur here", sym, t.Step)
	}
	for i, a := range t.Args {
		if s := sym.Args[i]; s != nil && a.Sort != s.Base() {
			v.errorf("argument %d of %s has sort %s: %s", i+1, sym, a.Sort, t)
		}
	}
}

// operands checks the sorts of a term and of its arguments.
func (v *validator) operands(t *logic.Term, sig logic.Signature) bool {
	if sig.Args != logic.Any && len(t.Args) != sig.Args {
		v.errorf("%s with %d arguments", sig.Text, len(t.Args))
		return false
	}
	if t.Sort != sig.Result {
		v.errorf("%s has the wrong sort", sig.Text)
	}
	for _, a := range t.Args {
		if sig.Operand != nil && a.Sort != sig.Operand || a.Sort != t.Args[0].Sort {
			v.errorf("%s with an argument of sort %s: %s", sig.Text, a.Sort, t)
			return false
		}
	}
	return true
}
