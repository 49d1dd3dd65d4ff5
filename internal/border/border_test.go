package border

import (
	"math/rand/v2"
	"testing"
)

// grid is all points with each number from 0 or 1 up to its limit.
func grid(least int64, most []int64, holds func(v []int64) bool) (out []Point) {
	values := make([]int64, len(most))
	var fill func(i int)
	fill = func(i int) {
		if i == len(most) {
			v := append([]int64(nil), values...)
			out = append(out, Point{Values: v, Holds: holds(v)})
			return
		}
		for n := least; n <= most[i]; n++ {
			values[i] = n
			fill(i + 1)
		}
	}
	fill(0)
	return out
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name   string
		names  []string
		points []Point
		text   string
	}{
		{"the timeout of the failure detector", []string{"Delta", "Phi", "timeout"},
			grid(1, []int64{3, 3, 14}, func(v []int64) bool { return v[2] >= 3*v[1]+v[0] }),
			"timeout >= Delta + 3 * Phi"},
		{"a lease by acks", []string{"Delta", "Phi", "lease", "wait"},
			grid(1, []int64{2, 2, 2, 9}, func(v []int64) bool {
				return v[3] >= v[0]+v[1]*(v[2]+1)-1
			}), "wait >= Delta + Phi + Phi * lease - 1"},
		{"clocks that drift", []string{"D", "lease", "wait"},
			grid(2, []int64{4, 6, 12}, func(v []int64) bool {
				return (v[0]-1)*v[2] > (v[0]+1)*v[1]+v[0]-3
			}), "D * wait >= D + lease + wait + D * lease - 2"},
		{"an upper bound", []string{"Phi"}, grid(1, []int64{6}, func(v []int64) bool {
			return v[0] <= 3
		}), "Phi <= 3"},
		{"faults", []string{"n", "f"}, grid(0, []int64{9, 3}, func(v []int64) bool {
			return v[0] > 3*v[1]
		}), "n >= 3 * f + 1"},
		{"the greater of two bounds", []string{"a", "b", "c"},
			grid(0, []int64{4, 4, 9}, func(v []int64) bool {
				return v[2] >= v[0]+2 && v[2] >= 2*v[1]
			}), "c >= a + 2 & c >= 2 * b"},
		{"everywhere", []string{"a"}, grid(0, []int64{9}, func([]int64) bool { return true }), ""},
		{"nowhere", []string{"a"}, grid(0, []int64{9}, func([]int64) bool { return false }), ""},
		{"every second", []string{"a"}, grid(0, []int64{9}, func(v []int64) bool {
			return v[0]%2 == 0
		}), ""},
		{"sufficient", []string{"a", "b"}, grid(1, []int64{9, 6}, func(v []int64) bool {
			return v[0] >= v[1]+1 || v[0] == 3 && v[1] == 3
		}), "a >= b + 1"},
	} {
		got := ""
		if found := Find(c.points); found != nil {
			got = found.String(c.names)
		}
		if got != c.text {
			t.Errorf("%s: %q, want %q", c.name, got, c.text)
		}
	}
}

// What is found is true only where the property holds, whatever the points are, and the points that
// it loses are counted.
func TestFindSeparates(t *testing.T) {
	random, found := rand.New(rand.NewPCG(1, 2)), 0
	for range 200 {
		var points []Point
		a, b, c := random.Int64N(7)-3, random.Int64N(7)-3, random.Int64N(9)-4
		noise := random.IntN(3) == 0
		for range 4 + random.IntN(40) {
			v := []int64{random.Int64N(6), random.Int64N(6), random.Int64N(6)}
			holds := a*v[0]+b*v[1]*v[2] >= c
			wrong := noise && random.IntN(9) == 0
			points = append(points, Point{Values: v, Holds: holds != wrong})
		}
		condition := Find(points)
		if condition == nil {
			continue
		}
		found++
		lost := 0
		for _, p := range points {
			switch is := condition.True(p.Values); {
			case is && !p.Holds:
				t.Fatalf("%s at %v: %v", condition.String([]string{"x", "y", "z"}), p.Values,
					p.Holds)
			case !is && p.Holds:
				lost++
			}
		}
		if lost != condition.Loses {
			t.Fatalf("%d points are lost, not %d", lost, condition.Loses)
		}
	}
	if found < 50 {
		t.Errorf("only %d conditions", found)
	}
}
