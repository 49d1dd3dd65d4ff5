package check

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// mypyvy's names that occur only in the invariants of a prophecy.
const (
	viableName = "__M_P"   // the viable values of the parameters
	bodyName   = "__INV_P" // the body, for values of the parameters
)

// buildFbiis makes the steps of the proofs by forward-backward induction.
func (c *checker) buildFbiis() {
	i := 0
	for _, d := range c.file.Decls {
		if d, ok := d.(*syntax.FbiiDecl); ok && i < len(c.sys.Fbiis) {
			c.fbii(c.sys.Fbiis[i], d)
			i++
		}
	}
}

func (c *checker) fbii(out *system.Fbii, d *syntax.FbiiDecl) {
	var own []string // names that are in scope only in the block
	defer func() {
		for _, name := range own {
			delete(c.globals, name)
		}
	}()
	for _, s := range d.Steps {
		step := &system.FbiiStep{Name: s.Name.Text, Backward: s.Backward, Span: s.Span}
		var params []*logic.Symbol
		for _, b := range s.Params {
			sym := c.prophecyParameter(b)
			if sym == nil {
				return
			}
			params = append(params, sym)
			own = append(own, b.Name.Text)
		}
		for _, f := range s.Body {
			step.Body = append(step.Body,
				&system.Formula{Name: f.Name.Text, Term: c.oneState().formula(f.Expr),
					Span: f.Span})
		}
		if s.Prophecy {
			step.Prophecy = c.prophecy(s, step, params)
		}
		out.Steps = append(out.Steps, step)
	}
}

// prophecyParameter declares a constant; nil after an error.
func (c *checker) prophecyParameter(b *syntax.Binder) *logic.Symbol {
	if b.Sort == nil {
		c.errs.Errorf(diag.Syntax, b.Name.Span, "the parameter '%s' of a prophecy needs a sort",
			b.Name.Text).
			Suggest("Write %s: SORT.", b.Name.Text)
		return nil
	}
	sort := c.sort(b.Sort)
	if sort == nil {
		return nil
	}
	if sort.Kind == logic.KindRange {
		c.errs.Errorf(diag.Unsupported, b.Sort.Span,
			"a prophecy about values of a range is not supported").
			Suggest("Write %s: int, and say in the invariants where it lies.", b.Name.Text)
		return nil
	}
	sym := &logic.Symbol{Name: b.Name.Text, Kind: logic.Constant, Result: sort, Span: b.Name.Span}
	before := len(c.errs.All)
	c.declare(b.Name, &global{symbol: sym})
	if len(c.errs.All) > before {
		return nil
	}
	return sym
}

// prophecy makes the part of a step that justifies its parameters.
func (c *checker) prophecy(
	s *syntax.FbiiStep, step *system.FbiiStep, params []*logic.Symbol,
) *system.Prophecy {
	out := &system.Prophecy{Params: params, Viable: &logic.Symbol{
		Name: viableName, Kind: logic.Relation, Result: logic.Bool, Mutable: true, Span: s.Span,
	}}
	variables := map[*logic.Symbol]*logic.Term{}
	for _, p := range params {
		v := &logic.Var{Name: p.Name, Sort: p.Result, Span: p.Span}
		out.Vars = append(out.Vars, v)
		out.Viable.Args = append(out.Viable.Args, p.Result)
		variables[p] = logic.Ref(v)
	}
	for _, f := range step.Body {
		out.With = append(out.With, logic.Map(f.Term, func(t *logic.Term) *logic.Term {
			if t.Op == logic.OpApp && variables[t.Symbol] != nil {
				return variables[t.Symbol]
			}
			return t
		}))
	}
	c.globals[viableName] = &global{span: s.Span, symbol: out.Viable}
	c.globals[bodyName] = &global{span: s.Span, def: &definition{
		name: bodyName, what: "body of the step", span: s.Span, states: 1, params: out.Vars,
		term: logic.And(out.With...), ready: true,
	}}
	defer func() {
		delete(c.globals, viableName)
		delete(c.globals, bodyName)
	}()
	viable := logic.App(out.Viable, logic.Pre, logic.Refs(out.Vars)...)
	if step.Backward {
		viable = logic.Not(viable)
	}
	some := logic.Exists(out.Vars, logic.And(logic.And(out.With...), viable))
	if len(s.By) == 0 {
		out.By = []*logic.Term{some.At(s.Span)}
	}
	for _, item := range s.By {
		switch item.Word {
		case "proph_default":
			out.By = append(out.By, some.At(item.Span))
		case "proph_select":
			theta := c.oneState().formula(item.Expr)
			out.By = append(out.By, logic.And(
				logic.Implies(logic.Not(theta), logic.Forall(out.Vars, viable)),
				logic.Implies(theta, some)).At(item.Span))
		default:
			out.By = append(out.By, c.oneState().formula(item.Expr))
		}
	}
	return out
}
