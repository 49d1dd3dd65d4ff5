package names

import (
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// resolveAll resolves the names within declarations. Hints for ranking functions come last, since
// they see the variables of their property.
func (r *resolver) resolveAll(decls []syntax.Decl) {
	for _, d := range decls {
		if _, ok := d.(*syntax.RankDecl); !ok {
			r.declaration(d)
		}
	}
	for _, d := range decls {
		if d, ok := d.(*syntax.RankDecl); ok {
			r.declaration(d)
		}
	}
}

func (r *resolver) declaration(d syntax.Decl) {
	r.node, r.scope, r.implied = d, nil, nil
	switch d := d.(type) {
	case *syntax.TypeDecl:
		r.sortExpr(d.Sort)
	case *syntax.SymbolDecl:
		for _, s := range d.Args {
			r.sortExpr(s)
		}
		r.sortExpr(d.Result)
		r.formula(d.Derived)
	case *syntax.FormulaDecl:
		f := r.formula(d.Expr)
		if d.Name.Text != "" && f != nil {
			r.outer[d.Name.Text] = append(f.vars, r.leading(d.Expr)...)
		}
	case *syntax.DefinitionDecl:
		r.bind(d.Params, Parameter, d.Span, func() {
			for _, m := range d.Modifies {
				r.use(r.global(m.Text), m.Span).Writes = true
			}
			r.formula(d.FairIf)
			r.sortExpr(d.Result)
			r.term(d.Measure)
			r.formula(d.Expr)
		})
	case *syntax.ActionDecl:
		r.bind(d.Params, Parameter, d.Span, func() {
			r.formula(d.FairIf)
			r.block(d.Body)
		})
	case *syntax.TraceDecl:
		r.trace(d)
	case *syntax.InstanceDecl:
		r.instance(d)
	case *syntax.ExpectDecl:
		r.property(d.Property)
		r.useName(r.instances, d.Instance)
	case *syntax.RankDecl:
		r.rank(d)
	case *syntax.FbiiDecl:
		r.fbii(d)
	case *syntax.AlgorithmDecl:
		r.algorithm(d)
	case *syntax.ProtocolDecl:
		r.protocol(d)
	case *syntax.AboutDecl:
		r.about = append(r.about, space{})
		outer := r.formulas
		r.formulas = space{}
		for name, f := range outer {
			r.formulas[name] = f
		}
		r.declareAll(d.Decls)
		r.resolveAll(d.Decls)
		r.about, r.formulas = r.about[:len(r.about)-1], outer
	case *syntax.ReduceDecl:
		r.property(d.Property)
		r.formula(d.Within)
		r.useName(r.peers, d.By)
		r.formula(d.Until)
	}
}

// property notes the name of a property.
func (r *resolver) property(name syntax.Name) { r.useName(r.formulas, name) }

// leading finds the variables of the universal quantifiers around a formula, which its resolution
// has entered.
func (r *resolver) leading(x *syntax.Expr) (out []*Declaration) {
	for x != nil && x.Kind == syntax.ExprForall {
		for _, b := range x.Binders {
			for _, d := range r.table.Declarations {
				if d.Name.Span == b.Name.Span {
					out = append(out, d)
				}
			}
		}
		x = x.Args[0]
	}
	return out
}

// formula resolves an expression around which capital letters are closed universally. It gives nil
// without an expression.
func (r *resolver) formula(x *syntax.Expr) *frame {
	if x == nil {
		return nil
	}
	outer := r.implied
	f := &frame{span: x.Span}
	r.implied = f
	r.expr(x)
	r.implied = outer
	return f
}

// term resolves an expression in which a capital letter does not stand for every value.
func (r *resolver) term(x *syntax.Expr) {
	if x == nil {
		return
	}
	outer := r.implied
	r.implied = nil
	r.expr(x)
	r.implied = outer
}

// enter adds variables to the scope.
func (r *resolver) enter(binders []*syntax.Binder, kind Kind, seen diag.Span) {
	for _, b := range binders {
		r.sortExpr(b.Sort)
		r.term(b.In)
		r.variable(b.Name, kind, seen).Sort = b.Sort
	}
}

func (r *resolver) variable(name syntax.Name, kind Kind, seen diag.Span) *Declaration {
	d := r.declare(space{}, name, kind, r.node)
	d.Scope = seen
	r.scope = append(r.scope, d)
	return d
}

// bind adds variables to the scope while f runs.
func (r *resolver) bind(binders []*syntax.Binder, kind Kind, seen diag.Span, f func()) {
	depth := len(r.scope)
	r.enter(binders, kind, seen)
	f()
	r.scope = r.scope[:depth]
}

func (r *resolver) lookup(name string) *Declaration {
	for i := len(r.scope) - 1; i >= 0; i-- {
		if r.scope[i].Name.Text == name {
			return r.scope[i]
		}
	}
	if r.implied != nil {
		for _, d := range r.implied.vars {
			if d.Name.Text == name {
				return d
			}
		}
	}
	return nil
}

func (r *resolver) expr(x *syntax.Expr) {
	switch x.Kind {
	case syntax.ExprName:
		r.name(x)
		if r.sizeOfSort(x) {
			return
		}
	case syntax.ExprOld:
		if d := r.global("old"); d != nil {
			r.use(d, x.Name.Span)
		}
	case syntax.ExprForall, syntax.ExprExists:
		r.bind(x.Binders, Variable, x.Span, func() { r.args(x) })
		return
	case syntax.ExprEach, syntax.ExprMapEach, syntax.ExprMany:
		r.bind(x.Binders, Variable, x.Span, func() { r.args(x) })
		return
	case syntax.ExprIs:
		r.use(r.global(x.Name.Text), x.Name.Span)
	case syntax.ExprMatch:
		r.args(x)
		r.arms(x.Arms, func(a *syntax.Arm) { r.expr(a.Value) })
		return
	case syntax.ExprLet:
		r.expr(x.Args[0])
		r.bind(x.Binders, Variable, x.Span, func() { r.expr(x.Args[1]) })
		return
	}
	r.args(x)
}

// arms resolves what a match does for each constructor.
func (r *resolver) arms(arms []*syntax.Arm, body func(*syntax.Arm)) {
	for _, a := range arms {
		if !a.IsRest() {
			r.use(r.global(a.Case.Text), a.Case.Span)
		}
		r.bind(a.Variables, Variable, a.Span, func() { body(a) })
	}
}

// sizeOfSort resolves size(s) for a sort s, and reports whether x is of this form.
func (r *resolver) sizeOfSort(x *syntax.Expr) bool {
	if x.Name.Text != "size" || len(x.Args) != 1 || r.global("size") != nil {
		return false
	}
	arg := x.Args[0]
	if arg.Kind != syntax.ExprName || arg.Applied || r.sorts[arg.Name.Text] == nil {
		return false
	}
	r.useName(r.sorts, arg.Name)
	return true
}

func (r *resolver) args(x *syntax.Expr) {
	for _, a := range x.Args {
		r.expr(a)
	}
}

func (r *resolver) name(x *syntax.Expr) {
	if d := r.lookup(x.Name.Text); d != nil {
		r.use(d, x.Name.Span)
		return
	}
	if d := r.global(x.Name.Text); d != nil {
		r.use(d, x.Name.Span)
		return
	}
	if d := r.messages[x.Name.Text]; d != nil {
		r.use(d, x.Name.Span) // the argument of received
		return
	}
	if s := r.sorts[strings.TrimRight(x.Name.Text, "0123456789")]; r.elements && s != nil {
		span := x.Name.Span
		span.End = span.Start + len(s.Name.Text)
		r.use(s, span)
		return
	}
	if r.part(x.Name) {
		return
	}
	if r.implied != nil && syntax.IsCapital(x.Name.Text) && !x.Applied && x.Primes == 0 {
		d := r.declare(space{}, x.Name, Implied, r.node)
		d.Scope = r.implied.span
		r.implied.vars = append(r.implied.vars, d)
	}
}

func (r *resolver) sortExpr(s *syntax.SortExpr) {
	switch {
	case s == nil:
	case s.Name != "":
		r.use(r.sorts[s.Name], s.Span)
	case s.Data != nil:
		for _, p := range s.Data.Parts {
			r.sortExpr(p)
		}
		for _, c := range s.Data.Cases {
			for _, p := range c.Parts {
				r.sortExpr(p)
			}
		}
		r.term(s.Data.Bound)
	default:
		r.term(s.Lo)
		r.term(s.Hi)
	}
}

func (r *resolver) block(stmts []syntax.Stmt) {
	depth := len(r.scope)
	for _, s := range stmts {
		switch s := s.(type) {
		case *syntax.RequireStmt:
			r.formula(s.Cond)
		case *syntax.IfStmt:
			r.formula(s.Cond)
			r.block(s.Then)
			r.block(s.Else)
		case *syntax.LetStmt:
			r.term(s.Value)
			r.enter([]*syntax.Binder{s.Binder}, Variable, r.rest(s.Span))
		case *syntax.ChooseStmt:
			inner := len(r.scope)
			r.enter([]*syntax.Binder{s.Binder}, Variable, r.rest(s.Span))
			r.formula(s.Such)
			if s.Block {
				r.block(s.Body)
				r.scope = r.scope[:inner]
			}
		case *syntax.MatchStmt:
			r.term(s.Value)
			r.arms(s.Arms, func(a *syntax.Arm) { r.block(a.Body) })
		case *syntax.AssignStmt:
			r.assign(s)
		case *syntax.SendStmt:
			r.send(s)
		case *syntax.ResetStmt:
			r.term(s.Timer)
		}
	}
	r.scope = r.scope[:depth]
}

// rest is what follows a statement in its declaration.
func (r *resolver) rest(s diag.Span) diag.Span {
	return diag.Span{Source: s.Source, Start: s.Start, End: r.node.Pos().End}
}

// assign resolves an assignment. A capital letter that is a whole argument of the target stands for
// every value.
func (r *resolver) assign(s *syntax.AssignStmt) {
	depth := len(r.scope)
	defer func() { r.scope = r.scope[:depth] }()
	target := s.Target
	for target.Kind == syntax.ExprAt || target.Kind == syntax.ExprField {
		for _, a := range target.Args[1:] {
			r.term(a)
		}
		target = target.Args[0]
	}
	d := r.lookup(target.Name.Text)
	if d == nil {
		d = r.global(target.Name.Text)
	}
	if target.Kind == syntax.ExprName {
		r.use(d, target.Name.Span).Writes = true
	}
	for _, a := range target.Args {
		if a.Kind == syntax.ExprName && !a.Applied && a.Primes == 0 &&
			syntax.IsCapital(a.Name.Text) &&
			r.lookup(a.Name.Text) == nil && r.global(a.Name.Text) == nil {
			r.variable(a.Name, Point, s.Span)
			continue
		}
		r.term(a)
	}
	r.term(s.Value)
}

func (r *resolver) trace(d *syntax.TraceDecl) {
	for _, p := range d.Components {
		r.formula(p.Assert)
		for _, c := range p.Calls {
			r.use(r.global(c.Name.Text), c.Name.Span)
			for _, a := range c.Args {
				r.term(a)
			}
		}
	}
}

// instance resolves the items of an instance, and the members of enums and the elements of sorts
// among their values. The elements of a sort node are node0, node1, and so on.
func (r *resolver) instance(d *syntax.InstanceDecl) {
	if d.Base.Text != "" {
		r.useName(r.instances, d.Base)
	}
	r.elements = true
	defer func() { r.elements = false }()
	for _, item := range d.Items {
		switch s := r.sorts[item.Name.Text]; {
		case s != nil && (s.Kind == Sort || s.Kind == Role):
			r.use(s, item.Name.Span)
		default:
			r.use(r.globals[item.Name.Text], item.Name.Span)
		}
		r.term(item.Value)
		for _, x := range item.Sweep {
			r.term(x)
		}
		if item.Table == nil {
			continue
		}
		for _, row := range item.Table.Rows {
			for _, x := range row.Args {
				r.term(x)
			}
			r.term(row.Value)
		}
	}
}

// rank resolves hints, which see the universal variables of the property. A chosen value is in
// scope in the hints after it.
func (r *resolver) rank(d *syntax.RankDecl) {
	r.property(d.Property)
	r.scope = append(r.scope, r.outer[d.Property.Text]...)
	for _, item := range d.Items {
		depth := len(r.scope)
		if item.Word == "never" {
			r.use(r.global(item.Action.Text), item.Action.Span)
			for _, p := range item.Params {
				r.variable(p, Variable, item.Span)
			}
		}
		seen := item.Span
		if item.Word == "choose" {
			seen = r.rest(item.Span)
		}
		if item.Word == "await" {
			r.use(r.global(item.Action.Text), item.Action.Span)
		}
		r.enter(item.Binders, Variable, seen)
		for _, x := range item.Args {
			r.formula(x)
		}
		r.formula(item.Expr)
		if item.Word != "choose" {
			r.scope = r.scope[:depth]
		}
	}
}

// fbii resolves the steps of a proof. The parameters of a prophecy are constants from there on.
func (r *resolver) fbii(d *syntax.FbiiDecl) {
	for _, s := range d.Steps {
		r.enter(s.Params, Parameter, r.rest(s.Span))
		for _, f := range s.Body {
			r.formula(f.Expr)
		}
		for _, item := range s.By {
			r.formula(item.Expr)
		}
	}
}

func (r *resolver) algorithm(d *syntax.AlgorithmDecl) {
	for _, v := range d.Vars {
		r.sortExpr(v.Sort)
		r.term(v.Value)
	}
	if d.Timing != nil {
		for _, a := range d.Timing.Args {
			r.useName(r.globals, a)
		}
	}
	r.useName(r.globals, d.Copies)
	r.useName(r.peers, d.Start)
	r.useName(r.peers, d.SenderStart)
	for _, t := range d.Tasks {
		r.useName(r.messages, t.Message)
		r.useName(r.peers, t.Next)
		r.block(t.Body)
	}
}
