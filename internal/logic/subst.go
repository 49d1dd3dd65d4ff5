package logic

import (
	"maps"
	"slices"
)

// Subst replaces free variables. Every binder on the way is renamed afresh, so nothing is captured
// and no variable is bound twice in nested scopes of the result.
func Subst(t *Term, m map[*Var]*Term) *Term {
	if len(m) == 0 {
		return t
	}
	return newSubstituter(m).root(t)
}

// Rename gives all binders of a term fresh variables, so that the term may stand within itself.
func Rename(t *Term) *Term { return newSubstituter(nil).root(t) }

// Replacer substitutes like Subst, but binders keep their variables in sub-terms where no variable
// is replaced. It remembers the free variables of terms.
type Replacer struct{ free freeVars }

// NewReplacer returns a Replacer with an empty memory.
func NewReplacer() *Replacer { return &Replacer{freeVars{}} }

// Replace replaces free variables.
func (r *Replacer) Replace(t *Term, m map[*Var]*Term) *Term {
	s := newSubstituter(m)
	s.free, s.only = r.free, true
	return s.root(t)
}

// manyNodes is the size, in nodes as a tree, up to which a term is searched for free variables
// without remembering them for each sub-term. For smaller terms the plain search is faster.
const manyNodes = 200_000

// substituter carries out one substitution. The result for a term depends on what replaces its free
// variables. In a large term the result is kept with the innermost level that replaces one of them,
// so that shared terms stay shared.
type substituter struct {
	levels []*level        // the given map, and the binders around the current term
	where  map[*Var]*level // the innermost level that replaces a variable
	free   freeVars
	only   bool // keep binders in sub-terms where no variable is replaced
	whole  *Term
	visits int
	large  bool // the term is a large graph
	again  bool // start again with large set
}

type level struct {
	depth int
	with  map[*Var]*Term
	done  map[*Term]*Term
}

func newSubstituter(m map[*Var]*Term) *substituter {
	s := &substituter{levels: []*level{{with: m}}, where: make(map[*Var]*level, len(m)),
		free: freeVars{}}
	for v := range m {
		s.where[v] = s.levels[0]
	}
	return s
}

func (s *substituter) root(t *Term) *Term {
	s.whole = t
	out := s.term(t)
	if s.large { // results from before large was set are not shared
		s.again = true
		out = s.term(t)
	}
	return out
}

func (s *substituter) term(t *Term) *Term {
	if t.Op == OpVar {
		if l := s.where[t.Var]; l != nil {
			return l.with[t.Var]
		}
		return t
	}
	if len(t.Args) == 0 {
		return t
	}
	var home *level
	if s.visits++; s.visits == patience && !s.only {
		sizes := Sizes{}
		s.large = sizes.Of(s.whole) > 2*(len(sizes)+patience)
	}
	if s.large && !s.again {
		return t
	}
	if s.only || s.large {
		for _, v := range s.free.of(t) {
			if l := s.where[v]; l != nil && (home == nil || l.depth > home.depth) {
				home = l
			}
		}
		if home == nil && s.only {
			return t
		}
		if home == nil {
			home = s.levels[0]
		}
		if r, ok := home.done[t]; ok {
			return r
		}
	}
	out := s.rebuild(t)
	if home != nil {
		if home.done == nil {
			home.done = map[*Term]*Term{}
		}
		home.done[t] = out
	}
	return out
}

func (s *substituter) rebuild(t *Term) *Term {
	args := make([]*Term, len(t.Args))
	changed := false
	last := len(args) - 1
	for i, a := range t.Args[:last] {
		args[i] = s.term(a)
		changed = changed || args[i] != a
	}
	if len(t.Vars) == 0 {
		args[last] = s.term(t.Args[last])
		if !changed && args[last] == t.Args[last] {
			return t
		}
		c := *t
		c.Args = args
		return &c
	}
	// The body of a binder is its last argument. The arguments before, as the value of a let, are
	// outside the scope.
	c := *t
	c.Vars, c.Args = make([]*Var, len(t.Vars)), args
	inner := &level{depth: len(s.levels), with: make(map[*Var]*Term, len(t.Vars))}
	outer := make([]*level, len(t.Vars))
	for i, v := range t.Vars {
		fresh := *v
		c.Vars[i] = &fresh
		inner.with[v] = Ref(&fresh)
		outer[i] = s.where[v]
		s.where[v] = inner
	}
	s.levels = append(s.levels, inner)
	args[last] = s.term(t.Args[last])
	s.levels = s.levels[:inner.depth]
	for i, v := range slices.Backward(t.Vars) {
		s.where[v] = outer[i]
	}
	return &c
}

// FreeVars lists the free variables in the order of their first occurrence.
func FreeVars(t *Term) []*Var {
	f := freeFinder{bound: map[*Var]int{}, visited: map[*Var]bool{}}
	if f.term(t); f.visits > manyNodes {
		return slices.Clone(freeVars{}.of(t))
	}
	return f.found
}

// freeFinder visits a term as a tree, and gives up when the term is large.
type freeFinder struct {
	bound   map[*Var]int
	visited map[*Var]bool
	found   []*Var
	visits  int
}

func (f *freeFinder) term(t *Term) {
	if f.visits++; f.visits > manyNodes {
		return
	}
	if t.Op == OpVar {
		if f.bound[t.Var] == 0 && !f.visited[t.Var] {
			f.visited[t.Var] = true
			f.found = append(f.found, t.Var)
		}
		return
	}
	last := len(t.Args) - 1
	for i, a := range t.Args {
		if i == last {
			for _, v := range t.Vars {
				f.bound[v]++
			}
		}
		f.term(a)
	}
	for _, v := range t.Vars {
		f.bound[v]--
	}
}

// freeVars are the free variables of visited terms. The lists are shared.
type freeVars map[*Term][]*Var

func (f freeVars) of(t *Term) []*Var {
	switch {
	case t.Op == OpVar:
		return []*Var{t.Var}
	case len(t.Args) == 0:
		return nil
	}
	if vs, ok := f[t]; ok {
		return vs
	}
	var out []*Var
	last := len(t.Args) - 1
	for i, a := range t.Args {
		vs := f.of(a)
		if i == last && slices.ContainsFunc(vs, func(v *Var) bool {
			return slices.Contains(t.Vars, v)
		}) {
			vs = slices.DeleteFunc(slices.Clone(vs), func(v *Var) bool {
				return slices.Contains(t.Vars, v)
			})
		}
		out = union(out, vs)
	}
	f[t] = out
	return out
}

// few is the number of variables up to which a list is searched from its start.
const few = 16

// union adds the missing variables to a list.
func union(a, b []*Var) []*Var {
	if len(a) == 0 {
		return b
	}
	var known map[*Var]bool
	if len(a) > few && len(b) > few {
		known = make(map[*Var]bool, len(a))
		for _, v := range a {
			known[v] = true
		}
	}
	has := func(v *Var) bool {
		if known != nil {
			return known[v]
		}
		return slices.Contains(a, v)
	}
	out := slices.Clip(a)
	for _, v := range b {
		if !has(v) {
			out = append(out, v)
		}
	}
	return out
}

// Assignments are all ways to add a value of a variable to assignments.
func Assignments(to []map[*Var]*Term, v *Var, values []*Term) (out []map[*Var]*Term) {
	for _, m := range to {
		for _, value := range values {
			n := maps.Clone(m)
			n[v] = value
			out = append(out, n)
		}
	}
	return out
}
