package eval

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// compiler makes closures of nodes. A node that stands at several places is compiled once.
type compiler struct {
	*Program
	codes       map[core.Node]Code
	tests       map[core.Node]Test
	procedures  map[*core.Procedure]*procedure
	frame       int
	shared      int
	places      map[int]int // of shared nodes: their index in a machine
	constants   []*constant
	readings    map[core.Node]*reading
	sides       map[core.Node]*reading // what is computed of one side of a step
	lets        *let                   // in scope
	memories    int
	sites       int
	selections  int
	listings    int // the constant sets of bindings
	lists       int // the ones from which variables get values
	projections int // the actions whose steps are remembered, and formulas
	claims      int
}

func newCompiler(p *Program) *compiler {
	return &compiler{Program: p, codes: map[core.Node]Code{}, tests: map[core.Node]Test{},
		procedures: map[*core.Procedure]*procedure{}, places: map[int]int{},
		readings: map[core.Node]*reading{}, sides: map[core.Node]*reading{}}
}

// code is the code for the value of a node.
func (c *compiler) code(n core.Node) Code {
	if f := c.codes[n]; f != nil {
		return f
	}
	markSides(c, n)
	f := c.makeCode(n)
	if r := c.remembers(n); r != nil {
		f = c.remember(r, f)
	}
	c.codes[n] = f
	return f
}

func (c *compiler) all(ns []core.Node) []Code {
	out := make([]Code, len(ns))
	for i, n := range ns {
		out[i] = c.code(n)
	}
	return out
}

func (c *compiler) makeCode(n core.Node) Code {
	switch n := n.(type) {
	case *core.Literal:
		v := n.Value
		return func(*Machine) *value.Value { return v }
	case *core.Variable:
		return c.variable(n)
	case *core.Slot:
		i := n.Slot
		return func(m *Machine) *value.Value {
			s := &m.frame[i]
			if s.value != nil {
				return s.value
			}
			return m.compute(s)
		}
	case *core.Shared:
		return c.sharedCode(n)
	case *core.Global:
		if len(placesOf(n.Value)) == 0 {
			return c.code(n.Value)
		}
		return framed(c, n, c.code)
	case *core.Operator:
		return c.operator(n)
	case *core.If:
		return choice(c.test(n.Cond), c.code(n.Then), c.code(n.Else))
	case *core.Case:
		return cases(c, n, func(x core.Node) func(*Machine) *value.Value { return c.code(x) })
	case *core.Let:
		return holding(c, n, c.code)
	case *core.Named:
		return c.code(n.Body)
	case *core.Call:
		return c.call(n)
	case *core.Choose:
		return c.choose(n)
	case *core.Filter:
		return c.filter(n)
	case *core.Image:
		return c.image(n)
	case *core.Function:
		return c.function(n)
	case *core.Record:
		return c.record(n)
	case *core.Select:
		return c.selection(n)
	case *core.Except:
		return c.except(n)
	case *core.Refused:
		at, why := n.Span(), n.Why
		return func(m *Machine) *value.Value {
			m.fail(&at, why)
			return nil
		}
	}
	if n.Level() == core.Temporal {
		return temporal(n)
	}
	t, space := c.test(n), c.Space
	return func(m *Machine) *value.Value { return space.Bool(t(m)) }
}

// temporal is the code of what has no value in a state.
func temporal(n core.Node) Code {
	at := n.Span()
	return func(m *Machine) *value.Value {
		m.fail(&at, "a temporal formula has no value in a state")
		return nil
	}
}

func (c *compiler) variable(n *core.Variable) Code {
	i, at := n.Index, n.Span()
	if n.Primed {
		return func(m *Machine) *value.Value {
			v := m.after[i]
			if v == nil {
				m.fail(&at, fmt.Sprintf("%s' is read before it has a value: an action gives "+
					"values from left to right, by %[1]s' = .. or %[1]s' \\in ..",
					m.Model.Variables[i]))
			}
			return v
		}
	}
	return func(m *Machine) *value.Value {
		if m.before == nil {
			m.fail(&at, fmt.Sprintf("the value of %s is needed where there is no state yet",
				m.Model.Variables[i]))
		}
		return m.old(i)
	}
}

func (c *compiler) record(n *core.Record) Code {
	values, fields := c.all(n.Values), n.Fields
	if n.Sets {
		return func(m *Machine) *value.Value {
			return value.RecordsOf(fields, m.list(values)...)
		}
	}
	site := c.site()
	return func(m *Machine) *value.Value {
		var room [mostArgs]*value.Value
		vs := m.listIn(values, room[:0])
		return m.make(site, func() *value.Value {
			return value.RecordOf(fields, slices.Clone(vs)...)
		}, vs...)
	}
}

func (m *Machine) list(codes []Code) []*value.Value {
	out := make([]*value.Value, len(codes))
	for i, f := range codes {
		out[i] = f(m)
	}
	return out
}

// selection is a field of a record. Where it was in the last record with the same fields is
// remembered.
func (c *compiler) selection(n *core.Select) Code {
	at, r, name := n.Span(), c.code(n.Record), n.Field
	k := c.selections
	c.selections++
	return func(m *Machine) *value.Value {
		v := r(m)
		m.where = &at
		if v.Kind() != value.Record {
			return value.Field(v, name)
		}
		p := &m.selections[k]
		if f := v.Names(); p.fields != f {
			p.fields, p.place = f, f.Find(name)
		}
		if p.place < 0 {
			return value.Field(v, name) // the error
		}
		return v.Values()[p.place]
	}
}

// selected is where a field was found.
type selected struct {
	fields *value.Fields
	place  int
}

// updating is a part of an EXCEPT.
type updating struct {
	path  []Code
	value Code
	old   int // the place of the old value, -1 where there is none
}

// listIn is list in a slice that is there already.
func (m *Machine) listIn(codes []Code, out []*value.Value) []*value.Value {
	for _, f := range codes {
		out = append(out, f(m))
	}
	return out
}

// site is the number of a node that makes values.
func (c *compiler) site() uint32 {
	c.sites++
	return firstSite + uint32(c.sites)
}

// except is a function with some other values, one update after the other.
func (c *compiler) except(n *core.Except) Code { return c.recorded(-1, n) }

// recorded is an update of a variable, -1 for none, which is recorded where the machine records.
func (c *compiler) recorded(variable int, n *core.Except) Code {
	f, at := c.code(n.Function), n.Span()
	var updates []updating
	for _, u := range n.Updates {
		updates = append(updates, updating{c.all(u.Path), c.code(u.Value), u.Old})
	}
	missing := func(m *Machine, v, key *value.Value) *value.Value {
		v = value.Except(v, key, key) // v itself, or an error
		if n.Strict {
			m.fail(&at, fmt.Sprintf("%s is not in the domain: %s", key, v))
		}
		return v
	}
	// At the end of the path that is recorded, or of the whole one, stands the part that is new.
	var changed func(m *Machine, u *updating, v *value.Value, k int, d *deed) *value.Value
	changed = func(m *Machine, u *updating, v *value.Value, k int, d *deed) *value.Value {
		if k == len(u.path) {
			if u.old >= 0 {
				m.frame[u.old] = slot{value: v}
			}
			return u.value(m)
		}
		key := u.path[k](m)
		m.where = &at
		old, ok := value.At(v, key)
		if !ok {
			return missing(m, v, key)
		}
		part := changed(m, u, old, k+1, d)
		if d != nil && k < mostKeysOfPath {
			d.path[k] = key
			if k == mostKeysOfPath-1 || k == len(u.path)-1 {
				d.value = part
			}
		}
		return m.except(v, key, part)
	}
	return func(m *Machine) *value.Value {
		v := f(m)
		var changes []deed
		for i := range updates {
			var d *deed
			if m.recording && variable >= 0 {
				d = &deed{how: put}
			}
			if v = changed(m, &updates[i], v, 0, d); d != nil && d.value != nil {
				changes = append(changes, m.interned(*d))
			}
		}
		if variable >= 0 {
			m.sources[variable].changes = changes
		}
		return v
	}
}
