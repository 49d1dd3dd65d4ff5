package logic

import (
	"slices"
	"strconv"
)

// Limits of Share.
const (
	shareFrom = 2000 // nodes, as a tree
	shareGain = 4    // how many times more nodes a term has as a tree than as a graph
	nameFrom  = 5    // nodes of a sub-term that gets a name
)

// Share gives a term of the same meaning, which is about as small as a tree as the given one is as
// a graph: a sub-term that occurs several times gets a name, by let, as far out as its variables
// are in scope. So a walk over the result need not know of sharing. A sub-term with a variable is
// copied into each scope of the variable, so the result may still be large, and callers check its
// size. A term that is small as a tree, or shares little, stays unchanged. Outer quantifiers and
// temporal operators stay, too. The value of a name is computed only where it is needed.
func Share(t *Term) *Term {
	size := Sizes{}
	tree := size.Of(t)
	if tree < shareFrom || tree < shareGain*len(size) {
		return t
	}
	if IsTemporal(t) {
		return shareWithin(t, map[*Term]*Term{})
	}
	return share(t)
}

// shareWithin shares within the largest sub-terms without temporal operators: each of these is
// about one state.
func shareWithin(t *Term, done map[*Term]*Term) *Term {
	if r, ok := done[t]; ok {
		return r
	}
	if IsTemporal(t) {
		done[t] = MapArgs(t, func(a *Term) *Term { return shareWithin(a, done) })
	} else {
		done[t] = Share(t)
	}
	return done[t]
}

func share(t *Term) *Term {
	if t.Op == OpForall {
		return MapArgs(t, share)
	}
	if s := trySharing(t); s != nil {
		return s
	}
	return t
}

func trySharing(t *Term) *Term {
	s := &sharer{identity: NewIdentity(), free: freeVars{}, where: map[*Var]*scope{}}
	root := s.open()
	n := s.node(t)
	if s.made > MaxNodes {
		return nil
	}
	return s.scope(root, n)
}

// MaxNodes is the number of nodes beyond which a term is too large to work with.
const MaxNodes = 1_000_000

// Size counts the nodes of a term as a tree, up to a large number, without visiting all of them.
func Size(t *Term) int { return Sizes{}.Of(t) }

// Sizes remembers the sizes of terms and of their sub-terms.
type Sizes map[*Term]int

const maxSize = 1 << 50

// Of is Size with memory.
func (s Sizes) Of(t *Term) int {
	if len(t.Args) == 0 {
		return 1
	}
	if n, ok := s[t]; ok {
		return n
	}
	n := 1
	for _, a := range t.Args {
		n = min(n+s.Of(a), maxSize)
	}
	s[t] = n
	return n
}

// sharer finds the sub-terms of a term that are the same up to their source positions.
type sharer struct {
	identity *Identity
	free     freeVars
	scopes   []*scope // around the current term
	where    map[*Var]*scope
	names    int
	made     int // nodes
}

// scope is a place for names: the whole term, or the body of a binder. Its nodes mention a variable
// of the binder, and no variable that is bound further in. Arguments come before the terms that
// have them.
type scope struct {
	depth int
	known map[int]*node // by the identity of the term
	nodes []*node
}

func (s *sharer) open() *scope {
	sc := &scope{depth: len(s.scopes), known: map[int]*node{}}
	s.scopes = append(s.scopes, sc)
	return sc
}

func (s *sharer) close() { s.scopes = s.scopes[:len(s.scopes)-1] }

// node stands for all equal sub-terms of one scope.
type node struct {
	term  *Term // one of them
	args  []*node
	inner *scope // of a binder: the scope of its last argument
	uses  int
	name  *Var  // nil if it has no name
	out   *Term // the result, once it is built
}

func (s *sharer) node(t *Term) *node {
	home := s.scopes[0]
	for _, v := range s.free.of(t) {
		if sc := s.where[v]; sc != nil && sc.depth > home.depth {
			home = sc
		}
	}
	id := s.identity.Of(t)
	if n := home.known[id]; n != nil {
		return n
	}
	n := &node{term: t, args: make([]*node, len(t.Args))}
	if s.made++; s.made > MaxNodes {
		return n
	}
	last := len(t.Args) - 1
	for i, a := range t.Args {
		if i < last || len(t.Vars) == 0 {
			n.args[i] = s.node(a)
			continue
		}
		n.inner = s.open()
		outer := make([]*scope, len(t.Vars))
		for j, v := range t.Vars {
			outer[j], s.where[v] = s.where[v], n.inner
		}
		n.args[i] = s.node(a)
		for j, v := range slices.Backward(t.Vars) {
			s.where[v] = outer[j]
		}
		s.close()
	}
	for _, a := range n.args {
		a.uses++
	}
	home.known[id] = n
	home.nodes = append(home.nodes, n)
	return n
}

// scope builds the body of a scope, after the named values in it.
func (s *sharer) scope(sc *scope, body *node) *Term {
	var named []*node
	for _, n := range sc.nodes {
		if n.uses > 1 && n.weight(nameFrom) >= nameFrom {
			s.names++
			n.name = &Var{Name: "v" + strconv.Itoa(s.names), Sort: n.term.Sort}
			named = append(named, n)
		}
	}
	out := s.write(body)
	for _, n := range slices.Backward(named) {
		out = Let(n.name, s.written(n), out).At(body.term.Span)
	}
	return out
}

func (s *sharer) write(n *node) *Term {
	if n.name != nil {
		return Ref(n.name).At(n.term.Span)
	}
	return s.written(n)
}

func (s *sharer) written(n *node) *Term {
	if n.out != nil {
		return n.out
	}
	n.out = n.term
	if len(n.args) > 0 {
		c := *n.term
		c.Args = make([]*Term, len(n.args))
		last := len(c.Args) - 1
		for i, a := range n.args {
			if i == last && n.inner != nil {
				c.Args[i] = s.scope(n.inner, a)
			} else {
				c.Args[i] = s.write(a)
			}
		}
		n.out = &c
	}
	return n.out
}

// weight counts the nodes of the tree below, up to a limit. Named nodes count nothing.
func (n *node) weight(limit int) int {
	if n.name != nil {
		return 1
	}
	w := 1
	for _, a := range n.args {
		if w >= limit {
			break
		}
		w += a.weight(limit - w)
	}
	return w
}

// Unfolded is a term without names for parts of it: each let is its body with the value in place of
// the name. As a tree it may be much larger.
func Unfolded(t *Term) *Term {
	return Map(t, func(t *Term) *Term {
		if t.Op == OpLet {
			return Subst(t.Args[1], map[*Var]*Term{t.Vars[0]: t.Args[0]})
		}
		return t
	})
}
