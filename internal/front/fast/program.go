package fast

import (
	"maps"
	"slices"

	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/system"
)

// Program is the strategies of a file as programs that compute with regions.
type Program struct {
	// System is the model: each transition is an action, every state is initial, and the formulas
	// of regions are properties.
	System     *system.System
	Procedures []Procedure
}

// Procedure is a strategy.
type Procedure struct {
	Name string
	Body []Command
}

// Command is a statement.
type Command struct {
	Op    Op
	Line  int
	Name  string    // of the variable that Let changes
	Value *Value    // of Let and Print; the condition of If and While
	Text  string    // that Print prints where it has no value
	Then  []Command // also the body of While
	Else  []Command
}

// Op is the kind of a statement.
type Op int

const (
	Let Op = iota
	Print
	If
	While
)

// Kind is the kind of a value.
type Kind int

const (
	Region Kind = iota
	Transitions
	Boolean
)

// Value is an expression. Op is name, {} (a formula or transitions), true, false, !, &&, ||, post*,
// pre*, subSet, isEmpty or equal.
type Value struct {
	Kind    Kind
	Op      string
	Name    string   // of a variable, or of the property that is the formula of a region
	Actions []string // of {}
	Args    []*Value
	// Claim is the name of a test that no property of a system is about, empty for another one.
	Claim string
	Line  int
}

// program is a Program whose system is not checked yet.
type program struct {
	file       *syntax.File
	procedures []Procedure
}

// programmer writes the program of strategies that a runner has followed, so that they are right.
type programmer struct {
	*runner
	all   question
	kinds map[string]Kind
}

func (r *runner) program(strategies []*strategyDecl) *program {
	p := &programmer{runner: r, all: question{span: r.m.states[0].span,
		init:        &syntax.Expr{Kind: syntax.ExprTrue, Span: r.m.states[0].span},
		transitions: slices.Sorted(maps.Keys(r.m.transitions))}}
	out := &program{}
	for _, s := range strategies {
		p.kinds = map[string]Kind{}
		out.procedures = append(out.procedures, Procedure{s.name.text, p.commands(s.body)})
	}
	out.file = r.m.specification(&p.all)
	return out
}

func (p *programmer) commands(body []stmt) (out []Command) {
	for _, s := range body {
		switch s := s.(type) {
		case *letStmt:
			n := s.name.text
			if k, ok := map[string]Kind{"Region": Region, "Transitions": Transitions,
				"boolean": Boolean}[s.kind]; ok {
				p.kinds[n] = k
			}
			out = append(out, Command{Op: Let, Line: s.name.span.Line(), Name: n,
				Value: p.value(s.value, p.kinds[n])})
		case *printStmt:
			c := Command{Op: Print, Line: s.span.Line(), Text: s.text}
			if s.value != nil {
				kind := Region
				if s.value.op == opName {
					kind = p.kinds[s.value.name]
				}
				c.Value = p.value(s.value, kind)
			}
			out = append(out, c)
		case *ifStmt:
			out = append(out, Command{Op: If, Line: s.span.Line(), Value: p.value(s.cond, Boolean),
				Then: p.commands(s.then), Else: p.commands(s.rest)})
		case *whileStmt:
			out = append(out, Command{Op: While, Line: s.span.Line(),
				Value: p.value(s.cond, Boolean), Then: p.commands(s.body)})
		}
	}
	return out
}

func (p *programmer) value(e *expr, kind Kind) *Value {
	v := &Value{Kind: kind, Op: e.op, Name: e.name, Claim: p.claims[e], Line: e.span.Line()}
	switch {
	case e.op == opBraces && kind == Transitions:
		for _, a := range e.args {
			v.Actions = append(v.Actions, a.name)
		}
		return v
	case e.op == opBraces:
		v.Name = p.unused("region", e)
		p.all.claims = append(p.all.claims,
			claim{name: v.Name, span: e.span, holds: p.m.formula(e.args[0], true)})
		return v
	}
	kinds := map[string][]Kind{"post*": {Region, Transitions}, "pre*": {Region, Transitions},
		"subSet": {Region, Region}, "equal": {Region, Region}, "isEmpty": {Region},
		"!": {kind}, "&&": {kind, kind}, "||": {kind, kind}}[e.op]
	for i, k := range kinds {
		v.Args = append(v.Args, p.value(e.args[i], k))
	}
	return v
}
