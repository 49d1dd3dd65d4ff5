package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/front/ere/names"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// plain lists the actions that are not fair and that nothing else names: only their steps count.
func (s *source) plain() []*syntax.ActionDecl {
	return slices.DeleteFunc(s.actions(), func(d *syntax.ActionDecl) bool {
		return d.Fairness != "" || slices.ContainsFunc(s.table.Declarations,
			func(n *names.Declaration) bool { return n.Node == d && !n.Local() && len(n.Uses) > 1 })
	})
}

// cases makes two actions of one: where a condition is true, and where it is not.
var cases = Rewrite{Name: "cases", Keeps: States, apply: func(s *source) error {
	d, err := pick(s, s.plain(), "action that is not fair and not named elsewhere")
	if err != nil {
		return err
	}
	cond, err := pick(s, s.conditions(d), "condition")
	if err != nil {
		return err
	}
	s.two(d, "require "+cond+";", "require !("+cond+");")
	return nil
}}

// conditions are what an action can ask before it begins, without an error.
func (s *source) conditions(d *syntax.ActionDecl) (out []string) {
	for _, sym := range s.sys.Symbols {
		if len(sym.Args) > 0 {
			continue
		}
		switch sym.Result.Kind {
		case logic.KindBool:
			out = append(out, sym.Name)
		case logic.KindInt, logic.KindRange:
			out = append(out, sym.Name+" <= 0")
		case logic.KindEnum:
			out = append(out, sym.Name+" = "+sym.Result.Members[0])
		}
	}
	for i, a := range d.Params {
		for _, b := range d.Params[:i] {
			v, w := s.variables[a.Name.Span.Start], s.variables[b.Name.Span.Start]
			if v != nil && w != nil && v.Sort.Base() == w.Sort.Base() && v.Sort != logic.Bool {
				out = append(out, b.Name.Text+" = "+a.Name.Text)
			}
		}
	}
	return out
}

// two puts two actions in place of one, each with a statement in front.
func (s *source) two(d *syntax.ActionDecl, first, second string) {
	code := s.body(d.Body, nil)
	s.replace(d.Span, s.action(d, s.fresh(d.Name.Text+"_yes"), s.binders(d.Params),
		"\n  "+first+code)+"\n"+s.action(d, s.fresh(d.Name.Text+"_no"), s.binders(d.Params),
		"\n  "+second+code))
}

// apart makes two actions of one that has an if.
var apart = Rewrite{Name: "apart", Keeps: States, apply: func(s *source) error {
	branch := func(d *syntax.ActionDecl) int {
		return slices.IndexFunc(d.Body, func(st syntax.Stmt) bool {
			i, ok := st.(*syntax.IfStmt)
			return ok && !declares(i.Then) && !declares(i.Else)
		})
	}
	d, err := pick(s, slices.DeleteFunc(s.plain(), func(d *syntax.ActionDecl) bool {
		return branch(d) < 0
	}), "action with an if that is not fair and not named elsewhere")
	if err != nil {
		return err
	}
	n := branch(d)
	i := d.Body[n].(*syntax.IfStmt)
	half := func(name, cond string, code []syntax.Stmt) string {
		return s.action(d, s.fresh(d.Name.Text+name), s.binders(d.Params), s.body(d.Body[:n], nil)+
			"\n  require "+cond+";"+s.body(code, nil)+s.body(d.Body[n+1:], nil))
	}
	s.replace(d.Span, half("_then", s.explicit(i.Cond), i.Then)+"\n"+
		half("_else", "!"+s.explicit(i.Cond), i.Else))
	return nil
}}

// declares reports whether statements declare a variable that later ones would see.
func declares(body []syntax.Stmt) bool {
	return slices.ContainsFunc(body, func(st syntax.Stmt) bool {
		c, choose := st.(*syntax.ChooseStmt)
		_, let := st.(*syntax.LetStmt)
		return let || choose && !c.Block
	})
}

// together makes one action of two, with a parameter that says which is meant.
var together = Rewrite{Name: "together", Keeps: States, apply: func(s *source) error {
	two := slices.DeleteFunc(s.plain(), func(d *syntax.ActionDecl) bool {
		return slices.ContainsFunc(d.Params, func(b *syntax.Binder) bool {
			v := s.variables[b.Name.Span.Start]
			return v == nil || v.Sort.Base() == logic.Int // may have no value
		})
	})
	if len(two) < 2 {
		return fmt.Errorf("%w: there are no two actions that are not fair and not named elsewhere",
			ErrNothing)
	}
	s.rng.Shuffle(len(two), func(i, j int) { two[i], two[j] = two[j], two[i] })
	a, b := two[0], two[1]
	sort, one, other := s.fresh("which"), s.fresh("one_of_both"), s.fresh("other_of_both")
	which := s.fresh("w")
	params := append([]*syntax.Binder{}, a.Params...)
	for _, p := range b.Params {
		i := slices.IndexFunc(a.Params, func(q *syntax.Binder) bool {
			return q.Name.Text == p.Name.Text
		})
		switch {
		case i < 0:
			params = append(params, p)
		case s.variables[a.Params[i].Name.Span.Start].Sort != s.variables[p.Name.Span.Start].Sort:
			return fmt.Errorf("%w: two parameters have one name and two sorts", ErrNothing)
		}
	}
	text := which + ": " + sort
	if len(params) > 0 {
		text += ", " + s.binders(params)
	}
	name := s.fresh(a.Name.Text + "_or_" + b.Name.Text)
	s.replace(a.Span, "enum "+sort+" { "+one+", "+other+" }\n"+
		s.action(a, name, text, "\n"+s.conditional(which+" = "+one, s.body(a.Body, nil),
			s.body(b.Body, nil))))
	s.replace(b.Span, "")
	return nil
}}

// transitions writes actions as formulas over two states, as in mypyvy.
var transitions = Rewrite{Name: "transitions", Keeps: States, apply: func(s *source) error {
	for _, d := range s.actions() {
		i := slices.IndexFunc(s.sys.Actions, func(a *system.Action) bool {
			return a.Name == d.Name.Text
		})
		if i < 0 || len(s.sys.Actions[i].Relation.Inputs) > 0 || !s.writesInside(d) || !s.some() {
			continue
		}
		a := s.sys.Actions[i]
		if d.FairIf != nil && len(a.Modifies) == 0 {
			continue // the sign = before its formula would be a part of the condition
		}
		head := "transition " + a.Name + "(" + s.binders(d.Params) + ")"
		switch {
		case d.FairIf != nil:
			head += " " + d.Fairness + " if " + s.at(d.FairIf.Span)
		case d.Fairness != "":
			head = d.Fairness + " " + head
		}
		f, changed := a.Relation.Formula(), []string{}
		for _, m := range a.Modifies {
			changed = append(changed, m.Name)
			if !logic.Occurs(f, m, logic.Post) { // any value will do, which has to be said
				f = logic.And(f, reflexive(m))
			}
		}
		if len(changed) > 0 {
			head += "\n  modifies " + strings.Join(changed, ", ") + "\n  "
		} else {
			head += " = "
		}
		s.replace(d.Span, head+"("+f.String()+")")
	}
	return nil
}}

// writesInside reports whether an action writes nothing outside of a range, which is an error that
// a formula does not have.
func (s *source) writesInside(d *syntax.ActionDecl) bool {
	inside := true
	assignments(d.Body, func(st *syntax.AssignStmt) { inside = inside && s.total(st.Target) })
	return inside
}

// reflexive is true of all new values of a symbol.
func reflexive(sym *logic.Symbol) *logic.Term {
	vars := make([]*logic.Var, len(sym.Args))
	for i, sort := range sym.Args {
		vars[i] = &logic.Var{Name: "X", Sort: sort}
	}
	value := logic.App(sym, logic.Post, logic.Refs(vars)...)
	if sym.Result == logic.Bool {
		return logic.Forall(vars, logic.Implies(value, value))
	}
	return logic.Forall(vars, &logic.Term{Op: logic.OpEq, Sort: logic.Bool,
		Args: []*logic.Term{value, value}})
}
