package fast

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/parse"
)

// question is a set of runs, with claims about all of their states.
type question struct {
	name        string // of the set of states
	span        diag.Span
	init        *syntax.Expr
	transitions []string
	claims      []claim
	shared      bool // by the claims about the same set of states
}

type claim struct {
	name  string
	span  diag.Span
	holds *syntax.Expr
}

// opUnknown is the operator of what depends on the outcome of a test.
const opUnknown = "unknown"

// region is a set of states: a formula, or what leads to or from one, or a combination.
type region struct {
	op      string // {} for a formula, post*, pre*; !, &&, ||; opUnknown
	span    diag.Span
	formula *syntax.Expr
	args    []*region
	steps   []string
	name    string // of a variable that holds it
}

// test is a truth value: a claim, or a combination.
type test struct {
	op   string // claim, true, false, !, &&, ||; opUnknown
	args []*test
	name string // of the claim
}

// runner follows strategies. The names of claims are unique in the file.
type runner struct {
	m         *model
	questions []*question
	names     map[string]bool
	regions   map[string]*region
	sets      map[string]*[]string
	tests     map[string]*test
	inside    int // how many conditions are around
	// A set of transitions that is nil depends on the outcome of a test.
	claims map[*expr]string // the names of tests that no question is about
	whole  bool             // only carrying the strategies out decides all that they do
}

// run follows all strategies, and collects what they ask.
func run(m *model, strategies []*strategyDecl, errs *diag.List) ([]*question, Strategies) {
	r := &runner{m: m, names: map[string]bool{}, claims: map[*expr]string{}}
	var out Strategies
	for _, s := range strategies {
		r.regions, r.sets = map[string]*region{}, map[string]*[]string{}
		r.tests = map[string]*test{}
		if !parse.Catch(func() {
			out.all = append(out.all, strategy{s.name.text, r.block(s.body)})
		}) {
			break
		}
	}
	if r.whole && errs.Err() == nil {
		out.program = r.program(strategies)
	}
	if len(r.questions) == 0 && errs.Err() == nil {
		if !r.whole {
			errs.Warnf(diag.FastReadOver, m.states[0].span,
				"no strategy makes a test, so there is nothing to decide").
				Suggest("Add a strategy with a test such as isEmpty(post*(init, t) && bad).")
		}
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

func (r *runner) fail(span diag.Span, code diag.Code, format string, args ...any) {
	parse.Fail(r.m.errs, span, code, format, args...)
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
				if s.value.op != opName || r.sets[s.value.name] == nil {
					r.region(s.value)
				}
				r.whole = true
			}
		case *whileStmt:
			r.whole = true
			r.forget(s.body)
			r.test(s.cond, "")
			r.inside++
			r.block(s.body)
			r.inside--
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
		defer r.forget([]stmt{s})
	}
	switch {
	case s.kind == "Region" || s.kind == "" && r.regions[n.text] != nil:
		x := *r.region(s.value)
		x.name = n.text
		r.regions[n.text] = &x
	case s.kind == "Transitions" || s.kind == "" && r.sets[n.text] != nil:
		set := r.set(s.value)
		r.sets[n.text] = &set
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
		return *r.sets[e.name]
	case e.op == "||":
		a, b := r.set(e.args[0]), r.set(e.args[1])
		if a == nil || b == nil {
			return nil
		}
		out = slices.Clone(a)
		for _, n := range b {
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
			parse.Bail()
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
		if out.steps == nil {
			return &region{op: opUnknown, span: e.span}
		}
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
		if e.op == "subSet" {
			return r.claim(e, both(a, inverse(b)), name)
		}
		_, _, first := r.ask(e.span, both(a, inverse(b)))
		if _, _, second := r.ask(e.span, both(b, inverse(a))); !first || !second {
			return r.open(e, name)
		}
		return &test{op: "&&", args: []*test{r.claim(e, both(a, inverse(b)), name),
			r.claim(e, both(b, inverse(a)), name)}}
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

// ask makes a question of whether a region is empty, and gives what no state of its runs is in;
// false where that is no question about the states of runs.
func (r *runner) ask(span diag.Span, empty *region) (q *question, bad *syntax.Expr, ok bool) {
	if unknown(empty) {
		return nil, nil, false
	}
	var sets []*region
	collect(empty, &sets)
	q = &question{name: "states", span: span,
		init: &syntax.Expr{Kind: syntax.ExprTrue, Span: span}}
	switch len(sets) {
	case 0:
		return q, with(empty, nil, true), true
	case 1:
		s := sets[0]
		var inner []*region
		collect(s.args[0], &inner)
		// What is not reachable is no state of a run.
		if len(inner) > 0 || with(empty, s, false).Kind != syntax.ExprFalse {
			return nil, nil, false
		}
		from := with(s.args[0], nil, true)
		if s.op == "post*" {
			q.init, bad, q.shared = from, with(empty, s, true), true
		} else {
			q.init, bad = with(empty, s, true), from
		}
		q.transitions, q.span = s.steps, s.span
		if s.name != "" {
			q.name = s.name
		}
		return q, bad, true
	}
	return nil, nil, false
}

// claim states that a region is empty.
func (r *runner) claim(e *expr, empty *region, name string) *test {
	q, bad, ok := r.ask(e.span, empty)
	if !ok {
		return r.open(e, name)
	}
	c := claim{name: r.unused(name, e), span: e.span, holds: not(bad)}
	i := slices.IndexFunc(r.questions, func(o *question) bool {
		return q.shared && o.span == q.span
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

// open is the truth value of a test that only carrying out the strategy decides.
func (r *runner) open(e *expr, name string) *test {
	r.whole = true
	if r.claims[e] == "" {
		r.claims[e] = r.unused(name, e)
	}
	return &test{op: "claim", name: r.claims[e]}
}

// forget marks what statements change: it is not known after them, or before them in a loop.
func (r *runner) forget(body []stmt) {
	for _, s := range body {
		switch s := s.(type) {
		case *letStmt:
			r.whole = true
			n := s.name.text
			if r.regions[n] != nil {
				r.regions[n] = &region{op: opUnknown, span: s.name.span}
			}
			if r.sets[n] != nil {
				r.sets[n] = new([]string)
			}
			if r.tests[n] != nil {
				r.tests[n] = &test{op: opUnknown}
			}
		case *ifStmt:
			r.forget(s.then)
			r.forget(s.rest)
		case *whileStmt:
			r.forget(s.body)
		}
	}
}

// unknown reports whether a region depends on the outcome of a test.
func unknown(x *region) bool {
	return x.op == opUnknown || slices.ContainsFunc(x.args, unknown)
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
