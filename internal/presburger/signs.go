package presburger

// sign is a truth function of the signs of the components: a node of a binary decision diagram,
// which is true for one choice of signs if it leads there to the node yes. Only components that
// may be negative are asked for.
type sign int32

const (
	no  sign = 0
	yes sign = 1
)

type signNode struct {
	at     int32 // the component
	lo, hi sign  // for a number that is not negative, and for a negative one
}

// signs makes truth functions; equal ones are the same node.
type signs struct {
	nodes  []signNode
	unique map[signNode]sign
	ites   map[[3]sign]sign
}

// last is the component of the nodes no and yes, after all others.
const last = 1 << 30

func (s *signs) init() {
	s.nodes = []signNode{{at: last}, {at: last}}
	s.unique, s.ites = map[signNode]sign{}, map[[3]sign]sign{}
}

func (s *signs) node(at int32, lo, hi sign) sign {
	if lo == hi {
		return lo
	}
	n := signNode{at, lo, hi}
	f, ok := s.unique[n]
	if !ok {
		f = sign(len(s.nodes))
		s.nodes = append(s.nodes, n)
		s.unique[n] = f
	}
	return f
}

// negative says that a component is negative.
func (s *signs) negative(at int) sign { return s.node(int32(at), no, yes) }

// branch gives the two functions that are left when the sign of a component is known.
func (s *signs) branch(f sign, at int32) (lo, hi sign) {
	if n := s.nodes[f]; n.at == at {
		return n.lo, n.hi
	}
	return f, f
}

// ite is g where f is true, and h elsewhere.
func (s *signs) ite(f, g, h sign) sign {
	switch {
	case f == yes || g == h:
		return g
	case f == no:
		return h
	case g == yes && h == no:
		return f
	}
	key := [3]sign{f, g, h}
	if r, ok := s.ites[key]; ok {
		return r
	}
	at := min(s.nodes[f].at, s.nodes[g].at, s.nodes[h].at)
	f0, f1 := s.branch(f, at)
	g0, g1 := s.branch(g, at)
	h0, h1 := s.branch(h, at)
	lo, hi := s.ite(f0, g0, h0), s.ite(f1, g1, h1)
	r := s.node(at, lo, hi)
	s.ites[key] = r
	return r
}

func (s *signs) and(f, g sign) sign { return s.ite(f, g, no) }
func (s *signs) or(f, g sign) sign  { return s.ite(f, yes, g) }
func (s *signs) not(f sign) sign    { return s.ite(f, no, yes) }

// exists is true where f is for some sign of a component.
func (s *signs) exists(f sign, at int32) sign {
	n := s.nodes[f]
	switch {
	case n.at > at:
		return f
	case n.at == at:
		return s.or(n.lo, n.hi)
	}
	return s.node(n.at, s.exists(n.lo, at), s.exists(n.hi, at))
}

// value is the value of f for given signs.
func (s *signs) value(f sign, negative func(at int) bool) bool {
	for f != no && f != yes {
		if n := s.nodes[f]; negative(int(n.at)) {
			f = n.hi
		} else {
			f = n.lo
		}
	}
	return f == yes
}

// some gives components that are negative in a choice of signs for which f is true; f is not no.
// The fewest that the first such choice has are negative.
func (s *signs) some(f sign) map[int]bool {
	out := map[int]bool{}
	for f != yes {
		n := s.nodes[f]
		if n.lo != no {
			f = n.lo
		} else {
			out[int(n.at)] = true
			f = n.hi
		}
	}
	return out
}
