package translate

import (
	"cmp"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/types"
	"erelong.dev/erelong/internal/value"
)

// class is the type of elements of which nothing is known but which there are.
type class struct {
	sort     string
	sets     []string       // constant sets of them
	single   []string       // constants that are one of them, and in no constant set
	texts    []string       // strings among them
	others   bool           // there may be elements outside of a constant set
	finite   bool           // an assumption says so of the constant set
	supposed bool           // that it is finite is a premise
	loose    bool           // others may be infinitely many: not only constants and chosen ones
	chosen   int            // the constants that a CHOOSE without a set gives
	numbers  *core.Operator // the range of which these are the elements, nil if they are of none
	members  map[string]string
}

// whole reports whether the class is exactly the elements of a constant set.
func (c *class) whole() bool { return len(c.sets) == 1 && len(c.texts) == 0 && !c.others }

// enumerated reports whether the class is exactly some strings.
func (c *class) enumerated() bool { return len(c.sets) == 0 && len(c.texts) > 0 && !c.others }

// limited reports whether the class has finitely many elements, for all that is assumed.
func (c *class) limited() bool {
	finite := c.finite || c.supposed
	return c.enumerated() || finite && len(c.sets) == 1 && !c.loose
}

// population finds out which elements there are, and how records are made.
func (w *writer) population(formulas []core.Node, assumptions []*core.Claim) {
	seen := map[core.Node]bool{}
	constants := map[string]bool{}
	var visit func(n core.Node)
	visit = func(n core.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if inner := core.Strip(n); inner != n { // not the arguments of what has a name
			visit(inner)
			return
		}
		t := w.types.Of(n)
		if w.within && t.Kind() != types.Set {
			w.embed(t, false)
		}
		switch n := n.(type) {
		case *core.Literal:
			if n.Value.Kind() == value.String {
				if c := w.class(t); !slices.Contains(c.texts, n.Value.Text()) {
					c.texts = append(c.texts, n.Value.Text())
				}
			}
		case *core.Parameter:
			if !constants[n.Name] {
				constants[n.Name] = true
				w.populate(n.Name, w.types.Constant(n.Name), 0, bounded(n.Name, assumptions))
			}
			if t.Kind() == types.Set && t.Elem().Kind() == types.Element {
				c := w.class(t.Elem())
				c.finite = c.finite || assumedFinite(n.Name, assumptions)
			}
		case *core.Application:
			operators{w}.applied(n)
		case *core.Choose:
			w.populate("", t, 1, false)
			if t.Kind() == types.Element && n.Binding.Set == nil {
				w.class(t).chosen++
			}
		case *core.Record:
			w.construction(n, t)
		case *core.Function:
			w.made(t, n.Bindings)
		case *core.Operator:
			if n.Name == ".." {
				ranges{w}.populate(t.Elem())
			}
			if n.Name == ":>" || n.Name == "@@" {
				w.varying[t.Root()] = true
			}
			if n.Name == "->" {
				w.made(t.Elem(), []core.Binding{{Set: n.Args[0]}})
			}
		}
		core.Parts(n, visit)
	}
	for _, t := range w.types.Variables {
		w.embed(t, false)
	}
	for _, n := range formulas {
		visit(n)
	}
	ranges{w}.settle()
}

// made notes the domain of some functions of a type: the elements of some sets.
func (w *writer) made(t *types.Type, bs []core.Binding) {
	if of, ok := operands(bs[0].Set, "DOMAIN", 1); ok && w.types.Of(of[0]).Same(t) {
		return // the one of another function of the type
	}
	t = t.Root()
	for _, b := range bs {
		w.varying[t] = w.varying[t] || b.Set.Level() > core.Constant
	}
	w.domains[t] = append(w.domains[t], func() *set {
		return w.domainBy(bs, t.Key(), scope{})
	})
}

// class is the class of a type.
func (w *declarer) class(t *types.Type) *class {
	t = t.Root()
	if w.classes[t] == nil {
		w.classes[t] = &class{members: map[string]string{}}
	}
	return w.classes[t]
}

// populate notes the elements that a constant of a type brings. Inside says that they are assumed
// to be in constant sets.
func (w *declarer) populate(name string, t *types.Type, depth int, inside bool) {
	switch t.Kind() {
	case types.Element:
		c := w.class(t)
		if depth == 0 && !inside {
			c.single = append(c.single, name)
		}
		c.others = c.others || !inside
		c.loose = c.loose || !inside && name != "" && depth > 0
	case types.Sum:
		for _, a := range t.Alternatives() {
			w.populate(name, a, depth+1, inside)
		}
	case types.Set:
		if e := t.Elem(); depth == 0 && e.Kind() == types.Element {
			w.class(e).sets = append(w.class(e).sets, name)
		} else {
			w.populate(name, e, depth+1, inside)
		}
	case types.Map:
		w.populate(name, t.Key(), depth+1, inside)
		w.populate(name, t.Elem(), depth+1, inside)
	case types.Sequence:
		w.populate(name, t.Elem(), depth+1, inside)
	case types.Tuple:
		for _, p := range t.Parts() {
			w.populate(name, p, depth+1, inside)
		}
	case types.Record:
		for _, f := range t.Fields() {
			w.populate(name, t.Field(f), depth+1, inside)
		}
	}
}

// bounded reports whether an assumption says in which constant set a constant is, or the elements
// of its elements: c \in S, c \subseteq S, \A x \in c : x \subseteq S.
func bounded(constant string, assumptions []*core.Claim) bool {
	is := func(n core.Node) bool {
		p, ok := core.Strip(n).(*core.Parameter)
		return ok && p.Name == constant
	}
	var says func(n core.Node, about func(core.Node) bool) bool
	says = func(n core.Node, about func(core.Node) bool) bool {
		switch n := core.Strip(n).(type) {
		case *core.Junction:
			return n.And && slices.ContainsFunc(n.Args, func(a core.Node) bool {
				return says(a, about)
			})
		case *core.In:
			return about(n.Elem) && bounds(n.Set)
		case *core.Operator:
			return n.Name == `\subseteq` && about(n.Args[0]) && bounds(n.Args[1])
		case *core.Quantified:
			for _, b := range n.Bindings {
				if n.All && !b.Tuple && about(b.Set) && says(n.Body, func(m core.Node) bool {
					s, ok := core.Strip(m).(*core.Slot)
					return ok && s.Slot == b.Slots[0]
				}) {
					return true
				}
			}
		}
		return false
	}
	return slices.ContainsFunc(assumptions, func(c *core.Claim) bool { return says(c.Node, is) })
}

// assumedFinite reports whether an assumption says that a constant set is finite.
func assumedFinite(constant string, assumptions []*core.Claim) bool {
	return slices.ContainsFunc(assumptions, func(c *core.Claim) bool {
		return slices.ContainsFunc(conjuncts(c.Node), func(n core.Node) bool {
			of, ok := operands(n, "IsFiniteSet", 1)
			if !ok {
				return false
			}
			p, ok := core.Strip(of[0]).(*core.Parameter)
			return ok && p.Name == constant
		})
	})
}

// bounds reports whether a set is made of constant sets alone: no element is named, which might be
// outside of them.
func bounds(n core.Node) bool {
	switch n := core.Strip(n).(type) {
	case *core.Parameter, *core.Literal:
		return true
	case *core.Filter:
		return bounds(n.Binding.Set)
	case *core.Record:
		return n.Sets && !slices.ContainsFunc(n.Values,
			func(v core.Node) bool { return !bounds(v) })
	case *core.Operator:
		switch n.Name {
		case `\union`, "->", `\X`:
			return all(n.Args, bounds)
		case `\`, `\intersect`, "SUBSET", "Seq":
			return bounds(n.Args[0])
		case "..":
			return true
		}
	}
	return false
}

// all reports whether all nodes are of a kind.
func all(ns []core.Node, is func(core.Node) bool) bool {
	return !slices.ContainsFunc(ns, func(n core.Node) bool { return !is(n) })
}

// elements is the sort of a class; it is declared at its first use.
func (w *declarer) elements(t *types.Type) string {
	c := w.class(t)
	if c.sort != "" {
		return c.sort
	}
	name := "element"
	if c.numbers != nil {
		name = "index"
	} else if len(c.sets) > 0 {
		name = strings.ToLower(c.sets[0])
	}
	if c.enumerated() {
		name = "text"
		c.sort = w.name(name)
		d := &syntax.EnumDecl{Name: syntax.Name{Text: c.sort, Span: w.span}, Span: w.span}
		for _, s := range c.texts {
			c.members[s] = w.name(cmp.Or(s, "no_text"))
			d.Members = append(d.Members, syntax.Name{Text: c.members[s], Span: w.span})
		}
		w.decls = append(w.decls, d)
		return c.sort
	}
	c.sort = w.name(name)
	d := &syntax.SortDecl{Span: w.span, Name: syntax.Name{Text: c.sort, Span: w.span}}
	if c.limited() {
		d.Annotations = []syntax.Name{{Text: "@finite", Span: w.span}}
	}
	w.decls = append(w.decls, d)
	var all []*syntax.Expr
	for _, s := range c.texts {
		c.members[s] = w.name(cmp.Or(s, "no_text"))
		w.symbol("constant", c.members[s], nil, &syntax.SortExpr{Name: c.sort}, false)
		all = append(all, build.Ref(c.members[s]))
	}
	if len(all) > 1 {
		w.fact(&syntax.Expr{Kind: syntax.ExprDistinct, Args: all})
	}
	return c.sort
}

// stringOf is the expression of a string that is written.
func (w *algebra) stringOf(t *term) *syntax.Expr {
	w.elements(t.typ)
	return build.Ref(w.class(t.typ).members[t.text])
}

// fact states something about constants.
func (w *declarer) fact(x *syntax.Expr) {
	w.facts = append(w.facts, &syntax.FormulaDecl{Span: w.span, Word: "axiom",
		Name: syntax.Name{Span: w.span}, Expr: build.At(x, w.span)})
}
