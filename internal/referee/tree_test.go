// Package referee compares all engines with a second reading of the language, on random
// specifications.
//
// A specification is generated as a tree of this package's own, and written down as text. The text
// goes the whole way: parser, checker, intermediate representation, engines. The tree is evaluated
// here, by the obvious recursion over values, statements and quantifiers; all reachable states are
// found by brute force; and temporal properties are decided by looking at strongly connected
// components, which are found by reachability alone. Nothing is shared with packages ere, system,
// interp and compile.
//
// What it cannot see: errors in text that the generator does not write (precedence, since
// everything is in parentheses; layouts; messages), sorts of more than three elements, functions of
// more than one argument, numbers beyond small ones, trusted invariants, scenarios, certificates;
// reductions that need larger systems (partial order reduction leaves something out in one of
// twenty specifications); and a misunderstanding of the language that both readings share.
package referee

import (
	"fmt"
	"strings"
)

// sort is a finite set of values 0, 1, ..., or for ranges lo, ..., hi. Integers have no bounds.
type sort struct {
	name   string // as in the text
	values []int
	write  func(v int) string
	number bool
}

func numbers(lo, hi int) *sort {
	s := &sort{name: fmt.Sprintf("%d..%d", lo, hi), number: true, write: number}
	for v := lo; v <= hi; v++ {
		s.values = append(s.values, v)
	}
	return s
}

func number(v int) string {
	if v < 0 {
		return fmt.Sprintf("(-%d)", -v)
	}
	return fmt.Sprint(v)
}

func (s *sort) has(v int) bool {
	return s.values == nil || v >= s.values[0] && v <= s.values[len(s.values)-1]
}

var (
	boolean = &sort{name: "bool", values: []int{0, 1}, write: func(v int) string {
		return [...]string{"false", "true"}[v]
	}}
	integer = &sort{name: "int", number: true, write: number}
	colour  = &sort{name: "colour", values: []int{0, 1, 2}, write: func(v int) string {
		return [...]string{"red", "green", "blue"}[v]
	}}
	node = &sort{name: "node", values: []int{0, 1}}
)

// symbol is a constant, or a function or relation of one argument.
type symbol struct {
	name    string
	arg     *sort // nil for a constant
	result  *sort
	mutable bool
	body    *expr // of a derived relation, or a definition, of the variable param
	param   string
	slot    int // of its first value in a state
}

func (s *symbol) points() []int {
	if s.arg == nil {
		return []int{0}
	}
	return s.arg.values
}

// expr is a formula or a term.
type expr struct {
	// "lit", "var", "sym", "old", "new", "not", "neg", "if", "forall", "exists", or a binary
	// operator as it is written
	op    string
	sort  *sort
	value int
	name  string // of a variable
	sym   *symbol
	bound *sort
	args  []*expr
}

func (e *expr) String() string {
	switch e.op {
	case "lit":
		return e.sort.write(e.value)
	case "var":
		return e.name
	case "sym", "old", "new":
		text := e.sym.name
		if len(e.args) > 0 {
			text += "(" + e.args[0].String() + ")"
		}
		if e.op != "sym" {
			text = e.op + "(" + text + ")"
		}
		return text
	case "not":
		return fmt.Sprintf("!(%v)", e.args[0])
	case "neg":
		return fmt.Sprintf("(-(%v))", e.args[0])
	case "if":
		return fmt.Sprintf("(if %v then %v else %v)", e.args[0], e.args[1], e.args[2])
	case "forall", "exists":
		return fmt.Sprintf("(%s %s: %s. %v)", e.op, e.name, e.bound.name, e.args[0])
	}
	return fmt.Sprintf("(%v %s %v)", e.args[0], e.op, e.args[1])
}

// stmt is a statement.
type stmt struct {
	op         string // "require", "assign", "all", "havoc", "if", "let", "choose"
	sym        *symbol
	arg        *expr // of an assigned point; nil for a constant
	value      *expr // or condition
	name       string
	over       *sort // of a chosen value
	then, othe []*stmt
}

func write(stmts []*stmt, indent string) string {
	var out strings.Builder
	for _, s := range stmts {
		target := ""
		if s.sym != nil {
			target = s.sym.name
			if s.arg != nil {
				target += "(" + s.arg.String() + ")"
			}
		}
		switch s.op {
		case "require":
			fmt.Fprintf(&out, "%srequire %v;\n", indent, s.value)
		case "assign":
			fmt.Fprintf(&out, "%s%s := %v;\n", indent, target, s.value)
		case "all":
			fmt.Fprintf(&out, "%s%s(X) := %v;\n", indent, s.sym.name, s.value)
		case "havoc":
			fmt.Fprintf(&out, "%s%s := *;\n", indent, target)
		case "let":
			fmt.Fprintf(&out, "%slet %s = %v;\n", indent, s.name, s.value)
		case "if":
			fmt.Fprintf(&out, "%sif %v {\n%s%s}", indent, s.value, write(s.then, indent+"  "),
				indent)
			if s.othe != nil {
				fmt.Fprintf(&out, " else {\n%s%s}", write(s.othe, indent+"  "), indent)
			}
			out.WriteString("\n")
		case "choose":
			fmt.Fprintf(&out, "%schoose %s: %s with %v {\n%s%s}\n", indent, s.name, s.over.name,
				s.value, write(s.then, indent+"  "), indent)
		}
	}
	return out.String()
}

// action is a program, or with a formula a transition.
type action struct {
	name     string
	params   []string
	sorts    []*sort
	fair     string // "", "fair ", "strong fair "
	fairIf   *expr  // over the state and the parameters; nil is always
	body     []*stmt
	formula  *expr
	modifies []*symbol
}

// property is a claim of states, or of runs: then p and q are formulas of states.
type property struct {
	// safety, invariant; or a shape: "always eventually", "eventually always", "leads to"
	kind, name string
	p, q       *expr
}

// spec is a specification.
type spec struct {
	symbols     []*symbol // with slots
	derived     []*symbol
	definitions []*symbol
	axioms      []*expr
	inits       []*expr
	actions     []*action
	properties  []*property
	slots       int
}

func (s *spec) String() string {
	var out strings.Builder
	out.WriteString("sort node\nenum colour { red, green, blue }\n")
	for _, x := range s.symbols {
		kind := "immutable"
		if x.mutable {
			kind = "mutable"
		}
		fmt.Fprintf(&out, "%s %s\n", kind, x.declaration())
	}
	for _, x := range s.derived {
		fmt.Fprintf(&out, "derived %s: ", x.declaration())
		if x.arg != nil {
			fmt.Fprintf(&out, "forall %[1]s: %[2]s. (%[3]s(%[1]s) <-> %[4]v)\n", x.param,
				x.arg.name, x.name, x.body)
		} else {
			fmt.Fprintf(&out, "%s <-> %v\n", x.name, x.body)
		}
	}
	for _, x := range s.definitions {
		fmt.Fprintf(&out, "definition %s(%s: %s) = %v\n", x.name, x.param, x.arg.name, x.body)
	}
	for _, e := range s.axioms {
		fmt.Fprintf(&out, "axiom %v\n", e)
	}
	for _, e := range s.inits {
		fmt.Fprintf(&out, "init %v\n", e)
	}
	for _, a := range s.actions {
		var params []string
		for i, p := range a.params {
			params = append(params, p+": "+a.sorts[i].name)
		}
		before, after := a.fair, ""
		if a.fairIf != nil {
			before, after = "", fmt.Sprintf(" %sif %v", a.fair, a.fairIf)
		}
		if a.formula != nil {
			var names []string
			for _, m := range a.modifies {
				names = append(names, m.name)
			}
			fmt.Fprintf(&out, "%stransition %s(%s)%s\n  modifies %s\n  %v\n", before, a.name,
				strings.Join(params, ", "), after, strings.Join(names, ", "), a.formula)
			continue
		}
		fmt.Fprintf(&out, "%saction %s(%s)%s {\n%s}\n", before, a.name,
			strings.Join(params, ", "), after, write(a.body, "  "))
	}
	for _, p := range s.properties {
		switch p.kind {
		case "always eventually":
			fmt.Fprintf(&out, "temporal [%s] always eventually (%v)\n", p.name, p.q)
		case "eventually always":
			fmt.Fprintf(&out, "temporal [%s] eventually always (%v)\n", p.name, p.q)
		case "leads to":
			fmt.Fprintf(&out, "liveness [%s] (%v) ~> (%v)\n", p.name, p.p, p.q)
		case "leads":
			fmt.Fprintf(&out, "temporal [%s] always ((%v) -> (eventually (%v)))\n", p.name, p.p,
				p.q)
		default:
			fmt.Fprintf(&out, "%s [%s] %v\n", p.kind, p.name, p.p)
		}
	}
	out.WriteString("instance i { node = 2 }\n")
	return out.String()
}

func (x *symbol) declaration() string {
	kind, arg, result := "constant", "", ": "+x.result.name
	if x.arg != nil {
		kind, arg = "function", "("+x.arg.name+")"
	}
	if x.result == boolean {
		kind, result = "relation", ""
	}
	return kind + " " + x.name + arg + result
}
