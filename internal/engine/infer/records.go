package infer

import (
	"cmp"
	"context"
	"math/rand"
	"slices"

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

// records are the records of a system.
type records struct {
	*instances
	orders orders
	fields map[*logic.Sort][]*logic.Symbol // by sorts of records
}

// findRecords finds the sorts of records, each with its fields. Of two sorts that a function takes
// together, the one of which fewer mutable symbols speak is such a sort.
func findRecords(among *instances, by orders) *records {
	sys := among.sys
	fields, spoken := map[*logic.Sort][]*logic.Symbol{}, map[*logic.Sort]int{}
	var sorts []*logic.Sort
	for _, sort := range sys.Sorts {
		if fields[sort] = fieldsOf(sys, sort); fields[sort] == nil {
			continue
		}
		sorts = append(sorts, sort)
		for _, sym := range sys.Symbols {
			if sym.Mutable && (sym.Result == sort || slices.Contains(sym.Args, sort)) {
				spoken[sort]++
			}
		}
	}
	slices.SortStableFunc(sorts, func(a, b *logic.Sort) int {
		return cmp.Compare(spoken[a], spoken[b])
	})
	out := &records{among, by, map[*logic.Sort][]*logic.Symbol{}}
	var taken []*logic.Symbol
	for _, sort := range sorts {
		if !slices.ContainsFunc(fields[sort], func(f *logic.Symbol) bool {
			return slices.Contains(taken, f)
		}) {
			out.fields[sort] = fields[sort]
			taken = append(taken, fields[sort]...)
		}
	}
	return out
}

// fieldsOf gives the immutable symbols that speak of the elements of a sort, nil if these are no
// records.
func fieldsOf(sys *system.System, sort *logic.Sort) (out []*logic.Symbol) {
	if sort.Kind != logic.KindUninterpreted {
		return nil
	}
	for _, sym := range sys.Symbols {
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
	for _, f := range slices.Concat(sys.Axioms, sys.Inits) {
		restricting = append(restricting, f.Term)
	}
	for _, p := range sys.Trusted() {
		restricting = append(restricting, p.Term)
	}
	for _, d := range sys.Derived {
		restricting = append(restricting, d.Axiom)
	}
	if slices.ContainsFunc(restricting, func(t *logic.Term) bool {
		return mentions(t, func(sym *logic.Symbol) bool { return slices.Contains(out, sym) })
	}) {
		return nil
	}
	return out
}

// all lists the fields of all records.
func (r *records) all() (out []*logic.Symbol) {
	for _, sort := range r.sys.Sorts {
		out = append(out, r.fields[sort]...)
	}
	return out
}

// shapes lists instances for a system with records: the sorts of fields and of their arguments
// have two elements, or three where they have an order; or one with an order, in which a field has
// its values, has four. Each of the rest has as many as asked for.
func (r *records) shapes(rest int) (out []*system.Instance) {
	fields := r.all()
	if len(fields) == 0 {
		return nil
	}
	long := []*logic.Sort{nil}
	for _, sort := range r.sys.Sorts {
		if r.orders[sort] != nil && slices.ContainsFunc(fields, func(f *logic.Symbol) bool {
			return f.Result == sort
		}) {
			long = append(long, sort)
		}
	}
	for _, longest := range long {
		inst := r.uniform(2)
		for sort := range inst.Sizes {
			switch {
			case sort == longest:
				inst.Sizes[sort] = 4
			case r.orders[sort] != nil && longest == nil:
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

// number is the number of different records of a sort in an instance, or a large number.
func (r *records) number(of *structure, sort *logic.Sort) int64 {
	n := int64(1)
	for _, f := range r.fields[sort] {
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

// many gives an instance all records, or many of them. It is nil where its states have too
// many slots.
func (r *records) many(inst *system.Instance) *structure {
	of, err := r.structure(inst)
	if err != nil {
		return nil
	}
	for sort := range r.fields {
		inst.Sizes[sort] = int(min(r.number(of, sort), mostRecords))
	}
	r.name(inst)
	if of, err = r.structure(inst); err != nil || len(of.symbols) > recordSlots {
		return nil
	}
	return of
}

// draw gives some initial states at random, in each of which the records differ.
func (r *records) draw(
	ctx context.Context, of *structure, from bmc.Start, rng *rand.Rand,
) ([]interp.State, error) {
	states, err := bmc.Initial(ctx, of.model, from, drawnInitial, rng)
	if err != nil {
		return nil, err
	}
	args := of.model.SlotArguments()
	for _, sort := range r.sys.Sorts {
		if r.fields[sort] == nil {
			continue
		}
		all := r.number(of, sort)
		for _, st := range states {
			codes := distinct(int(of.domain(sort).n), all, rng)
			for slot, f := range of.symbols {
				if slices.Contains(r.fields[sort], f) {
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
