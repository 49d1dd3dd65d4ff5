package conformance

import (
	"slices"

	"erelong.dev/erelong/internal/interp"
)

// fingerprint identifies a pair of positions and a state: two sums of hashes of 64 bits, so that a
// change costs as much as what it changes.
type fingerprint [2]uint64

func (h *fingerprint) add(slot int, v int64) {
	a, b := hashes(slot, v)
	h[0] += a
	h[1] += b
}

func (h *fingerprint) remove(slot int, v int64) {
	a, b := hashes(slot, v)
	h[0] -= a
	h[1] -= b
}

func (h fingerprint) after(changes []interp.Change) fingerprint {
	for _, c := range changes {
		h.remove(c.Slot, c.From)
		h.add(c.Slot, c.To)
	}
	return h
}

func (h fingerprint) before(changes []interp.Change) fingerprint {
	for _, c := range changes {
		h.remove(c.Slot, c.To)
		h.add(c.Slot, c.From)
	}
	return h
}

// distinct is a set of fingerprints, which has mostly one.
type distinct struct {
	first fingerprint
	some  bool // there is a first one
	few   []fingerprint
	many  map[fingerprint]bool
}

// add reports whether a fingerprint is new.
func (d *distinct) add(h fingerprint) bool {
	switch {
	case !d.some:
		d.first, d.some = h, true
		return true
	case d.first == h || slices.Contains(d.few, h) || d.many[h]:
		return false
	}
	if len(d.few) < 8 {
		d.few = append(d.few, h)
		return true
	}
	if d.many == nil {
		d.many = map[fingerprint]bool{}
	}
	d.many[h] = true
	return true
}

// hashes are two hashes of the value of a slot, by the finalizers of splitmix64 and of Murmur3.
func hashes(slot int, v int64) (uint64, uint64) {
	x, y := uint64(slot)*0x9e3779b97f4a7c15, uint64(v)*0xd1b54a32d192ed03
	a := mix(mix(x+1, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb)^y, 0xbf58476d1ce4e5b9,
		0x94d049bb133111eb)
	b := mix(mix(x+2, 0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53)^y, 0xff51afd7ed558ccd,
		0xc4ceb9fe1a85ec53)
	return a, b
}

func mix(x, k, l uint64) uint64 {
	x = (x ^ x>>30) * k
	x = (x ^ x>>27) * l
	return x ^ x>>31
}
