package zone

import "slices"

// kept is a node that no other node covers, with the digest of its zone.
type kept struct {
	digest digest
	node   int32
}

// passed holds the kept nodes of a discrete state. Most states have one, which takes no memory of
// its own.
type passed struct {
	only int32 // the node, if there is one, else none
	more *group
}

// group holds several nodes. Digests lie side by side, since few of the nodes that are compared
// cover each other. A long list is cut in halves by one number of the digests, and so on; the least
// and largest numbers of a half then say whether it can hold a node that covers another one, or
// that is covered by it.
type group struct {
	list   []kept // of few nodes
	halves *halves
}

type halves struct {
	lane  uint   // which number of the digests decides
	limit uint64 // the second half has the digests with this number or a larger one
	half  [2]group
	span  [2]span
}

// span bounds the numbers of digests, each by itself.
type span struct{ least, most digest }

// empty is the span of no digests.
var empty = span{least: digest{^uint64(tops), ^uint64(tops)}}

// shortList is the length of a list that is not cut.
const shortList = 48

// nobody has no nodes.
var nobody = passed{only: none}

// covering gives a node that covers a zone with a digest, none if there is none.
func (p *passed) covering(d digest, covers func(node int32) bool) int32 {
	switch {
	case p.more != nil:
		return p.more.covering(d, covers)
	case p.only != none && covers(p.only):
		return p.only
	}
	return none
}

// drop removes the nodes that a zone with a digest covers.
func (p *passed) drop(d digest, covered func(node int32) bool) {
	switch {
	case p.more != nil:
		p.more.drop(d, covered)
	case p.only != none && covered(p.only):
		p.only = none
	}
}

// add adds a node; digestOf gives the digest of another one.
func (p *passed) add(k kept, digestOf func(node int32) digest) {
	switch {
	case p.more != nil:
		p.more.add(k)
	case p.only == none:
		p.only = k.node
	default:
		p.more = &group{list: []kept{{digestOf(p.only), p.only}, k}}
		p.only = none
	}
}

// covering gives the first node that covers a zone with a digest, none if there is none.
func (p *group) covering(d digest, covers func(node int32) bool) int32 {
	if h := p.halves; h != nil {
		for i := range h.half {
			if d.within(h.span[i].most) {
				if k := h.half[i].covering(d, covers); k != none {
					return k
				}
			}
		}
		return none
	}
	for i := range p.list {
		if k := &p.list[i]; d.within(k.digest) && covers(k.node) {
			return k.node
		}
	}
	return none
}

// drop removes the nodes that a zone with a digest covers.
func (p *group) drop(d digest, covered func(node int32) bool) (dropped bool) {
	if h := p.halves; h != nil {
		for i := range h.half {
			if h.span[i].least.within(d) && h.half[i].drop(d, covered) {
				h.span[i] = h.half[i].span()
				dropped = true
			}
		}
		return dropped
	}
	before := len(p.list)
	p.list = slices.DeleteFunc(p.list, func(k kept) bool {
		return k.digest.within(d) && covered(k.node)
	})
	return len(p.list) < before
}

func (p *group) add(k kept) {
	for p.halves != nil {
		h := p.halves
		i := h.side(k.digest)
		h.span[i] = h.span[i].join(span{k.digest, k.digest})
		p = &h.half[i]
	}
	p.list = append(p.list, k)
	if n := len(p.list); n > shortList && n&(n-1) == 0 {
		p.cut()
	}
}

// cut makes halves of a list, along the number that differs most. Lists of equal digests stay.
func (p *group) cut() {
	s := p.span()
	widest, lane := uint64(0), uint(0)
	for l := range lanes {
		if w := s.most.lane(l) - s.least.lane(l); w > widest {
			widest, lane = w, l
		}
	}
	if widest == 0 {
		return
	}
	var values []uint64
	for _, k := range p.list {
		values = append(values, k.digest.lane(lane))
	}
	slices.Sort(values)
	h := &halves{lane: lane, limit: values[len(values)/2], span: [2]span{empty, empty}}
	if h.limit == values[0] {
		h.limit++
	}
	list := p.list
	*p = group{halves: h}
	for _, k := range list {
		p.add(k)
	}
}

func (h *halves) side(d digest) int {
	if d.lane(h.lane) < h.limit {
		return 0
	}
	return 1
}

func (p *group) span() span {
	if p.halves != nil {
		return p.halves.span[0].join(p.halves.span[1])
	}
	s := empty
	for _, k := range p.list {
		s = s.join(span{k.digest, k.digest})
	}
	return s
}

func (s span) join(t span) span {
	for i := range s.most {
		s.most[i] = choose(s.most[i], t.most[i], s.most[i], t.most[i])
		s.least[i] = choose(s.least[i], t.least[i], t.least[i], s.least[i])
	}
	return s
}

// choose takes each number from yes where the number of a is at least that of b, else from no.
func choose(a, b, yes, no uint64) uint64 {
	at := ((a | tops) - b) & tops
	mask := at - at>>7
	return yes&mask | no&^mask
}
