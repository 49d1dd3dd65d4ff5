package main

import (
	"strings"
	"testing"
)

func runs(seconds ...float64) (out []Measured) {
	for _, s := range seconds {
		out = append(out, Measured{Verdict: "holds", States: 7, CPUSeconds: s})
	}
	return out
}

// A change is named where no run of one program is as fast as any of the other one's, and the
// medians differ enough.
func TestChange(t *testing.T) {
	for want, p := range map[string]pair{
		"":       {Old: runs(1.0, 1.1, 1.2), New: runs(1.15, 1.3, 1.4)},
		"SLOWER": {Old: runs(1.0, 1.3, 1.1), New: runs(1.4, 2.0, 1.5)},
		"faster": {Old: runs(1.4, 2.0, 1.5), New: runs(1.0, 1.3, 1.1)},
	} {
		if got := p.change(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	small := pair{Old: runs(1.00, 1.01), New: runs(1.02, 1.03)}
	if got := small.change(); got != "" {
		t.Errorf("a fiftieth is %q", got)
	}
}

// Another verdict or count is named, whatever the times are.
func TestDifference(t *testing.T) {
	p := pair{Old: runs(1), New: runs(1)}
	if got := p.difference(); got != "" {
		t.Errorf("the same runs differ: %s", got)
	}
	p.New[0].States = 8
	if got := p.difference(); !strings.Contains(got, "states: 8, and 7 before") {
		t.Errorf("got %q", got)
	}
}

func TestMedian(t *testing.T) {
	if got := median([]float64{3, 1, 2}); got != 2 {
		t.Errorf("the median is %v", got)
	}
}
