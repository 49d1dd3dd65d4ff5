package fast

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// question is a set of runs, with claims about all of their states.
type question struct {
	name        string // of the set of states
	span        diag.Span
	init        *syntax.Expr
	transitions []string
	claims      []claim
}

type claim struct {
	name  string
	span  diag.Span
	holds *syntax.Expr
}

// region is a set of states: a formula, or what leads to or from one, or a combination.
type region struct {
	op      string // {} for a formula, post*, pre*; !, &&, ||
	span    diag.Span
	formula *syntax.Expr
	args    []*region
	steps   []string
	name    string // of a variable that holds it
}

// test is a truth value: a claim, or a combination.
type test struct {
	op   string // claim, true, false, !, &&, ||
	args []*test
	name string // of the claim
}

// runner follows strategies. The names of claims are unique in the file.
type runner struct {
	m         *model
	questions []*question
	names     map[string]bool
	regions   map[string]*region
	sets      map[string][]string
	tests     map[string]*test
	inside    int // how many conditions are around
}

// run follows all strategies, and collects what they ask.
func run(m *model, strategies []*strategyDecl, errs *diag.List) ([]*question, Strategies) {
	r := &runner{m: m, names: map[string]bool{}}
	var out Strategies
	for _, s := range strategies {
		r.regions, r.sets, r.tests = map[string]*region{}, map[string][]string{}, map[string]*test{}
		if e := r.catch(func() {
			out.all = append(out.all, strategy{s.name.text, r.block(s.body)})
		}); e {
			break
		}
	}
	if len(r.questions) == 0 && errs.Err() == nil {
		errs.Warnf(diag.FastReadOver, m.states[0].span,
			"no strategy makes a test, so there is nothing to decide").
			Suggest("Add a strategy with a test such as isEmpty(post*(init, t) && bad).")
		// The model itself can be explored.
		all := &question{init: &syntax.Expr{Kind: syntax.ExprTrue}, span: m.states[0].span}
		if init := r.regions["init"]; init != nil && init.op == opBraces {
			all.init = init.formula
		}
		all.transitions = slices.Sorted(maps.Keys(m.transitions))
		r.questions = append(r.questions, all)
	}
	return r.questions, out
}

// catch reports whether f ended with an error that was reported.
func (r *runner) catch(f func()) (failed bool) {
	defer func() {
		if e := recover(); e != nil {
			if _, ok := e.(bailout); !ok {
				panic(e)
			}
			failed = true
		}
	}()
	f()
	return false
}

func (r *runner) fail(span diag.Span, code diag.Code, format string, args ...any) {
	r.m.errs.Errorf(code, span, format, args...)
	panic(bailout{})
}

// block follows statements, and gives what they print.
func (r *runner) block(stmts []stmt) (out []saying) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *letStmt:
			r.let(s)
		case *printStmt:
			switch {
			case s.value == nil:
				out = append(out, saying{text: s.text})
			case s.value.op == opName && r.tests[s.value.name] != nil:
				out = append(out, saying{value: r.tests[s.value.name]})
			default:
				r.m.errs.Warnf(diag.FastReadOver, s.span,
					"the region is not printed: no engine computes it exactly")
			}
		case *ifStmt:
			cond := r.test(s.cond, "")
			r.inside++
			out = append(out, saying{cond: cond, then: r.block(s.then), rest: r.block(s.rest)})
			r.inside--
		}
	}
	return out
}

func (r *runner) let(s *letStmt) {
	n := s.name
	known := r.regions[n.text] != nil || r.sets[n.text] != nil || r.tests[n.text] != nil
	if known && s.kind != "" {
		r.fail(n.span, diag.Duplicate, "'%s' is declared twice", n.text)
	}
	if known && r.inside > 0 {
		r.fail(n.span, diag.FastConstruct,
			"a variable that depends on the outcome of a test is not read")
	}
	switch {
	case s.kind == "Region" || s.kind == "" && r.regions[n.text] != nil:
		x := *r.region(s.value)
		x.name = n.text
		r.regions[n.text] = &x
	case s.kind == "Transitions" || s.kind == "" && r.sets[n.text] != nil:
		r.sets[n.text] = r.set(s.value)
	case s.kind == "boolean" || s.kind == "" && r.tests[n.text] != nil:
		r.tests[n.text] = r.test(s.value, n.text)
	default:
		r.fail(n.span, diag.UnresolvedName, "'%s' is not declared", n.text)
	}
}

// set gives a set of transitions, without repetition.
func (r *runner) set(e *expr) (out []string) {
	switch {
	case e.op == opBraces:
		for _, a := range e.args {
			if a.op != opName || r.m.transitions[a.name] == nil {
				r.fail(a.span, diag.UnresolvedName, "the name of a transition is expected here")
			}
			if !slices.Contains(out, a.name) {
				out = append(out, a.name)
			}
		}
	case e.op == opName && r.sets[e.name] != nil:
		return r.sets[e.name]
	case e.op == "||":
		out = slices.Clone(r.set(e.args[0]))
		for _, n := range r.set(e.args[1]) {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	default:
		r.fail(e.span, diag.SortMismatch, "a set of transitions is expected here")
	}
	if out == nil {
		out = []string{}
	}
	return out
}

// region gives a set of states.
func (r *runner) region(e *expr) *region {
	out := &region{op: e.op, span: e.span}
	switch e.op {
	case opBraces:
		if len(e.args) != 1 {
			r.fail(e.span, diag.Syntax, "a region has one formula: { formula }")
		}
		out.formula = r.m.formula(e.args[0], true)
		if r.m.errs.Err() != nil {
			panic(bailout{})
		}
	case opName:
		if r.regions[e.name] == nil {
			r.fail(e.span, diag.UnresolvedName, "there is no region '%s'", e.name)
		}
		return r.regions[e.name]
	case "!":
		out.args = []*region{r.region(e.args[0])}
	case "&&", "||":
		out.args = []*region{r.region(e.args[0]), r.region(e.args[1])}
	case "post*", "pre*":
		if len(e.args) < 2 || len(e.args) > 3 || len(e.args) == 3 && e.args[2].op != opNumber {
			r.fail(e.span, diag.WrongArguments,
				"%s takes a region, transitions, and perhaps a length", e.op)
		}
		out.args, out.steps = []*region{r.region(e.args[0])}, r.set(e.args[1])
	default:
		r.fail(e.span, diag.SortMismatch, "a region is expected here")
	}
	return out
}

// test gives a truth value. Its claim has the given name, or one made of what it tests.
func (r *runner) test(e *expr, name string) *test {
	out := &test{op: e.op}
	switch e.op {
	case "true", "false":
	case opName:
		if r.tests[e.name] == nil {
			r.fail(e.span, diag.UnresolvedName, "there is no truth value '%s'", e.name)
		}
		return r.tests[e.name]
	case "!", "&&", "||":
		for _, a := range e.args {
			out.args = append(out.args, r.test(a, ""))
		}
	case "subSet", "equal":
		if len(e.args) != 2 {
			r.fail(e.span, diag.WrongArguments, "%s takes two regions", e.op)
		}
		a, b := r.region(e.args[0]), r.region(e.args[1])
		out = r.claim(e, both(a, inverse(b)), name)
		if e.op == "equal" {
			out = &test{op: "&&", args: []*test{out, r.claim(e, both(b, inverse(a)), name)}}
		}
	case "isEmpty":
		if len(e.args) != 1 {
			r.fail(e.span, diag.WrongArguments, "isEmpty takes one region")
		}
		return r.claim(e, r.region(e.args[0]), name)
	default:
		r.fail(e.span, diag.SortMismatch, "a test is expected here")
	}
	return out
}

func both(a, b *region) *region { return &region{op: "&&", args: []*region{a, b}, span: a.span} }
func inverse(a *region) *region { return &region{op: "!", args: []*region{a}, span: a.span} }

// claim states that a region is empty.
func (r *runner) claim(e *expr, empty *region, name string) *test {
	var sets []*region
	collect(empty, &sets)
	q := &question{name: "states", span: e.span,
		init: &syntax.Expr{Kind: syntax.ExprTrue, Span: e.span}}
	var bad *syntax.Expr
	switch len(sets) {
	case 0:
		bad = with(empty, nil, true)
	case 1:
		s := sets[0]
		from := with(s.args[0], nil, true)
		if s.op == "post*" {
			q.init, bad = from, with(empty, s, true)
		} else {
			q.init, bad = with(empty, s, true), from
		}
		q.transitions, q.span = s.steps, s.span
		if s.name != "" {
			q.name = s.name
		}
		if with(empty, s, false).Kind != syntax.ExprFalse {
			r.fail(e.span, diag.FastConstruct, "a test about what is not reachable is not read; "+
				"the region that must be empty has to lie within %s(...)", s.op)
		}
	default:
		r.fail(e.span, diag.FastConstruct,
			"a test about %d sets of reachable states is not read, only about one", len(sets))
	}
	c := claim{name: r.unused(name, e), span: e.span, holds: not(bad)}
	i := slices.IndexFunc(r.questions, func(o *question) bool {
		return o.span == q.span && len(sets) == 1 && sets[0].op == "post*"
	})
	if i < 0 {
		i = len(r.questions)
		for n := 2; slices.ContainsFunc(r.questions, func(o *question) bool {
			return o.name == q.name
		}); n++ {
			q.name = fmt.Sprintf("%s_%d", strings.TrimSuffix(q.name, fmt.Sprintf("_%d", n-1)), n)
		}
		r.questions = append(r.questions, q)
	}
	r.questions[i].claims = append(r.questions[i].claims, c)
	return &test{op: "claim", name: c.name}
}

// unused gives a claim its name: that of the truth value that it is the value of, or one made of
// the names in it.
func (r *runner) unused(name string, e *expr) string {
	if name == "" {
		parts := map[string]string{"subSet": "in", "isEmpty": "empty", "equal": "equal"}
		name = parts[e.op]
		for i, a := range e.args {
			if a.op == opName && i == 0 {
				name = a.name + "_" + name
			} else if a.op == opName {
				name += "_" + a.name
			}
		}
		if name == parts[e.op] {
			name = fmt.Sprintf("line_%d", e.span.Line())
		}
	}
	wanted := name
	for n := 2; r.names[name] || r.m.isVar(name) || r.m.isState(name) ||
		r.m.transitions[name] != nil; n++ {
		name = fmt.Sprintf("%s_%d", wanted, n)
	}
	r.names[name] = true
	return name
}

// collect lists the different sets of reachable states in a region, the outermost ones.
func collect(x *region, to *[]*region) {
	if x.op == "post*" || x.op == "pre*" {
		if !slices.ContainsFunc(*to, func(y *region) bool { return y.span == x.span }) {
			*to = append(*to, x)
		}
		return
	}
	for _, a := range x.args {
		collect(a, to)
	}
}

// with is a region as a formula, in which a set of reachable states holds everywhere or nowhere.
func with(x, set *region, everywhere bool) *syntax.Expr {
	switch x.op {
	case opBraces:
		return x.formula
	case "!":
		return not(with(x.args[0], set, everywhere))
	case "&&":
		return and(with(x.args[0], set, everywhere), with(x.args[1], set, everywhere))
	case "||":
		return or(with(x.args[0], set, everywhere), with(x.args[1], set, everywhere))
	}
	kind := syntax.ExprFalse
	if everywhere {
		kind = syntax.ExprTrue
	}
	return &syntax.Expr{Kind: kind, Span: x.span}
}
