package infer

import (
	"math/bits"
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// view is a world for a template: its valuations, and for each of them the columns of the atoms, as
// far as needed.
type view struct {
	*world
	envs    [][]binding
	allowed [][]uint64 // the states in which the form allows a valuation; nil for all
	// columns has the numbers of the columns in the world, by valuation and atom; 0 if not known.
	columns []int32
	atoms   int
}

// view makes a world ready for a template.
func (t *template) view(w *world) *view {
	v := &view{world: w, atoms: len(t.atoms)}
	if len(w.states) == 0 {
		return v
	}
	form := *t
	form.orders = nil
	form.valuations(sample{w.structure, w.states[0]}, func(env []binding) {
		env = slices.Clone(env)
		var allowed []uint64
		for i, x := range env {
			order := t.orders[x.of.Sort]
			for _, y := range env[:i] {
				if order == nil || y.of.Sort != x.of.Sort {
					continue
				}
				c := w.truth(w.ground(logic.App(order, logic.Pre, logic.Ref(y.of), logic.Ref(x.of)),
					env))
				if allowed == nil {
					allowed = w.full()
				}
				and(allowed, c)
			}
		}
		if allowed != nil && first(allowed) < 0 {
			return
		}
		v.envs = append(v.envs, env)
		v.allowed = append(v.allowed, allowed)
	})
	v.columns = make([]int32, len(v.envs)*v.atoms)
	return v
}

// allows reports whether the form allows a valuation in a state.
func (v *view) allows(state, env int) bool {
	a := v.allowed[env]
	return a == nil || a[state/64]>>(state%64)&1 == 1
}

// key names an atom for a valuation.
func (v *view) key(t *template, env, atom int) columnKey {
	a := &t.atoms[atom]
	key := columnKey{shape: a.shape}
	for i, k := range a.places {
		key.values[i] = int8(v.envs[env][k].value)
	}
	return key
}

// atom gives the column of an atom for a valuation, nil if it has none.
func (v *view) atom(t *template, env, atom int) []uint64 {
	i := &v.columns[env*v.atoms+atom]
	if *i == 0 {
		*i = v.numbered(v.key(t, env, atom), t.atoms[atom].term, v.envs[env])
	}
	return v.list[*i]
}

// cube gives the columns of the atoms of a cube; defined is false if one has no value somewhere.
func (v *view) cube(t *template, env int, cube []int) (columns [maxCube][]uint64, defined bool) {
	for i, l := range cube {
		if columns[i] = v.atom(t, env, l/2); columns[i] == nil {
			return columns, false
		}
	}
	return columns, true
}

// word has a bit for each of 64 states that satisfy a cube.
func (v *view) word(env, i int, cube []int, columns [maxCube][]uint64) uint64 {
	word := ^uint64(0)
	if v.allowed[env] != nil {
		word = v.allowed[env][i]
	}
	for k, l := range cube {
		if l%2 == 0 {
			word &= columns[k][i]
		} else {
			word &^= columns[k][i]
		}
	}
	if i == v.words()-1 && len(v.states)%64 > 0 {
		word &= 1<<(len(v.states)%64) - 1
	}
	return word
}

// satisfied finds a sample and a valuation that satisfy a cube. Defined is false if the cube has no
// value somewhere.
func (v *view) satisfied(t *template, cube []int) (state, env int, found, defined bool) {
	for e := range v.envs {
		columns, defined := v.cube(t, e, cube)
		if !defined {
			return 0, e, false, false
		}
		for i := range v.words() {
			if word := v.word(e, i, cube, columns); word != 0 {
				return 64*i + bits.TrailingZeros64(word), e, true, true
			}
		}
	}
	return 0, 0, false, true
}
