package infer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// instances are the small instances of a system.
type instances struct {
	sys    *system.System
	finite *system.System     // the system whose steps choose integers from a window
	values []*system.Instance // of the parameters
}

func newInstances(sys *system.System) *instances {
	return &instances{sys: sys, finite: finite(sys), values: smallParameters(sys)}
}

// structure makes an instance ready to be explored. An error says why it cannot be.
func (s *instances) structure(inst *system.Instance) (*structure, error) {
	m, err := interp.NewModel(s.finite, inst)
	if err != nil {
		return nil, err
	}
	return newStructure(m), nil
}

// small lists instances of some sizes: all sorts have that size, and the parameters small values.
// Without sorts, the size is the largest value of a parameter. It adds the instances of the file if
// a system needs values that only a person can choose.
func (s *instances) small(sizes ...int) (out []*system.Instance) {
	for _, n := range sizes {
		for _, values := range s.valuesOf(n) {
			inst := s.uniform(n)
			inst.Values = values.Values
			s.name(inst, values.Name)
			if _, err := s.structure(inst); err == nil {
				out = append(out, inst)
			}
		}
	}
	if len(out) == 0 {
		return s.sys.Instances
	}
	return out
}

// valuesOf lists values of the parameters for an instance of a size, as instances.
func (s *instances) valuesOf(n int) []*system.Instance {
	if hasElements(s.sys) {
		return s.values
	}
	out := slices.DeleteFunc(parameters(s.sys, int64(n)), func(inst *system.Instance) bool {
		largest := int64(leastSize)
		for _, v := range inst.Values {
			largest = max(largest, v.Int.Int64())
		}
		return largest != int64(n)
	})
	return out[:min(len(out), manyValues)]
}

// hasElements reports whether a system has a sort of elements.
func hasElements(sys *system.System) bool {
	return slices.ContainsFunc(sys.Sorts, func(sort *logic.Sort) bool {
		return sort.Kind == logic.KindUninterpreted
	})
}

// leastSize is the smallest size of an instance that is sampled.
const leastSize = 2

// uniform is an instance in which all sorts have the same size.
func (s *instances) uniform(n int) *system.Instance {
	inst := &system.Instance{Sizes: map[*logic.Sort]int{}, Values: s.values[0].Values}
	if values := s.valuesOf(n); len(values) > 0 {
		inst.Values = values[0].Values
	}
	for _, sort := range s.sys.Sized() {
		inst.Sizes[sort] = n
	}
	inst.Integers = s.sys.WindowFor(inst)
	s.name(inst)
	return inst
}

// name gives an instance a name that says its sizes, as a user would ask for it, and more.
func (s *instances) name(inst *system.Instance, more ...string) {
	var parts []string
	for _, sort := range s.sys.Sorts {
		if n := inst.Sizes[sort]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", sort, n))
		}
	}
	parts = slices.DeleteFunc(append(parts, more...), func(part string) bool { return part == "" })
	inst.Name = cmp.Or(strings.Join(parts, ","), "the only instance")
}

// of is an instance with the sizes and parameters of a counterexample to induction, nil where its
// states have too many slots. (It need not be a part of a larger one.)
func (s *instances) of(t *result.Trace) *system.Instance {
	given, err := interp.InstanceOf(s.sys, t)
	if err != nil {
		return nil
	}
	inst := s.uniform(2)
	inst.Name = "instance of a counterexample"
	for sort, n := range given.Sizes {
		inst.Sizes[sort] = max(n, 2)
	}
	if len(given.Values) > 0 {
		inst.Values = given.Values
	}
	if of, err := s.structure(inst); err != nil || len(of.symbols) > manySlots {
		return nil
	}
	return inst
}

// first is the first state of a counterexample to induction.
func (s *instances) first(t *result.Trace) (sample, error) {
	m, state, err := interp.First(s.finite, t)
	if err != nil {
		return sample{}, err
	}
	return sample{newStructure(m), state}, nil
}

// manyValues bounds the values of the parameters of a system with elements.
const manyValues = 6

// parameters lists the values of the integer parameters up to a largest one that the axioms allow,
// as instances without sizes; a single one without values if there are no parameters. The first
// ones differ from each other and from 0: equal ones say too much.
func parameters(sys *system.System, largest int64) []*system.Instance {
	of := &linear{sys: sys}
	for _, sym := range sys.Symbols {
		if !sym.Mutable && !sym.Derived && len(sym.Args) == 0 && sym.Result.Base() == logic.Int {
			of.params = append(of.params, sym)
		}
	}
	if len(of.params) == 0 || len(of.params) > fullReach {
		return []*system.Instance{{}}
	}
	choices := make([]int64, largest+1)
	for i := range choices {
		choices[i] = int64(i)
	}
	out := of.list(of.params, func(*logic.Symbol, map[*logic.Symbol]int64) []int64 {
		return slices.Clone(choices)
	})
	if len(out) == 0 {
		return []*system.Instance{{}}
	}
	same := func(inst *system.Instance) int { // how many are 0, or equal to others
		seen := map[int64]bool{0: true}
		for _, v := range inst.Values {
			seen[v.Int.Int64()] = true
		}
		return len(inst.Values) + 1 - len(seen)
	}
	sum := func(inst *system.Instance) (n int64) {
		for _, v := range inst.Values {
			n += v.Int.Int64()
		}
		return n
	}
	slices.SortStableFunc(out, func(a, b *system.Instance) int {
		return cmp.Or(cmp.Compare(same(a), same(b)), cmp.Compare(sum(a), sum(b)))
	})
	return out
}

// smallParameters lists the values of parameters that instances with elements have.
func smallParameters(sys *system.System) []*system.Instance {
	out := parameters(sys, 3)
	return out[:min(len(out), manyValues)]
}
