// Package check makes a system of a parsed file.
//
// In: a syntax.File. Out: a system.System, and diagnostics. It resolves names, infers the sorts of
// variables that have none, checks in which state each symbol is read, expands definitions (the IR
// has none), and turns actions into code. Both dialects of mypyvy give the same IR. In today's
// dialect, an unmarked symbol in a transition is the value before the step, and new(x) or x' the
// value after. In the dialect of 2019-20 (a file that uses old) an unmarked symbol is the value
// after.
//
// Declarations may be in any order: a definition is elaborated when it is first used.
package check

import (
	"context"
	"fmt"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Check builds the system, and the scope for further expressions about it. When errs has an error
// afterwards, both are incomplete and must not be used.
func Check(ctx context.Context, file *syntax.File, errs *diag.List) (*system.System, *Scope) {
	c := &checker{
		ctx:  ctx,
		file: file,
		errs: errs,
		sys: &system.System{Name: file.Source.Name, Source: file.Source,
			Included: file.Included},
		sorts:   map[string]*sortEntry{},
		ranges:  map[string]*logic.Sort{},
		unknown: map[*logic.Sort]bool{},
		globals: map[string]*global{},
		aliases: map[string]diag.Span{},
		mypyvy:  strings.HasSuffix(file.Source.Name, ".pyv"),
	}
	if !c.findDialect() {
		return c.sys, nil
	}
	c.declareSorts()
	c.declareSymbols()
	c.declareFormulas()
	c.buildFormulas()
	c.buildActions()
	c.buildScenarios()
	c.addRanges()
	defineFolds(c)
	c.addArguments()
	c.checkGhosts()
	c.buildInstances()
	c.buildExpectations()
	c.buildRankings()
	c.buildFbiis()
	defineFolds(c) // of hints
	dropNeeds(c.sys)
	c.shareTerms()
	return c.sys, &Scope{c}
}

type checker struct {
	ctx     context.Context
	file    *syntax.File
	errs    *diag.List
	sys     *system.System
	sorts   map[string]*sortEntry
	ranges  map[string]*logic.Sort // by their text, so that equal ranges are one sort
	unknown map[*logic.Sort]bool   // sorts that were not declared, which is an error already
	globals map[string]*global
	aliases map[string]diag.Span     // of formulas that have the name of a symbol
	result  map[*logic.Symbol]func() // resolve the sorts of results on demand
	safety  *definition              // the conjunction of all safety properties

	formula    map[*syntax.FormulaDecl]*definition
	definition map[*syntax.DefinitionDecl]*definition
	action     map[syntax.Decl]*definition // transitions and actions

	majorities    []*syntax.SortDecl
	unconstrained []unconstrained
	variables     []*logic.Var // all that were met

	mypyvy bool // the file claims to be mypyvy's, whose restrictions hold
	old    bool // the file is in the dialect of 2019-20
	folds  bool // there are sums or greatest values
}

// global is the meaning of a name at the top level: exactly one of the fields is set.
type global struct {
	span   diag.Span
	symbol *logic.Symbol
	member *logic.Term
	def    *definition
}

func (g *global) what() string {
	switch {
	case g.symbol != nil:
		return g.symbol.Kind.String()
	case g.member != nil:
		return "member of an enum"
	}
	return g.def.what
}

// definition is expanded where its name occurs: a definition, a named formula, a transition or an
// action.
type definition struct {
	name   string
	what   string // "definition", "invariant", "transition", ...
	span   diag.Span
	states int
	params []*logic.Var
	term   *logic.Term // unmarked symbols in state Pre
	size   int         // nodes of the term as a tree
	reads  map[*logic.Symbol][]diag.Span
	build  func() // sets term and params; nil once it has begun
	ready  bool
}

// renameOne is what to do about two declarations with one name.
const renameOne = "Give one of the two another name, or delete it."

func (c *checker) declare(name syntax.Name, g *global) {
	g.span = name.Span
	if before, ok := c.globals[name.Text]; ok {
		c.errs.Errorf(diag.Duplicate, name.Span, "'%s' is declared twice", name.Text).
			Because(before.span, "it is declared here (%s)", before.what()).
			Suggest(renameOne)
		return
	}
	c.globals[name.Text] = g
}

// findDialect looks for old(...) in formulas of two states, where no symbol has the name old. It
// returns false when the file mixes both dialects.
func (c *checker) findDialect() bool {
	var firstOld, firstNew diag.Span
	var visit func(e *syntax.Expr)
	visit = func(e *syntax.Expr) {
		switch {
		case e.Kind == syntax.ExprOld && firstOld.IsZero():
			firstOld = e.Span
		case (e.Kind == syntax.ExprNew || e.Primes > 0) && firstNew.IsZero():
			firstNew = e.Span
		}
		for _, a := range e.Args {
			visit(a)
		}
	}
	for _, d := range c.file.Decls {
		switch d := d.(type) {
		case *syntax.DefinitionDecl:
			if d.States == 2 {
				visit(d.Expr)
			}
		case *syntax.FormulaDecl:
			if d.States == 2 {
				visit(d.Expr)
			}
		case *syntax.SymbolDecl:
			if d.Name.Text == "old" {
				return true
			}
		}
	}
	c.old = !firstOld.IsZero()
	if c.old && !firstNew.IsZero() {
		c.errs.Errorf(diag.MixedDialects, firstOld,
			"old(..) in a file that also uses new(..) or primes").
			Because(firstNew, "here the value after the step is marked").
			Suggest("Mark either the values before a step with old(..), or the values after it " +
				"with new(..), not both.")
		return false
	}
	return true
}

func fairness(word string) system.Fairness {
	switch word {
	case "fair":
		return system.Weak
	case "strong fair":
		return system.Strong
	}
	return system.Unfair
}

// declareFormulas enters definitions, named formulas, transitions and actions.
func (c *checker) declareFormulas() {
	c.formula = map[*syntax.FormulaDecl]*definition{}
	c.definition = map[*syntax.DefinitionDecl]*definition{}
	c.action = map[syntax.Decl]*definition{}
	var safeties []*definition
	for _, d := range c.file.Decls {
		switch d := d.(type) {
		case *syntax.AlgorithmDecl, *syntax.ProtocolDecl, *syntax.AboutDecl, *syntax.ReduceDecl:
			c.errs.Errorf(diag.Unsupported, d.Pos(),
				"an algorithm is not a system: one must be derived from it first")
		case *syntax.FormulaDecl:
			def := &definition{name: d.Name.Text, what: d.Word, span: d.Span, states: 1}
			if d.Word == "theorem" {
				def.states = d.States
			}
			def.build = func() {
				e := c.elaborator(def.states)
				if d.Word == "axiom" {
					e.states = 0
				}
				e.temporal = d.Word == "liveness" || d.Word == "temporal"
				def.term, def.reads = e.formula(d.Expr), e.reads
			}
			c.formula[d] = def
			if d.Word == "safety" {
				safeties = append(safeties, def)
			}
			if d.Name.Text != "" {
				c.declareFormula(d.Name, def)
			}
		case *syntax.DefinitionDecl:
			def := &definition{name: d.Name.Text, what: "definition", span: d.Name.Span,
				states: d.States}
			if d.Transition {
				def.what = "transition"
				c.action[d] = def
			} else {
				c.definition[d] = def
			}
			def.build = func() { c.buildDefinition(d, def) }
			c.declare(d.Name, &global{def: def})
		case *syntax.ActionDecl:
			def := &definition{name: d.Name.Text, what: "action", span: d.Name.Span, states: 2}
			def.build = func() { c.buildAction(d, def) }
			c.action[d] = def
			c.declare(d.Name, &global{def: def})
		}
	}
	c.safety = &definition{name: "safety", what: "conjunction of the safety properties", states: 1}
	c.safety.build = func() {
		var terms []*logic.Term
		for _, s := range safeties {
			if c.ready(s, s.span) {
				terms = append(terms, s.term)
			}
		}
		c.safety.term = logic.And(terms...)
	}
}

// declareFormula enters a named formula. It may have the name of a symbol, as in files of 2019. The
// name then means the symbol in formulas, and the property where a property is expected.
func (c *checker) declareFormula(name syntax.Name, def *definition) {
	g := c.globals[name.Text]
	if g == nil || g.symbol == nil {
		c.declare(name, &global{def: def})
		return
	}
	if before, ok := c.aliases[name.Text]; ok {
		c.errs.Errorf(diag.Duplicate, name.Span, "'%s' is declared twice",
			name.Text).Because(before, "it is declared here (formula)").Suggest(renameOne)
		return
	}
	c.aliases[name.Text] = name.Span
}

// ready elaborates a definition that is not elaborated yet. It returns false, after an error, when
// the definition uses itself.
func (c *checker) ready(d *definition, use diag.Span) bool {
	if d.ready {
		return true
	}
	if d.build == nil {
		c.errs.Errorf(diag.Cyclic, use, "'%s' is defined in terms of itself",
			d.name).Because(d.span, "it is defined here").
			Suggest("Say after the parameters what it gives and how many calls may be inside one "+
				"another: definition %s(...): bool depth 4 = ...", d.name)
		return false
	}
	build := d.build
	d.build = nil
	build()
	if d.term != nil {
		d.size = logic.Size(d.term)
	}
	d.ready = true
	return true
}

// buildFormulas fills the axioms, initial conditions, derived relations and properties.
func (c *checker) buildFormulas() {
	for _, d := range c.file.Decls {
		if c.ctx.Err() != nil {
			return
		}
		switch d := d.(type) {
		case *syntax.SymbolDecl:
			if d.Derived != nil {
				c.buildDerived(d)
			}
		case *syntax.FormulaDecl:
			def := c.formula[d]
			before := len(c.errs.All)
			c.ready(def, d.Span)
			if def.term == nil || len(c.errs.All) > before {
				continue
			}
			f := &system.Formula{Name: d.Name.Text, Term: def.term, Span: d.Span, Listed: d.Listed}
			switch d.Word {
			case "axiom":
				c.sys.Axioms = append(c.sys.Axioms, f)
			case "init":
				if !speaksOfState(def.term) {
					w := c.errs.Warnf(diag.NoMutable, d.Span,
						"this initial condition mentions no mutable symbol")
					// a text in another language has no such word there
					if word := firstWord(d.Span, d.Word); word.Text() == d.Word {
						w.Suggest("Declare it as an axiom.").Replace(word, "axiom")
					}
				}
				c.sys.Inits = append(c.sys.Inits, f)
			default:
				kind := system.PropertyKind(d.Word)
				if r := response(def.term); kind == system.Temporal && r != nil {
					kind, f.Term = system.Liveness, r
				} else if kind == system.Liveness && !isLeadsTo(def.term) {
					c.errs.Errorf(diag.LivenessForm, d.Expr.Span,
						"a liveness property has the form trigger ~> good").
						Suggest("Declare other properties over time with 'temporal'.")
					continue
				}
				if (kind == system.Invariant || kind == system.Safety) && !speaksOfState(def.term) {
					c.errs.Warnf(diag.NoMutable, d.Span,
						"this %s mentions no mutable symbol, so no step can change it", d.Word)
				}
				name := d.Name.Text
				if name == "" {
					name = d.Place(c.file.Source)
					for n := 2; c.sys.Property(name) != nil; n++ {
						name = fmt.Sprintf("%s.%d", d.Place(c.file.Source), n)
					}
				}
				c.sys.Properties = append(c.sys.Properties,
					&system.Property{Name: name, Kind: kind, Term: f.Term, States: d.States,
						Span: d.Span, Doubt: d.Doubt})
			}
		case *syntax.DefinitionDecl:
			if !d.Transition {
				c.ready(c.definition[d], d.Span)
			}
		case *syntax.FbiiDecl:
			p := &system.Property{
				Name: fmt.Sprintf("fbii:%d", d.Span.Line()), Kind: system.FbiiProof,
				Term: logic.True, Span: d.Span,
			}
			c.sys.Properties = append(c.sys.Properties, p)
			c.sys.Fbiis = append(c.sys.Fbiis, &system.Fbii{Property: p, Span: d.Span})
		}
	}
}

// firstWord is the part of a declaration that is its word.
func firstWord(s diag.Span, word string) diag.Span {
	return diag.Span{Source: s.Source, Start: s.Start, End: s.Start + len(word)}
}

func speaksOfState(t *logic.Term) bool { return logic.MaxStep(t) >= 0 }

func (c *checker) buildDerived(d *syntax.SymbolDecl) {
	g := c.globals[d.Name.Text]
	if g == nil || g.symbol == nil || g.span != d.Name.Span {
		return // a duplicate
	}
	axiom := c.elaborator(1).formula(d.Derived)
	def := &system.Derived{Symbol: g.symbol, Axiom: c.share(axiom)}
	// The usual form: forall X, Y. r(X, Y) <-> body.
	t := axiom
	var vars []*logic.Var
	if t.Op == logic.OpForall {
		vars, t = t.Vars, t.Args[0]
	}
	if t.Op == logic.OpIff {
		head, body := t.Args[0], t.Args[1]
		if args, ok := pattern(head, vars); ok && head.Symbol == g.symbol &&
			!c.leadsTo(body, g.symbol) {
			def.Vars, def.Body = args, c.share(body)
		}
	}
	c.sys.Derived = append(c.sys.Derived, def)
}

// leadsTo reports whether the value of a term depends on a derived symbol, directly or by bodies of
// derived relations that are declared before it. Of the relations in a circle the last one
// therefore has no body, so that evaluation ends.
func (c *checker) leadsTo(t *logic.Term, sym *logic.Symbol) bool {
	found, seen := false, map[*logic.Symbol]bool{}
	var visit func(t *logic.Term) bool
	visit = func(t *logic.Term) bool {
		if t.Op != logic.OpApp || !t.Symbol.Derived || seen[t.Symbol] {
			return !found
		}
		seen[t.Symbol] = true
		found = found || t.Symbol == sym
		if d := c.sys.DerivedOf(t.Symbol); d != nil && d.Body != nil {
			logic.Walk(d.Body, visit)
		}
		return !found
	}
	logic.Walk(t, visit)
	return found
}

// pattern reports whether t is a symbol applied to all of vars, each once, and returns them in the
// order of the arguments.
func pattern(t *logic.Term, vars []*logic.Var) ([]*logic.Var, bool) {
	if t.Op != logic.OpApp {
		return nil, false
	}
	seen := map[*logic.Var]bool{}
	var out []*logic.Var
	for i, a := range t.Args {
		if a.Op != logic.OpVar || seen[a.Var] || a.Var.Sort != t.Symbol.Args[i] {
			return nil, false
		}
		seen[a.Var] = true
		out = append(out, a.Var)
	}
	for _, v := range vars {
		if !seen[v] {
			return nil, false
		}
	}
	return out, true
}

// addRanges claims that the values of every mutable symbol with a range result lie in the range,
// and assumes it of immutable symbols.
func (c *checker) addRanges() {
	titles := logic.Titles(c.sys.Symbols)
	for _, s := range c.sys.Symbols {
		if s.Result == nil || s.Result.Kind != logic.KindRange {
			continue
		}
		var vars []*logic.Var
		for i, a := range s.Args {
			vars = append(vars, &logic.Var{Name: fmt.Sprintf("X%d", i+1), Sort: a, Span: s.Span})
		}
		term := logic.Forall(vars,
			logic.InSort(s.Result, logic.App(s, logic.Pre, logic.Refs(vars)...))).At(s.Span)
		if s.Mutable {
			c.sys.Properties = append(c.sys.Properties,
				&system.Property{Name: "range:" + titles[s], Kind: system.Range, Term: term,
					Span: s.Span})
		} else {
			c.sys.Axioms = append(c.sys.Axioms,
				&system.Formula{Name: "range:" + titles[s], Term: term, Span: s.Span})
		}
	}
}

// addArguments makes the claims about arguments of ranges.
func (c *checker) addArguments() {
	if c.errs.Err() != nil {
		return
	}
	claims, err := system.Implicit(c.ctx, c.sys)
	if err != nil {
		c.errs.Errorf(diag.Unsupported, diag.Span{Source: c.file.Source},
			"it cannot be stated which arguments lie in their ranges: %v", err)
	}
	c.sys.Properties = append(c.sys.Properties, claims...)
	if err := system.ClaimRoom(c.ctx, c.sys); err != nil {
		c.errs.Errorf(diag.Unsupported, diag.Span{Source: c.file.Source},
			"it cannot be stated which steps need more places of a sequence: %v", err)
	}
}
