package border

import (
	"math"
	"slices"
)

// search tries inequalities on points.
type search struct {
	points  []Point
	holds   int       // the number of points where the property holds
	left    []int     // the points that no part excludes yet, of the ones where it does not hold
	factors [][]int   // of the terms that may occur, cheapest first
	at      [][]int64 // of each of them, its value at each point

	most int // bounds the cost of a condition

	// of the part that is looked for
	best *candidate
	work int
	// the best inequality that excludes all points where the property does not hold
	alone *candidate
}

// candidate is an inequality that is true wherever the property holds.
type candidate struct {
	inequality Inequality
	cost       int
	excludes   int // the number of points that are left
	equal      int // the number of candidates of this cost that exclude as many, this one included
	loses      int // the number of points where the property holds and the inequality does not
}

// score is smaller for a better description of all points: each unit of its cost is worth two
// points where the property holds.
func (c *candidate) score() int { return 2*c.cost + c.loses }

func newSearch(points []Point) *search {
	s := &search{points: points}
	for i, p := range points {
		if !p.Holds {
			s.left = append(s.left, i)
		} else {
			s.holds++
		}
	}
	n := len(points[0].Values)
	for i := range n {
		s.factors = append(s.factors, []int{i})
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			s.factors = append(s.factors, []int{i, j})
		}
	}
	for i := range n {
		s.factors = append(s.factors, []int{i, i})
	}
	for _, f := range s.factors {
		values := make([]int64, len(points))
		for i, p := range points {
			values[i] = value([]Term{{Times: 1, Factors: f}}, p.Values)
		}
		s.at = append(s.at, values)
	}
	return s
}

// price is the cost of a term with the factor 1 or -1: one for a number, two for a product of two,
// three for a square.
func price(factors []int) int {
	if len(factors) == 2 && factors[0] == factors[1] {
		return 3
	}
	return len(factors)
}

// part finds the inequality that excludes most of the points that are left for its cost, and no
// point where the property holds; the cheapest if it excludes all. It gives nil if none excludes
// any.
func (s *search) part() *candidate {
	s.best, s.work = nil, 0
	for cost := 1; cost <= s.most; cost++ {
		if s.best != nil && s.best.excludes == len(s.left) {
			break
		}
		s.extend(nil, make([]int64, len(s.points)), 0, cost, cost)
	}
	return s.best
}

// extend tries all sums that begin with some terms, whose values are given, go on with terms from
// the next one on, and cost exactly what is left.
func (s *search) extend(terms []Term, sums []int64, next, left, cost int) {
	if left == 0 {
		s.try(terms, sums, cost)
		return
	}
	more := make([]int64, len(sums))
	for i := next; i < len(s.factors); i++ {
		for times := int64(1); int(times)-1+price(s.factors[i]) <= left; times++ {
			if s.work >= mostWork {
				return
			}
			rest := left - int(times) + 1 - price(s.factors[i])
			for _, signed := range []int64{times, -times} {
				for p, v := range s.at[i] {
					more[p] = sums[p] + signed*v
				}
				t := Term{Times: signed, Factors: s.factors[i]}
				s.extend(append(terms, t), more, i+1, rest, cost)
			}
		}
	}
}

// try looks at the inequalities of a sum that exclude no point where the property holds, and the
// ones that exclude all others.
func (s *search) try(terms []Term, sums []int64, cost int) {
	s.work += len(s.points)
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	for i, p := range s.points {
		if p.Holds {
			least = min(least, sums[i])
		} else {
			most = max(most, sums[i])
		}
	}
	excludes := 0
	for _, i := range s.left {
		if sums[i] < least {
			excludes++
		}
	}
	b := s.best
	switch {
	case excludes == 0:
	case b == nil || excludes == len(s.left) && b.excludes < excludes ||
		b.excludes < len(s.left) && excludes*b.cost > b.excludes*cost:
		s.best = &candidate{inequality: Inequality{Terms: slices.Clone(terms), Least: least},
			cost: cost, excludes: excludes, equal: 1}
	case excludes == b.excludes && cost == b.cost:
		b.equal++
	}
	s.tryAlone(terms, sums, max(least, most+1), cost)
}

// tryAlone looks at an inequality that excludes all points where the property does not hold, and
// perhaps others.
func (s *search) tryAlone(terms []Term, sums []int64, least int64, cost int) {
	c := &candidate{cost: cost}
	for i, p := range s.points {
		if p.Holds && sums[i] < least {
			c.loses++
		}
	}
	if 2*c.loses < s.holds && (s.alone == nil || c.score() < s.alone.score()) {
		c.inequality = Inequality{Terms: slices.Clone(terms), Least: least}
		s.alone = c
	}
}
