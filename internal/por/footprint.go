package por

import "erelong.dev/erelong/internal/logic"

// Footprint of a ground action: the slots that it may read, and the slots that it may write. What
// it reads decides whether it is enabled, whether its evaluation fails, and what it writes.
type Footprint struct{ Reads, Writes Set }

// Footprint gives the footprint of a ground action.
func (a *Analysis) Footprint(ground int) Footprint { return a.footprints[ground] }

// End is the number after the last ground action of an action.
func (a *Analysis) End(action int) int { return a.first[action+1] }

// GuardsOf lists indices into Guards, of formulas that are true wherever a ground action is enabled
// or fails.
func (a *Analysis) GuardsOf(ground int) []int {
	var out []int
	for _, g := range a.guards[ground] {
		if g.first { // else a condition before it may fail where it is false
			out = append(out, g.term)
		}
	}
	return out
}

// Reads gives the slots that a closed formula over one state may read.
func (a *Analysis) Reads(t *logic.Term) Set {
	r := newReader(a.model)
	r.begin()
	r.eval(t)
	return r.reads
}
