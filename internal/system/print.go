package system

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/logic"
)

// String prints the system in erelong's syntax as far as possible, each action in both renderings.
// It prints no positions, so texts that differ only in their layout print the same.
func (s *System) String() string {
	d := &dump{globals: globals(s)}
	d.sorts(s.Sorts)
	d.section()
	for _, sym := range s.Symbols {
		def := s.DerivedOf(sym)
		if def == nil {
			d.line("%s", declaration(sym))
			continue
		}
		if p := def.Predicate; p != nil {
			d.line("%s # predicate %d, of a %s", declaration(sym), p.Number, p.kind())
			continue
		}
		if f := def.Fold; f != nil {
			p := newNaming(d.globals).declare(slices.Concat(def.Vars, f.Over))
			d.line("%s # %s of %s where %s", declaration(sym), f.Kind, p.Term(f.Value),
				p.Term(f.Cond))
			continue
		}
		d.line("%s: %s", declaration(sym), def.Axiom)
		if def.Body != nil {
			p := newNaming(d.globals).declare(def.Vars)
			d.line("  # evaluated as %s",
				p.Term(&logic.Term{Op: logic.OpEq,
					Args: []*logic.Term{logic.App(sym, logic.Pre, logic.Refs(def.Vars)...),
						def.Body}}))
		}
	}
	d.section()
	for _, f := range s.Axioms {
		d.line("axiom %s%s", label(f.Name), f.Term)
	}
	for _, f := range s.Inits {
		d.line("init %s%s", label(f.Name), f.Term)
	}
	for _, a := range s.Actions {
		d.section()
		d.action(a)
	}
	d.section()
	for _, p := range s.Properties {
		word := string(p.Kind)
		switch p.Kind {
		case Trusted:
			word = "trusted invariant"
		case Theorem:
			word = []string{"zerostate ", "", "twostate "}[min(max(p.States, 0), 2)] + word
		}
		d.line("%s %s%s", word, label(p.Name), p.Term)
	}
	for _, t := range s.Scenarios {
		d.section()
		d.scenario(t)
	}
	d.section()
	for _, in := range s.Instances {
		d.instance(s, in)
	}
	for _, e := range s.Expectations {
		line := fmt.Sprintf("expect [%s] %s", layoutFree(e.Property), e.Verdict)
		if e.Instance != nil {
			line += " in " + e.Instance.Name
		}
		if e.States != nil {
			line += " states " + e.States.String()
		}
		if e.Depth != nil {
			line += " depth " + e.Depth.String()
		}
		d.line("%s", line)
	}
	for _, r := range s.Rankings {
		d.ranking(r)
	}
	if s.Computed != nil {
		d.computation(s.Computed)
	}
	return d.out.String()
}

func (d *dump) sorts(sorts []*logic.Sort) {
	for _, t := range sorts {
		switch t.Kind {
		case logic.KindEnum:
			d.line("enum %s { %s }", t.Name, strings.Join(t.Members, ", "))
		case logic.KindInterned:
			d.line("sort %s # computed values", t.Name)
		default:
			text := "sort " + t.Name
			if t.Extent != logic.AnySize {
				text += " @" + string(t.Extent)
			}
			d.line("%s", text)
		}
	}
}

// HintText writes hints in the words of the language.
func (s *System) HintText(r *Ranking) string {
	d := &dump{globals: globals(s)}
	d.ranking(r)
	return d.out.String()
}

// dump collects lines. A section starts with an empty line, unless the text so far ends with one.
type dump struct {
	out    strings.Builder
	indent string
	gap    bool

	globals map[string]bool // names of the system
}

func (d *dump) section() { d.gap = d.out.Len() > 0 }

func (d *dump) line(format string, args ...any) {
	if d.gap {
		d.out.WriteByte('\n')
		d.gap = false
	}
	d.out.WriteString(d.indent)
	fmt.Fprintf(&d.out, format, args...)
	d.out.WriteByte('\n')
}

func (d *dump) nested(f func()) {
	outer := d.indent
	d.indent += "  "
	f()
	d.indent = outer
}

// lineName matches the names of unnamed properties and scenarios: KIND:LINE.
var lineName = regexp.MustCompile(`^([a-z ]+):[0-9]+(\.[0-9]+)?$`)

func layoutFree(name string) string { return lineName.ReplaceAllString(name, "$1:#") }

func label(name string) string {
	if name == "" {
		return ""
	}
	return "[" + layoutFree(name) + "] "
}

// declaration prints the declaration of a symbol.
func declaration(s *logic.Symbol) string {
	words := []string{"immutable"}
	switch {
	case s.Derived:
		words = []string{"derived"}
	case s.Mutable:
		words = []string{"mutable"}
	}
	if s.Ghost {
		words = slices.Insert(words, 0, "ghost")
	}
	return strings.Join(words, " ") + " " + s.Kind.String() + " " + signature(s)
}

func signature(s *logic.Symbol) string {
	out := s.Name
	if len(s.Args) > 0 {
		args := make([]string, len(s.Args))
		for i, a := range s.Args {
			args[i] = logic.SortText(a)
		}
		out += "(" + strings.Join(args, ", ") + ")"
	}
	if s.Kind != logic.Relation {
		out += ": " + logic.SortText(s.Result)
	}
	return out
}

// naming gives each variable of one action a name of its own.
type naming struct {
	names   map[*logic.Var]string
	taken   map[string]bool // of variables
	globals map[string]bool // names of the system, which all namings share
}

// globals are the names of a system that no variable has.
func globals(s *System) map[string]bool {
	out := map[string]bool{}
	for _, sym := range s.Symbols {
		out[sym.Name] = true
	}
	for _, sort := range s.Sorts {
		for _, m := range sort.Members {
			out[m] = true
		}
	}
	return out
}

func newNaming(globals map[string]bool) *naming {
	return &naming{map[*logic.Var]string{}, map[string]bool{}, globals}
}

// declare names variables, and returns a printer that has the names.
func (n *naming) declare(vs []*logic.Var) logic.Printer {
	for _, v := range vs {
		name := v.Name
		for i := 1; n.taken[name] || n.globals[name]; i++ {
			name = v.Name + strconv.Itoa(i)
		}
		n.names[v], n.taken[name] = name, true
	}
	return logic.Printer{Names: n.names, Flat: true}
}

// inner is for a nested scope: its declarations do not concern the outer scope.
func (n *naming) inner() *naming {
	return &naming{maps.Clone(n.names), maps.Clone(n.taken), n.globals}
}

func (d *dump) action(a *Action) {
	fairness := []string{"", "fair ", "strong fair "}[min(max(int(a.Fairness), 0), 2)]
	n := newNaming(d.globals)
	printer := n.declare(a.Params)
	if params := printer.Vars(a.Params); a.FairIf == nil {
		d.line("%saction %s(%s)", fairness, a.Name, params)
	} else {
		d.line("action %s(%s) %sif %s", a.Name, params, fairness, printer.Term(a.FairIf))
	}
	d.nested(func() {
		if len(a.Modifies) > 0 {
			names := make([]string, len(a.Modifies))
			for i, m := range a.Modifies {
				names[i] = m.Name
			}
			d.line("modifies %s", strings.Join(names, ", "))
		}
		written := func(code bool) string {
			if code == a.Imperative {
				return ", as written"
			}
			return ""
		}
		if a.Relation != nil {
			d.line("# relation%s", written(false))
			d.relation(n.inner(), a.Relation)
		}
		if a.Code != nil || a.Imperative {
			d.line("# code%s", written(true))
			d.code(n.inner(), a.Code, new(bool))
		}
	})
}

func (d *dump) relation(n *naming, r *Relation) {
	p := n.declare(r.Choices)
	if len(r.Choices) > 0 {
		d.line("exists %s", p.Vars(r.Choices))
	}
	for _, in := range r.Inputs {
		d.line("any %s %s", in.Kind, signature(in))
	}
	for _, g := range r.Guard {
		d.line("%s", p.Term(g))
	}
	for _, u := range r.Updates {
		d.line("%s", p.Term(u.Formula()))
	}
}

// code prints statements. Until a statement changes the state, the state in which the action began
// is the current state, so old(...) is not printed; changed records this.
func (d *dump) code(n *naming, code []Stmt, changed *bool) {
	for _, stmt := range code {
		style := logic.Stateless
		if *changed {
			style = logic.Program
		}
		p := logic.Printer{Style: style, Names: n.names, Flat: true}
		target := func(
			sym *logic.Symbol, vars []*logic.Var, args []*logic.Term,
		) (logic.Printer, string) {
			q := n.inner().declare(vars)
			q.Style = style
			app := &logic.Term{Op: logic.OpApp, Sort: sym.Result.Base(), Symbol: sym,
				Step: logic.Post, Args: args}
			return q, q.Term(app)
		}
		switch s := stmt.(type) {
		case Require:
			d.line("require %s;", p.Term(s.Cond))
		case Assign:
			if len(s.Updates) == 1 {
				q, t := target(s.Updates[0].Symbol, s.Updates[0].Vars, s.Updates[0].Args)
				d.line("%s := %s;", t, q.Term(s.Updates[0].Value))
			} else {
				d.line("# at once:")
				d.nested(func() {
					for _, u := range s.Updates {
						q, t := target(u.Symbol, u.Vars, u.Args)
						d.line("%s := %s;", t, q.Term(u.Value))
					}
				})
			}
			*changed = true
		case Havoc:
			_, t := target(s.Symbol, s.Vars, s.Args)
			d.line("%s := *;", t)
			*changed = true
		case Choose:
			q := n.declare([]*logic.Var{s.Var})
			q.Style = style
			such := ""
			if !s.Such.IsTrue() {
				such = " with " + q.Term(s.Such)
			}
			d.line("choose %s%s;", q.Vars([]*logic.Var{s.Var}), such)
		case Let:
			value := p.Term(s.Value)
			d.line("let %s = %s;", n.declare([]*logic.Var{s.Var}).Vars([]*logic.Var{s.Var}), value)
		case If:
			yes, no := *changed, *changed
			d.line("if %s {", p.Term(s.Cond))
			d.nested(func() { d.code(n.inner(), s.Then, &yes) })
			if len(s.Else) > 0 {
				d.line("} else {")
				d.nested(func() { d.code(n.inner(), s.Else, &no) })
			}
			d.line("}")
			*changed = yes || no
		}
	}
}

func (d *dump) scenario(t *Scenario) {
	word := "unsat"
	if t.Sat {
		word = "sat"
	}
	d.line("# %s", layoutFree(t.Name))
	d.line("%s trace {", word)
	d.nested(func() {
		for _, p := range t.Components {
			switch {
			case p.Assert != nil:
				d.line("assert %s", p.Assert)
			case p.Any:
				d.line("any transition")
			default:
				calls := make([]string, len(p.Calls))
				for i, c := range p.Calls {
					calls[i] = c.String()
				}
				d.line("%s", strings.Join(calls, " | "))
			}
		}
	})
	d.line("}")
}

// String prints a call, with * for a free argument.
func (c ActionCall) String() string {
	args := make([]string, len(c.Action.Params))
	for i := range args {
		args[i] = "*"
		if i < len(c.Args) && c.Args[i] != nil {
			args[i] = c.Args[i].String()
		}
	}
	return c.Action.Name + "(" + strings.Join(args, ", ") + ")"
}

func (d *dump) instance(s *System, in *Instance) {
	var items []string
	for _, sort := range s.Sorts {
		if n, ok := in.Sizes[sort]; ok {
			items = append(items, fmt.Sprintf("%s = %d", sort, n))
		}
	}
	for _, sym := range s.Symbols {
		if v, ok := in.Values[sym]; ok {
			items = append(items, fmt.Sprintf("%s = %s", sym, v))
		}
	}
	for _, f := range in.Facts {
		items = append(items, f.Term.String())
	}
	d.line("instance %s { %s }", in.Name, strings.Join(items, ", "))
}
