// Package border finds the condition on numbers under which something holds.
//
// In: points, each with the values of some integers, and whether the property holds there. Out: a
// condition that is true only at points where it holds, and at all of them or nearly all, such as
// wait >= Delta + Phi * lease + Phi - 1. It is a proposal: of other points it says nothing.
//
// A condition is a conjunction of inequalities between sums of small multiples of numbers and of
// products of two numbers. Inequalities are tried by their cost, simplest first, and each is as
// strict as the points allow. Where one alone does not exclude all points, the one that excludes
// most for its cost is kept, and others must exclude the rest; so a greatest of several bounds is
// found, too. A short inequality that is false at a few points where the property holds, too, is
// better than a long condition that describes them all.
package border

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Point is one setting of the numbers.
type Point struct {
	Values []int64 // of each number, in the order of the names
	Holds  bool
}

// Condition is a conjunction of inequalities, never empty.
type Condition struct {
	Parts []Inequality
	// Others is the number of conditions of one inequality that fit the points, too, and cost the
	// same. More points would tell them apart.
	Others int
	// Loses is the number of points where the property holds and the condition does not: if there
	// are any, the condition is sufficient, and not necessary.
	Loses int
}

// Inequality says that a sum is at least a number.
type Inequality struct {
	Terms []Term
	Least int64
}

// Term is a multiple of a number, or of a product of two.
type Term struct {
	Times   int64
	Factors []int // one or two numbers, by their index
}

const (
	// mostParts bounds the inequalities of a condition.
	mostParts = 4
	// mostCost bounds the cost of an inequality.
	mostCost = 9
	// mostWork bounds the sums that are computed for one part, each at one point.
	mostWork = 50_000_000
)

// Find finds a condition. It gives nil where the property holds everywhere or nowhere, and where no
// condition of this form fits.
func Find(points []Point) *Condition {
	if len(points) == 0 {
		return nil
	}
	s := newSearch(points)
	if len(s.left) == 0 || len(s.left) == len(points) {
		return nil
	}
	s.most = min(mostCost, lines(points))
	out := s.conjunction()
	if a := s.alone; a != nil && (out == nil || a.score() < 2*out.cost()) {
		out = &Condition{Parts: []Inequality{a.inequality}, Loses: a.loses}
	}
	if out == nil || out.cost() > s.most {
		return nil
	}
	return out
}

// lines is the number of lines of points, in the direction of one of the numbers, on which the
// property begins or ends to hold: each shows one point of the border, and a condition that costs
// more than there are such points is made up.
func lines(points []Point) (most int) {
	for axis := range points[0].Values {
		seen := map[string][2]bool{} // is there a point where it holds, and one where it does not?
		for _, p := range points {
			others := slices.Clone(p.Values)
			others[axis] = 0
			line := fmt.Sprint(others)
			both := seen[line]
			both[0], both[1] = both[0] || p.Holds, both[1] || !p.Holds
			seen[line] = both
		}
		n := 0
		for _, both := range seen {
			if both[0] && both[1] {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// conjunction finds a condition that is true at exactly the points where the property holds.
func (s *search) conjunction() *Condition {
	out := &Condition{}
	for len(s.left) > 0 && len(out.Parts) < mostParts {
		found := s.part()
		if found == nil {
			return nil
		}
		if len(out.Parts) == 0 && found.excludes == len(s.left) {
			out.Others = found.equal - 1
		}
		out.Parts = append(out.Parts, found.inequality)
		s.left = slices.DeleteFunc(s.left, func(i int) bool {
			return value(found.inequality.Terms, s.points[i].Values) < found.inequality.Least
		})
	}
	if len(s.left) > 0 {
		return nil
	}
	out.simplify(s.points)
	return out
}

// simplify leaves out each part without which the others exclude all points, too.
func (c *Condition) simplify(points []Point) {
	for i := 0; i < len(c.Parts) && len(c.Parts) > 1; {
		rest := &Condition{Parts: slices.Delete(slices.Clone(c.Parts), i, i+1)}
		if slices.ContainsFunc(points, func(p Point) bool {
			return rest.True(p.Values) != p.Holds
		}) {
			i++
			continue
		}
		c.Parts = rest.Parts
	}
}

// cost is the sum of the costs of all terms, and one for each further part.
func (c *Condition) cost() (sum int) {
	sum = len(c.Parts) - 1
	for _, q := range c.Parts {
		for _, t := range q.Terms {
			sum += int(max(t.Times, -t.Times)) - 1 + price(t.Factors)
		}
	}
	return sum
}

// value is the value of a sum at a point.
func value(terms []Term, values []int64) (sum int64) {
	for _, t := range terms {
		product := t.Times
		for _, f := range t.Factors {
			product *= values[f]
		}
		sum += product
	}
	return sum
}

// True reports whether a condition is true of some values.
func (c *Condition) True(values []int64) bool {
	return !slices.ContainsFunc(c.Parts, func(q Inequality) bool {
		return value(q.Terms, values) < q.Least
	})
}

// Uses reports whether a number, by its index, occurs in a condition.
func (c *Condition) Uses(number int) bool {
	return slices.ContainsFunc(c.Parts, func(q Inequality) bool {
		return slices.ContainsFunc(q.Terms, func(t Term) bool {
			return slices.Contains(t.Factors, number)
		})
	})
}

// String writes a condition in the language of specifications.
func (c *Condition) String(names []string) string {
	var parts []string
	for _, q := range c.Parts {
		parts = append(parts, q.text(names))
	}
	return strings.Join(parts, " & ")
}

// text has what is added on the left, and what is subtracted on the right.
func (q *Inequality) text(names []string) string {
	var left, right []string
	for _, t := range q.Terms {
		var factors []string
		if times := max(t.Times, -t.Times); times != 1 {
			factors = append(factors, strconv.FormatInt(times, 10))
		}
		for _, f := range t.Factors {
			factors = append(factors, names[f])
		}
		if text := strings.Join(factors, " * "); t.Times > 0 {
			left = append(left, text)
		} else {
			right = append(right, text)
		}
	}
	relation, least := " >= ", q.Least
	if len(left) == 0 {
		left, right, relation, least = right, nil, " <= ", -least
	}
	text := strings.Join(left, " + ") + relation + strings.Join(right, " + ")
	switch {
	case len(right) == 0:
		return text + strconv.FormatInt(least, 10)
	case least > 0:
		return text + " + " + strconv.FormatInt(least, 10)
	case least < 0:
		return text + " - " + strconv.FormatInt(-least, 10)
	}
	return text
}
