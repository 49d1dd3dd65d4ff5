package program

import (
	"errors"
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/compile"
)

// What is packed is unpacked again, by every reader, in every width; where a slot has too many
// values, the next width has room for them.
func TestColumns(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	forced := map[int]compile.Interval{}
	for _, width := range widths {
		c := newColumns(3, forced)
		if c.width != width {
			t.Fatalf("%d bits, want %d", c.width, width)
		}
		a, b := c.reader(), c.reader()
		var before, packed []uint64
		state := make([]int64, 3)
		for i := range int64(1 << 18) {
			next := slices.Clone(state)
			slot := rng.Intn(3)
			next[slot] = i * 7 << (slot * 5)
			var err error
			if before == nil {
				packed, err = a.appendPacked(nil, next)
			} else {
				packed, err = a.appendStep(nil, before, state, next)
			}
			if err != nil {
				again, err := compile.Widen(forced, err)
				if !again || err != nil || i < 1<<width {
					t.Fatalf("%d bits: %v after %d states", width, err, i)
				}
				break
			}
			again, err := b.appendPacked(nil, next)
			have := make([]int64, 3)
			if b.unpack(packed, have); err != nil || !slices.Equal(have, next) ||
				!slices.Equal(again, packed) || len(packed) != c.words() {
				t.Fatalf("%d bits: %v is %v again, packed %x and %x, %v", width, next, have, packed,
					again, err)
			}
			before, state = packed, next
		}
	}
	if last := newColumns(1, map[int]compile.Interval{0: {Hi: 1 << 30}}); !errors.Is(
		last.tooMany(), errValues) {
		t.Error("there is a width behind the last one")
	}
}
