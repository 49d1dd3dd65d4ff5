// Package presburger computes with sets of vectors of integers that Presburger arithmetic defines.
//
// In: linear constraints. Out: sets, which are closed under intersection, complement, projection,
// and preimages by affine maps; whether a set is empty, has a vector, or is another one is decided.
//
// A set is the minimal deterministic automaton that reads vectors digit by digit, least significant
// digits first, one component after the other (Wolper, Boigelot: On the construction of automata
// from linear arithmetic constraints, TACAS 2000; Couvreur: A BDD-like implementation of an
// automata package, CIAA 2004). A node between two rounds of digits stands for the set of the
// vectors that may follow: the vector x is in the set X if (x - b) / 2 is in the set that X's node
// leads to by the digits b of x. The digits of an integer go on for ever, and are 0 or 1 from some
// point on, by its sign. So a node between two rounds also says for which signs the vector that
// has only these digits is in its set: a function of truth values (signs.go). Numbering the nodes
// in the order of a search makes automata of equal sets equal. Equal automata share their memory,
// and results of operations are kept.
package presburger

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Space says which vectors there are: a letter for each component.
type Space string

// The letters of a space.
const (
	Natural = 'n'
	Integer = 'z'
)

// Naturals is the space of vectors of n natural numbers, and Integers of n integers.
func Naturals(n int) Space { return Space(strings.Repeat(string(Natural), n)) }
func Integers(n int) Space { return Space(strings.Repeat(string(Integer), n)) }

func (s Space) signed(i int) bool { return s[i] == Integer }

// maxComponents bounds the components of vectors; digits of a round are kept in a word.
const maxComponents = 60

// Set is a set of vectors. It is immutable.
type Set struct {
	space Space
	// The nodes in the order of a breadth-first search from node 0. Digits of component i are
	// read in nodes of level i; end is of nodes of level 0.
	next  [][2]int32
	level []uint8
	end   []sign
	hash  uint64
	// none and all say which nodes stand for the empty set and for all vectors.
	none, all []bool
}

// Space is the space in which a set lies.
func (x *Set) Space() Space { return x.space }

// Nodes is the size of the automaton of a set.
func (x *Set) Nodes() int { return len(x.next) }

// IsEmpty reports whether a set has no vector.
func (x *Set) IsEmpty() bool { return x.none[0] }

// IsAll reports whether a set has all vectors of its space.
func (x *Set) IsAll() bool { return x.all[0] }

// Equal reports whether two sets of one space have the same vectors.
func (x *Set) Equal(y *Set) bool {
	return x == y || x.hash == y.hash && x.space == y.space && slices.Equal(x.next, y.next) &&
		slices.Equal(x.end, y.end)
}

// Store makes sets. It is not for several goroutines.
type Store struct {
	ctx   context.Context
	limit int
	signs signs
	known map[uint64][]*Set
	done  map[operation]*Set
	kept  int // nodes of the known sets
	// Made counts the nodes that were made, before automata are minimal, and calls: the work that
	// was done.
	Made int64
}

// operation is a call whose result is kept.
type operation struct {
	what string
	a, b *Set
	arg  string
}

// Limit says that an automaton would be too large, or that a number is.
type Limit struct{ Text string }

func (l *Limit) Error() string { return l.Text }

// NewStore makes a store of automata whose nodes are limited, before they are minimal.
func NewStore(ctx context.Context, limit int) *Store {
	s := &Store{ctx: ctx, limit: limit}
	s.forget()
	s.signs.init()
	return s
}

// keptNodes bounds the nodes of the sets that are remembered.
const keptNodes = 8_000_000

func (s *Store) forget() {
	s.known, s.done, s.kept = map[uint64][]*Set{}, map[operation]*Set{}, 0
}

// stopped carries an error out of an operation to Try.
type stopped struct{ error }

// Try calls f, in which operations may meet the limits. The error is a *Limit, or of the context.
func (s *Store) Try(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			stop, ok := r.(stopped)
			if !ok {
				panic(r)
			}
			err = stop.error
		}
	}()
	f()
	return nil
}

// Check ends the call of Try that is around if the context is done.
func (s *Store) Check() {
	if err := s.ctx.Err(); err != nil {
		s.Stop(err)
	}
}

// Stop ends the call of Try that is around with an error.
func (s *Store) Stop(err error) { panic(stopped{err}) }

func (s *Store) stop(format string, args ...any) {
	s.Stop(&Limit{fmt.Sprintf(format, args...)})
}

// callCost is what a call counts for, whose result may be known.
const callCost = 20

// memo gives the kept result of an operation, or computes it.
func (s *Store) memo(op operation, compute func() *Set) *Set {
	s.Made += callCost
	if x := s.done[op]; x != nil {
		return x
	}
	x := compute()
	if s.kept > keptNodes {
		s.forget()
	}
	s.done[op] = x
	return x
}
