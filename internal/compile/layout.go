package compile

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// field is the position of a slot in a packed state: bits from shift on of a word, which hold the
// value minus Lo.
type field struct {
	Interval
	slot  int
	word  int
	shift uint
	width uint
	// ranged is true when Interval is the declared range of the symbol: the interpreter then judges
	// a value outside it. A value outside another interval needs more bits.
	ranged bool
}

func (f field) mask() uint64 { return 1<<f.width - 1 } // a width of 64 gives all ones

// layout gives the position of the values of states in packed states.
type layout struct {
	*geometry
	limits limits
	words  int
	bits   int
	used   []uint64 // the bits of each word that fields occupy
}

// maxWords bounds a packed state, because a program keeps it in local variables: at this bound
// compiling takes some seconds, and the program still gives ten times as many states as the
// interpreter (measured).
const maxWords = 256

// errWide says that a state does not fit.
var errWide = fmt.Errorf("%w: a state needs more than %d bits; fewer elements, or smaller ranges "+
	"of arguments, make it smaller", ErrUnsupported, 64*maxWords)

// layOut gives every slot that can change its bits. An array that fits into one word is not split,
// so that a dynamic index is a shift. No slot spans two words.
func layOut(ctx context.Context, g *geometry, opts Options) (*layout, error) {
	l := &layout{geometry: g, limits: defaultLimits}
	if opts.limits != nil {
		l.limits = *opts.limits
	}
	var packed []*array
	for _, a := range g.order {
		if !a.constant && a.points > 0 {
			packed = append(packed, a)
		}
	}
	intervals, err := l.intervals(ctx, packed, opts)
	if err != nil {
		return nil, err
	}
	for _, a := range packed {
		f := intervals[a]
		f.width = uint(bits.Len64(uint64(f.Hi) - uint64(f.Lo)))
		a.fields = make([]field, a.points)
		for i := range a.fields {
			a.fields[i] = f
			a.fields[i].slot = a.offset + i
		}
		l.bits += int(f.width) * a.points
		l.limits.wordBits = max(l.limits.wordBits, int(f.width))
	}
	for _, a := range packed {
		a.wordBits = l.limits.wordBits
	}
	// The largest array first; an array of one word goes to the first word with room.
	slices.SortStableFunc(packed, func(a, b *array) int { return b.bits() - a.bits() })
	var room []uint // in each word
	whole := uint(l.limits.wordBits)
	for _, a := range packed {
		width := a.fields[0].width
		if a.oneWord() {
			w := slices.IndexFunc(room, func(r uint) bool { return int(r) >= a.bits() })
			if w < 0 {
				w = len(room)
				room = append(room, whole)
			}
			for i := range a.fields {
				a.fields[i].word, a.fields[i].shift = w, whole-room[w]
				room[w] -= width
			}
			continue
		}
		first := len(room)
		for i := range a.fields {
			w := first + i/a.perWord()
			if w == len(room) {
				if w == maxWords {
					return nil, errWide
				}
				room = append(room, whole)
			}
			a.fields[i].word, a.fields[i].shift = w, whole-room[w]
			room[w] -= width
		}
	}
	l.words = max(len(room), 1)
	if l.words > maxWords {
		return nil, errWide
	}
	l.used = make([]uint64, l.words)
	for _, a := range packed {
		for _, f := range a.fields {
			l.used[f.word] |= f.mask() << f.shift
		}
	}
	return l, nil
}

// record is the length of a successor in the memory of a module, in bytes: its words, and one word
// with its source and action.
func (l *layout) record() int { return 8 * (l.words + 1) }

func (a *array) oneWord() bool { return a.bits() <= a.wordBits }

func (a *array) bits() int { return int(a.fields[0].width) * a.points }

// perWord is the number of points of an array in each of its words; all of them if there is only
// one word.
func (a *array) perWord() int {
	if a.oneWord() {
		return a.points
	}
	return a.wordBits / int(a.fields[0].width)
}

// words is the number of words of an array.
func (a *array) words() int { return (a.points + a.perWord() - 1) / a.perWord() }

// sampleStates bounds the exploration that samples the values of integers without a range.
const sampleStates = 2000

// intervals finds the interval of values for each array.
func (l *layout) intervals(
	ctx context.Context, packed []*array, opts Options,
) (map[*array]field, error) {
	out := map[*array]field{}
	var open []*array
	for _, a := range packed {
		result := a.symbol.Result
		if result.Kind == logic.KindInt || result.Kind == logic.KindRange && !l.fixed(result) {
			open = append(open, a)
			continue
		}
		d, err := l.domain(result)
		if err != nil {
			return nil, err
		}
		if d.Hi < d.Lo {
			return nil, fmt.Errorf("%w: the range of %s is empty", ErrUnsupported, a.symbol)
		}
		out[a] = field{Interval: d, ranged: result.Kind == logic.KindRange}
	}
	if len(open) > 0 {
		seen, err := l.sample(ctx, open, opts.Initial)
		if err != nil {
			return nil, err
		}
		for i, a := range open {
			out[a] = field{Interval: generous(seen[i])}
		}
	}
	for _, a := range packed {
		f := out[a]
		for slot := a.offset; slot < a.offset+a.points; slot++ {
			if forced, ok := opts.Intervals[slot]; ok && !f.holds(forced) {
				f = field{Interval: f.union(forced)}
				f.Interval = fill(f.Interval)
			}
		}
		out[a] = f
	}
	return out, nil
}

// fixed reports whether the ends of a range are the same in all states.
func (l *layout) fixed(s *logic.Sort) bool {
	if slices.ContainsFunc(l.ranges, func(r knownRange) bool { return logic.SameSort(r.sort, s) }) {
		return true
	}
	for _, end := range []*logic.Term{s.Lo, s.Hi} {
		for app := range logic.Applications(end) {
			if a := l.arrays[app.Symbol]; a == nil || !a.constant {
				return false
			}
		}
	}
	return true
}

// sample explores a few states breadth-first and returns the interval of values in each array.
func (l *layout) sample(
	ctx context.Context, open []*array, initial []interp.State,
) ([]Interval, error) {
	m := l.model
	var queue []interp.State
	known := map[string]bool{}
	steps := 0
	visit := func(s interp.State) error {
		if steps++; steps > 20*sampleStates || len(queue) >= sampleStates {
			return interp.ErrStop
		}
		if key := m.Key(s); !known[key] {
			known[key] = true
			queue = append(queue, s)
		}
		return nil
	}
	if initial != nil {
		for _, s := range initial[:min(len(initial), sampleStates)] {
			_ = visit(s) // fails only at the limit
		}
	} else if err := m.Initial(ctx, visit); err != nil {
		return nil, err
	}
	for i := 0; i < len(queue) && len(queue) < sampleStates && steps <= 20*sampleStates; i++ {
		for _, a := range m.System.Actions {
			err := m.Steps(ctx, queue[i], a, func(step interp.Step) error {
				return visit(step.State)
			})
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var failed *interp.ActionError
			if err != nil && !errors.As(err, &failed) {
				return nil, err
			}
		}
	}
	out := make([]Interval, len(open))
	for i, a := range open {
		out[i] = Interval{queue[0][a.offset], queue[0][a.offset]}
		for _, s := range queue {
			for _, v := range s[a.offset : a.offset+a.points] {
				out[i] = out[i].union(Interval{v, v})
			}
		}
	}
	return out, nil
}

// generous widens a sampled interval to four times its width, and at least 256 values, with most of
// the room above.
func generous(seen Interval) Interval {
	span := uint64(seen.Hi) - uint64(seen.Lo)
	if span >= 1<<60 {
		return fill(seen)
	}
	lo, want := seen.Lo, max(4*(int64(span)+1), 256)
	switch {
	case lo >= 0 && seen.Hi < want:
		lo = 0 // needs no more bits
	case lo < 0:
		lo -= int64(span) + 1
		if lo > seen.Lo { // overflow
			lo = seen.Lo
		}
	}
	hi := lo + want - 1
	if hi < seen.Hi {
		hi = seen.Hi
	}
	return fill(Interval{lo, hi})
}

// fill raises the upper end as far as the bits of the interval allow.
func fill(i Interval) Interval {
	all := uint64(1)<<bits.Len64(uint64(i.Hi)-uint64(i.Lo)) - 1
	if hi := uint64(i.Lo) + all; int64(hi) >= i.Lo {
		i.Hi = int64(hi)
	}
	return i
}

// pack is the packed form of a state.
func (l *layout) pack(s interp.State) ([]uint64, error) {
	if len(s) != l.slots {
		return nil, fmt.Errorf("packing a state: it has %d slots instead of %d", len(s), l.slots)
	}
	out := make([]uint64, l.words)
	for _, a := range l.order {
		if a.constant {
			if !slices.Equal(a.values, s[a.offset:a.offset+a.points]) {
				return nil, fmt.Errorf(
					"packing a state: %s is not what it is in the initial states", a.symbol)
			}
			continue
		}
		for _, f := range a.fields {
			v := s[f.slot]
			if !f.has(v) {
				return nil, &WidthError{f.slot, v}
			}
			out[f.word] |= (uint64(v) - uint64(f.Lo)) << f.shift
		}
	}
	return out, nil
}

// unpack is the inverse of pack.
func (l *layout) unpack(packed []uint64) interp.State {
	out := make(interp.State, l.slots)
	for _, a := range l.order {
		if a.constant {
			copy(out[a.offset:], a.values)
			continue
		}
		for _, f := range a.fields {
			out[f.slot] = int64(packed[f.word]>>f.shift&f.mask() + uint64(f.Lo))
		}
	}
	return out
}
