package infer

import (
	"context"
	"encoding/binary"
	"math/bits"
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// candidate is a formula that is true in all samples.
type candidate struct {
	term *logic.Term
	cost int
	// The parts of the formula, for fast evaluation; form is nil for other formulas.
	form     *template
	literals []int
	bound    *bound
}

// excludes reports whether a bound is false in a state.
func (c *candidate) excludes(s sample) bool { return s.holds(logic.Not(c.term)) }

// pool holds the results about the clauses of one template.
type pool struct {
	worlds []*view
	// rows are the true atoms of valuations in samples: each row refutes the cubes that it
	// satisfies. They come from searched cubes, so there are only as many as the search needs.
	rows       [][]uint64
	seen       map[string]bool
	settled    map[string]bool // cubes found, up to renaming
	searched   map[string]bool // rows of counterexamples whose cubes were searched
	undefined  []uint64        // atoms that have no value in some state
	candidates []*candidate
}

// maxNodes bounds the search for the cubes of one row.
const maxNodes = 20_000

// prepare makes the views of the worlds.
func (t *template) prepare(worlds []*world) {
	t.pool = &pool{
		seen: map[string]bool{}, settled: map[string]bool{}, searched: map[string]bool{},
		undefined: make([]uint64, t.words()),
	}
	for _, w := range worlds {
		if v := t.view(w); len(v.envs) > 0 {
			t.pool.worlds = append(t.pool.worlds, v)
		}
	}
	for _, v := range t.pool.worlds { // a start
		for i := range min(20, len(v.states)) {
			for e := range v.envs {
				if v.allows(i, e) {
					t.learn(v, i, e)
				}
			}
		}
	}
}

// also adds further states.
func (t *template) also(w *world) {
	v := t.view(w)
	if t.pool == nil || len(v.envs) == 0 {
		return
	}
	t.pool.worlds = append(t.pool.worlds, v)
	t.pool.candidates = slices.DeleteFunc(t.pool.candidates, func(c *candidate) bool {
		return c.falseIn(v)
	})
	clear(t.pool.settled)
	clear(t.pool.searched)
	for _, c := range t.pool.candidates {
		t.settle(flipped(c.literals))
	}
}

// flipped negates the literals of a clause, or of a cube.
func flipped(literals []int) []int {
	out := make([]int, len(literals))
	for i, l := range literals {
		out[i] = l ^ 1
	}
	return out
}

// falseIn reports whether a candidate is false in some state of a view of its template.
func (c *candidate) falseIn(v *view) bool { return first(c.excluded(v)) >= 0 }

// excluded are the states of a view in which a candidate is false.
func (c *candidate) excluded(v *view) []uint64 {
	cube := flipped(c.literals)
	all := make([]uint64, v.words())
	for e := range v.envs {
		columns, defined := v.cube(c.form, e, cube)
		for i := range all {
			if defined {
				all[i] |= v.word(e, i, cube, columns)
			}
		}
	}
	return all
}

// settle records a found cube, and its images under renaming of variables.
func (t *template) settle(cube []int) {
	t.pool.settled[cubeKey(cube)] = true
	for _, r := range t.renamings {
		other := make([]int, len(cube))
		for i, l := range cube {
			other[i] = 2*r[l/2] + l%2
		}
		slices.Sort(other)
		t.pool.settled[cubeKey(other)] = true
	}
}

// maxCube bounds the literals of a cube; only long ones (long.go) have more than four.
const maxCube = 8

func (t *template) words() int { return (len(t.atoms) + 63) / 64 }

// row gives the true atoms of a valuation in a state.
func (t *template) row(v *view, state, env int) []uint64 {
	row := make([]uint64, t.words())
	for i := range t.atoms {
		bit := uint64(1) << (i % 64)
		if t.pool.undefined[i/64]&bit != 0 {
			continue
		}
		is, defined := v.is(t, state, env, i)
		if !defined {
			t.pool.undefined[i/64] |= bit
		} else if is {
			row[i/64] |= bit
		}
	}
	return row
}

// is evaluates an atom for a valuation in a state.
func (v *view) is(t *template, state, env, atom int) (is, defined bool) {
	if c := v.atom(t, env, atom); c != nil {
		return c[state/64]>>(state%64)&1 == 1, true
	}
	defined = hasValue(func() {
		g := v.grounded(v.key(t, env, atom), t.atoms[atom].term, v.envs[env])
		is = g.in(v.structure, v.states[state])
	})
	return is, defined
}

func rowKey(row []uint64) string {
	var key []byte
	for _, w := range row {
		key = binary.LittleEndian.AppendUint64(key, w)
	}
	return string(key)
}

// learn adds the row of a valuation in a sample.
func (t *template) learn(v *view, state, env int) (row []uint64) {
	row = t.row(v, state, env)
	if key := rowKey(row); !t.pool.seen[key] {
		t.pool.seen[key] = true
		t.pool.rows = append(t.pool.rows, row)
	}
	return row
}

// exclude adds to the candidates the minimal clauses, of at most the given number of literals and
// cost of atoms, that are true in all samples and false in the first state of a view.
func (t *template) exclude(ctx context.Context, v *view, literals, cost int) {
	if len(t.pool.worlds) == 0 {
		return // no sample has enough elements to test the clauses
	}
	for e := range v.envs {
		if ctx.Err() != nil {
			return
		}
		row := t.unseen(v, e)
		if row == nil || t.pool.searched[rowKey(row)] {
			continue
		}
		t.pool.searched[rowKey(row)] = true
		// Where the search is cut short, the shortest clauses are looked for by themselves.
		for most := literals; most > 0; most-- {
			h := t.hitting(row)
			if h == nil {
				break
			}
			h.most, h.budget = most, cost
			if h.search(slices.Clone(t.pool.undefined), nil, 0); h.nodes <= maxNodes {
				break
			}
		}
	}
}

// unseen is the row of a valuation in the first state of a view; nil where the valuation is not
// allowed, or a sample has the same row.
func (t *template) unseen(v *view, env int) []uint64 {
	if !v.allows(0, env) {
		return nil
	}
	row := t.row(v, 0, env)
	if t.pool.seen[rowKey(row)] {
		return nil
	}
	return row
}

// hitting is the search for the cubes of a row; nil where a sample has the same row.
func (t *template) hitting(row []uint64) *hitting {
	h := &hitting{template: t, row: row}
	if slices.ContainsFunc(t.pool.rows, func(r []uint64) bool { return !h.add(r) }) {
		return nil
	}
	return h
}

// hitting looks for the minimal cubes that a row satisfies and no sample does: the minimal sets of
// atoms that include, for every row of a sample, an atom that differs in it. It gets the rows one
// after the other: a set that hits all of them is a cube, or there is a further row that it does
// not hit.
type hitting struct {
	*template
	row  []uint64
	most int
	// budget is the cost of the atoms that may still be added.
	budget int
	diffs  [][]uint64
	sizes  []int
	cube   []int // atoms
	nodes  int
}

// add gives false if the row is the same.
func (h *hitting) add(row []uint64) bool {
	d, n := make([]uint64, len(row)), 0
	for i := range d {
		d[i] = row[i] ^ h.row[i]
		n += bits.OnesCount64(d[i])
	}
	h.diffs, h.sizes = append(h.diffs, d), append(h.sizes, n)
	return n > 0
}

// search extends the cube by atoms that are not forbidden. Open are the rows, of the first known
// ones, that the cube does not hit.
func (h *hitting) search(forbidden []uint64, open []int, known int) {
	for {
		if h.nodes++; h.nodes > maxNodes {
			return
		}
		for ; known < len(h.diffs); known++ {
			if !hits(h.cube, h.diffs[known]) {
				open = append(open, known)
			}
		}
		if len(open) > 0 {
			if len(h.cube) < h.most {
				h.branch(forbidden, open)
			}
			return
		}
		if row, possible := h.refuted(h.cube); !possible {
			return
		} else if row == nil {
			h.found()
			return
		} else if !h.add(row) {
			return
		}
	}
}

// hits reports whether some of the atoms are among the ones that differ in a row.
func hits(atoms []int, diff []uint64) bool {
	return slices.ContainsFunc(atoms, func(a int) bool { return diff[a/64]>>(a%64)&1 == 1 })
}

// branch adds each atom that hits the open row with the fewest choices.
func (h *hitting) branch(forbidden []uint64, open []int) {
	best, least := -1, 0
	for _, i := range open {
		if best >= 0 && h.sizes[i] >= 2*least {
			continue
		}
		n := 0
		for k, w := range h.diffs[i] {
			n += bits.OnesCount64(w &^ forbidden[k])
		}
		if best < 0 || n < least {
			best, least = i, n
		}
		if n == 0 {
			return
		}
	}
	forbidden = slices.Clone(forbidden)
	known := len(h.diffs)
	left := make([]int, 0, len(open))
	for k, diff := range h.diffs[best] {
		for w := diff &^ forbidden[k]; w != 0; w &= w - 1 {
			a := 64*k + bits.TrailingZeros64(w)
			if h.atoms[a].cost > h.budget {
				continue
			}
			left = left[:0]
			for _, i := range open {
				if h.diffs[i][k]>>(a%64)&1 == 0 {
					left = append(left, i)
				}
			}
			h.cube, h.budget = append(h.cube, a), h.budget-h.atoms[a].cost
			h.search(h.without(forbidden, a), left, known)
			h.cube, h.budget = h.cube[:len(h.cube)-1], h.budget+h.atoms[a].cost
			forbidden[k] |= 1 << (a % 64)
		}
	}
}

// without forbids also the other comparisons of the integers that an atom compares: `x < y` says
// what `x <= y` and `x != y` say together.
func (h *hitting) without(forbidden []uint64, atom int) []uint64 {
	others := h.compared[atom]
	if len(others) == 0 {
		return forbidden
	}
	forbidden = slices.Clone(forbidden)
	for _, a := range others {
		forbidden[a/64] |= 1 << (a % 64)
	}
	return forbidden
}

// literals gives the literals of the row for some atoms.
func (h *hitting) literals(atoms []int) []int {
	out := make([]int, len(atoms))
	for i, a := range atoms {
		out[i] = 2*a + 1 - int(h.row[a/64]>>(a%64)&1)
	}
	slices.Sort(out)
	return out
}

// refuted gives a row that satisfies the cube, nil if there is none. Possible is false for a cube
// without a value.
func (h *hitting) refuted(atoms []int) (row []uint64, possible bool) {
	cube := h.literals(atoms)
	if h.pool.settled[cubeKey(cube)] {
		return nil, true
	}
	for _, v := range h.pool.worlds {
		state, env, found, defined := v.satisfied(h.template, cube)
		if !defined {
			return nil, false
		}
		if found {
			return h.learn(v, state, env), true
		}
	}
	return nil, true
}

// found adds the negation of the cube to the candidates, if it is minimal.
func (h *hitting) found() {
	for skip := range h.cube {
		fewer := h.cubeWithout(skip)
		if !h.hitsAll(fewer) {
			continue
		}
		if row, possible := h.refuted(fewer); possible && row == nil {
			return
		}
	}
	t, cube := h.template, h.literals(h.cube)
	if t.pool.settled[cubeKey(cube)] {
		return
	}
	t.settle(cube)
	fixed := true
	cost := len(t.vars)
	about := 0 // what is about fewer elements at once is simpler
	for _, l := range cube {
		fixed = fixed && t.atoms[l/2].fixed
		cost += 2 * t.atoms[l/2].cost
		about += t.atoms[l/2].about
	}
	if fixed || !t.usesAll(cube) {
		// The axioms, or the small size of the instances, imply it; or a smaller template covers
		// it.
		return
	}
	literals := flipped(cube)
	t.pool.candidates = append(t.pool.candidates,
		&candidate{term: t.clause(literals), cost: 16*cost + about, form: t,
			literals: literals})
}

// cubeWithout is the cube without one of its atoms.
func (h *hitting) cubeWithout(skip int) []int {
	return slices.Delete(slices.Clone(h.cube), skip, skip+1)
}

func (h *hitting) hitsAll(atoms []int) bool {
	return !slices.ContainsFunc(h.diffs, func(d []uint64) bool { return !hits(atoms, d) })
}

// usesAll reports whether all variables occur in the cube, integers as arguments of symbols: what
// is only compared is an integer of the window. One variable of an ordered sort need not occur: it
// says that there is a smaller element than another one, or a larger one.
func (t *template) usesAll(cube []int) bool {
	used := map[int]bool{}
	for _, l := range cube {
		for _, k := range t.atoms[l/2].places {
			used[k] = used[k] || t.vars[k].Sort != logic.Int ||
				appliedTo(t.atoms[l/2].term, t.vars[k])
		}
	}
	unused := 0
	for k, v := range t.vars {
		if used[k] {
			continue
		}
		if unused++; t.orders[v.Sort] == nil {
			return false
		}
	}
	return unused <= 1
}

// appliedTo reports whether a symbol is applied to a variable.
func appliedTo(t *logic.Term, v *logic.Var) bool {
	return logic.Has(t, func(t *logic.Term) bool {
		return t.Op == logic.OpApp && slices.ContainsFunc(t.Args, func(arg *logic.Term) bool {
			return arg.Op == logic.OpVar && arg.Var == v
		})
	})
}

func cubeKey(cube []int) string {
	var key []byte
	for _, l := range cube {
		key = binary.AppendUvarint(key, uint64(l))
	}
	return string(key)
}
