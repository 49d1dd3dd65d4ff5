package temporal

import (
	"math"
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
)

// actionMarks are the marks of an action, by the index of the values of its parameters in the
// lexicographic list of all; nil for an action without fairness.
type actionMarks struct {
	marks  []uint32
	values [][]int64 // of each parameter
}

// mostBindings bounds the values of the parameters of an action: a program has no larger index.
const mostBindings = math.MaxUint16 + 1

// marksOf prepares the marks of an action. It returns false when the instance does not fix the
// values of its parameters.
func (s *search) marksOf(a *system.Action) (out actionMarks, ok bool) {
	count := 1
	for _, p := range a.Params {
		literals, err := s.model.Literals(p.Sort, p.Name)
		if err != nil {
			return out, false
		}
		values := make([]int64, len(literals))
		for i, t := range literals {
			if values[i], err = s.model.Eval(t); err != nil {
				return out, false
			}
		}
		out.values = append(out.values, values)
		if count *= len(values); count > mostBindings {
			return out, false
		}
	}
	if a.Fairness != system.Unfair {
		out.marks = make([]uint32, count)
	}
	return out, true
}

// mark is the mark of an action with parameters that have an index.
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
