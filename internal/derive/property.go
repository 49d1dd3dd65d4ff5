package derive

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
)

// property is a property of a file with an algorithm.
type property struct {
	*syntax.FormulaDecl
	body      *syntax.Expr // without the quantifiers over processes around it
	shape     shape
	processes []string // the processes in it
	owner     string   // the process whose variables the property reads
	// The process that they are about; empty when the property is about one process only.
	peer   string
	within *syntax.ReduceDecl
	// whyNot names the part of the property that prevents a reduction, empty when there is none.
	whyNot  string
	blocked diag.Span
	// oneWay reports that only the owner's variables for the peer occur, apart from correct and
	// crashed.
	oneWay bool
}

// shape is the form of a property, as far as a reduction depends on it. Body is then the inner
// formula.
type shape int

const (
	always           shape = iota // body holds in every state
	eventuallyAlways              // from some time on body holds in every state
	otherRuns                     // another formula over runs
)

// analyse finds the form of a property and its processes. The cutoff theorems (4.1, 4.2, 6.1, 6.2)
// are about LTL without next over predicates of one index or of two distinct ones. A quantifier
// over processes can be moved out of `always`, and out of `eventually always` (Lemmas 5.23 and
// 5.24: there are finitely many processes).
func analyse(a *algorithm, d *syntax.FormulaDecl) *property {
	p := &property{FormulaDecl: d}
	temporal := d.Word == "temporal" || d.Word == "liveness"
	bound := map[string]bool{}
	x := stripForall(d.Expr, bound)
	switch {
	case !temporal:
		p.shape = always
	case x.Kind == syntax.ExprAlways && !isTemporal(x.Args[0]):
		p.shape, x = always, stripForall(x.Args[0], bound)
	case x.Kind == syntax.ExprEventually && x.Args[0].Kind == syntax.ExprAlways &&
		!isTemporal(x.Args[0].Args[0]):
		p.shape, x = eventuallyAlways, stripForall(x.Args[0].Args[0], bound)
	default:
		p.shape = otherRuns
	}
	p.body = x
	v := &visitor{alg: a, property: p, indexes: bound, oneWay: true}
	v.visit(x, nil)
	p.oneWay = v.oneWay && p.owner != "" && p.peer != ""
	return p
}

// stripForall removes the outer universal quantifiers over processes.
func stripForall(x *syntax.Expr, bound map[string]bool) *syntax.Expr {
	for x.Kind == syntax.ExprForall && !slices.ContainsFunc(x.Binders, func(b *syntax.Binder) bool {
		return b.Sort != nil && b.Sort.Name != ProcessSort
	}) {
		for _, b := range x.Binders {
			bound[b.Name.Text] = true
		}
		x = x.Args[0]
	}
	return x
}

func isTemporal(x *syntax.Expr) bool {
	return x.Kind >= syntax.ExprAlways || slices.ContainsFunc(x.Args, isTemporal)
}

// visitor finds the processes in a body.
type visitor struct {
	alg      *algorithm
	property *property
	indexes  map[string]bool // bound outside
	oneWay   bool
}

func (v *visitor) refuse(x *syntax.Expr, why string) { v.property.refuse(x.Span, why) }

func (p *property) refuse(at diag.Span, why string) {
	if p.whyNot == "" {
		p.whyNot, p.blocked = why, at
	}
}

// sorted checks the property again when the sorts are known: its processes, under any name and in
// any position.
func (p *property) sorted(t *logic.Term) {
	isProcess := func(v *logic.Var) bool { return v.Sort != nil && v.Sort.Name == ProcessSort }
	var found []*logic.Var
	logic.Walk(t, func(t *logic.Term) bool {
		for _, v := range t.Vars {
			if isProcess(v) && !slices.Contains(found, v) {
				found = append(found, v)
			}
		}
		for _, a := range t.Args {
			if a.Op == logic.OpVar && isProcess(a.Var) && t.Op != logic.OpApp &&
				t.Op != logic.OpEq {
				p.oneWay = false
			}
		}
		return true
	})
	// The system with one sender and one receiver omits the two processes of the property, and no
	// other.
	for _, v := range found {
		if len(found) > 2 {
			p.refuse(v.Span, "it speaks of more than two processes")
		}
		if !slices.Contains(p.processes, v.Name) {
			p.oneWay = false
		}
	}
}

// index gives the variable if an expression is a process variable. An undeclared name with a
// capital letter stands for every process where a process is expected.
func (v *visitor) index(x *syntax.Expr, local []string) (string, bool) {
	n := x.Name.Text
	if x.Kind != syntax.ExprName || x.Applied || slices.Contains(local, n) {
		return "", false
	}
	if !v.indexes[n] && (!syntax.IsCapital(n) || v.alg.globals[n] != nil) {
		return "", false
	}
	if p := v.property; !slices.Contains(p.processes, n) {
		p.processes = append(p.processes, n)
		if len(p.processes) > 2 {
			v.refuse(x, "it speaks of more than two processes")
		}
	}
	return n, true
}

func (v *visitor) visit(x *syntax.Expr, local []string) {
	switch x.Kind {
	case syntax.ExprForall, syntax.ExprExists, syntax.ExprLet:
		if x.Kind != syntax.ExprLet && slices.ContainsFunc(x.Binders, func(b *syntax.Binder) bool {
			return b.Sort == nil || b.Sort.Name == ProcessSort
		}) {
			v.refuse(x, "it has a quantifier over processes inside")
		}
		for _, b := range x.Binders {
			local = append(slices.Clone(local), b.Name.Text)
		}
	case syntax.ExprEq, syntax.ExprNe:
		_, ok := v.index(x.Args[0], local)
		_, ok2 := v.index(x.Args[1], local)
		if ok && ok2 {
			// One sender and one receiver are two processes. In any other position, a formula may
			// claim more of one process.
			v.oneWay = v.oneWay && x.Kind == syntax.ExprNe && v.property.antecedent(func(
				y *syntax.Expr,
			) bool {
				return x == y
			})
			return
		}
	case syntax.ExprName:
		v.name(x, local)
		return
	}
	for _, a := range x.Args {
		v.visit(a, local)
	}
}

func (v *visitor) name(x *syntax.Expr, local []string) {
	n := x.Name.Text
	switch {
	case n == correctWord || n == crashedWord:
		if len(x.Args) != 1 {
			return // reported when the system is built
		}
		if _, ok := v.index(x.Args[0], local); !ok {
			v.refuse(x, "its process is not a variable for every process")
		}
	case v.alg.variable(n) != nil:
		if len(x.Args) != 2 {
			return
		}
		owner, ok := v.index(x.Args[0], local)
		peer, ok2 := v.index(x.Args[1], local)
		p := v.property
		switch {
		case !ok || !ok2:
			v.refuse(x, "its processes are not variables for every process")
		case owner == peer:
			v.oneWay = false
		case p.owner == "":
			p.owner, p.peer = owner, peer
		case p.owner != owner:
			v.oneWay = false
		}
	default:
		for _, a := range x.Args {
			v.visit(a, local)
		}
	}
}

// requires reports whether the body is an implication whose antecedent has word(process) as a
// conjunct.
func (p *property) requires(word, process string) bool {
	return p.antecedent(func(x *syntax.Expr) bool {
		return x.Kind == syntax.ExprName && x.Name.Text == word && len(x.Args) == 1 &&
			x.Args[0].Name.Text == process
	})
}

// antecedent reports whether the body is an implication with a conjunct in its antecedent that
// satisfies such.
func (p *property) antecedent(such func(*syntax.Expr) bool) bool {
	var has func(x *syntax.Expr) bool
	has = func(x *syntax.Expr) bool {
		return such(x) || x.Kind == syntax.ExprAnd && slices.ContainsFunc(x.Args, has)
	}
	return p.body.Kind == syntax.ExprImplies && has(p.body.Args[0])
}
