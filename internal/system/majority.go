package system

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// Majority says that the elements of Sort are the smallest majorities of the sort Of, and that
// Member(e, m) is true when e belongs to m. A proof knows of them what the axioms say. An instance
// has exactly these sets.
type Majority struct {
	Of, Sort *logic.Sort
	Member   *logic.Symbol
}

// IsListed reports whether an instance lists the elements of a sort by itself: they are majorities
// of another one, or codes.
func (s *System) IsListed(sort *logic.Sort) bool {
	return slices.Contains(s.Coded, sort) ||
		slices.ContainsFunc(s.Majorities, func(m *Majority) bool { return m.Sort == sort })
}

// Sized lists the uninterpreted sorts whose sizes can be chosen, which codes have not.
func (s *System) Sized() (out []*logic.Sort) {
	for _, sort := range s.Sorts {
		if sort.Kind == logic.KindUninterpreted && !slices.Contains(s.Coded, sort) {
			out = append(out, sort)
		}
	}
	return out
}

// ListError says that an instance has too many elements of some sort to list them.
type ListError struct{ What string }

func (e *ListError) Error() string { return e.What }

// Complete is an instance with what it fixes without saying so: the majorities of its sorts, the
// codes of values, and usual values of constants. A ListError refuses a sort with too many
// elements.
func (s *System) Complete(in *Instance) (*Instance, error) {
	out := *in
	out.Sizes, out.Values = maps.Clone(in.Sizes), maps.Clone(in.Values)
	if out.Values == nil {
		out.Values = map[*logic.Symbol]*logic.Term{}
	}
	for _, m := range s.Majorities {
		n, ok := out.Sizes[m.Of]
		if !ok {
			continue // the model says that it is missing
		}
		if n > mostVoters {
			return nil, &ListError{fmt.Sprintf("the majorities of %d elements of %s are too many "+
				"to list: at most %d elements", n, m.Of, mostVoters)}
		}
		sets := smallestMajorities(n)
		out.Sizes[m.Sort] = len(sets)
		out.Facts = append(out.Facts[:len(out.Facts):len(out.Facts)], m.fact(sets))
	}
	for _, sym := range s.Symbols {
		if sym.Usual != nil && out.Values[sym] == nil {
			out.Values[sym] = sym.Usual
		}
	}
	if in.Pictured {
		return &out, nil
	}
	if err := listCodes(s, &out); err != nil { // ends of ranges are values by now
		return nil, err
	}
	return &out, nil
}

// mostVoters bounds the elements of which the majorities are listed: 15 have 6,435.
const mostVoters = 15

// smallestMajorities lists the sets with just more than half of n elements, as sets of bits.
func smallestMajorities(n int) (out []uint64) {
	for s := range uint64(1) << n {
		if bits.OnesCount64(s) == n/2+1 {
			out = append(out, s)
		}
	}
	return out
}

func (m *Majority) fact(sets []uint64) *Formula {
	e := &logic.Var{Name: "E", Sort: m.Of}
	q := &logic.Var{Name: "Q", Sort: m.Sort}
	var points []*logic.Term
	for i, s := range sets {
		var inside []*logic.Term
		for k := range 64 {
			if s>>k&1 == 1 {
				inside = append(inside, logic.Eq(logic.Ref(e), logic.Member(m.Of, k)))
			}
		}
		points = append(points, logic.And(logic.Eq(logic.Ref(q), logic.Member(m.Sort, i)),
			logic.Or(inside...)))
	}
	return &Formula{Name: m.Member.Name, Term: logic.Forall([]*logic.Var{e, q},
		logic.Iff(logic.App(m.Member, logic.Pre, logic.Ref(e), logic.Ref(q)), logic.Or(points...)))}
}
