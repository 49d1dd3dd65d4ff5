package temporal

import (
	"math"
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// actionMarks are the marks of an action, by the index of the values of its parameters in the
// lexicographic list of all; nil for an action without fairness.
type actionMarks struct {
	marks  []uint32
	fairIf []int     // the predicate under which the action is fair; nil where it is always
	values [][]int64 // of each parameter
}

// mostBindings bounds the values of the parameters of an action: a program has no larger index.
const mostBindings = math.MaxUint16 + 1

// marksOf prepares the marks of an action. It returns false when the instance does not fix the
// values of its parameters.
func (s *search) marksOf(a *system.Action) (out actionMarks, ok bool) {
	literals, count := literalsOf(s.model, a)
	if literals == nil {
		return out, false
	}
	for _, of := range literals {
		values := make([]int64, len(of))
		for i, t := range of {
			var err error
			if values[i], err = s.model.Eval(t); err != nil {
				return out, false
			}
		}
		out.values = append(out.values, values)
	}
	if a.Fairness != system.Unfair {
		out.marks = make([]uint32, count)
	}
	for _, t := range fairWhere(a, literals) {
		k := s.predicates.find(t)
		if k < 0 {
			return out, false
		}
		out.fairIf = append(out.fairIf, k)
	}
	return out, true
}

// literalsOf lists the values of the parameters of an action, and says how many there are of all
// together; nil where the instance does not fix them, or where there are too many.
func literalsOf(m *interp.Model, a *system.Action) (out [][]*logic.Term, count int) {
	out, count = [][]*logic.Term{}, 1
	for _, p := range a.Params {
		literals, err := m.Literals(p.Sort, p.Name)
		if err != nil {
			return nil, 0
		}
		if count *= len(literals); count > mostBindings {
			return nil, 0
		}
		out = append(out, literals)
	}
	return out, count
}

// fairWhere is the condition under which the steps of an action are fair, for each value of its
// parameters in the order of their indices; nil where they always are, or where the values are not
// known.
func fairWhere(a *system.Action, literals [][]*logic.Term) []*logic.Term {
	if a.FairIf == nil || literals == nil {
		return nil
	}
	out := []*logic.Term{a.FairIf}
	for k, p := range a.Params {
		var longer []*logic.Term
		for _, t := range out {
			for _, value := range literals[k] {
				longer = append(longer, logic.Subst(t, map[*logic.Var]*logic.Term{p: value}))
			}
		}
		out = longer
	}
	return out
}

// unknownFairness reports whether it is not known in some state whether fairness asks for a step.
func (s *search) unknownFairness() bool {
	return slices.ContainsFunc(s.marks, func(m actionMarks) bool {
		return slices.ContainsFunc(m.fairIf, func(k int) bool {
			return s.predicates.failed[k] != nil
		})
	})
}

func (s *search) markOf(label uint32, truth []uint64) (action int, mark uint32) {
	action, index := int(label>>16), int(label&math.MaxUint16)
	if of := s.marks[action].fairIf; of != nil {
		if k := len(s.ranges) + of[index]; truth[k/64]>>(k%64)&1 != 0 {
			return action, unfair
		}
	}
	return action, s.mark(action, index)
}

// mark is the mark of a fair step of an action with parameters that have an index.
func (s *search) mark(action, index int) uint32 {
	am := &s.marks[action]
	if am.marks == nil {
		return unfair
	}
	if am.marks[index] == 0 {
		a := s.model.System.Actions[action]
		args := make([]interp.Arg, len(a.Params))
		for k, rest := len(args)-1, index; k >= 0; k-- {
			n := len(am.values[k])
			args[k] = interp.Arg{Var: a.Params[k], Value: am.values[k][rest%n]}
			rest /= n
		}
		am.marks[index] = uint32(len(s.labels))
		s.labels = append(s.labels, label{a, args})
	}
	return am.marks[index]
}

// index is the index of the parameters of an action.
func (s *search) index(action int, args []interp.Arg) uint32 {
	index := 0
	for k, values := range s.marks[action].values {
		at, _ := slices.BinarySearch(values, args[k].Value)
		index = index*len(values) + at
	}
	return uint32(index)
}
