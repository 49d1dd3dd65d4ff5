package infer

import "math/bits"

// A message that is answered is in one of many places: with the one who asks, under way, put off,
// on its way back, or it has come. A clause that says so is longer than the search for all minimal
// cubes allows. Where that search finds nothing, one cube is made by choosing again and again the
// atom that excludes the most samples.

// excludeLong adds at most one candidate for each valuation in the first state of a view.
func (t *template) excludeLong(v *view) {
	if len(t.pool.worlds) == 0 {
		return
	}
	for e := range v.envs {
		row := t.unseen(v, e)
		if row == nil {
			continue
		}
		if h := t.hitting(row); h != nil && h.cover() {
			h.found()
		}
	}
}

// cover makes a cube that no sample satisfies, and leaves out what is not needed. It gives false if
// none of the length that is allowed is found.
func (h *hitting) cover() bool {
	for {
		for i := 0; i < len(h.diffs); i++ {
			if hits(h.cube, h.diffs[i]) {
				continue
			}
			a := h.mostHits(h.diffs[i])
			if a < 0 || len(h.cube) == maxCube {
				return false
			}
			h.cube = append(h.cube, a)
		}
		row, possible := h.refuted(h.cube)
		if !possible || row != nil && !h.add(row) {
			return false
		}
		if row != nil {
			continue
		}
		return h.shorten()
	}
}

// mostHits gives the atom, of the ones that differ in a row, that differs in the most rows that the
// cube does not hit, as against its cost; -1 if there is none.
func (h *hitting) mostHits(diff []uint64) int {
	best, most := -1, 0.0
	for k := range diff {
		for w := diff[k] &^ h.pool.undefined[k]; w != 0; w &= w - 1 {
			a, n := 64*k+bits.TrailingZeros64(w), 0
			for _, d := range h.diffs {
				if d[k]>>(a%64)&1 == 1 && !hits(h.cube, d) {
					n++
				}
			}
			if rate := float64(n) / float64(1+h.atoms[a].cost); rate > most {
				best, most = a, rate
			}
		}
	}
	return best
}

// shorten leaves out the atoms without which no sample satisfies the cube either. Samples that it
// meets are hit from then on.
func (h *hitting) shorten() bool {
	for skip := 0; skip < len(h.cube); {
		fewer := h.cubeWithout(skip)
		if !h.hitsAll(fewer) {
			skip++
			continue
		}
		row, possible := h.refuted(fewer)
		switch {
		case !possible:
			skip++
		case row == nil:
			h.cube, skip = fewer, 0
		case !h.add(row):
			return false
		}
	}
	return len(h.cube) > 0
}
