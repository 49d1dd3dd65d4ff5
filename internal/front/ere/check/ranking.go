package check

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// buildRankings makes the hints for ranking functions.
func (c *checker) buildRankings() {
	seen := map[*system.Property]diag.Span{}
	for _, d := range c.file.Decls {
		d, ok := d.(*syntax.RankDecl)
		if !ok {
			continue
		}
		p := c.sys.Property(d.Property.Text)
		switch {
		case p == nil || p.Kind != system.Liveness:
			c.errs.Errorf(diag.UnknownTarget, d.Property.Span, "there is no liveness property '%s'",
				d.Property.Text)
			continue
		case !seen[p].IsZero():
			c.errs.Errorf(diag.Duplicate, d.Property.Span, "there are two ranks of '%s'",
				d.Property.Text).
				Because(seen[p], "the other one is here")
			continue
		}
		seen[p] = d.Span
		c.sys.Rankings = append(c.sys.Rankings, c.ranking(p, d))
	}
}

func (c *checker) ranking(p *system.Property, d *syntax.RankDecl) *system.Ranking {
	out := &system.Ranking{Property: p, Span: d.Span}
	outer, _ := system.Outer(p.Term)
	vars := slices.Clone(outer)
	// elaborate reads an expression in the scope of some variables and of more binders.
	elaborate := func(
		vars []*logic.Var, x *syntax.Expr, binders []*syntax.Binder, sort *logic.Sort, why string,
	) ([]*logic.Var, *logic.Term) {
		e := c.oneState()
		for _, v := range vars {
			e.scope = append(e.scope, v)
			e.cells[v] = &cell{sort: v.Sort.Base(), why: v.Span}
		}
		bound := e.enter(binders)
		for _, v := range bound {
			if v.Sort == nil {
				e.pend = append(e.pend, &logic.Term{Op: logic.OpVar, Var: v})
			}
		}
		t := logic.True
		if x != nil {
			t = e.closed(x, sort, why)
		}
		e.finish()
		return bound, t
	}
	for _, item := range d.Items {
		switch item.Word {
		case "choose":
			bound, such := elaborate(vars, item.Expr, item.Binders, logic.Bool,
				"a formula must say which value is chosen")
			for i, v := range bound { // the first value is one for which there are others
				one := &system.Selection{Vars: []*logic.Var{v},
					Such: logic.Exists(bound[i+1:], such), Span: item.Span}
				out.Choices = append(out.Choices, one)
			}
			vars = append(vars, bound...)
		case "count", "await":
			bound, such := elaborate(vars, item.Expr, item.Binders, logic.Bool,
				"a formula must say what is counted")
			c.countable(bound)
			m := &system.Measure{Vars: bound, Such: such, Span: item.Span}
			if item.Word == "await" && !c.awaited(m, item) {
				continue
			}
			for i, x := range item.Args {
				_, arg := elaborate(slices.Concat(vars, bound), x, nil,
					m.Action.Params[i].Sort.Base(), "an argument of the action")
				m.Args = append(m.Args, arg)
			}
			out.Measures = append(out.Measures, m)
		case "variable":
			_, t := elaborate(vars, item.Expr, nil, logic.Int,
				"a variable of a ranking function is an integer")
			out.Measures = append(out.Measures, &system.Measure{Number: t, Span: item.Span})
		case "bound":
			_, t := elaborate(vars, item.Expr, nil, logic.Bool, "a bound compares two integers")
			if t.Op != logic.OpLe {
				c.errs.Errorf(diag.Unsupported, item.Expr.Span,
					"a bound says that one integer is at most another").
					Suggest("Write it with <= or >=.")
				continue
			}
			out.Bounds = append(out.Bounds, t)
		case "never":
			n := c.never(item)
			if n == nil {
				continue
			}
			if item.Expr != nil {
				_, n.Such = elaborate(slices.Concat(vars, n.Vars), item.Expr, nil, logic.Bool,
					"a formula must say which steps are not taken")
			}
			out.Never = append(out.Never, n)
		case "case":
			_, t := elaborate(vars, item.Expr, nil, logic.Bool,
				"a formula must say which case it is")
			out.Cases = append(out.Cases, t)
		case "pending":
			if out.Pending != nil {
				c.errs.Errorf(diag.Duplicate, item.Span,
					"there are two 'pending' in one rank").Because(out.Pending.Span,
					"the other one is here")
			}
			_, out.Pending = elaborate(outer, item.Expr, nil, logic.Bool,
				"a formula must say what holds until what is good does")
		}
	}
	return out
}

// countable refuses variables with infinitely many values.
func (c *checker) countable(vars []*logic.Var) {
	for _, v := range vars {
		if v.Sort == logic.Int {
			c.errs.Errorf(diag.Unsupported, v.Span,
				"there are infinitely many integers, so they are not counted").
				Suggest("Give '%s' a range.", v.Name)
		}
		if v.Sort.Extent == logic.Infinite {
			c.errs.Errorf(diag.Unsupported, v.Span,
				"there may be infinitely many elements of '%s', so they are not counted", v.Sort).
				Because(v.Sort.Span, "it is declared here").
				Suggest("Count the elements of a finite set, or declare: sort %s @finite", v.Sort)
		}
	}
}

// awaited finds the fair action of a measure, and reports whether there is one.
func (c *checker) awaited(m *system.Measure, item syntax.RankItem) bool {
	call, ok := c.actionCall(syntax.TraceCall{Name: item.Action})
	if !ok {
		return false
	}
	m.Action = call.Action
	if m.Action.Fairness == system.Unfair {
		c.errs.Errorf(diag.Unsupported, item.Action.Span,
			"'%s' is not fair, so nothing says that it is taken at some time", m.Action.Name).
			Because(m.Action.Span, "it is declared here")
		return false
	}
	if len(item.Args) != len(m.Action.Params) {
		c.wrongArguments(item.Action.Span, item.Action.Text, len(item.Args), m.Action.Span,
			parameters(m.Action), "a value")
		return false
	}
	return true
}

// never makes a hint about all steps of an action; nil when there is no such action.
func (c *checker) never(item syntax.RankItem) *system.Never {
	call, ok := c.actionCall(syntax.TraceCall{Name: item.Action})
	if !ok {
		return nil
	}
	params := call.Action.Params
	if len(item.Params) != len(params) {
		c.wrongArguments(item.Action.Span, item.Action.Text, len(item.Params), call.Action.Span,
			parameters(call.Action), "a variable")
		return nil
	}
	out := &system.Never{Action: call.Action, Such: logic.True, Span: item.Span}
	for i, name := range item.Params {
		c.checkShadow(name)
		for _, v := range out.Vars {
			if v.Name == name.Text {
				c.errs.Errorf(diag.Duplicate, name.Span, "the variable '%s' is bound twice",
					name.Text).Because(v.Span, "it is bound here")
			}
		}
		out.Vars = append(out.Vars,
			&logic.Var{Name: name.Text, Sort: params[i].Sort, Span: name.Span})
	}
	return out
}
