package accel

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/presburger"
)

// mostListed bounds the states that a region is shown by.
const mostListed = 8

// show writes a region in the language of FAST, a line for each place with states. What is written
// says the same as the automaton, which is checked; where no such formula was found, it says that,
// and names some states.
func (m *machine) show(r region) (lines []string) {
	for p, x := range r {
		if x.IsEmpty() {
			continue
		}
		parts := m.where(p)
		if f := m.formula(x); f != "true" || len(parts) == 0 {
			parts = append(parts, f)
		}
		lines = append(lines, strings.Join(parts, " && "))
	}
	if len(lines) == 0 {
		lines = []string{"false"}
	}
	return lines
}

// where says which place one is.
func (m *machine) where(p int) (parts []string) {
	for i, s := range m.control {
		v := value(s.Result, m.places[p][i])
		switch {
		case s.Result == logic.Bool && v.Bool:
			parts = append(parts, s.Name)
		case s.Result == logic.Bool:
			parts = append(parts, "!"+s.Name)
		default:
			parts = append(parts, s.Name+" = "+v.Text)
		}
	}
	return parts
}

// point writes one vector.
func (m *machine) point(v []int64) string {
	var parts []string
	for i, s := range m.vars {
		parts = append(parts, fmt.Sprintf("%s = %d", s.Name, v[i]))
	}
	if len(parts) == 0 {
		return "true"
	}
	return strings.Join(parts, " && ")
}

// formula writes a set that is not empty.
func (m *machine) formula(x *presburger.Set) string {
	if x.IsAll() || len(m.vars) == 0 {
		return "true"
	}
	var forms []string
	if list, ok := m.store.List(x, mostListed); ok {
		slices.SortFunc(list, slices.Compare)
		if len(list) == 1 {
			return m.point(list[0])
		}
		var parts []string
		for _, v := range list {
			parts = append(parts, "("+m.point(v)+")")
		}
		forms = append(forms, "("+strings.Join(parts, " || ")+")")
	}
	if parts, ok := m.conjunction(x); ok {
		forms = append(forms, strings.Join(parts, " && "))
	} else if parts, ok := m.conjunction(m.store.Not(x)); ok {
		forms = append(forms, "!("+strings.Join(parts, " && ")+")")
	}
	if len(forms) > 0 {
		return slices.MinFunc(forms, func(a, b string) int { return len(a) - len(b) })
	}
	return fmt.Sprintf("(an automaton of %d nodes, with %s)", x.Nodes(),
		m.point(m.store.Some(x)))
}

// bound is a constraint, and how it is written.
type bound struct {
	x    *presburger.Set
	text string
}

// largestShown bounds the numbers that are looked for in formulas.
const largestShown = 1 << 12

// conjunction gives comparisons and congruences whose conjunction is a set, if such were found:
// about one component or two, and as few as possible.
func (m *machine) conjunction(x *presburger.Set) ([]string, bool) {
	if x.IsEmpty() {
		return nil, false
	}
	var all []bound
	both := m.store.All(m.space)
	add := func(b bound) bool {
		next := m.store.And(both, b.x)
		if !next.Equal(both) {
			both = next
			all = append(all, b)
		}
		return both.Equal(x)
	}
	for _, found := range []func(*presburger.Set, combination) []bound{m.bounds, m.remainders} {
		for _, l := range m.combinations() {
			for _, b := range found(x, l) {
				if add(b) {
					return m.fewest(x, all), true
				}
			}
		}
	}
	return nil, false
}

// combination is a sum of components with factors. The first factor is positive.
type combination struct {
	at    []int // components
	times []int64
}

// combinations lists the sums that formulas are made of: of each component, then of two.
func (m *machine) combinations() (out []combination) {
	n := len(m.vars)
	for i := range n {
		out = append(out, combination{[]int{i}, []int64{1}})
	}
	for _, times := range pairs {
		for i := range n {
			for j := i + 1; j < n; j++ {
				out = append(out, combination{[]int{i, j}, times})
			}
		}
	}
	return out
}

// linear is the sum as a linear form.
func (l combination) linear(m *machine) presburger.Linear {
	out := presburger.Linear{Coeffs: make([]int64, len(m.space))}
	for k, i := range l.at {
		out.Coeffs[i] = l.times[k]
	}
	return out
}

// term writes a component with its factor, without the sign.
func (l combination) term(m *machine, k int) string {
	name := m.vars[l.at[k]].Name
	if n := max(l.times[k], -l.times[k]); n > 1 {
		name = fmt.Sprintf("%d*%s", n, name)
	}
	return name
}

// pairs are the factors of sums of two components that formulas are made of.
var pairs = [][]int64{{1, -1}, {1, 1}, {1, -2}, {2, -1}, {1, -3}, {3, -1}}

// mostModulus bounds the numbers by which remainders are looked for.
const mostModulus = 12

// remainders gives the remainders of a sum of components that are the same in all of a set.
func (m *machine) remainders(x *presburger.Set, of combination) (out []bound) {
	l := of.linear(m)
	var terms []string
	for k := range of.at {
		term := of.term(m, k)
		if k > 0 && of.times[k] > 0 {
			term = "+ " + term
		} else if k > 0 {
			term = "- " + term
		}
		terms = append(terms, term)
	}
	text := strings.Join(terms, " ")
	if len(of.at) > 1 {
		text = "(" + text + ")"
	}
	value := l.Of(m.store.Some(x))
	l.Constant = -value
	for n := int64(2); n <= mostModulus; n++ {
		if y := m.store.Multiple(m.space, l, n); m.store.Within(x, y) {
			out = append(out, bound{y, fmt.Sprintf("%s %% %d = %d", text, n, (value%n+n)%n)})
		}
	}
	return out
}

// fewest leaves out what the others imply, the last ones first: they are about more components.
func (m *machine) fewest(x *presburger.Set, all []bound) (texts []string) {
	for i := len(all) - 1; i >= 0; i-- {
		rest := m.store.All(m.space)
		for j, b := range all {
			if j != i {
				rest = m.store.And(rest, b.x)
			}
		}
		if rest.Equal(x) {
			all = slices.Delete(all, i, i+1)
		}
	}
	for _, b := range all {
		texts = append(texts, b.text)
	}
	return texts
}

// bounds gives the least and the largest value of a sum of components in a set, or that it is one
// value.
func (m *machine) bounds(x *presburger.Set, of combination) (out []bound) {
	positive, negative := of.linear(m), of.linear(m)
	for i, c := range positive.Coeffs {
		negative.Coeffs[i] = -c
	}
	most, bounded := m.most(x, positive)
	least, below := m.most(x, negative)
	least = -least
	atMost := func(l presburger.Linear, c int64) *presburger.Set {
		l.Constant = -c
		return m.store.AtMostZero(m.space, l)
	}
	if bounded && below && most == least {
		positive.Constant = -most
		return []bound{{m.store.IsZero(m.space, positive), m.compare(of, "=", most)}}
	}
	if bounded {
		out = append(out, bound{atMost(positive, most), m.compare(of, "<=", most)})
	}
	if below {
		out = append(out, bound{atMost(negative, -least), m.compare(of, ">=", least)})
	}
	return out
}

// most is the largest value of a sum in a set; false if there is none, or if it is large.
func (m *machine) most(x *presburger.Set, sum presburger.Linear) (int64, bool) {
	beyond := func(c int64) bool { // some value is larger
		l := presburger.Linear{Coeffs: make([]int64, len(sum.Coeffs)), Constant: c + 1}
		for i, a := range sum.Coeffs {
			l.Coeffs[i] = -a
		}
		return !m.store.And(x, m.store.AtMostZero(m.space, l)).IsEmpty()
	}
	low := sum.Of(m.store.Some(x)) // a value that there is
	if beyond(largestShown) {
		return 0, false
	}
	high := int64(largestShown)
	for step := int64(1); low < high; step *= 2 {
		if !beyond(min(low+step-1, high)) {
			high = min(low+step-1, high)
			break
		}
		low = min(low+step, high)
	}
	for low < high {
		middle := low + (high-low)/2
		if beyond(middle) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, true
}

// compare writes a comparison of one or two components with a number: each term stands on the side
// where it is positive.
func (m *machine) compare(of combination, op string, c int64) string {
	var left, right []string
	for k, t := range of.times {
		if t > 0 {
			left = append(left, of.term(m, k))
		} else {
			right = append(right, of.term(m, k))
		}
	}
	if c > 0 || len(right) == 0 {
		right = append(right, fmt.Sprint(c))
	} else if c < 0 {
		left = append(left, fmt.Sprint(-c))
	}
	return strings.Join(left, " + ") + " " + op + " " + strings.Join(right, " + ")
}
