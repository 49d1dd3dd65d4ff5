package uppaal

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/timed"
)

const variables = `
int[-3,4] v; int[0,5] w; bool b; int[1,3] a[3]; const int k[3] = {-2, 5, 9};
struct { int[2,6] x; bool y; } s;
int[-4,6] f(int[-3,6] n, bool up) { return up ? n : n - 1; }
process P() { state q; init q; } system P;
`

// written is an expression over the variables.
func written(rng *rand.Rand, depth int) string {
	pick := func(options ...string) string { return options[rng.Intn(len(options))] }
	if depth == 0 {
		return pick("v", "w", "b", "s.x", "s.y", "a[2]", "k[1]", fmt.Sprint(rng.Intn(9)), "a[w % 3]",
			"k[w % 3]", "-1", "f(v, b)")
	}
	sub := func() string { return "(" + written(rng, depth-1) + ")" }
	switch rng.Intn(8) {
	case 0:
		return pick("-", "+", "!", "not ") + sub()
	case 1:
		return pick("forall", "exists", "sum") + " (i : " + pick("int[2,4]", "int[-2,1]") + ") " +
			pick("i + ", "i < ", "i * ", "i == ") + sub()
	case 2:
		return sub() + " ? " + sub() + " : " + sub()
	case 3:
		return pick("abs", "fint") + sub()
	case 4:
		return sub() + pick(" == ", " != ", " < ", " <= ", " && ", " || ", " imply ", " > ") + sub()
	}
	return sub() + pick(" + ", " - ", " * ", " / ", " % ", " << ", " >> ", " <? ", " >? ", " & ",
		" | ", " ^ ") + sub()
}

// measured reads the expressions of queries, and gives for each the least and the largest of its
// values in random states.
func measured(t *testing.T, rng *rand.Rand, texts []string) (list []timed.Measure, lo, hi []int64) {
	t.Helper()
	var lines []string
	for _, x := range texts {
		lines = append(lines, "sup: "+x)
	}
	net, err := Read("m.xta", variables, "m.q", strings.Join(lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	ranges := map[string][2]int32{"v": {-3, 4}, "w": {0, 5}, "b": {0, 1}, "a[0]": {1, 3},
		"a[1]": {1, 3}, "a[2]": {1, 3}, "s.x": {2, 6}, "s.y": {0, 1}}
	m := &timed.NewStepper(net, nil).Memory
	for _, q := range net.Queries {
		if q.Refused != "" {
			t.Fatalf("%s: %s", q.Text, q.Refused)
		}
		list = append(list, q.Measures[0])
		least, most := int64(1<<40), int64(-1<<40)
		for range 200 {
			for _, x := range net.Variables {
				r, ok := ranges[x.Name]
				if !ok || x.Bool != (x.Name == "b" || x.Name == "s.y") {
					t.Fatalf("the variable %+v", x)
				}
				m.Cells[x.Cell] = r[0] + rng.Int31n(r[1]-r[0]+1)
			}
			m.Begin()
			n := int64(q.Measures[0].Number.Eval(m))
			if m.Fault == nil {
				least, most = min(least, n), max(most, n)
			}
			m.Fault = nil
		}
		lo, hi = append(lo, least), append(hi, most)
	}
	return list, lo, hi
}

// The values of an expression are within its bounds, by which checks of ranges are left out.
func TestBounds(t *testing.T) {
	for seed := range testkit.Size(25, 400) {
		rng := rand.New(rand.NewSource(seed))
		var texts []string
		for range 40 {
			texts = append(texts, written(rng, 1+rng.Intn(3)))
		}
		list, lo, hi := measured(t, rng, texts)
		for i, m := range list {
			if n := m.Number; lo[i] <= hi[i] && (lo[i] < n.Lo || hi[i] > n.Hi) {
				t.Errorf("seed %d: %s is between %d and %d, and not within %d and %d", seed, m.Text,
					lo[i], hi[i], n.Lo, n.Hi)
			}
		}
	}
}

// Bounds of simple expressions are exact.
func TestExactBounds(t *testing.T) {
	texts := []string{"-v", "v + w", "v - w", "v * w", "v * v - v", "w * w", "v <? w", "v >? w",
		"w / 2", "w % 4", "w & 7", "v & 3", "3 & v", "w >> 1", "1 << w", "abs(v)", "abs(w)",
		"b ? v : w", "v < w", "sum (i : int[2,4]) w", "sum (i : int[-2,1]) v", "a[w % 3]",
		"k[w % 3]", "f(v, b)", "s.x", "s.y", "2 * s.x - 3 * b"}
	list, _, _ := measured(t, rand.New(rand.NewSource(1)), texts)
	var got []string
	for _, m := range list {
		got = append(got, fmt.Sprintf("%s: %d..%d", m.Text, m.Number.Lo, m.Number.Hi))
	}
	want := []string{"-v: -4..3", "v + w: -3..9", "v - w: -8..4", "v * w: -15..20",
		"v * v - v: -16..19", "w * w: 0..25", "v <? w: -3..4", "v >? w: 0..5", "w / 2: 0..5",
		"w % 4: 0..3", "w & 7: 0..7", "v & 3: 0..7", "3 & v: 0..7", "w >> 1: 0..5", "1 << w: 0..32",
		"abs(v): 0..4", "abs(w): 0..5", "b ? v : w: -3..5", "v < w: 0..1",
		"sum (i : int[2,4]) w: 0..15", "sum (i : int[-2,1]) v: -12..16", "a[w % 3]: 1..3",
		"k[w % 3]: -2..9", "f(v, b): -4..6", "s.x: 2..6", "s.y: 0..1", "2 * s.x - 3 * b: 1..12"}
	for i, w := range want {
		if got[i] != w {
			t.Errorf("%s, want %s", got[i], w)
		}
	}
}

// The types and constants of UPPAAL's own have the values of C's.
func TestPredefined(t *testing.T) {
	text := "int8_t a; uint8_t b; int16_t c; uint16_t d; int32_t e; int f; const int g = INT8_MIN; " +
		"const int h[7] = {INT8_MAX, UINT8_MAX, INT16_MIN, INT16_MAX, UINT16_MAX, INT32_MIN, INT32_MAX}; " +
		"process P() { state q; init q; } system P;"
	net, err := Read("m.xta", text, "m.q", "sup: a, b, c, d, e, f, g, h[0], h[1], h[2], h[3], h[4], h[5], h[6]")
	if err != nil {
		t.Fatal(err)
	}
	var got [][2]int64
	for _, m := range net.Queries[0].Measures {
		got = append(got, [2]int64{m.Number.Lo, m.Number.Hi})
	}
	one := func(n int64) [2]int64 { return [2]int64{n, n} }
	if want := [][2]int64{{-128, 127}, {0, 255}, {-32768, 32767}, {0, 65535},
		{-2147483648, 2147483647}, {-32768, 32767}, one(-128), one(127), one(255), one(-32768),
		one(32767), one(65535), one(-2147483648), one(2147483647)}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
