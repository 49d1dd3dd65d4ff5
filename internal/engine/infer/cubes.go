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

// excludes reports whether a candidate is false in a state.
func (c *candidate) excludes(s sample) (excluded bool) {
	if c.form == nil {
		return s.holds(logic.Not(c.term))
	}
	defer func() {
		if r := recover(); r != nil {
			if r != errEval {
				panic(r)
			}
			excluded = false
		}
	}()
	c.form.valuations(s, func(env []binding) {
		if excluded {
			return
		}
		for _, l := range c.literals {
			if c.form.atoms[l/2].value(s, env) == (l%2 == 0) {
				return
			}
		}
		excluded = true
	})
	return excluded
}

// pool holds the results about the clauses of one template.
type pool struct {
	worlds []*view
	// rows are the true atoms of valuations in samples: each row refutes the cubes that it
	// satisfies. They come from searched cubes, so there are only as many as the search needs.
	rows       [][]uint64
	seen       map[string]bool
	settled    map[string]bool // cubes found, up to renaming
	looked     map[string]bool // rows of counterexamples whose cubes were searched
	candidates []*candidate
}

// view is a world for a template: its valuations, and for each of them the columns of the atoms, as
// far as needed.
type view struct {
	*world
	envs    [][]binding
	allowed [][]uint64   // the states in which the form allows a valuation; nil for all
	columns [][][]uint64 // by valuation and atom
	have    [][]bool
}

// maxNodes bounds the search for the cubes of one row.
const maxNodes = 20_000

// prepare makes the views of the worlds.
func (t *template) prepare(worlds []*world) {
	t.pool = &pool{seen: map[string]bool{}, settled: map[string]bool{}, looked: map[string]bool{}}
	for _, w := range worlds {
		if v := t.view(w); len(v.envs) > 0 {
			t.pool.worlds = append(t.pool.worlds, v)
		}
	}
	for _, v := range t.pool.worlds { // a start
		for i := range min(20, len(v.states)) {
			for e := range v.envs {
				t.learn(v, i, e)
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
	t.pool.candidates = slices.DeleteFunc(t.pool.candidates, func(c *candidate) bool { return c.falseIn(v) })
	clear(t.pool.settled)
	clear(t.pool.looked)
	for _, c := range t.pool.candidates {
		cube := make([]int, len(c.literals))
		for i, l := range c.literals {
			cube[i] = l ^ 1
		}
		t.settle(cube)
	}
}

// falseIn reports whether a candidate is false in some state of a view of its template.
func (c *candidate) falseIn(v *view) bool {
	cube := make([]int, len(c.literals))
	for i, l := range c.literals {
		cube[i] = l ^ 1
	}
	_, _, found := v.satisfied(c.form, cube)
	return found
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

func (t *template) view(w *world) *view {
	v := &view{world: w}
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
				c := w.truth(logic.App(order, logic.Pre, logic.Ref(y.of), logic.Ref(x.of)), env)
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
		v.columns = append(v.columns, make([][]uint64, len(t.atoms)))
		v.have = append(v.have, make([]bool, len(t.atoms)))
	})
	return v
}

// atom gives the column of an atom for a valuation, nil if it has none.
func (v *view) atom(t *template, env, atom int) []uint64 {
	if !v.have[env][atom] {
		v.have[env][atom] = true
		a := &t.atoms[atom]
		key := columnKey{shape: a.shape}
		for i, k := range a.places {
			key.values[i] = int8(v.envs[env][k].value)
		}
		v.columns[env][atom] = v.column(key, a.term, v.envs[env])
	}
	return v.columns[env][atom]
}

// satisfied finds a sample and a valuation that satisfy a cube.
func (v *view) satisfied(t *template, cube []int) (state, env int, found bool) {
	for e := range v.envs {
		var columns [maxCube][]uint64
		usable := true
		for i, l := range cube {
			columns[i] = v.atom(t, e, l/2)
			usable = usable && columns[i] != nil
		}
		if !usable {
			return 0, e, true
		}
		for i := range v.words() {
			word := ^uint64(0)
			if v.allowed[e] != nil {
				word = v.allowed[e][i]
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
			if word != 0 {
				return 64*i + bits.TrailingZeros64(word), e, true
			}
		}
	}
	return 0, 0, false
}

// maxCube bounds the literals of a cube.
const maxCube = 4

// row gives the true atoms.
func (t *template) row(s sample, env []binding) []uint64 {
	row := make([]uint64, (len(t.atoms)+63)/64)
	for i := range t.atoms {
		if t.atoms[i].value(s, env) {
			row[i/64] |= 1 << (i % 64)
		}
	}
	return row
}

func rowKey(row []uint64) string {
	var key []byte
	for _, w := range row {
		key = binary.LittleEndian.AppendUint64(key, w)
	}
	return string(key)
}

// learn adds the row of a valuation in a sample.
func (t *template) learn(v *view, state, env int) (row []uint64, isNew bool) {
	if a := v.allowed[env]; a != nil && a[state/64]>>(state%64)&1 == 0 {
		return nil, false
	}
	row = t.row(sample{v.structure, v.states[state]}, v.envs[env])
	key := rowKey(row)
	if t.pool.seen[key] {
		return row, false
	}
	t.pool.seen[key] = true
	t.pool.rows = append(t.pool.rows, row)
	return row, true
}

// exclude adds to the candidates the minimal clauses, of at most the given number of literals, that
// are true in all samples and false in a state.
func (t *template) exclude(ctx context.Context, s sample, literals int) {
	if len(t.pool.worlds) == 0 {
		return // no sample has enough elements to test the clauses
	}
	defer func() {
		if r := recover(); r != nil && r != errEval {
			panic(r)
		}
	}()
	t.valuations(s, func(env []binding) {
		row := t.row(s, env)
		key := rowKey(row)
		if t.pool.looked[key] || ctx.Err() != nil {
			return
		}
		t.pool.looked[key] = true
		if t.pool.seen[key] {
			return
		}
		h := &hitting{template: t, row: row, most: literals}
		for _, r := range t.pool.rows {
			if !h.add(r) {
				return // an equal row is known
			}
		}
		h.search(make([]uint64, len(row)))
	})
}

// hitting looks for the minimal cubes that a row satisfies and no sample does: the minimal sets of
// atoms that include, for every row of a sample, an atom that differs in it. It gets the rows one
// after the other: a set that hits all of them is a cube, or there is a further row that it does
// not hit.
type hitting struct {
	*template
	row   []uint64
	most  int
	diffs [][]uint64
	sizes []int
	cube  []int // atoms
	nodes int
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

// search extends the cube by atoms that are not forbidden.
func (h *hitting) search(forbidden []uint64) {
	for {
		if h.nodes++; h.nodes > maxNodes {
			return
		}
		open := h.open(forbidden)
		if open >= 0 {
			if len(h.cube) < h.most {
				h.branch(h.diffs[open], forbidden)
			}
			return
		}
		if open == dead {
			return
		}
		if row := h.refuted(h.cube); row != nil {
			if !h.add(row) {
				return
			}
			continue
		}
		h.found()
		return
	}
}

const (
	none = -1
	dead = -2
)

// open is the row that the cube does not hit yet with the fewest choices; none if all are hit, dead
// if one cannot be hit.
func (h *hitting) open(forbidden []uint64) int {
	best, least := none, 0
rows:
	for i, d := range h.diffs {
		for _, a := range h.cube {
			if d[a/64]>>(a%64)&1 == 1 {
				continue rows
			}
		}
		if best >= 0 && h.sizes[i] >= 2*least {
			continue
		}
		n := 0
		for k, w := range d {
			n += bits.OnesCount64(w &^ forbidden[k])
		}
		if n == 0 {
			return dead
		}
		if best < 0 || n < least {
			best, least = i, n
		}
	}
	return best
}

func (h *hitting) branch(diff, forbidden []uint64) {
	forbidden = slices.Clone(forbidden)
	for k := range diff {
		for w := diff[k] &^ forbidden[k]; w != 0; w &= w - 1 {
			a := 64*k + bits.TrailingZeros64(w)
			h.cube = append(h.cube, a)
			h.search(forbidden)
			h.cube = h.cube[:len(h.cube)-1]
			forbidden[k] |= 1 << (a % 64)
		}
	}
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

// refuted gives a row that satisfies the cube, nil if there is none.
func (h *hitting) refuted(atoms []int) []uint64 {
	cube := h.literals(atoms)
	if h.pool.settled[cubeKey(cube)] {
		return nil
	}
	for _, v := range h.pool.worlds {
		if state, env, found := v.satisfied(h.template, cube); found {
			row, _ := h.learn(v, state, env)
			if row == nil { // an atom has no value there
				return h.row
			}
			return row
		}
	}
	return nil
}

// found adds the negation of the cube to the candidates, if it is minimal.
func (h *hitting) found() {
	for skip := range h.cube {
		fewer := slices.Delete(slices.Clone(h.cube), skip, skip+1)
		if h.hitsAll(fewer) && h.refuted(fewer) == nil {
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
	for _, l := range cube {
		fixed = fixed && t.atoms[l/2].fixed
		cost += 2 * t.atoms[l/2].cost
	}
	if fixed || !t.usesAll(cube) {
		// The axioms, or the small size of the instances, imply it; or a smaller template covers
		// it.
		return
	}
	literals := make([]int, len(cube))
	for i, l := range cube {
		literals[i] = l ^ 1
	}
	t.pool.candidates = append(t.pool.candidates, &candidate{term: t.clause(literals), cost: cost, form: t, literals: literals})
}

func (h *hitting) hitsAll(atoms []int) bool {
	return !slices.ContainsFunc(h.diffs, func(d []uint64) bool {
		return !slices.ContainsFunc(atoms, func(a int) bool { return d[a/64]>>(a%64)&1 == 1 })
	})
}

// usesAll reports whether all variables occur in the cube.
func (t *template) usesAll(cube []int) bool {
	used := map[int]bool{}
	for _, l := range cube {
		for _, k := range t.atoms[l/2].places {
			used[k] = true
		}
	}
	return len(used) == len(t.vars)
}

func cubeKey(cube []int) string {
	var key []byte
	for _, l := range cube {
		key = binary.AppendUvarint(key, uint64(l))
	}
	return string(key)
}
