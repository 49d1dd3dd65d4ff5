package diagram

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The dots are at the least pairs, a hollow one beyond the limit, and every text is in the drawing.
func TestStaircase(t *testing.T) {
	s := &Staircase{X: "Delta", Y: "Phi", Pairs: [][2]int64{{9, 1}, {4, 2}, {3, 7}}, More: true,
		Limit: &Limit{A: 1, B: 3, C: 12, Text: "3 * Phi + 1 * Delta = 12, a long text"}}
	text := s.SVG("front")
	if n := strings.Count(text, `class="pair"`); n != 2 {
		t.Errorf("%d pairs within the limit, and not 2", n)
	}
	if n := strings.Count(text, `class="pair beyond"`); n != 1 {
		t.Errorf("%d pairs beyond the limit, and not 1", n)
	}
	size := regexp.MustCompile(`viewBox="0 0 (\d+) (\d+)"`).FindStringSubmatch(text)
	wide, _ := strconv.ParseFloat(size[1], 64)
	for _, m := range regexp.MustCompile(`x="([\d.]+)" y="[\d.]+" text-anchor="start">([^<]*)<`).
		FindAllStringSubmatch(text, -1) {
		if x, _ := strconv.ParseFloat(m[1], 64); x+width(m[2]) > wide {
			t.Errorf("%q ends at %.0f of %.0f", m[2], x+width(m[2]), wide)
		}
	}
	for _, c := range []struct {
		pair [2]int64
		want bool
	}{{[2]int64{9, 1}, true}, {[2]int64{3, 3}, true}, {[2]int64{4, 3}, false}} {
		if got := s.Limit.Allows(c.pair); got != c.want {
			t.Errorf("%s within the limit: %v", fmt.Sprint(c.pair), got)
		}
	}
}

func TestStepOfAxis(t *testing.T) {
	for most, want := range map[int64]int64{1: 1, 10: 1, 11: 2, 25: 5, 60: 10, 1234: 200} {
		if got := step(most); got != want || most/got > 10 {
			t.Errorf("up to %d the labels are %d apart, and not %d", most, got, want)
		}
	}
}
