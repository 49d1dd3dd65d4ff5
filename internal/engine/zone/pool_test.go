package zone

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestStates compares the numbers of packed states with the numbers in a map. The first values are
// few, so that states are packed again. TestPool is the same for rows of any width, some of which
// fill more than a part.
func TestStates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 9).Draw(t, "size")
		value := rapid.OneOf(rapid.Int32Range(0, 1), rapid.Int32Range(-3, 40), rapid.Int32(),
			rapid.SampledFrom([]int32{math.MinInt32, math.MaxInt32}))
		drawn := rapid.SliceOfN(rapid.SliceOfN(value, size, size), 1, 60).Draw(t, "states")
		var s states
		compare(t, drawn, s.number, func(k int32) []int32 { return s.state(nil, k) })
	})
}

func TestPool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.SampledFrom([]int{1, 2, 3, 4, 5, 7, 8, partItems - 1, partItems + 1}).Draw(t,
			"width")
		var drawn [][]bound
		for _, seed := range rapid.SliceOfN(rapid.IntRange(0, 99), 1, 200).Draw(t, "seeds") {
			row := make([]bound, width)
			row[seed%width], row[width-1] = bound(seed), row[width-1]+bound(seed%3)
			drawn = append(drawn, row)
		}
		p := newPool[bound](width)
		compare(t, drawn, p.number, p.at)
	})
}

// TestShelf is the same for rows that are kept in wider and wider numbers.
func TestShelf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(0, 9).Draw(t, "size")
		value := rapid.OneOf(rapid.Int32Range(-2, 2), rapid.Int32Range(-130, 130),
			rapid.SampledFrom([]int32{none, int32(infinity), math.MinInt8, math.MaxInt8,
				math.MinInt16, math.MaxInt16, 1 << 20, none + 1, int32(infinity) - 1}))
		drawn := rapid.SliceOfN(rapid.SliceOfN(value, size, size), 1, 60).Draw(t, "rows")
		s, count := newShelf[int32](size), int32(0)
		compare(t, drawn, func(row []int32) (k int32, fresh bool) {
			if k = s.number(row); k == count {
				count++
				return k, true
			}
			return k, false
		}, func(k int32) []int32 {
			row := make([]int32, size)
			s.read(k, row)
			return row
		})
	})
}

// TestEqualHashes: among this number of rows some have the same hash.
func TestEqualHashes(t *testing.T) {
	p := newPool[int32](1)
	hashes := map[uint32]bool{}
	for i := range int32(400_000) {
		hashes[hash([]int32{i})] = true
		if k, fresh := p.number([]int32{i}); k != i || !fresh {
			t.Fatalf("row %d has number %d, new: %v", i, k, fresh)
		}
	}
	if len(hashes) == int(p.count) {
		t.Error("all hashes differ, so nothing was tested")
	}
}

// compare numbers the rows, and looks each of them up.
func compare[T any](t *rapid.T, drawn [][]T, number func([]T) (int32, bool), at func(int32) []T) {
	want := map[string]int32{}
	var rows [][]T
	for _, row := range drawn {
		key := fmt.Sprint(row)
		k, known := want[key]
		if !known {
			k = int32(len(rows))
			want[key] = k
			rows = append(rows, row)
		}
		if got, fresh := number(slices.Clone(row)); got != k || fresh == known {
			t.Fatalf("%v has number %d, new: %v, want %d, %v", row, got, fresh, k, !known)
		}
	}
	for k, row := range rows {
		if got := at(int32(k)); fmt.Sprint(got) != fmt.Sprint(row) {
			t.Fatalf("row %d is %v, want %v", k, got, row)
		}
	}
}

// States are packed again no more often than there are bits, in whichever direction a value goes.
func TestStatesArePackedAnewSeldom(t *testing.T) {
	for name, value := range map[string]func(int32) int32{
		"up": func(i int32) int32 { return i }, "down": func(i int32) int32 { return -i },
		"both": func(
			i int32,
		) int32 {
			return i * (1 - i%2*2)
		},
		"from the top": func(i int32) int32 { return math.MaxInt32 - i }, "from the bottom": func(
			i int32,
		) int32 {
			return math.MinInt32 + i
		},
		"far apart": func(i int32) int32 { return []int32{0, math.MinInt32, math.MaxInt32}[i%3] },
	} {
		var s states
		packed := 0
		for i := range int32(3000) {
			before := len(s.packed)
			fields := slices.Clone(s.fields)
			k, fresh := s.number([]int32{value(i), 7})
			if before == 0 || !slices.Equal(fields, s.fields) {
				packed++
			}
			if got := s.state(nil, k); got[0] != value(i) || got[1] != 7 ||
				name != "far apart" && (!fresh || k != i) {
				t.Fatalf("%s: state %d is %v, number %d", name, i, got, k)
			}
		}
		if packed > 34 {
			t.Errorf("%s: packed anew %d times", name, packed)
		}
		for i := range int32(3000) {
			if k, fresh := s.number([]int32{value(i), 7}); fresh || s.state(nil, k)[0] != value(i) {
				t.Fatalf("%s: state %d was lost", name, i)
			}
		}
	}
}
