package report

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/result"
)

// grid is a report about instances with X = 0, 1, ... and Y = 0, 1, ...: a letter for each, of a
// line for each Y. h holds, v is violated, o is open, and a point has no instance.
func grid(lines ...string) *Report {
	r := &Report{}
	for y, line := range lines {
		for x, letter := range line {
			if letter == '.' {
				continue
			}
			name := fmt.Sprintf("X=%d,Y=%d", x, y)
			r.Instances = append(r.Instances, result.Instance{Name: name, Values: []result.Setting{
				{Name: "X", Value: strconv.Itoa(x)}, {Name: "Y", Value: strconv.Itoa(y)}}})
			r.Results = append(r.Results, result.Result{Property: "p", Kind: "safety",
				Verdict: map[rune]result.Verdict{'h': result.Holds, 'v': result.Violated,
					'o': result.Unknown}[letter],
				Scope: name, States: int64(1 + x*y), Elapsed: time.Duration(x) * time.Second})
		}
	}
	return r
}

func TestFront(t *testing.T) {
	for _, c := range []struct {
		name, marked, text string
		lines              []string
	}{
		{"upwards", "[[1 2] [2 1]]", "holds at 3 of 9 points; among the explored points it " +
			"holds from the marked ones on, for every larger X and Y", []string{"vvv", "vvh", "vhh"}},
		{"downwards", "[[0 1] [1 0]]", "for every smaller X and Y", []string{"hhv", "hvv", "vvv"}},
		{"mixed", "[[0 1] [1 2]]", "for every smaller X and larger Y",
			[]string{"vvv", "hvv", "hhv"}},
		{"an island", "[[1 1]]", "the least and the greatest of these points are marked",
			[]string{"vvv", "vhv", "vvv"}},
		{"everywhere", "[]", "holds at every point of 4", []string{"hh", "hh"}},
		{"nowhere", "[]", "is violated at every point of 4", []string{"vv", "vv"}},
		{"open beyond", "[[0 0] [2 0]]", "open at 1; the least and the greatest",
			[]string{"hoh", "vvv"}},
		{"a gap", "[[1 0]]", "for every larger X and Y", []string{"vh.", "v.h"}},
	} {
		s := grid(c.lines...).Sweeps("", "")
		if len(s) != 1 {
			t.Fatalf("%s: %d sweeps", c.name, len(s))
		}
		f := s[0].Front
		if got := fmt.Sprint(f.Marked); got != c.marked || !strings.Contains(f.Text, c.text) {
			t.Errorf("%s: %s, %s", c.name, got, f.Text)
		}
	}
}

// What is assumed without proof is said of a sweep, too.
func TestFrontAssumes(t *testing.T) {
	r := grid("hv")
	r.Results[0].Assumptions = []result.Assumption{{Name: "fair"}}
	r.Instances = append(r.Instances, result.Instance{Name: "X=2,Y=0",
		Values: []result.Setting{{Name: "X", Value: "2"}, {Name: "Y", Value: "0"}}})
	r.Results = append(r.Results, result.Result{Property: "p", Kind: "safety",
		Verdict: result.Violated, Scope: "X=2,Y=0"})
	if s := r.Sweeps("", ""); len(s) != 1 ||
		!strings.HasPrefix(s[0].Front.Text, "holds at 1 of 3 points, assuming fair; ") {
		t.Errorf("%+v", s)
	}
}

// What the text claims is true of every point, on random grids, by its definition.
func TestFrontRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	claimed := 0
	for range 3000 {
		lines := make([]string, 1+random.IntN(4))
		for j := range lines {
			for range 4 {
				lines[j] += string("hhhvvvo."[random.IntN(8)])
			}
		}
		all := grid(lines...).Sweeps("X", "Y")
		for _, s := range all {
			var d [2]int
			for text, direction := range map[string][2]int{
				"every larger X and Y": {1, 1}, "every smaller X and Y": {-1, -1},
				"every larger X and smaller Y": {1, -1}, "every smaller X and larger Y": {-1, 1},
				"every larger X": {1, 1}, "every smaller X": {-1, -1},
			} {
				if strings.HasSuffix(s.Front.Text, text) {
					d = direction
				}
			}
			if d == ([2]int{}) {
				continue
			}
			claimed++
			for j, line := range lines {
				for i, letter := range line {
					from := false
					for _, m := range s.Front.Marked {
						x, y := s.X.Values[m[0]], s.Y.Values[m[1]]
						from = from || (int64(i)-x)*int64(d[0]) >= 0 &&
							(s.Y.Name == "" || (int64(j)-y)*int64(d[1]) >= 0)
					}
					if letter != '.' && from != (letter == 'h') {
						t.Fatalf("%q at (%d, %d): %s, marked %v", lines, i, j, s.Front.Text,
							s.Front.Marked)
					}
				}
			}
		}
	}
	if claimed < 100 {
		t.Errorf("only %d claims", claimed)
	}
}

func TestSweepsOfSeveralNumbers(t *testing.T) {
	r := &Report{}
	for n := 2; n <= 3; n++ {
		for x := 1; x <= 4; x++ {
			for y := 1; y <= 4; y++ {
				name := fmt.Sprintf("n=%d,Delta=%d,Phi=%d", n, x, y)
				r.Instances = append(r.Instances, result.Instance{Name: name})
				r.Instances[len(r.Instances)-1].Values = []result.Setting{
					{Name: "node", Value: strconv.Itoa(n)}, {Name: "big", Value: "true"},
					{Name: "Delta", Value: strconv.Itoa(x)}, {Name: "Phi", Value: strconv.Itoa(y)}}
				v := result.Violated
				if n == 3 || x > y {
					v = result.Holds
				}
				r.Results = append(r.Results,
					result.Result{Property: "p", Kind: result.Safety, Verdict: v, Scope: name},
					result.Result{Property: "lemma", Kind: result.Invariant, Verdict: result.Holds,
						Scope: name})
			}
		}
	}
	var b bytes.Buffer
	if err := WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	saved, err := ReadJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Report{r, saved[0]} {
		all := r.Sweeps("", "")
		if len(all) != 2 || all[0].Slice != "node = 2" || all[0].X.Name != "Delta" ||
			all[0].Front.Holds != 6 || all[1].Front.Holds != 16 {
			t.Errorf("%d sweeps: %+v", len(all), all)
		}
		if other := r.Sweeps("node", "Phi"); len(other) != 4 || other[0].Slice != "Delta = 1" {
			t.Errorf("%d sweeps over node", len(other))
		}
		if none := r.Sweeps("big", ""); none != nil {
			t.Errorf("a sweep over a truth value: %+v", none)
		}
	}
	var page bytes.Buffer
	if err := WriteHTML(&page, r, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"p by Delta and Phi, node = 2", `class="cell holds marked"`,
		`class="border"`, `class="cell shade`, "It holds at 6 of 16 points"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// Two instances that agree in all numbers are one point, with the worse verdict.
func TestSweepOfEqualInstances(t *testing.T) {
	r := grid("hhh")
	for _, name := range []string{"a", "b"} {
		r.Instances = append(r.Instances,
			result.Instance{Name: name, Values: r.Instances[1].Values})
	}
	r.Results = append(r.Results,
		result.Result{Property: "p", Kind: "safety", Verdict: result.Violated, Scope: "a"},
		result.Result{Property: "p", Kind: "safety", Verdict: result.Holds, Scope: "b"})
	s := r.Sweeps("", "")[0]
	if p := s.Points[0][1]; p.Verdict != result.Violated || p.Instance != "a" {
		t.Errorf("%+v", p)
	}
	if s.Y.Name != "" || s.Front.Violated != 1 {
		t.Errorf("%+v", s)
	}
}
