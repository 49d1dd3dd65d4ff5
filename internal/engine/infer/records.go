package infer

import (
	"cmp"
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// A record is an element that is known by what immutable symbols, its fields, say of it, where no
// axiom restricts them: such as a message that lists votes. A step that needs a certain record is
// possible only where there is one, so runs soon end in an instance with three random ones. For a
// system with records, an instance with all of them, or many, is explored first, and then one with
// the few that runs of the first one use (runs.go).

// Limits of instances with records.
const (
	mostRecords = 64    // of a sort
	recordSlots = 1_500 // of a state with many records
)

// findRecords lists the sorts of records, each with its fields. Of two sorts that a function takes
// together, the one of which fewer mutable symbols speak is such a sort.
func (s *search) findRecords() map[*logic.Sort][]*logic.Symbol {
	fields, spoken := map[*logic.Sort][]*logic.Symbol{}, map[*logic.Sort]int{}
	var sorts []*logic.Sort
	for _, sort := range s.sys.Sorts {
		if fields[sort] = s.fields(sort); fields[sort] == nil {
			continue
		}
		sorts = append(sorts, sort)
		for _, sym := range s.sys.Symbols {
			if sym.Mutable && (sym.Result == sort || slices.Contains(sym.Args, sort)) {
				spoken[sort]++
			}
		}
	}
	slices.SortStableFunc(sorts, func(a, b *logic.Sort) int {
		return cmp.Compare(spoken[a], spoken[b])
	})
	out := map[*logic.Sort][]*logic.Symbol{}
	var taken []*logic.Symbol
	for _, sort := range sorts {
		if !slices.ContainsFunc(fields[sort], func(f *logic.Symbol) bool {
			return slices.Contains(taken, f)
		}) {
			out[sort] = fields[sort]
			taken = append(taken, fields[sort]...)
		}
	}
	return out
}

// fields gives the immutable symbols that speak of the elements of a sort, nil if these are no
// records.
func (s *search) fields(sort *logic.Sort) (out []*logic.Symbol) {
	if sort.Kind != logic.KindUninterpreted {
		return nil
	}
	for _, sym := range s.sys.Symbols {
		switch {
		case sym.Mutable:
		case sym.Result == sort:
			return nil
		case slices.Contains(sym.Args, sort):
			rest := slices.Clone(sym.Args)
			rest = slices.DeleteFunc(append(rest, sym.Result), func(of *logic.Sort) bool {
				return of == logic.Bool || of.Kind == logic.KindEnum ||
					of.Kind == logic.KindUninterpreted && of != sort
			})
			if len(rest) > 1 {
				return nil // it compares elements of the sort, or has integers
			}
			out = append(out, sym)
		}
	}
	var restricting []*logic.Term
	for _, f := range slices.Concat(s.sys.Axioms, s.sys.Inits) {
		restricting = append(restricting, f.Term)
	}
	for _, p := range s.sys.Trusted() {
		restricting = append(restricting, p.Term)
	}
	for _, d := range s.sys.Derived {
		restricting = append(restricting, d.Axiom)
	}
	if slices.ContainsFunc(restricting, func(t *logic.Term) bool {
		return mentions(t, func(sym *logic.Symbol) bool { return slices.Contains(out, sym) })
	}) {
		return nil
	}
	return out
}

// recordFields lists the fields of all records.
func (s *search) recordFields() (out []*logic.Symbol) {
	for _, sort := range s.sys.Sorts {
		out = append(out, s.records[sort]...)
	}
	return out
}

// withRecords lists instances for a system with records: the sorts of fields and of their arguments
// have two elements, or three where they have an order; or one with an order, in which a field has
// its values, has four. Each of the rest has as many as asked for.
func (s *search) withRecords(rest int) (out []*system.Instance) {
	fields := s.recordFields()
	if len(fields) == 0 {
		return nil
	}
	long := []*logic.Sort{nil}
	for _, sort := range s.sys.Sorts {
		if s.orders[sort] != nil && slices.ContainsFunc(fields, func(f *logic.Symbol) bool {
			return f.Result == sort
		}) {
			long = append(long, sort)
		}
	}
	for _, longest := range long {
		inst := s.uniform(2)
		for sort := range inst.Sizes {
			switch {
			case sort == longest:
				inst.Sizes[sort] = 4
			case s.orders[sort] != nil && longest == nil:
				inst.Sizes[sort] = 3
			case !slices.ContainsFunc(fields, func(f *logic.Symbol) bool {
				return f.Result == sort || slices.Contains(f.Args, sort)
			}):
				inst.Sizes[sort] = rest
			}
		}
		out = append(out, inst)
	}
	return out
}

// name gives an instance a name that says its sizes, as a user would ask for it, and more.
func (s *search) name(inst *system.Instance, more ...string) {
	var parts []string
	for _, sort := range s.sys.Sorts {
		if n := inst.Sizes[sort]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", sort, n))
		}
	}
	inst.Name = strings.Join(slices.DeleteFunc(append(parts, more...), func(part string) bool {
		return part == ""
	}), ",")
	if inst.Name == "" {
		inst.Name = "the only instance"
	}
}

// allRecords is the number of different records of a sort in an instance, or a large number.
func (s *search) allRecords(of *structure, sort *logic.Sort) int64 {
	n := int64(1)
	for _, f := range s.records[sort] {
		places := int64(1)
		for _, a := range f.Args {
			if a != sort {
				places *= of.domain(a).n
			}
		}
		for range places {
			n = min(n*of.domain(f.Result).n, 1<<40)
		}
	}
	return n
}

// manyRecords gives an instance all records, or many of them. It is nil where its states have too
// many slots.
func (s *search) manyRecords(inst *system.Instance) *structure {
	m, err := interp.NewModel(s.finite, inst)
	if err != nil {
		return nil
	}
	of := newStructure(m)
	for sort := range s.records {
		inst.Sizes[sort] = int(min(s.allRecords(of, sort), mostRecords))
	}
	s.name(inst)
	if m, err = interp.NewModel(s.finite, inst); err != nil || len(m.SlotSymbols()) > recordSlots {
		return nil
	}
	return newStructure(m)
}

// recorded draws initial states at random, in each of which the records differ.
func (s *search) recorded(
	ctx context.Context, of *structure, rng *rand.Rand,
) ([]interp.State, error) {
	start := bmc.Start{Values: s.inOrder(of)}
	states, err := bmc.Initial(ctx, of.model, start, drawnInitial, rng)
	if err != nil {
		return nil, err
	}
	args := of.model.SlotArguments()
	for _, sort := range s.sys.Sorts {
		if s.records[sort] == nil {
			continue
		}
		all := s.allRecords(of, sort)
		for _, st := range states {
			codes := distinct(int(of.domain(sort).n), all, rng)
			for slot, f := range of.symbols {
				if slices.Contains(s.records[sort], f) {
					code := &codes[args[slot][slices.Index(f.Args, sort)]]
					n := of.domain(f.Result).n
					st[slot] = *code % n
					*code /= n
				}
			}
		}
	}
	return states, nil
}

// distinct draws different numbers below a limit.
func distinct(n int, limit int64, rng *rand.Rand) (out []int64) {
	seen := map[int64]bool{}
	for len(out) < n && int64(len(out)) < limit {
		x := rng.Int63n(limit)
		for seen[x] {
			x = (x + 1) % limit
		}
		seen[x] = true
		out = append(out, x)
	}
	return out
}
