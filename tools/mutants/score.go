package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// score is what became of the faults of a package.
type score struct {
	Package  string    `json:"package"`
	Places   int       `json:"places"` // at which a fault could be planted
	Findings []finding `json:"findings"`
}

func (s score) count(o outcome) (n int) {
	for _, f := range s.Findings {
		if f.Outcome == o {
			n++
		}
	}
	return n
}

// percent is the part of the faults that could be noticed and were.
func (s score) percent() float64 {
	k, rest := s.count(killed), s.count(survived)
	if k+rest == 0 {
		return 0
	}
	return 100 * float64(k) / float64(k+rest)
}

// byTime counts the faults that made tests run out of time.
func (s score) byTime() (n int) {
	for _, f := range s.Findings {
		if f.Late {
			n++
		}
	}
	return n
}

// seeds is, for the tests of generated systems, how many systems they looked at before one was
// wrong: the median and the most.
func (s score) seeds() string {
	var all []int
	for _, f := range s.Findings {
		if n, err := strconv.Atoi(f.Seed); err == nil {
			all = append(all, n+1)
		}
	}
	if len(all) == 0 {
		return ""
	}
	slices.Sort(all)
	return fmt.Sprintf("%d, %d", all[len(all)/2], all[len(all)-1])
}

// table writes the scores as a table of Markdown.
func table(w io.Writer, scores []score) {
	fmt.Fprintln(w, "| package | places | planted | killed | of these by time | equivalent | "+
		"survived | score | seeds: median, most |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|")
	for _, s := range scores {
		k, e, v := s.count(killed), s.count(equivalent), s.count(survived)
		fmt.Fprintf(w, "| `%s` | %d | %d | %d | %d | %d | %d | %.0f %% | %s |\n", s.Package,
			s.Places, k+e+v, k, s.byTime(), e, v, s.percent(), s.seeds())
	}
}

// details writes what survived, and how many faults each test killed.
func details(w io.Writer, s score) {
	by := map[string]int{}
	for _, f := range s.Findings {
		switch f.Outcome {
		case survived:
			fmt.Fprintf(w, "survived: %s (line %d)\n", f.Fault, f.Line)
		case killed:
			test, _, _ := strings.Cut(f.By, "/seed")
			by[test]++
		}
	}
	for _, test := range slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b))
	}) {
		fmt.Fprintf(w, "%4d killed by %s\n", by[test], test)
	}
}
