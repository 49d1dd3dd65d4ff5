package core

import (
	"errors"
	"os"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/syntax"
	"erelong.dev/erelong/internal/value"
)

// Find reads the text of a module that is not in the file; os.ErrNotExist where there is none.
type Find func(module string) (*diag.Source, error)

// Spec is a module with all that it stands for.
type Spec struct {
	Variables []string
	Space     *value.Space
	Errs      *diag.List
	Root      *syntax.Module
	Read      []*diag.Source // the other files

	find     Find
	parsed   map[string]*syntax.Module
	standard map[string]*scope
	root     *module
	shared   int // constants that are computed once
	evaluate func(Node, int) (*value.Value, error)
	assumes  []thunkAt
	loading  map[string]bool
	owned    map[*thunk]int // variables of instances, in an ENABLED: their places in a state
	scopes   []*scope       // of all modules that were declared
	replaced map[[2]string]meaning
	open     bool // constants have no values
}

// thunkAt is an expression of the root module, or of one that it extends.
type thunkAt struct {
	thunk
	name string
	span diag.Span
}

// module is a module in which the names of constants and variables have meanings.
type module struct {
	*scope
	spec *Spec
	// bind gives the meaning of a constant or variable, nil where the module declares it.
	bind   func(name string) meaning
	around *scope            // of an instance: where it stands
	loaded map[string]*scope // modules that it extends
	root   bool
	order  []string // the constants that the module and the ones it extends declare
}

// Load reads a module and all that it extends. Evaluate gives the value of a constant expression
// that needs a frame of a size.
func Load(
	root *syntax.Module, beside []*syntax.Module, find Find, space *value.Space, errs *diag.List,
	evaluate func(Node, int) (*value.Value, error),
) *Spec {
	s := &Spec{Space: space, Errs: errs, Root: root, find: find,
		parsed:   map[string]*syntax.Module{},
		standard: map[string]*scope{}, loading: map[string]bool{}, evaluate: evaluate,
		owned: map[*thunk]int{}}
	for _, m := range slices.Backward(beside) {
		s.parsed[m.Name.Text] = m
	}
	s.parsed[root.Name.Text] = root
	s.root = &module{scope: newScope(s.logical()), spec: s, loaded: map[string]*scope{}, root: true}
	s.root.theme = root.Name.Text
	s.loading[root.Name.Text] = true
	s.root.declare(root)
	delete(s.loading, root.Name.Text)
	return s
}

func newScope(up *scope) *scope {
	return &scope{up: up, names: map[string]meaning{}, local: map[string]bool{}}
}

// logical has the operators that every module has.
func (s *Spec) logical() *scope { return s.builtins("") }

// builtins is the scope of a standard module whose operators are built in; nil if it is none.
func (s *Spec) builtins(module string) *scope {
	if sc := s.standard[module]; sc != nil {
		return sc
	}
	ops, ok := standardModules[module]
	if !ok {
		return nil
	}
	sc := newScope(nil)
	sc.theme = module
	s.standard[module] = sc
	for _, m := range ops.extends {
		for n, x := range s.builtins(m).names {
			sc.names[n] = x
		}
	}
	for n, arity := range ops.arity {
		sc.names[n] = &operator{name: n, builtin: n, arity: arity}
	}
	return sc
}

// syntaxOf reads a module.
func (s *Spec) syntaxOf(name syntax.Name) *syntax.Module {
	if m := s.parsed[name.Text]; m != nil {
		return m
	}
	src, err := s.find(name.Text)
	switch {
	case errors.Is(err, os.ErrNotExist):
		s.Errs.Errorf(diag.UnresolvedName, name.Span, "there is no module %s: neither beside this "+
			"file nor among the standard ones", name.Text)
		return nil
	case err != nil:
		s.Errs.Errorf(diag.UnresolvedName, name.Span, "reading module %s: %v", name.Text, err)
		return nil
	}
	s.Read = append(s.Read, src)
	for _, m := range slices.Backward(syntax.Parse(src, s.Errs)) {
		if s.parsed[m.Name.Text] == nil || m.Name.Text == name.Text {
			s.parsed[m.Name.Text] = m
		}
	}
	m := s.parsed[name.Text]
	if m == nil && s.Errs.Err() == nil {
		s.Errs.Errorf(diag.UnresolvedName, name.Span, "the file %s has no module %s", src.Name,
			name.Text)
	}
	return m
}

// extend makes the names of another module names of this one.
func (m *module) extend(name syntax.Name) {
	if m.spec.loading[name.Text] {
		m.spec.Errs.Errorf(diag.Cyclic, name.Span, "module %s extends itself, directly or through "+
			"other modules", name.Text)
		return
	}
	from := m.spec.builtins(name.Text)
	if from == nil {
		from = m.loaded[name.Text]
	}
	if from == nil {
		tree, ok := m.find(name.Text).(*innerModule)
		var read *syntax.Module
		if ok {
			read = tree.module
		} else if read = m.spec.syntaxOf(name); read == nil {
			return
		}
		other := &module{scope: newScope(m.spec.logical()), spec: m.spec, bind: m.bind,
			around: m.around, loaded: m.loaded, root: m.root}
		other.theme, other.scope.bound = name.Text, m.scope.bound
		m.loaded[name.Text] = other.scope
		m.spec.loading[name.Text] = true
		other.declare(read)
		delete(m.spec.loading, name.Text)
		from = other.scope
	}
	for n, x := range from.names {
		if !from.local[n] {
			m.names[n] = x
		}
	}
}

// innerModule is a module within another.
type innerModule struct {
	module *syntax.Module
	outer  *module
}

func (*innerModule) meaning() {}

// declare gives meanings to the names of a module.
func (m *module) declare(tree *syntax.Module) {
	m.spec.scopes = append(m.spec.scopes, m.scope)
	for _, e := range tree.Extends {
		m.extend(e)
	}
	m.spec.once(tree.Units, m.extended(tree))
	m.units(tree.Units)
	for at, by := range m.spec.replaced {
		if op, ok := m.names[at[1]].(*operator); ok && at[0] == m.theme {
			op.by = by
		}
	}
}

func (m *module) units(units []syntax.Unit) {
	recursive := map[string]bool{}
	for _, u := range units {
		switch u := u.(type) {
		case *syntax.Constants:
			for _, d := range u.Decls {
				m.declared(d.Name, func() meaning {
					m.spec.root.order = append(m.spec.root.order, d.Name.Text)
					return &constant{decl: d}
				})
			}
		case *syntax.Variables:
			for _, n := range u.Names {
				m.variable(n, func() meaning {
					m.spec.Variables = append(m.spec.Variables, n.Text)
					return &variable{len(m.spec.Variables) - 1}
				})
			}
		case *syntax.Assume:
			if m.root {
				m.spec.assumes = append(m.spec.assumes,
					thunkAt{thunk{expr: u.Body, scope: m.scope}, u.Name.Text, u.Span})
			}
			if u.Name.Text != "" {
				m.define(u.Name, false, &operator{name: u.Name.Text, body: u.Body, scope: m.scope})
			}
		case *syntax.Theorem:
			if u.Name.Text != "" && u.Body != nil {
				m.define(u.Name, false, &operator{name: u.Name.Text, body: u.Body, scope: m.scope})
			}
		case *syntax.Inner:
			m.names[u.Name.Text] = &innerModule{u.Module, m}
		default:
			m.definition(u, m.scope, recursive)
		}
	}
}

// variable gives a declared variable its meaning.
func (m *module) variable(n syntax.Name, fresh func() meaning) {
	if _, again := m.names[n.Text].(*variable); again {
		return
	}
	m.declared(n, fresh)
	switch by := m.names[n.Text].(type) {
	case *variable:
	case *thunk:
		m.names[n.Text] = &thunk{expr: by.expr, scope: by.scope, variable: true}
	default: // by its name around the instance
		m.names[n.Text] = &thunk{expr: &syntax.Apply{At: syntax.At{Where: n.Span}, Name: n},
			scope: m.around, variable: true}
	}
}

// Width is the number of the variables, with the ones of instances that an ENABLED looks for.
func (s *Spec) Width() int { return len(s.Variables) + len(s.owned) }

// declared gives a declared name its meaning.
func (m *module) declared(n syntax.Name, fresh func() meaning) {
	if m.bind != nil {
		if by := m.bind(n.Text); by != nil {
			m.names[n.Text] = by
			return
		}
		m.spec.Errs.Errorf(diag.UnresolvedName, n.Span, "an instance of module %s gives nothing "+
			"for %s: add WITH %s <- ..", m.theme, n.Text, n.Text)
	}
	if _, again := m.names[n.Text].(*constant); !again {
		m.names[n.Text] = fresh()
	}
}

// definition gives meanings to what a unit defines, in the scope of a module or a LET.
func (m *module) definition(u syntax.Unit, sc *scope, recursive map[string]bool) {
	switch u := u.(type) {
	case *syntax.Recursive:
		for _, d := range u.Decls {
			recursive[d.Name.Text] = true
		}
	case *syntax.Definition:
		m.defineIn(sc, u.Name, u.Local, &operator{name: u.Name.Text, params: u.Params, body: u.Body,
			scope: sc, recursive: recursive[u.Name.Text]})
	case *syntax.FunctionDefinition:
		m.defineIn(sc, u.Name, u.Local, &operator{name: u.Name.Text, function: u, scope: sc})
	case *syntax.InstanceDefinition:
		m.instanceIn(u, sc)
	}
}

func (m *module) define(n syntax.Name, local bool, op *operator) {
	m.defineIn(m.scope, n, local, op)
}

func (m *module) defineIn(sc *scope, n syntax.Name, local bool, op *operator) {
	sc.names[n.Text] = op
	if sc.local != nil {
		sc.local[n.Text] = local // also where a local instance has the name
	}
}

// instanceIn declares an instance; without a name, its operators become names of the scope.
func (m *module) instanceIn(u *syntax.InstanceDefinition, sc *scope) {
	in := &instance{unit: u, scope: sc, outer: m}
	if u.Name.Text != "" {
		sc.names[u.Name.Text] = in
		if u.Local && sc.local != nil {
			sc.local[u.Name.Text] = true
		}
		return
	}
	made := m.spec.instantiate(in, sc)
	if made == nil {
		return
	}
	for n, x := range made.names {
		switch x.(type) {
		case *operator, *instance:
			if made.local[n] || sc.names[n] != nil {
				continue
			}
			sc.names[n] = x
			if u.Local && sc.local != nil {
				sc.local[n] = true
			}
		}
	}
}

// instantiate makes the scope of an instance; outer is where the substitutions stand.
func (s *Spec) instantiate(in *instance, outer *scope) *scope {
	if sc := s.builtins(in.unit.Module.Text); sc != nil {
		return sc
	}
	name := in.unit.Module
	var tree *syntax.Module
	up := s.logical()
	if im, ok := in.scope.find(name.Text).(*innerModule); ok {
		tree, up = im.module, im.outer.scope
	} else if tree = s.syntaxOf(name); tree == nil {
		return nil
	}
	if in.making {
		s.Errs.Errorf(diag.Cyclic, name.Span, "module %s has an instance of itself", name.Text)
		return nil
	}
	in.making = true
	defer func() { in.making = false }()
	by := map[string]meaning{}
	for _, w := range in.unit.With {
		by[w.Name.Text] = &thunk{expr: w.Value, scope: outer}
	}
	m := &module{scope: newScope(up), spec: s, around: outer, loaded: map[string]*scope{},
		bind: func(n string) meaning {
			if b := by[n]; b != nil {
				return b
			}
			return outer.find(n)
		}}
	m.theme, m.scope.bound = name.Text, !outer.global()
	m.declare(tree)
	return m.scope
}
