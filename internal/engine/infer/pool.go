package infer

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"erelong/internal/logic"
)

// candidate is a formula that is true in all samples.
type candidate struct {
	term *logic.Term
	cost int
	// what it is made of, to evaluate it fast
	form     *template
	literals []int
}

// excludes reports whether a candidate is false in a state.
func (c *candidate) excludes(s sample) (excluded bool) {
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
			if s.eval(c.form.atoms[l/2].term, env) == int64(1-l%2) {
				return
			}
		}
		excluded = true
	})
	return excluded
}

// pool is the candidates of one template.
type pool struct {
	rows       [][]uint64 // distinct; by atoms
	candidates []*candidate
}

// Limits of the enumeration of one template.
const (
	maxRows    = 30_000
	maxVisited = 3_000_000
)

// quiet is after how many samples without a new row no more are looked at.
const quiet = 250

// enumerate finds the minimal clauses of a template, of at most so many literals, that are true in all samples.
func (t *template) enumerate(ctx context.Context, samples []sample, literals int) {
	t.pool = &pool{}
	words := (len(t.atoms) + 63) / 64
	seen := map[string]bool{}
	row, key := make([]uint64, words), make([]byte, 8*words)
	last := 0 // the sample that brought the last row
	points := map[*structure][]point{}
	for n, s := range samples {
		if ctx.Err() != nil || len(t.pool.rows) >= maxRows || n-last > quiet {
			break
		}
		if points[s.structure] == nil {
			points[s.structure] = t.points(s.structure)
		}
		direct := points[s.structure]
		record := func(env []binding) {
			clear(row)
			for i, a := range t.atoms {
				var is bool
				if direct[i].vars != nil {
					is = s.state[direct[i].slot(env)] == 1
				} else {
					is = s.eval(a.term, env) == 1
				}
				if is {
					row[i/64] |= 1 << (i % 64)
				}
			}
			for i, w := range row {
				binary.LittleEndian.PutUint64(key[8*i:], w)
			}
			if !seen[string(key)] {
				seen[string(key)] = true
				t.pool.rows = append(t.pool.rows, slices.Clone(row))
				last = n
			}
		}
		func() {
			defer func() {
				if r := recover(); r != nil && r != errEval {
					panic(r)
				}
			}()
			t.valuations(s, record)
		}()
	}
	if len(t.pool.rows) == 0 {
		return // no sample has so many elements: nothing is known of such clauses
	}
	e := &enumeration{template: t, columns: t.columns(), most: literals, found: map[string]bool{}}
	all := make([]uint64, (len(t.pool.rows)+63)/64)
	for i := range t.pool.rows {
		all[i/64] |= 1 << (i % 64)
	}
	for size := 1; size <= literals && e.visited < maxVisited && ctx.Err() == nil; size++ {
		e.most = size
		e.extend(0, all)
	}
	slices.SortStableFunc(t.pool.candidates, func(a, b *candidate) int { return cmp.Compare(a.cost, b.cost) })
}

// point is where the value of a relation of variables stands in a state: a faster way to evaluate most atoms. It has no vars for other
// atoms.
type point struct {
	offset int64
	vars   []int // places in the valuation
	sizes  []int64
}

func (p point) slot(env []binding) int64 {
	index := int64(0)
	for i, v := range p.vars {
		index = index*p.sizes[i] + env[v].value
	}
	return p.offset + index
}

// points finds the atoms that are a relation of variables.
func (t *template) points(s *structure) []point {
	out := make([]point, len(t.atoms))
	for i, a := range t.atoms {
		tab, ok := s.tables[a.term.Symbol]
		if a.term.Op != logic.OpApp || !ok || !allVars(a.term.Args) || len(a.term.Args) == 0 {
			continue
		}
		p := point{offset: int64(tab.offset)}
		for k, x := range a.term.Args {
			p.vars = append(p.vars, slices.Index(t.vars, x.Var))
			p.sizes = append(p.sizes, tab.args[k].n)
		}
		out[i] = p
	}
	return out
}

// columns gives for each literal the rows in which it is true.
func (t *template) columns() [][]uint64 {
	words := (len(t.pool.rows) + 63) / 64
	out := make([][]uint64, 2*len(t.atoms))
	for i := range out {
		out[i] = make([]uint64, words)
	}
	for r, row := range t.pool.rows {
		for i := range t.atoms {
			l := 2 * i
			if row[i/64]>>(i%64)&1 == 0 {
				l++
			}
			out[l][r/64] |= 1 << (r % 64)
		}
	}
	return out
}

// enumeration looks for cubes that no row satisfies, and no smaller cube does not. The negation of such a cube is a candidate.
type enumeration struct {
	*template
	columns [][]uint64
	most    int
	cube    []int
	found   map[string]bool // canonical cubes
	visited int
}

func (e *enumeration) extend(from int, rows []uint64) {
	for l := from; l < len(e.columns); l++ {
		if e.visited++; e.visited > maxVisited {
			return
		}
		next := make([]uint64, len(rows))
		some, less := uint64(0), false
		for i, w := range rows {
			next[i] = w & e.columns[l][i]
			some |= next[i]
			less = less || next[i] != w
		}
		if !less {
			continue // implied by the rest of the cube, so no minimal cube has it
		}
		e.cube = append(e.cube, l)
		switch {
		case some == 0:
			if len(e.cube) == e.most && e.minimal() {
				e.add()
			}
		case len(e.cube) < e.most:
			e.extend(l+1, next)
		}
		e.cube = e.cube[:len(e.cube)-1]
	}
}

// minimal reports whether every smaller cube is satisfied by a row.
func (e *enumeration) minimal() bool {
	for skip := range e.cube {
		some := false
		for w := range e.columns[0] {
			and := ^uint64(0)
			for i, l := range e.cube {
				if i != skip {
					and &= e.columns[l][w]
				}
			}
			if len(e.cube) == 1 {
				and = 1
			}
			if and != 0 {
				some = true
				break
			}
		}
		if !some {
			return false
		}
	}
	return true
}

func (e *enumeration) add() {
	fixed := true
	cost := len(e.vars)
	for _, l := range e.cube {
		fixed = fixed && e.atoms[l/2].fixed
		cost += 2 * e.atoms[l/2].cost
	}
	if fixed || !e.usesAll() {
		return // the axioms say it, or the instances are too small; or a smaller template says it
	}
	for _, r := range e.renamings {
		other := make([]int, len(e.cube))
		for i, l := range e.cube {
			other[i] = 2*r[l/2] + l%2
		}
		slices.Sort(other)
		if e.found[cubeKey(other)] {
			return
		}
	}
	e.found[cubeKey(e.cube)] = true
	literals := make([]int, len(e.cube))
	for i, l := range e.cube {
		literals[i] = l ^ 1
	}
	e.pool.candidates = append(e.pool.candidates, &candidate{term: e.clause(literals), cost: cost, form: e.template, literals: literals})
}

// usesAll reports whether all variables occur in the cube.
func (e *enumeration) usesAll() bool {
	used := map[*logic.Var]bool{}
	for _, l := range e.cube {
		for _, v := range logic.FreeVars(e.atoms[l/2].term) {
			used[v] = true
		}
	}
	return len(used) == len(e.vars)
}

func cubeKey(cube []int) string {
	var key []byte
	for _, l := range cube {
		key = binary.AppendUvarint(key, uint64(l))
	}
	return string(key)
}
