package derive

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// undeclared reports a name that the file does not declare.
func (c *classCheck) undeclared(x *syntax.Expr) {
	var names []string
	for n := range c.globals {
		names = append(names, n)
	}
	for _, v := range c.alg.vars {
		names = append(names, v.Name.Text)
	}
	d := c.errs.Errorf(diag.UnresolvedName, x.Name.Span, "'%s' is not declared", x.Name.Text)
	if near := diag.Closest(x.Name.Text, names); near != "" {
		d.DidYouMean(near)
	}
}

// scope checks that the file, outside of its tasks, only mentions the file's own declarations. A
// derived system has symbols of its own, such as timers and messages in transit; a property over
// them would not have the form that the theorems require. Only a block `about` a system may mention
// them, and it adds claims and no behaviour.
func (c *classCheck) scope() {
	blocks := &aboutCheck{errs: c.errs, written: namesOf(c.file), reserved: c.notReserved}
	for _, d := range c.file.Decls {
		switch d := d.(type) {
		case *syntax.FormulaDecl:
			c.property = d.Word != "axiom"
			c.ownNames(d.Expr, nil)
			c.property = false
		case *syntax.DefinitionDecl:
			c.ownNames(d.Expr, c.binders(d.Params, nil))
		case *syntax.ReduceDecl:
			c.property = true // the property's check shows that its bound is constant
			for _, x := range []*syntax.Expr{d.Within, d.Until} {
				if x != nil {
					c.ownNames(x, nil)
				}
			}
			c.property = false
		case *syntax.TypeDecl:
			c.ownSort(d.Sort, nil)
		case *syntax.SymbolDecl:
			for _, s := range append(slices.Clone(d.Args), d.Result) {
				c.ownSort(s, nil)
			}
		case *syntax.AboutDecl:
			blocks.claims(d)
		}
	}
	for _, v := range c.alg.vars {
		c.ownSort(v.Sort, nil)
	}
}

// binders adds the variables of binders to the variables in scope.
func (c *classCheck) binders(bs []*syntax.Binder, bound []string) []string {
	bound = slices.Clone(bound)
	for _, b := range bs {
		c.notReserved(b.Name)
		if c.property && c.alg.variable(b.Name.Text) != nil {
			c.errs.Errorf(diag.Shadowing, b.Name.Span,
				"'%s' is already declared, and a variable must not hide it", b.Name.Text)
		}
		c.ownSort(b.Sort, bound)
		bound = append(bound, b.Name.Text)
	}
	return bound
}

func (c *classCheck) ownSort(s *syntax.SortExpr, bound []string) {
	switch {
	case s == nil:
	case s.Name == ProcessSort && !c.property:
		c.onlyInProperty(s.Span)
	case s.Name == "":
		c.ownNames(s.Lo, bound)
		c.ownNames(s.Hi, bound)
	}
}

// onlyInProperty reports a construct that distinguishes processes, or hides a part of a property.
func (c *classCheck) onlyInProperty(span diag.Span) {
	c.outside(span,
		"this speaks of processes, which only a property may: all processes are alike, and what "+
			"is said of them must stand in it").
		Suggest("Write it out in the property.")
}

// ownNames reports names that are not bound, not the file's, not words of properties, and not
// capital letters.
func (c *classCheck) ownNames(x *syntax.Expr, bound []string) {
	switch n := x.Name.Text; x.Kind {
	case syntax.ExprForall, syntax.ExprExists:
		bound = c.binders(x.Binders, bound)
	case syntax.ExprLet:
		c.ownNames(x.Args[0], bound)
		c.ownNames(x.Args[1], c.binders(x.Binders, bound))
		return
	case syntax.ExprName:
		ofProcesses := c.alg.variable(n) != nil || n == correctWord || n == crashedWord
		switch {
		case ofProcesses && !c.property:
			c.onlyInProperty(x.Span)
		case ofProcesses || c.globals[n] != nil:
		case !slices.Contains(bound, n) && !(syntax.IsCapital(n) && !x.Applied):
			c.undeclared(x)
		}
	}
	for _, a := range x.Args {
		c.ownNames(a, bound)
	}
}
