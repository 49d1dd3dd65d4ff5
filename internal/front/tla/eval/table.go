package eval

import "slices"

// table holds outcomes by keys: the number of an instance, and the numbers of what it reads. A key
// has a few places, and takes the one of another key where these are taken.
type table struct {
	stride   int // of a key, with the number of the outcome
	mask     int
	places   []uint32
	outcomes []outcome
	filled   int
}

const placesOfKey = 4

// at is the first place of a key.
func (t *table) at(key []uint32) int {
	h := uint64(0)
	for _, k := range key {
		h = stir(h, k)
	}
	return int(h) & t.mask
}

func (t *table) place(at int) []uint32 {
	at = at & t.mask * t.stride
	return t.places[at : at+t.stride]
}

func (t *table) find(key []uint32) (out *outcome, ok bool) {
	if t.places == nil {
		return nil, false
	}
	at := t.at(key)
	for i := range placesOfKey {
		switch p := t.place(at + i); {
		case p[0] == 0:
			return nil, false
		case slices.Equal(p[:len(key)], key):
			return &t.outcomes[p[len(key)]], true
		}
	}
	return nil, false
}

// keep remembers an outcome. The table grows where it is half full.
func (t *table) keep(key []uint32, out outcome) {
	if t.places == nil {
		t.stride = len(key) + 1
		t.places, t.mask = make([]uint32, t.stride<<6), 1<<6-1
	}
	if n := t.mask + 1; t.filled > n/2 && n < mostEntries {
		old := t.places
		t.places, t.filled, t.mask = make([]uint32, 4*len(old)), 0, 4*n-1
		for at := 0; at < len(old); at += t.stride {
			if old[at] != 0 {
				*t.free(old[at:at+t.stride-1], old[at+t.stride-1]) = t.outcomes[old[at+t.stride-1]]
			}
		}
	}
	*t.free(key, uint32(len(t.outcomes))) = out
}

// free makes a place for a key, and gives the one of its outcome, which has a number if it is new.
func (t *table) free(key []uint32, number uint32) *outcome {
	at := t.at(key)
	p := t.place(at)
	for i := range placesOfKey {
		if q := t.place(at + i); q[0] == 0 {
			p = q
			break
		}
	}
	if p[0] == 0 {
		t.filled++
		p[len(key)] = number
		if int(number) == len(t.outcomes) {
			t.outcomes = append(t.outcomes, outcome{})
		}
	}
	copy(p, key)
	return &t.outcomes[p[len(key)]]
}
