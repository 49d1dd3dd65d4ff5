package oracletest

import (
	"maps"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/front/ere/syntax"
)

// Machine is a file with sizes for its sorts.
type Machine struct {
	sorts        map[string][]Value // elements of sorts, members of enums
	types        map[string]*syntax.SortExpr
	constructors map[string]bool
	fields       map[string][]string // of constructors
	symbols      map[string]*syntax.SymbolDecl
	names        []string // of symbols, in order
	definitions  map[string]*syntax.DefinitionDecl
	actions      []*syntax.ActionDecl
	inits        []*syntax.Expr
	properties   []*syntax.FormulaDecl
	overflow     bool // some step left a range
	passing      bool // some statement did
}

// New reads a file. Sizes are the numbers of elements of its sorts.
func New(file *syntax.File, sizes map[string]int) *Machine {
	m := &Machine{sorts: map[string][]Value{}, types: map[string]*syntax.SortExpr{},
		constructors: map[string]bool{}, fields: map[string][]string{},
		symbols:     map[string]*syntax.SymbolDecl{},
		definitions: map[string]*syntax.DefinitionDecl{}}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *syntax.SortDecl:
			for i := range sizes[d.Name.Text] {
				m.sorts[d.Name.Text] = append(m.sorts[d.Name.Text],
					Made{Name: d.Name.Text + string(rune('0'+i))})
			}
		case *syntax.EnumDecl:
			for _, n := range d.Members {
				m.sorts[d.Name.Text] = append(m.sorts[d.Name.Text], Made{Name: n.Text})
			}
		case *syntax.TypeDecl:
			m.types[d.Name.Text] = d.Sort
			if d.Sort.Data != nil {
				for _, c := range d.Sort.Data.Cases {
					m.constructors[c.Name.Text] = true
					for _, f := range c.Fields {
						m.fields[c.Name.Text] = append(m.fields[c.Name.Text], f.Text)
					}
				}
			}
		case *syntax.SymbolDecl:
			m.symbols[d.Name.Text] = d
			m.names = append(m.names, d.Name.Text)
		case *syntax.DefinitionDecl:
			m.definitions[d.Name.Text] = d
		case *syntax.ActionDecl:
			m.actions = append(m.actions, d)
		case *syntax.FormulaDecl:
			if d.Word == "init" {
				m.inits = append(m.inits, d.Expr)
			} else {
				m.properties = append(m.properties, d)
			}
		}
	}
	return m
}

// State has the values of the points of symbols. It does not change.
type State map[string]Value

// point is the key of a symbol with arguments.
func point(name string, args []Value) string {
	if len(args) == 0 {
		return name
	}
	t := Text(Record{make([]string, len(args)), args})
	return name + t
}

// Key is the text of a state.
func (s State) Key() string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(s)) {
		b.WriteString(k + "=" + Text(s[k]) + "\n")
	}
	return b.String()
}

// Shown gives the values of all symbols as traces write them, with the entries of a function or
// relation in the order of their texts.
func (m *Machine) Shown(s State) map[string]string {
	out := map[string]string{}
	for _, name := range m.names {
		d := m.symbols[name]
		if len(d.Args) == 0 {
			out[name] = Text(s[name])
			continue
		}
		var parts []string
		for _, args := range m.points(d) {
			v := s[point(name, args)]
			key := Text(args[0])
			if len(args) > 1 {
				var texts []string
				for _, a := range args {
					texts = append(texts, Text(a))
				}
				key = "(" + strings.Join(texts, ", ") + ")"
			}
			if d.Result != nil {
				parts = append(parts, key+": "+Text(v))
			} else if v.(bool) {
				parts = append(parts, key)
			}
		}
		slices.Sort(parts)
		out[name] = "{" + strings.Join(parts, ", ") + "}"
	}
	return out
}

// points lists the arguments of a symbol.
func (m *Machine) points(d *syntax.SymbolDecl) (out [][]Value) {
	for _, v := range m.product(d.Args, func(vs []Value) Value { return Seq(vs) }) {
		out = append(out, v.(Seq))
	}
	return out
}

func resultOf(d *syntax.SymbolDecl) *syntax.SortExpr {
	if d.Result != nil {
		return d.Result
	}
	return &syntax.SortExpr{Name: "bool"}
}

// Initial lists the initial states. Init gives a symbol its values by an equation; one without may
// have any value of its type.
func (m *Machine) Initial() []State {
	given := map[string]bool{}
	for _, x := range m.inits {
		given[target(x)] = true
	}
	out := []State{{}}
	for _, name := range m.names {
		if given[name] {
			continue
		}
		d := m.symbols[name]
		for _, args := range m.points(d) {
			var next []State
			for _, v := range m.domain(resultOf(d)) {
				for _, s := range out {
					s = maps.Clone(s)
					s[point(name, args)] = v
					next = append(next, s)
				}
			}
			out = next
		}
	}
	for _, s := range out {
		for _, x := range m.inits {
			m.capitals(x, nil, func(vars *scope) { m.equation(x, vars, s) })
		}
	}
	return out
}

// target is the symbol that an initial condition is about.
func target(x *syntax.Expr) string {
	for x.Kind != syntax.ExprName {
		x = x.Args[0]
	}
	return x.Name.Text
}

// equation enters what an initial condition says: `f(x) = e`, `f(x)`, `!f(x)` or a quantifier
// around one.
func (m *Machine) equation(x *syntax.Expr, s *scope, to State) {
	e := &evaluator{m: m, now: to}
	var v Value = true
	switch x.Kind {
	case syntax.ExprForall:
		e.bind(x.Binders, s, func(s *scope) { m.equation(x.Args[0], s, to) })
		return
	case syntax.ExprEq:
		v = e.eval(x.Args[1], s)
		x = x.Args[0]
	case syntax.ExprNot:
		v, x = false, x.Args[0]
	}
	to[point(x.Name.Text, e.all(x.Args, s))] = v
}

// capitals calls a function for all values of the capital letters of a formula that nothing
// declares.
func (m *Machine) capitals(x *syntax.Expr, s *scope, body func(*scope)) {
	free := map[string]*syntax.SortExpr{}
	m.findCapitals(x, s, nil, free)
	var bs []*syntax.Binder
	for _, name := range slices.Sorted(maps.Keys(free)) {
		bs = append(bs, &syntax.Binder{Name: syntax.Name{Text: name}, Sort: free[name]})
	}
	(&evaluator{m: m}).bind(bs, s, body)
}

// findCapitals finds the capital letters and their types, as arguments of symbols and definitions.
func (m *Machine) findCapitals(
	x *syntax.Expr, s *scope, sort *syntax.SortExpr, free map[string]*syntax.SortExpr,
) {
	if x.Kind == syntax.ExprName && !x.Applied && syntax.IsCapital(x.Name.Text) &&
		s.find(x.Name.Text) == nil && m.symbols[x.Name.Text] == nil {
		if sort != nil {
			free[x.Name.Text] = sort
		}
		return
	}
	for _, b := range x.Binders {
		if b.In != nil {
			m.findCapitals(b.In, s, nil, free)
		}
		s = s.with(b.Name.Text, nil)
	}
	for i, a := range x.Args {
		var of *syntax.SortExpr
		if d := m.symbols[x.Name.Text]; x.Applied && d != nil {
			of = d.Args[i]
		} else if d := m.definitions[x.Name.Text]; x.Applied && d != nil {
			of = d.Params[i].Sort
		}
		m.findCapitals(a, s, of, free)
	}
	for _, a := range x.Arms {
		inner := s
		for _, b := range a.Variables {
			inner = inner.with(b.Name.Text, nil)
		}
		m.findCapitals(a.Value, inner, nil, free)
	}
}
