// Package export writes systems in the languages of other tools.
//
// In: a system. Out: the text of a file of mypyvy's language (Pyv), as mypyvy's own parser and type
// checker define it, so that mypyvy can check the same proof; and notes about omissions that no
// proof of safety needs. Erelong reads the file, too. A construct that mypyvy cannot express is an
// error at the declaration that needs it.
//
// An enum becomes a sort with a constant for each member. A range becomes the integers, with its
// ends as an initial condition, an invariant, and a condition on variables. A function that an
// action chooses becomes a symbol of its own, with an arbitrary value after each such step. A
// trusted invariant becomes a condition on initial states and steps.
package export

import (
	"fmt"
	"math/big"
	"path"
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Pyv gives the text of a .pyv file, and notes about omissions. The error is a *diag.List.
func Pyv(sys *system.System) (text string, notes []string, err error) {
	e := &exporter{sys: sys, errs: &diag.List{}, globals: map[string]bool{},
		labels:  map[any]string{},
		symbols: map[*logic.Symbol]*logic.Symbol{}, members: map[*logic.Sort][]*logic.Symbol{},
		vars: map[*logic.Var]*logic.Var{}, scope: map[string]bool{}}
	if err := sys.NeedsFormulas("be written for mypyvy"); err != nil {
		e.errs.Errorf(diag.Unsupported, diag.Span{}, "%v", err)
		return "", nil, e.errs
	}
	for _, d := range sys.Folds() {
		e.errs.Errorf(diag.Unsupported, d.Symbol.Span, "mypyvy does not compute with a size, a "+
			"sum or a greatest value").Suggest("Compare the size of a set with a small number.")
	}
	if err := e.errs.Err(); err != nil {
		return "", nil, err
	}
	e.names()
	e.leaveOut()
	e.line("# Written by erelong from %s.", path.Base(sys.Name))
	for _, n := range e.notes {
		e.line("# Left out: %s.", n)
	}
	e.declarations()
	for _, a := range sys.Actions {
		e.action(a)
	}
	e.properties()
	e.errs.Sort()
	return e.out.String(), e.notes, e.errs.Err()
}

type exporter struct {
	sys   *system.System
	errs  *diag.List
	notes []string
	out   strings.Builder

	globals map[string]bool // names that a variable may not have
	labels  map[any]string  // of *system.Formula and *system.Property
	// As in the file, with the symbols for functions that actions choose.
	symbols map[*logic.Symbol]*logic.Symbol
	members map[*logic.Sort][]*logic.Symbol // constants for the members of an enum
	vars    map[*logic.Var]*logic.Var       // in scope
	scope   map[string]bool                 // and their names
}

func (e *exporter) line(format string, args ...any) { fmt.Fprintf(&e.out, format+"\n", args...) }

// fresh gives an unused global name, and marks it as used.
func (e *exporter) fresh(name string) string {
	out := name
	for i := 1; e.globals[out]; i++ {
		out = name + "_" + strconv.Itoa(i)
	}
	e.globals[out] = true
	return out
}

// names gives names to all declarations: their own, unless mypyvy reads them differently.
func (e *exporter) names() {
	for _, a := range e.sys.Actions {
		e.globals[a.Name] = true
	}
	for _, capital := range []bool{false, true} { // names that stay come first
		for _, s := range e.sys.Sorts {
			if e.members[s] == nil {
				e.members[s] = make([]*logic.Symbol, len(s.Members))
			}
			for i, m := range s.Members {
				if m = plain(m); isCapital(m) == capital {
					e.members[s][i] = &logic.Symbol{Name: e.fresh(lower(m)), Kind: logic.Constant,
						Result: s}
				}
			}
		}
		for _, s := range e.sys.Symbols {
			if isCapital(s.Name) == capital {
				c := *s
				c.Name = e.fresh(lower(s.Name))
				e.symbols[s] = &c
			}
		}
	}
	for _, f := range slices.Concat(e.sys.Axioms, e.sys.Inits) {
		e.label(f, f.Name)
	}
	for _, p := range e.sys.Properties {
		e.label(p, p.Name)
	}
	for _, a := range e.sys.Actions {
		if a.Relation == nil {
			e.refuse(a.Span, "the action '%s' has no formula", a.Name)
			continue
		}
		for _, in := range a.Relation.Inputs {
			c := *in
			c.Name, c.Mutable = e.fresh(lower(in.Name)), true
			e.symbols[in] = &c
		}
	}
}

// isCapital reports whether mypyvy takes a name for a variable that stands for every value, even if
// it is declared.
func isCapital(name string) bool {
	return strings.ToUpper(name) == name && strings.ToLower(name) != name
}

// plain is a name for a member of an enum; of a string it is made of its letters and digits.
func plain(member string) string {
	text, isString := strings.CutPrefix(member, `"`)
	if !isString {
		return member
	}
	return "text_" + strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return '_'
	}, strings.TrimSuffix(text, `"`))
}

func lower(name string) string {
	if isCapital(name) {
		return strings.ToLower(name)
	}
	return name
}

// label chooses the name of a formula: its own, unless another formula has it. A name that erelong
// made up, such as range:x, is dropped.
func (e *exporter) label(of any, name string) {
	if name != "" && !strings.Contains(name, ":") {
		e.labels[of] = "[" + e.fresh(name) + "] "
	}
}

func (e *exporter) refuse(span diag.Span, format string, args ...any) *diag.Diagnostic {
	return e.errs.Errorf(diag.Unsupported, span, "mypyvy cannot express this: %s",
		fmt.Sprintf(format, args...))
}

// refuseArgument reports an argument that has no declared sort. The file need not write it: a
// message in transit has an age, and an element of a sequence has a position.
func (e *exporter) refuseArgument(s *logic.Symbol, i int) {
	const only = "only declared sorts can be arguments"
	_, written := s.Written(i)
	switch {
	case written || s.Declared == "":
		e.refuse(s.Span, "the %s has an argument of sort %s, and %s", s.Declaration(), s.Args[i],
			only)
	case strings.HasPrefix(s.Declared, "message "):
		e.refuse(s.Span, "the %s has in transit an age, %s, and %s", s.Declaration(), s.Args[i],
			only).Suggest("Write --pass untimed: without time a message has no age.")
	default:
		e.refuse(s.Span, "the %s is kept with an argument of sort %s, such as a position, and %s",
			s.Declaration(), s.Args[i], only)
	}
}

// leaveOut notes the declarations that are not part of a proof of safety.
func (e *exporter) leaveOut() {
	for _, p := range e.sys.Properties {
		if p.IsTemporal() || p.Kind == system.FbiiProof {
			e.notes = append(e.notes,
				fmt.Sprintf("%s %s in %s", p.Kind, p.Name, e.place(p.Span)))
		}
	}
	for _, a := range e.sys.Actions {
		if a.Fairness != system.Unfair {
			e.notes = append(e.notes, "the fairness of "+a.Name)
		}
	}
	for _, s := range e.sys.Scenarios {
		e.notes = append(e.notes, "the scenario in "+e.place(s.Span))
	}
	if len(e.sys.Instances)+len(e.sys.Expectations) > 0 {
		e.notes = append(e.notes, "instances and expectations")
	}
	for _, r := range e.sys.Rankings {
		e.notes = append(e.notes, "the hints in "+e.place(r.Span))
	}
}

// place is a line of the file, or of one that it includes.
func (e *exporter) place(at diag.Span) string {
	if at.Source == nil || at.Source.Name == e.sys.Name {
		return fmt.Sprintf("line %d", at.Line())
	}
	return fmt.Sprintf("line %d of %s", at.Line(), path.Base(at.Source.Name))
}

func (e *exporter) declarations() {
	e.line("")
	for _, s := range e.sys.Sorts {
		e.line("sort %s", s.Name)
		if s.Kind != logic.KindEnum {
			continue
		}
		x := &logic.Var{Name: "X", Sort: s}
		var members, covered []*logic.Term
		for i, m := range e.members[s] {
			e.line("immutable constant %s: %s", m, s.Name)
			members = append(members, logic.Member(s, i))
			covered = append(covered, logic.Eq(logic.Ref(x), members[i]))
		}
		if len(members) > 1 {
			e.line("axiom %s", e.text(logic.Distinct(members...)))
		}
		e.line("axiom %s", e.text(logic.Forall([]*logic.Var{x}, logic.Or(covered...))))
	}
	e.line("")
	for _, s := range e.sys.Symbols {
		e.symbol(s)
	}
	if e.errs.Err() != nil {
		return // a chosen function has the sorts of a symbol that is refused already
	}
	for _, a := range e.sys.Actions {
		for _, in := range a.Relation.Inputs {
			e.symbol(in)
		}
	}
	e.line("")
	for _, f := range e.sys.Axioms {
		e.line("axiom %s%s", e.labels[f], e.text(f.Term))
	}
	for _, f := range e.sys.Inits {
		e.line("init %s%s", e.labels[f], e.text(f.Term))
	}
	for _, p := range e.sys.Properties {
		if p.Kind == system.Range || p.Kind == system.Trusted {
			e.line("init %s", e.text(p.Term))
		}
	}
}

func (e *exporter) symbol(s *logic.Symbol) {
	var args []string
	for i, a := range s.Args {
		if a.Kind != logic.KindUninterpreted && a.Kind != logic.KindEnum {
			e.refuseArgument(s, i)
		}
		args = append(args, a.Name)
	}
	axiom := ""
	if s.Derived {
		axiom = e.text(e.sys.DerivedOf(s).Axiom)
	}
	s = e.symbols[s]
	signature := s.Name
	if len(args) > 0 {
		signature += "(" + strings.Join(args, ", ") + ")"
	}
	word := "immutable"
	if s.Mutable {
		word = "mutable"
	}
	switch {
	case s.Derived:
		e.line("derived relation %s: %s", signature, axiom)
	case s.Result == logic.Bool:
		e.line("%s relation %s", word, signature)
	case len(args) > 0:
		e.line("%s function %s: %s", word, signature, s.Result.Base())
	default:
		e.line("%s constant %s: %s", word, signature, s.Result.Base())
	}
}

// action writes a step as a formula with a conjunct in each line.
func (e *exporter) action(a *system.Action) {
	if a.Relation == nil {
		return
	}
	var modifies []*logic.Symbol
	var names []string
	for _, s := range slices.Concat(a.Modifies, a.Relation.Inputs) {
		modifies = append(modifies, e.symbols[s])
		names = append(names, e.symbols[s].Name)
	}
	params, leaveParams := e.bind(a.Params)
	defer leaveParams()
	choices, leaveChoices := e.bind(a.Relation.Choices)
	defer leaveChoices()
	e.line("")
	e.line("transition %s(%s)", a.Name, logic.Printer{}.Vars(params))
	if len(modifies) > 0 {
		e.line("  modifies %s", strings.Join(names, ", "))
	} else {
		e.line("  =")
	}

	var parts []*logic.Term
	for _, v := range slices.Concat(a.Params, a.Relation.Choices) {
		parts = append(parts, e.term(logic.InSort(v.Sort, logic.Ref(v))))
	}
	for _, g := range a.Relation.Guard {
		parts = append(parts, e.term(g))
	}
	for _, u := range a.Relation.Updates {
		parts = append(parts, e.term(u.Formula()))
	}
	for _, p := range e.sys.Properties {
		if p.Kind == system.Trusted {
			parts = append(parts, e.term(p.Term), e.term(after(p.Term, a)))
		}
	}
	for _, s := range modifies { // mypyvy requires that each is mentioned
		if !slices.ContainsFunc(parts, func(t *logic.Term) bool {
			return logic.Occurs(t, s, logic.Post)
		}) {
			parts = append(parts, e.mention(s))
		}
	}
	if len(choices) > 0 {
		e.line("  exists %s.", logic.Printer{}.Vars(choices))
	}
	parts = slices.DeleteFunc(parts, (*logic.Term).IsTrue)
	if len(parts) == 0 {
		parts = append(parts, logic.True)
	}
	for _, t := range parts {
		e.line("  & (%s)", logic.Printer{Flat: true}.Term(t))
	}
}

// after gives a formula over the state after the action from the same formula over the state before
// it.
func after(t *logic.Term, a *system.Action) *logic.Term {
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Op != logic.OpApp || !t.Symbol.Derived && !slices.Contains(a.Modifies, t.Symbol) {
			return t
		}
		return logic.Shift(t, logic.Post)
	})
}

// mention is a true formula that mentions the new value of a symbol.
func (e *exporter) mention(s *logic.Symbol) *logic.Term {
	vars := make([]*logic.Var, len(s.Args))
	for i, a := range s.Args {
		vars[i] = &logic.Var{Name: "X" + strconv.Itoa(i+1), Sort: a}
	}
	vars, leave := e.bind(vars)
	defer leave()
	app := func() *logic.Term { return logic.App(s, logic.Post, logic.Refs(vars)...) }
	return logic.Forall(vars, logic.Eq(app(), app()))
}

func (e *exporter) properties() {
	e.line("")
	for _, p := range e.sys.Properties {
		word := string(p.Kind)
		switch p.Kind {
		case system.Safety, system.Invariant:
		case system.Range, system.Argument, system.Defined:
			word = string(system.Invariant)
		case system.Trusted:
			e.line("# Trusted: it is a condition on initial states and on steps.")
			word = string(system.Invariant)
		case system.Theorem:
			word = []string{"zerostate", "onestate", "twostate"}[p.States] + " theorem"
		default:
			continue
		}
		if p.Kind != system.Theorem && logic.MaxStep(p.Term) < 0 {
			e.refuse(p.Span, "the %s '%s' speaks of nothing mutable", word, p.Name)
		}
		e.line("%s %s%s", word, e.labels[p], e.text(p.Term))
	}
}

func (e *exporter) text(t *logic.Term) string { return logic.Printer{Flat: true}.Term(e.term(t)) }

// bind enters variables with names that nothing global and no other variable in scope has: mypyvy
// refuses shadowing. Variables of ranges become integers; the caller adds the conditions on them.
func (e *exporter) bind(vars []*logic.Var) (out []*logic.Var, leave func()) {
	for _, v := range vars {
		name := v.Name
		for i := 1; e.globals[name] || e.scope[name]; i++ {
			name = v.Name + strconv.Itoa(i)
		}
		w := &logic.Var{Name: name, Sort: v.Sort.Base()}
		e.scope[name], e.vars[v] = true, w
		out = append(out, w)
	}
	return out, func() {
		for i, v := range vars {
			delete(e.scope, out[i].Name)
			delete(e.vars, v)
		}
	}
}

// term rewrites constructs that mypyvy's language does not have.
func (e *exporter) term(t *logic.Term) *logic.Term {
	out := *t
	switch t.Op {
	case logic.OpVar:
		return logic.Ref(e.vars[t.Var])
	case logic.OpForall, logic.OpExists:
		vars, leave := e.bind(t.Vars)
		defer leave()
		inside := logic.True
		for _, v := range t.Vars {
			inside = logic.And(inside, e.term(logic.InSort(v.Sort, logic.Ref(v))))
		}
		body := e.term(t.Args[0])
		if t.Op == logic.OpForall {
			return logic.Forall(vars, logic.Implies(inside, body))
		}
		return logic.Exists(vars, logic.And(inside, body))
	case logic.OpLet:
		value := e.term(t.Args[0])
		vars, leave := e.bind(t.Vars)
		defer leave()
		return logic.Let(vars[0], value, e.term(t.Args[1]))
	case logic.OpInt:
		if t.Int.Sign() < 0 {
			return logic.Sub(logic.IntLit(0), logic.BigLit(new(big.Int).Neg(t.Int)))
		}
		return t
	case logic.OpDiv, logic.OpMod:
		e.refuse(t.Span, "mypyvy's language has no division")
	case logic.OpNeg:
		return logic.Sub(logic.IntLit(0), e.term(t.Args[0]))
	case logic.OpApp:
		out.Symbol = e.symbols[t.Symbol]
		if out.Symbol.Mutable && !t.Symbol.Mutable {
			out.Step = logic.Post // the choice is made in the step
		}
	case logic.OpMember:
		return logic.App(e.members[t.Sort][t.Index], logic.Pre)
	case logic.OpTrue, logic.OpFalse, logic.OpNot, logic.OpAnd, logic.OpOr, logic.OpImplies,
		logic.OpIff, logic.OpEq, logic.OpDistinct, logic.OpLt, logic.OpLe, logic.OpAdd,
		logic.OpSub, logic.OpMul, logic.OpIte: // as in our language
	default:
		e.refuse(t.Span, "mypyvy's language has no %s", t.Op)
	}
	out.Args = make([]*logic.Term, len(t.Args))
	for i, a := range t.Args {
		out.Args[i] = e.term(a)
	}
	return &out
}
