package program

import (
	"math"
	"sync"

	"erelong.dev/erelong/internal/compile"
)

// columns number the values that each slot of a computed system had so far, so that a packed state
// needs few bits: a slot has fewer values than there are in the table of the front end. All slots
// have the same width. Where a slot gets more values, the search begins again with wider slots.
type columns struct {
	width int // bits
	slots []column
}

type column struct {
	mu      sync.Mutex
	numbers map[int64]uint32 // of values
	values  []int64
}

// The widths in their order. A slot with more values than the last one can tell apart is refused.
var widths = []int{8, 16, 32}

// newColumns makes room for an interval of numbers: see tooMany.
func newColumns(slots int, forced map[int]compile.Interval) *columns {
	c := &columns{width: widths[0], slots: make([]column, slots)}
	for _, w := range widths[1:] {
		if forced[0].Hi >= 1<<c.width {
			c.width = w
		}
	}
	for i := range c.slots {
		c.slots[i].numbers = map[int64]uint32{}
	}
	return c
}

// words is the number of words of a packed state.
func (c *columns) words() int { return max(1, (len(c.slots)*c.width+63)/64) }

// number is the number of a value in a slot.
func (c *columns) number(slot int, value int64) (uint32, error) {
	s := &c.slots[slot]
	s.mu.Lock()
	defer s.mu.Unlock()
	n, known := s.numbers[value]
	if known {
		return n, nil
	}
	if len(s.values) > math.MaxUint32>>(32-c.width) {
		return 0, c.tooMany()
	}
	n = uint32(len(s.values))
	s.numbers[value], s.values = n, append(s.values, value)
	return n, nil
}

// tooMany is the error of a slot with too many values. It has all slots made wider.
func (c *columns) tooMany() error {
	if c.width == widths[len(widths)-1] {
		return errValues
	}
	return &compile.WidthError{Slot: 0, Value: 1 << c.width}
}

// reader is what a goroutine knows of columns, so that it rarely has to ask for the rest.
type reader struct {
	*columns
	low    [][]*page          // of each slot: the numbers of small values, by pages
	high   []map[int64]uint32 // of each slot: the numbers of the others
	values [][]int64
}

// page has for each of some values that follow each other one more than its number.
type page [1 << pageBits]uint32

const (
	pageBits = 10
	// lowValues is the number of values that are small.
	lowValues = 1 << 28
)

func (c *columns) reader() *reader {
	n := len(c.slots)
	r := &reader{columns: c, low: make([][]*page, n), high: make([]map[int64]uint32, n),
		values: make([][]int64, n)}
	for i := range r.high {
		r.high[i] = map[int64]uint32{}
	}
	return r
}

// of is the number of a value in a slot.
func (r *reader) of(slot int, value int64) (uint32, error) {
	if uint64(value) >= lowValues {
		n, known := r.high[slot][value]
		if known {
			return n, nil
		}
		n, err := r.number(slot, value)
		if err == nil {
			r.high[slot][value] = n
		}
		return n, err
	}
	low, at := r.low[slot], int(value>>pageBits)
	if at >= len(low) {
		low = append(low, make([]*page, at+1-len(low))...)
		r.low[slot] = low
	}
	if low[at] == nil {
		low[at] = &page{}
	}
	p := &low[at][value%(1<<pageBits)]
	if *p == 0 {
		n, err := r.number(slot, value)
		if err != nil {
			return 0, err
		}
		*p = n + 1
	}
	return *p - 1, nil
}

// value is the value with a number in a slot.
func (r *reader) value(slot int, number uint32) int64 {
	if int(number) >= len(r.values[slot]) {
		s := &r.slots[slot]
		s.mu.Lock()
		r.values[slot] = append(r.values[slot], s.values[len(r.values[slot]):]...)
		s.mu.Unlock()
	}
	return r.values[slot][number]
}

// appendPacked appends a packed state.
func (r *reader) appendPacked(out []uint64, s []int64) ([]uint64, error) {
	word, at := uint64(0), 0
	for i, v := range s {
		n, err := r.of(i, v)
		if err != nil {
			return nil, err
		}
		word |= uint64(n) << at
		if at += r.width; at == 64 {
			out, word, at = append(out, word), 0, 0
		}
	}
	if at > 0 || len(s) == 0 {
		out = append(out, word)
	}
	return out, nil
}

// appendStep appends the packed form of a state that has most values of another one.
func (r *reader) appendStep(
	out []uint64, packed []uint64, state, next []int64,
) ([]uint64, error) {
	first := len(out)
	out = append(out, packed...)
	mask := uint64(1)<<r.width - 1
	for i, v := range next {
		if v == state[i] {
			continue
		}
		n, err := r.of(i, v)
		if err != nil {
			return nil, err
		}
		at := i * r.width
		word := &out[first+at/64]
		*word = *word&^(mask<<(at%64)) | uint64(n)<<(at%64)
	}
	return out, nil
}

func (r *reader) unpack(packed []uint64, s []int64) {
	at, mask := 0, uint64(1)<<r.width-1
	for i := range s {
		s[i] = r.value(i, uint32(packed[at/64]>>(at%64)&mask))
		at += r.width
	}
}
