// Package translate writes a TLA+ specification in erelong's language.
//
// In: a model whose constants have no values, and its types. Out: declarations, with the places of
// the TLA+ text: constant sets become sorts, variables functions and constants of structured data,
// steps actions, invariants claims. A set is translated by what it contains and a function by its
// values, so Nat, SUBSET S or [S -> T] need no values in the language. What has no translation is
// an error at its place.
//
// A sort has an element, so constant sets are taken not to be empty.
package translate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/types"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/value"
)

// declarer has the declarations that are made, and gives out names.
type declarer struct {
	ctx      context.Context
	model    *core.Model
	types    *types.Typing
	errs     *diag.List
	span     diag.Span // of what is translated
	taken    map[string]bool
	local    map[string]bool // names of variables in the current declaration
	used     map[string]bool // names of variables in all declarations so far
	decls    []syntax.Decl
	facts    []syntax.Decl // about constants
	classes  map[*types.Type]*class
	variants map[*types.Type]*variant
	sums     map[*types.Type]*sum
	varying  map[*types.Type]bool // functions with domains that depend on the state
	embedded map[*types.Type]bool // whether the type is one of values within data
	within   bool                 // functions within the data of expressions are maps, too
	lacked   bool                 // there were some, and they are not
	keys     map[domained]string  // the relations for their domains
}

// algebra makes values of values.
type algebra struct {
	*declarer
	constants map[string]*term
	choosing  bool // what is quantified is a parameter of an action
}

// writer makes values and declarations of nodes.
type writer struct {
	*algebra
	variables []*term
	called    []string                      // the names of the variables in the translation
	domains   map[*types.Type][]func() *set // of functions that are made
	common    map[*types.Type]*set          // the one of all of them
	chosen    map[diag.Span][]chosen
	recursive map[diag.Span][]recursive
	derived   []string          // relations that change with the state
	symbols   map[string]string // the symbols of constant operators
	ghosts    []*ghost
	finite    map[int]bool // variables whose sets are finite in all states
	picks     []*picked    // in the current action
	stepping  bool         // the steps of an action are made
	counting  bool         // the size of a set stands elsewhere than in assumptions
	unstated  []string
	unread    []system.Unread
	unsaid    []string
}

// Translation is a specification in erelong's language.
type Translation struct {
	File      *syntax.File
	Unstated  []string // assumptions that have no translation
	Unread    []system.Unread
	Tried     []string       // the invariants that nobody claims
	Unsaid    []string       // what claims say of runs, which is no formula about states and steps
	Inhabited []string       // the constant sets that are taken not to be empty
	Finite    []string       // the constant sets that are taken to be finite
	Apart     []string       // what constant sets are taken not to contain
	Fair      bool           // something is assumed of what happens at some time
	Read      []*diag.Source // the modules
	Departs   []string       // why the configured model may be none of the translated ones
	writer    *writer
}

// reserved are the names of the language that a translation may use.
var reserved = map[string]bool{"none": true, "some": true, "size": true, "sum": true, "first": true,
	"tail": true, "append": true, "concat": true, "slice": true, "positions": true,
	"elements": true}

// failure ends the translation of a formula; its cause is among the errors.
type failure struct{}

// File is a specification in erelong's language; nil after an error. What the specification
// assumes or claims and has no translation is left out with a warning. Values of the constants,
// where there are some, become an instance. Live says that what happens at some time is claimed,
// too. The end of the context is an error of some formula.
//
// Functions within data are maps of the language. That costs proofs something where a function is
// in a record of an expression only, so it is done where there is no translation without.
func File(
	ctx context.Context, m *core.Model, src *diag.Source, values map[string]*value.Value, live bool,
	errs *diag.List,
) *Translation {
	before := len(errs.All)
	w := newWriter(ctx, m, errs)
	out := file(w, src, values, live)
	if !w.lacked || out != nil && len(out.Unread) == 0 {
		return out
	}
	said := errs.All
	errs.All = slices.Clone(said[:before])
	w = newWriter(ctx, m, errs)
	w.within = true
	if more := file(w, src, values, live); more != nil || out == nil {
		return more
	}
	errs.All = said
	return out
}

func newWriter(ctx context.Context, m *core.Model, errs *diag.List) *writer {
	return &writer{algebra: &algebra{declarer: &declarer{ctx: ctx, model: m, errs: errs,
		taken: maps.Clone(reserved), used: map[string]bool{},
		classes: map[*types.Type]*class{}, varying: map[*types.Type]bool{},
		embedded: map[*types.Type]bool{},
		keys:     map[domained]string{},
		variants: map[*types.Type]*variant{}, sums: map[*types.Type]*sum{}},
		constants: map[string]*term{}},
		domains: map[*types.Type][]func() *set{}, common: map[*types.Type]*set{},
		chosen: map[diag.Span][]chosen{}, recursive: map[diag.Span][]recursive{},
		symbols: map[string]string{}}
}

func file(
	w *writer, src *diag.Source, values map[string]*value.Value, live bool,
) *Translation {
	m, errs := w.model, w.errs
	needed := []core.Node{m.Init}
	for _, a := range m.Actions {
		needed = append(needed, a.Node)
	}
	if w.types = typing(w.ctx, m, needed, errs); errs.Err() != nil {
		return nil
	}
	assumptions, claims := w.typed(m.Assumptions), w.typed(m.Invariants)
	var promises []*promise
	if live {
		promises = liveness{w}.promises()
	}
	safe := properties{w}.safe(promises)
	claimed := slices.Concat(needed, about(safe, promises), nodesOf(assumptions), nodesOf(claims))
	ranges{w}.choose(claimed, assumptions)
	tried := slices.DeleteFunc(m.Tried, func(c *core.Claim) bool {
		return !w.types.Formula(c.Node)
	})
	all := append(claimed, nodesOf(tried)...)
	w.counting, w.finite = counting(all, assumptions), finiteVariables(m)
	w.population(all, assumptions)
	w.attempt(w.declare)
	if errs.Err() != nil {
		return nil
	}
	w.attempt(starts{w}.declare)
	properties{w}.watch(safe)
	for _, a := range m.Actions {
		w.attempt(func() { w.action(a) })
	}
	if errs.Err() != nil {
		return nil
	}
	liveness{w}.declare(promises)
	ranges{w}.facts()
	w.claims("axiom", assumptions)
	out := &Translation{Unstated: w.unstated, Fair: len(m.Fairness) > 0, writer: w}
	w.claims("safety", claims)
	properties{w}.watched()
	out.Unread, out.Unsaid = w.unread, w.unsaid
	said := w.errs
	w.errs = &diag.List{} // nobody misses one of these
	before := len(w.decls)
	w.claims("invariant", helps{w}.parts(tried, claims))
	w.errs = said
	for _, d := range w.decls[before:] {
		if f, ok := d.(*syntax.FormulaDecl); ok && f.Word == "invariant" {
			out.Tried = append(out.Tried, f.Name.Text)
		}
	}
	w.decls = append(w.decls, w.facts...)
	if values != nil {
		w.begin()
		out.Departs = ranges{w}.empty(values)
		w.instance("configured", values)
	}
	out.premises(w)
	out.File = &syntax.File{Source: src, Decls: w.sorted(), Structured: true}
	return out
}

// premises are the constant sets of which something is taken to be so.
func (out *Translation) premises(w *writer) {
	out.Apart = w.apart()
	for _, t := range w.ordered() {
		if c := w.classes[t]; c.whole() {
			out.Inhabited = append(out.Inhabited, c.sets[0])
			if c.supposed && !c.finite {
				out.Finite = append(out.Finite, c.sets[0])
			}
		}
	}
	for name, c := range w.constants {
		if c.family != "" {
			out.Inhabited = append(out.Inhabited, name)
		}
	}
	slices.Sort(out.Inhabited)
}

// nodesOf are the formulas of claims.
func nodesOf(claims []*core.Claim) (out []core.Node) {
	for _, c := range claims {
		out = append(out, c.Node)
	}
	return out
}

// typed are the claims that have types. The others are left out, which is said.
func (w *writer) typed(claims []*core.Claim) (out []*core.Claim) {
	for _, c := range claims {
		if errs := w.types.Add(c.Node); errs.Err() == nil {
			out = append(out, c)
		} else {
			w.leftOut(c, errs)
		}
	}
	return out
}

// leftOut warns of a formula without translation.
func (w *writer) leftOut(c *core.Claim, errs *diag.List) {
	for _, d := range errs.All {
		if d.Severity == diag.Error {
			switch {
			case slices.Contains(w.model.Assumptions, c):
				w.unstated = append(w.unstated, "the assumption "+c.Name+" in line "+
					strconv.Itoa(c.Span.Line()))
			case slices.Contains(w.model.Invariants, c):
				w.unread = append(w.unread, system.Unread{Name: c.Name, Why: d.Message,
					Line: c.Span.Line()})
			}
			w.errs.Warnf(diag.NoEffect, d.Span, "%s is left out: %s", c.Name, d.Message)
			return
		}
	}
}

// claims declares formulas. Of an assumption without translation, the conjuncts that have one are
// assumed.
func (w *writer) claims(word string, claims []*core.Claim) {
	for _, c := range claims {
		failed := w.claim(word, c, c.Node)
		parts := conjuncts(c.Node)
		if failed.Err() == nil || word != "axiom" || len(parts) == 1 {
			w.leftOut(c, failed)
			continue
		}
		for _, n := range parts {
			part := &core.Claim{Name: c.Name, Node: n, Span: n.Span()}
			w.leftOut(c, w.claim(word, part, n))
		}
	}
}

// claim declares a formula; the errors say why it has no translation.
func (w *writer) claim(word string, c *core.Claim, n core.Node) *diag.List {
	outer := w.errs
	w.errs = &diag.List{}
	w.attempt(func() {
		w.begin()
		w.span = c.Span
		x := w.formula(n, scope{})
		if word == "axiom" && build.IsTrue(x) {
			return
		}
		if word == "axiom" && counts(n) && !w.counting {
			w.span = c.Span
			w.fail("nothing else speaks of the size of a set, and proofs next to sizes find no " +
				"invariants")
		}
		w.decls = append(w.decls, &syntax.FormulaDecl{Span: c.Span, Word: word,
			Name: w.label(c), Expr: x})
	})
	failed := w.errs
	w.errs = outer
	return failed
}

// mostCounted is the greatest number with which proofs compare the size of a set.
const mostCounted = 8

// counts reports whether a formula has the size of a set, but for a comparison with a small number,
// which says that the set has that number of elements.
func counts(n core.Node) (yes bool) {
	n = core.Strip(n)
	size := func(n core.Node) bool {
		op, ok := core.Strip(n).(*core.Operator)
		return ok && op.Name == "Cardinality"
	}
	small := func(n core.Node) bool {
		l, ok := core.Strip(n).(*core.Literal)
		return ok && l.Value.Small() && l.Value.Int() < mostCounted
	}
	compared := func(a, b core.Node) bool { return size(a) && small(b) || small(a) && size(b) }
	switch n := n.(type) {
	case *core.Equal:
		if compared(n.Left, n.Right) {
			return false
		}
	case *core.Operator:
		if comparisons[n.Name] != 0 && compared(n.Args[0], n.Args[1]) {
			return false
		}
		if n.Name == "Cardinality" {
			return true
		}
	}
	core.Parts(n, func(p core.Node) { yes = yes || counts(p) })
	return yes
}

// counting reports whether a formula has the size of a set that is no assumption.
func counting(formulas []core.Node, assumptions []*core.Claim) bool {
	return slices.ContainsFunc(formulas, func(n core.Node) bool {
		isAssumed := func(c *core.Claim) bool { return c.Node == n }
		return !slices.ContainsFunc(assumptions, isAssumed) && sizes(n, map[core.Node]bool{})
	})
}

// sizes reports whether a formula has the size of a set.
func sizes(n core.Node, seen map[core.Node]bool) (yes bool) {
	n = core.Strip(n)
	if seen[n] {
		return false
	}
	seen[n] = true
	_, yes = operands(n, "Cardinality", 1)
	core.Parts(n, func(p core.Node) { yes = yes || sizes(p, seen) })
	return yes
}

// label is the name of a claim.
func (w *declarer) label(c *core.Claim) syntax.Name {
	if c.Name == "" {
		return syntax.Name{Span: c.Span}
	}
	return syntax.Name{Text: w.name(c.Name), Span: c.Span}
}

// attempt runs f up to a failure. The end of the context is one.
func (w *declarer) attempt(f func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(failure); !ok {
				panic(r)
			}
		}
	}()
	w.goOn()
	f()
}

// goOn fails where the context has ended.
func (w *declarer) goOn() {
	if w.ctx.Err() != nil {
		w.fail("stopped while formulas are translated")
	}
}

func (w *declarer) fail(format string, args ...any) {
	w.errs.Errorf(diag.Unsupported, w.span, "%s", fmt.Sprintf(format, args...))
	panic(failure{})
}

// refuse fails with what to write in the place of what is there.
func (w *declarer) refuse(why, fix string) {
	w.errs.Errorf(diag.Unsupported, w.span, "%s", why).Suggest("%s", fix)
	panic(failure{})
}

// begin begins a declaration, whose variables may have the names of another's.
func (w *declarer) begin() { w.local = map[string]bool{} }

// name is a name for a declaration.
func (w *declarer) name(wanted string) string {
	got := wanted
	for i := 1; w.taken[got]; i++ {
		got = fmt.Sprintf("%s_%d", wanted, i)
	}
	w.taken[got] = true
	return got
}

// variable is a name for a variable of the current declaration. It begins with a small letter: a
// capital one stands for every value on the left of an assignment.
func (w *declarer) variable(wanted string) string {
	if c := wanted[0]; 'A' <= c && c <= 'Z' {
		wanted = string(c|32) + wanted[1:]
	}
	return w.unused(wanted, func(n string) bool { return w.taken[n] || w.local[n] })
}

// parameter is a name for a variable that becomes a symbol, which no variable can have as name.
func (w *declarer) parameter(wanted string) string {
	wanted = strings.ToLower(wanted[:1]) + wanted[1:]
	return w.unused(wanted, func(n string) bool { return w.taken[n] || w.used[n] })
}

// unused is a name of a variable that is not used.
func (w *declarer) unused(wanted string, is func(string) bool) string {
	got := wanted
	for i := 1; is(got); i++ {
		got = fmt.Sprintf("%s_%d", wanted, i)
	}
	w.local[got], w.used[got] = true, true
	return got
}

// sorted are the declarations, symbols before formulas before actions.
func (w *declarer) sorted() []syntax.Decl {
	rank := func(d syntax.Decl) int {
		switch d := d.(type) {
		case *syntax.SortDecl, *syntax.EnumDecl:
			return 0
		case *syntax.TypeDecl:
			return 1
		case *syntax.SymbolDecl:
			return 2
		case *syntax.FormulaDecl:
			return map[string]int{"axiom": 3, "init": 4, "safety": 6, "invariant": 6,
				"liveness": 6}[d.Word]
		case *syntax.InstanceDecl:
			return 7
		}
		return 5
	}
	var out []syntax.Decl
	for r := range 8 {
		for _, d := range w.decls {
			if rank(d) == r {
				out = append(out, d)
			}
		}
	}
	return out
}
