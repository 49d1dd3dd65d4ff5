package eval

import "slices"

// table holds numbers by keys: the number of an instance, and the numbers of what it reads. A key
// has a few places, and takes the one of another key where these are taken.
type table struct {
	stride int // of a key, with its number
	mask   int
	places []uint32
	filled int
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

func (t *table) slot(at int) []uint32 {
	at = at & t.mask * t.stride
	return t.places[at : at+t.stride]
}

func (t *table) find(key []uint32) (number uint32, ok bool) {
	if t.places == nil {
		return 0, false
	}
	at := t.at(key)
	for i := range placesOfKey {
		switch p := t.slot(at + i); {
		case p[0] == 0:
			return 0, false
		case slices.Equal(p[:len(key)], key):
			return p[len(key)], true
		}
	}
	return 0, false
}

// place makes a place for the number of a key. Where it is the one of another key, which is taken,
// the number is there still. The table grows where it is half full.
func (t *table) place(key []uint32) (number *uint32, taken bool) {
	if t.places == nil {
		t.stride = len(key) + 1
		t.places, t.mask = make([]uint32, t.stride<<6), 1<<6-1
	}
	if n := t.mask + 1; t.filled > n/2 && n < mostEntries {
		old := t.places
		t.places, t.filled, t.mask = make([]uint32, 4*len(old)), 0, 4*n-1
		for at := 0; at < len(old); at += t.stride {
			if old[at] != 0 {
				number, _ := t.free(old[at : at+t.stride-1])
				*number = old[at+t.stride-1]
			}
		}
	}
	return t.free(key)
}

// free is place in a table that does not grow.
func (t *table) free(key []uint32) (number *uint32, taken bool) {
	at := t.at(key)
	p := t.slot(at)
	for i := range placesOfKey {
		if q := t.slot(at + i); q[0] == 0 {
			p = q
			break
		}
	}
	if taken = p[0] != 0; !taken {
		t.filled++
	}
	copy(p, key)
	return &p[len(key)], taken
}
