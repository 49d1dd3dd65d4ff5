// Package symmetry maps the states of a finite instance to one representative of each orbit under
// the permutations of the elements of uninterpreted sorts.
//
// In: a model. Out: a Reducer, whose Canonical maps a state to the representative of its orbit: two
// states have the same representative exactly if a permutation of elements turns one into the
// other. So exploring representatives finds a violation, or a deadlock, exactly if there is one,
// and at the same depth (Ip and Dill, Better verification through symmetry, 1996; Clarke, Enders,
// Filkorn, Jha, 1996).
//
// Every model is symmetric, because elements of an uninterpreted sort have no names in the
// language, and an instance gives values of other sorts only. Permuting the elements, together with
// the immutable symbols, maps initial states to initial states and steps to steps, and keeps the
// truth of every closed formula. New still refuses a system in which a term names an element.
package symmetry

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// maxPermutations bounds the work for a state where every permutation has to be tried.
const maxPermutations = 5040

// Reducer finds representatives. It is not for concurrent use.
type Reducer struct {
	columns []column        // of the sorts whose elements can be sorted
	others  [][]permutation // one list for each other sort; all combinations are tried
	keys    []int64
	current interp.State
	best    interp.State
	images  []interp.State // for each of the others, the image of the state under its permutation
}

// column is a sort whose elements own disjoint slots: no slot belongs to two elements, of this or
// another sort, and no slot holds an element. The slots of an element form a column of values.
// Sorting the columns gives a canonical form.
type column struct {
	slots [][]int // for each element its slots, in the same order for all
}

// permutation maps each slot to its source, and elements to elements.
type permutation struct {
	from         []int   // target slot -> source slot
	values       []int64 // element -> element
	holdsElement []bool  // target slot -> whether it holds an element of this sort
}

// Error says why a model cannot be reduced.
type Error struct{ Reason string }

func (e *Error) Error() string { return "symmetry: " + e.Reason }

// New prepares the reduction for the sorts of a model with at least two elements. It fails with an
// *Error when there are too many permutations to try.
func New(m *interp.Model) (*Reducer, error) {
	if err := namesNoElement(m); err != nil {
		return nil, err
	}
	symbols, args := m.SlotSymbols(), m.SlotArguments()
	r := &Reducer{current: make(interp.State, len(symbols)), best: make(interp.State, len(symbols))}
	total := 1
	for _, s := range m.System.Sorts {
		n := m.Instance.Sizes[s]
		if s.Kind != logic.KindUninterpreted || n < 2 {
			continue
		}
		if simple(symbols, s) {
			r.columns = append(r.columns, newColumn(symbols, args, s, n))
			continue
		}
		for k := 2; k <= n; k++ {
			if total *= k; total > maxPermutations {
				return nil, &Error{fmt.Sprintf("more than %d permutations of elements would "+
					"have to be tried for each state, "+
					"since the sort %s occurs in symbols with several elements", maxPermutations,
					s)}
			}
		}
		r.others = append(r.others, newPermutations(symbols, args, s, n))
		r.images = append(r.images, make(interp.State, len(symbols)))
	}
	return r, nil
}

// Trivial reports whether each state is its own representative, since there is nothing to permute.
func (r *Reducer) Trivial() bool { return len(r.columns) == 0 && len(r.others) == 0 }

// namesNoElement refuses a system with a term that names an element of an uninterpreted sort.
func namesNoElement(m *interp.Model) error {
	var named *logic.Sort
	look := func(t *logic.Term) {
		logic.Walk(t, func(t *logic.Term) bool {
			if t.Op == logic.OpMember && t.Sort.Kind == logic.KindUninterpreted {
				named = t.Sort
			}
			return named == nil
		})
	}
	for _, f := range m.System.Inits {
		look(f.Term)
	}
	for _, f := range m.System.Axioms {
		look(f.Term)
	}
	for _, p := range m.System.Properties {
		look(p.Term)
	}
	for _, a := range m.System.Actions {
		look(a.Relation.Formula())
	}
	for _, v := range m.Instance.Values {
		look(v)
	}
	for _, f := range m.Instance.Facts {
		look(f.Term)
	}
	if named != nil {
		return &Error{fmt.Sprintf("an element of the sort %s is named, so its elements are not "+
			"interchangeable", named)}
	}
	return nil
}

// simple reports whether sort s can be a column. No symbol with an argument of sort s has another
// argument, or a result, that is an element, and no symbol has an element of s as its result.
// none has an element of s as its result.
func simple(symbols []*logic.Symbol, s *logic.Sort) bool {
	for _, sym := range symbols {
		elements, here := 0, 0
		for _, a := range sym.Args {
			if a.Kind == logic.KindUninterpreted {
				elements++
			}
			if a == s {
				here++
			}
		}
		if sym.Result == s ||
			here > 0 && (elements > 1 || sym.Result.Kind == logic.KindUninterpreted) {
			return false
		}
	}
	return true
}

// newColumn collects the slots of each element. Slots of different elements correspond when they
// agree in the symbol and in all other arguments; the order of the slots ensures this.
func newColumn(symbols []*logic.Symbol, args [][]int64, s *logic.Sort, n int) column {
	c := column{slots: make([][]int, n)}
	for slot, sym := range symbols {
		for i, a := range sym.Args {
			if a == s {
				e := args[slot][i]
				c.slots[e] = append(c.slots[e], slot)
			}
		}
	}
	return c
}

// newPermutations lists all permutations of the elements of a sort, the identity first.
func newPermutations(
	symbols []*logic.Symbol, args [][]int64, s *logic.Sort, n int,
) (out []permutation) {
	slotAt := map[string]int{}
	key := func(sym *logic.Symbol, at []int64) string { return fmt.Sprint(sym.Name, at) }
	for slot, sym := range symbols {
		slotAt[key(sym, args[slot])] = slot
	}
	elements := make([]int64, n)
	for i := range elements {
		elements[i] = int64(i)
	}
	permute(elements, 0, func(to []int64) {
		p := permutation{from: make([]int, len(symbols)), values: slices.Clone(to),
			holdsElement: make([]bool, len(symbols))}
		for slot, sym := range symbols {
			at := slices.Clone(args[slot])
			for i, a := range sym.Args {
				if a == s {
					at[i] = to[at[i]]
				}
			}
			target := slotAt[key(sym, at)]
			p.from[target], p.holdsElement[target] = slot, sym.Result == s
		}
		out = append(out, p)
	})
	return out
}

// permute visits all permutations of the elements from position k on.
func permute(elements []int64, k int, visit func([]int64)) {
	if k == len(elements) {
		visit(elements)
		return
	}
	for i := k; i < len(elements); i++ {
		elements[k], elements[i] = elements[i], elements[k]
		permute(elements, k+1, visit)
		elements[k], elements[i] = elements[i], elements[k]
	}
}

// Canonical gives the representative of a state's orbit. The result is valid until the next call.
func (r *Reducer) Canonical(s interp.State) interp.State {
	copy(r.current, s)
	for _, c := range r.columns {
		r.sortColumns(c)
	}
	if len(r.others) == 0 {
		return r.current
	}
	copy(r.best, r.current)
	r.tryAll(r.current, 0)
	return r.best
}

// sortColumns puts the columns in lexicographic order.
func (r *Reducer) sortColumns(c column) {
	height := len(c.slots[0])
	if height == 0 {
		return
	}
	r.keys = r.keys[:0]
	for _, slots := range c.slots {
		for _, slot := range slots {
			r.keys = append(r.keys, r.current[slot])
		}
	}
	order := make([]int, len(c.slots))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return slices.Compare(r.keys[a*height:(a+1)*height], r.keys[b*height:(b+1)*height])
	})
	for i, e := range order {
		for k, slot := range c.slots[i] {
			r.current[slot] = r.keys[e*height+k]
		}
	}
}

// tryAll applies every combination of permutations of the sorts from k on, and keeps the least
// state. Nearly every image differs from the least state in one of its first slots, so the last
// permutation stops at the first slot with a greater value.
func (r *Reducer) tryAll(s interp.State, k int) {
	last := k == len(r.others)-1
	image := r.images[k]
	for _, p := range r.others[k] {
		less := !last
		for slot, from := range p.from {
			v := s[from]
			if p.holdsElement[slot] {
				v = p.values[v]
			}
			image[slot] = v
			if less {
				continue
			}
			if best := r.best[slot]; v > best {
				break
			} else if v < best {
				less = true
			}
		}
		switch {
		case !last:
			r.tryAll(image, k+1)
		case less:
			copy(r.best, image)
		}
	}
}
