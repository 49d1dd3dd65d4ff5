package zone

import (
	"math/rand"
	"slices"
	"testing"
)

// TestPassed compares the nodes that are found and dropped with what a plain list gives, which is
// asked about each node. Numbers come from few values, so that many digests are equal, or from
// many, so that lists are cut again and again.
func TestPassed(t *testing.T) {
	for _, values := range []int{2, 5, 127} {
		r := rand.New(rand.NewSource(int64(values)))
		p := nobody
		var all []kept
		var digests []digest // by node
		found, dropped, deep := 0, 0, false
		for node := range int32(2500) {
			var d digest
			common := uint64(r.Intn(values))
			for l := range lanes {
				if l%3 != 0 {
					d[l/8] |= (common + uint64(r.Intn(3))) & 0x7f << (8 * (l % 8))
				}
			}
			digests = append(digests, d)
			// As a kept zone, a node that has been found covers the one that is looked for.
			covers := func(k int32) bool { return k%97 == node%97 && d.within(digests[k]) }
			want := slices.ContainsFunc(all, func(k kept) bool {
				return d.within(k.digest) && covers(k.node)
			})
			got := p.covering(d, covers)
			if want != (got != none) {
				t.Fatalf("%d values: node %d is covered: %v, by %d", values, node, want, got)
			}
			if want {
				if !slices.ContainsFunc(all, func(k kept) bool {
					return k.node == got && d.within(k.digest) && covers(got)
				}) {
					t.Fatalf("%d values: %d does not cover node %d", values, got, node)
				}
				found++
			}
			covered := func(k int32) bool { return k%499 == node%499 && digests[k].within(d) }
			var gone []int32
			p.drop(d, func(k int32) bool {
				if covered(k) {
					gone = append(gone, k)
				}
				return covered(k)
			})
			var expected []int32
			all = slices.DeleteFunc(all, func(k kept) bool {
				drop := k.digest.within(d) && covered(k.node)
				if drop {
					expected = append(expected, k.node)
				}
				return drop
			})
			slices.Sort(gone)
			if !slices.Equal(gone, expected) {
				t.Fatalf("%d values: node %d drops %v, want %v", values, node, gone, expected)
			}
			dropped += len(gone)
			all = append(all, kept{d, node})
			p.add(kept{d, node}, func(k int32) digest { return digests[k] })
			if p.more != nil && p.more.halves != nil {
				deep = deep || p.more.halves.half[0].halves != nil
			}
		}
		if found == 0 || dropped == 0 || !deep {
			t.Errorf("%d values: %d found, %d dropped, cut twice: %v", values, found, dropped, deep)
		}
	}
}
