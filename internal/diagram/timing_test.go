package diagram

import (
	"encoding/xml"
	"strings"
	"testing"
)

// A timing picture has everything that falls into its times, at the right places, and nothing of
// what it shows can end a tag.
func TestTiming(t *testing.T) {
	picture := Timing{
		Lanes: []string{"a<b", "c"}, Since: 100, Until: 200, Round: 10,
		Steps: []Moment{{0, 100}, {1, 150}, {1, 250}},
		Messages: []Flight{
			{From: 0, To: 1, Sent: 100, Received: 150, Forces: true, Text: "slow & late"},
			{From: 1, To: 0, Sent: 160, Lost: true, Text: "gone"},
			{From: 0, To: 1, Sent: 10, Received: 20, Text: "before"},
		},
		Intervals: []Interval{
			{Lane: 0, Since: 50, Until: 120, Text: "suspected c"},
			{Lane: 0, Since: 130, Until: 140, Text: "suspected c"},
			{Lane: 0, Since: 110, Until: 300, Text: "suspected d"},
			{Lane: 1, Since: 300, Until: 400, Text: "later"},
		},
		Gaps: []Interval{{Lane: 1, Since: 100, Until: 150, Text: "Phi ≥ 5"}},
	}
	svg := picture.SVG(`a "title"`)
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); err != nil {
			if err.Error() != "EOF" {
				t.Fatalf("%v in\n%s", err, svg)
			}
			break
		}
	}
	for text, want := range map[string]int{
		`class="lane-name"`: 2, `class="step"`: 2, `class="message forces"`: 1,
		`class="message lost"`: 1, `class="message arrived"`: 0, `class="interval"`: 3,
		`class="gap"`: 1, "a&lt;b": 1, "slow &amp; late": 2, "Phi ≥ 5": 2, "later": 0, "before": 0,
		">0 rounds<": 1,
	} {
		if n := strings.Count(svg, text); n != want {
			t.Errorf("%s: %d times, want %d", text, n, want)
		}
	}
	// The two intervals with one text share a row, and the other one has a row of its own.
	rows := map[string]bool{}
	for _, part := range strings.Split(svg, `class="interval-name"`)[1:] {
		_, y, _ := strings.Cut(part, `y="`)
		y, _, _ = strings.Cut(y, `"`)
		rows[y] = true
	}
	if len(rows) != 2 {
		t.Errorf("%d rows of intervals, want 2", len(rows))
	}
	// The message goes from the first step to the second: 5 rounds to the right.
	p := timingPicture{Timing: &picture, scale: 2, left: 30}
	if x := p.x(150) - p.x(100); x != 100 {
		t.Errorf("5 rounds of 10 units are %v wide, want 100", x)
	}
}

// A round that is longer than the whole, or much shorter, gives a picture of bounded size.
func TestTimingSizes(t *testing.T) {
	for _, round := range []int64{1, 1 << 60} {
		svg := (&Timing{Lanes: []string{"a"}, Since: 0, Until: 1_000_000_000,
			Round: round}).SVG("t")
		if len(svg) > 100_000 || strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("round %d: %d bytes", round, len(svg))
		}
	}
}
