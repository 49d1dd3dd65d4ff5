package main

import (
	"fmt"
	"slices"
)

// rounds is how often a comparison measures each row with each program.
const rounds = 5

// leastChange is the least ratio of medians that counts as a change.
const leastChange = 1.05

// pair is a row as two programs carry it out, some times each, one after the other, so that what
// else the machine does meets both.
type pair struct {
	Row      string
	Old, New []Measured
}

// compare measures the rows of tables with both programs in turn, and prints what changed.
func compare(older, newer string, wanted []table) error {
	fmt.Printf("old: %s\nnew: %s\n", firstLine(older, "version"), firstLine(newer, "version"))
	printColumns := func(columns ...any) {
		fmt.Printf("%-44s %10s %10s %8s %10s  %s\n", columns...)
	}
	printColumns("", "old cpu s", "new cpu s", "new/old", "new B/old", "")
	different := 0
	for _, t := range wanted {
		if t.Own != nil || t.Clone != nil || t.Long || t.Inside {
			fmt.Printf("%s: left out: its files are elsewhere, or it takes long\n", t.Name)
			continue
		}
		for _, r := range t.Rows {
			p := pair{Row: t.Name + ": " + r.Name}
			if err := p.measure(older, newer, t, r); err != nil {
				return fmt.Errorf("%s: %w", p.Row, err)
			}
			text := p.change()
			if other := p.difference(); other != "" {
				text, different = other, different+1
			}
			printColumns(p.Row, fmt.Sprintf("%.2f", median(seconds(p.Old))),
				fmt.Sprintf("%.2f", median(seconds(p.New))),
				fmt.Sprintf("%.2f", median(seconds(p.New))/median(seconds(p.Old))),
				fmt.Sprintf("%.2f", median(peaks(p.New))/median(peaks(p.Old))), text)
		}
	}
	if different > 0 {
		return fmt.Errorf("%d rows have other verdicts or counts", different)
	}
	return nil
}

// measure runs both programs in turn; the one that begins changes from round to round.
func (p *pair) measure(older, newer string, t table, r row) error {
	for round := range rounds {
		runs := []struct {
			program string
			to      *[]Measured
		}{{older, &p.Old}, {newer, &p.New}}
		if round%2 == 1 {
			slices.Reverse(runs)
		}
		for _, x := range runs {
			m, err := measure(x.program, t, r)
			if err != nil {
				return err
			}
			*x.to = append(*x.to, m)
		}
	}
	return nil
}

// change says that one program is slower, where that is more than noise: each of its runs takes
// longer than all of the other one's, which happens by chance once in 126 rows, and the medians
// differ by a twentieth. It is empty otherwise.
func (p *pair) change() string {
	before, after := seconds(p.Old), seconds(p.New)
	switch {
	case slices.Min(after) > slices.Max(before) && median(after) > leastChange*median(before):
		return "SLOWER"
	case slices.Max(after) < slices.Min(before) && median(before) > leastChange*median(after):
		return "faster"
	}
	return ""
}

// difference says in which verdict or count the programs differ, empty for none. Queries to solvers
// may differ from run to run of one program.
func (p *pair) difference() string {
	x, y := p.Old[0], p.New[0]
	for _, c := range []struct {
		what     string
		old, new any
	}{
		{"verdict", x.Verdict, y.Verdict}, {"states", x.States, y.States},
		{"transitions", x.Transitions, y.Transitions}, {"depth", x.Depth, y.Depth},
		{"proved obligations", x.Proved, y.Proved},
	} {
		if c.old != c.new {
			return fmt.Sprintf("OTHER %s: %v, and %v before", c.what, c.new, c.old)
		}
	}
	return ""
}

func seconds(runs []Measured) (out []float64) {
	for _, m := range runs {
		out = append(out, m.CPUSeconds)
	}
	return out
}

func peaks(runs []Measured) (out []float64) {
	for _, m := range runs {
		out = append(out, float64(m.PeakBytes))
	}
	return out
}

// median is the middle value, or the lower of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}
