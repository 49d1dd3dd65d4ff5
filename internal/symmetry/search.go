package symmetry

import "slices"

// search looks for the least image of a state whose elements the links do not all tell apart. It
// chooses an element of the first cell with several, makes it a cell of its own, refines, and so on
// until each element is alone. All choices are tried, except where a permutation is known that
// leaves the state as it is and turns the choice into an earlier one: elements that can be
// exchanged, and choices that lead to an image that was found before. Such a permutation turns the
// choice at which the paths to the images part into the earlier one, and keeps the choices before,
// since an element that was chosen keeps its place.
type search struct {
	saved       []partition // before each choice
	path        []int32     // the chosen elements
	first, best found
}

// found is an image, with the choices that lead to it.
type found struct {
	image []uint64
	path  []int32
}

func (f *found) set(image []uint64, path []int32) {
	f.image, f.path = append(f.image[:0], image...), append(f.path[:0], path...)
}

// least gives the least image.
func (r *Reducer) least() []uint64 {
	s := &r.search
	s.path, s.first.image, s.best.image = s.path[:0], s.first.image[:0], s.best.image[:0]
	r.choose()
	return s.best.image
}

// choose tries the elements of the first cell with several. It returns the number of choices to
// keep.
func (r *Reducer) choose() int {
	s := &r.search
	depth := len(s.path)
	start, ok := r.firstCell()
	if !ok {
		r.write()
		return r.reached(depth)
	}
	if depth == len(s.saved) {
		s.saved = append(s.saved, r.first.clone())
	}
	s.saved[depth].copyFrom(&r.partition)
	cell := slices.Clone(r.order[start : start+r.size[start]])
	for i, e := range cell {
		if slices.ContainsFunc(cell[:i], func(f int32) bool { return r.exchangeable(e, f) }) {
			continue
		}
		s.path = append(s.path[:depth], e)
		r.partition.copyFrom(&s.saved[depth])
		r.single(e)
		r.refine()
		if keep := r.choose(); keep < depth {
			return keep
		}
	}
	return depth - 1
}

// reached compares an image with the ones before. It returns the number of choices to keep.
func (r *Reducer) reached(depth int) int {
	s := &r.search
	switch {
	case len(s.best.image) == 0:
		s.first.set(r.image, s.path)
		s.best.set(r.image, s.path)
	case slices.Equal(r.image, s.first.image):
		return common(s.path, s.first.path)
	case slices.Equal(r.image, s.best.image):
		return common(s.path, s.best.path)
	case less(r.image, s.best.image):
		s.best.set(r.image, s.path)
	}
	return depth - 1
}

// common is the number of choices that two paths have in common.
func common(a, b []int32) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// firstCell finds the first cell of elements of which some cannot be exchanged. Cells before it are
// divided in any order: all give the same image.
func (r *Reducer) firstCell() (start int32, ok bool) {
	for start = 0; int(start) < len(r.order); {
		n := r.size[start]
		cell := r.order[start : start+n]
		if slices.ContainsFunc(cell[1:], func(e int32) bool {
			return !r.exchangeable(cell[0], e)
		}) {
			return start, true
		}
		for at := start; at < start+n; at++ {
			r.cell[r.order[at]], r.size[at] = at, 1
		}
		r.cells += int(n) - 1
		start += n
	}
	return 0, false
}
