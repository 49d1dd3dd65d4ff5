package slab

import (
	"math/rand"
	"slices"
	"testing"
)

// No place is given twice, and a list that grows beyond its room takes nobody's place.
func TestPlaces(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var s Of[int]
	var lists [][]int
	var want [][]int
	for i := range 5000 {
		n := r.Intn(40)
		list := s.Room(n)
		if len(list) != 0 || cap(list) != n {
			t.Fatalf("room for %d: %d of %d", n, len(list), cap(list))
		}
		for k := range n + r.Intn(2) {
			list = append(list, i*100+k)
		}
		lists, want = append(lists, list), append(want, slices.Clone(list))
		*s.New() = -1
		if got := s.Copy(i, i+1); !slices.Equal(got, []int{i, i + 1}) || cap(got) != 2 {
			t.Fatalf("a copy is %v", got)
		}
	}
	for i := range lists {
		if !slices.Equal(lists[i], want[i]) {
			t.Fatalf("list %d is %v instead of %v", i, lists[i], want[i])
		}
	}
}
