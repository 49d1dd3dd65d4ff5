package explicit

import (
	"math/bits"

	"erelong.dev/erelong/internal/engine/explore/store"
)

// pattern holds what is known of a formula or a ground action, whose value or steps in a state
// depend on a few bits of the state's code. So one state stands for all that share these bits: in a
// word, and in all words (as in the transition relations that LTSmin learns: Blom, van de Pol,
// Weber, LTSmin: distributed and symbolic reachability, 2010).
type pattern struct {
	mask   uint64           // the bits
	high   uint64           // the bits above a page
	middle [64]uint8        // for each word of a page, its number among the words that differ
	low    [64]uint64       // for each state of a word, the states of it that share the bits
	above  uint64           // the bits above a word
	blocks map[uint64]block // by the bits above a page
	key    uint64           // of the block that was used last
	last   block
	size   int         // of a block
	place  store.Place // of the last successor
	bytes  *int64      // of blocks and moves, of all patterns of a thread
}

// block holds the rules of a page.
type block []rule

// rule is what is known of the states of a word.
type rule struct {
	known uint64 // the states of which it is known
	value uint64 // of a formula: the known states where it is true
	moves []move // of a ground action
}

// move is a step of some states of a word, each to the state that is as many bits further, in the
// same word.
type move struct {
	from  uint64
	to    uint64 // the changed bits of the code, above a word
	shift int
}

const ruleBytes, moveBytes = 40, 24

// newPattern makes a pattern for some bits of codes, which counts its bytes.
func newPattern(mask uint64, bytes *int64) *pattern {
	const word, page = 64, 1 << 12
	p := &pattern{mask: mask, high: mask &^ (page - 1), above: mask &^ (word - 1),
		blocks: map[uint64]block{},
		bytes:  bytes}
	for i := range uint64(64) {
		at := uint8(0)
		for n, m := 0, mask/word%64; m != 0; n, m = n+1, m&(m-1) {
			at |= uint8(i>>bits.TrailingZeros64(m)&1) << n
		}
		p.middle[i] = at
		p.size = max(p.size, int(at)+1)
		for k := range uint64(64) {
			if (i^k)&mask == 0 {
				p.low[i] |= 1 << k
			}
		}
	}
	return p
}

// rule is the rule for the word with a code.
func (p *pattern) rule(code uint64) *rule {
	if key := code & p.high; p.last == nil || key != p.key {
		b := p.blocks[key]
		if b == nil {
			b = make(block, p.size)
			*p.bytes += int64(p.size) * ruleBytes
			p.blocks[key] = b
		}
		p.key, p.last = key, b
	}
	return &p.last[p.middle[code/64%64]]
}

// step learns a step, from a state of a word with a code to another code. It returns false when the
// step changes other bits than the ones of the pattern.
func (p *pattern) step(r *rule, code uint64, state int, to uint64) bool {
	if (code+uint64(state)^to)&^p.mask != 0 {
		return false
	}
	shift := int(to%64) - state
	to &= p.above
	for i := range r.moves {
		if m := &r.moves[i]; m.to == to && m.shift == shift {
			m.from |= p.low[state]
			return true
		}
	}
	*p.bytes += moveBytes
	r.moves = append(r.moves, move{p.low[state], to, shift})
	return true
}

// apply moves states of a word.
func (m *move) apply(states uint64) uint64 {
	if m.shift >= 0 {
		return states << m.shift
	}
	return states >> -m.shift
}

// formula is composed of patterns, or is one.
type formula struct {
	op    formulaOp
	args  []*formula
	atom  *pattern
	index int // of the atom among the claims of the program
	// The states of the word with a serial number, for which the value was asked, and the value.
	serial       uint64
	asked, value uint64
}

type formulaOp int

const (
	atom formulaOp = iota
	negation
	conjunction
	disjunction
	equivalence
	conditional
)

// holds gives the states of a word, among some, in which a formula is true. It evaluates from left
// to right, as far as needed.
func (x *wordwise) holds(f *formula, among uint64) uint64 {
	if among == 0 {
		return 0
	}
	if f.serial == x.serial && among&^f.asked == 0 {
		return f.value & among
	}
	var v uint64
	switch f.op {
	case atom:
		v = x.ask(f, among)
	case negation:
		v = among &^ x.holds(f.args[0], among)
	case conjunction:
		v = among
		for _, a := range f.args {
			v = x.holds(a, v)
		}
	case disjunction:
		for _, a := range f.args {
			v |= x.holds(a, among&^v)
		}
	case equivalence:
		v = among &^ (x.holds(f.args[0], among) ^ x.holds(f.args[1], among))
	case conditional:
		c := x.holds(f.args[0], among)
		v = x.holds(f.args[1], c) | x.holds(f.args[2], among&^c)
	}
	f.serial, f.asked, f.value = x.serial, among, v
	return v
}
