package presburger

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"testing"
)

var rounds = flag.Int("presburger.rounds", 60, "how many sets are generated")

// truth is the membership of a vector, computed by itself.
type truth func(v []int64) bool

// generated is a set, and what is in it. Vectors of the box are looked at.
type generated struct {
	x  *Set
	in truth
}

const side = 6

// box lists the vectors of a space near 0.
func box(space Space) (out [][]int64) {
	out = [][]int64{nil}
	for i := range space {
		low := int64(0)
		if space.signed(i) {
			low = -side
		}
		var longer [][]int64
		for _, v := range out {
			for c := low; c <= side; c++ {
				longer = append(longer, append(append([]int64{}, v...), c))
			}
		}
		out = longer
	}
	return out
}

func generateLinear(rng *rand.Rand, n int) Linear {
	l := Linear{Constant: int64(rng.Intn(15) - 7)}
	for range n {
		a := int64(0)
		if rng.Intn(3) > 0 {
			a = int64(rng.Intn(9) - 4)
		}
		l.Coeffs = append(l.Coeffs, a)
	}
	return l
}

func generateSet(s *Store, rng *rand.Rand, space Space, depth int) generated {
	n := len(space)
	if depth == 0 {
		l := generateLinear(rng, n)
		switch rng.Intn(3) {
		case 0:
			return generated{s.IsZero(space, l), func(v []int64) bool { return l.Of(v) == 0 }}
		case 1:
			m := int64(rng.Intn(6) + 1)
			return generated{s.Multiple(space, l, m), func(v []int64) bool {
				return l.Of(v)%m == 0
			}}
		}
		return generated{s.AtMostZero(space, l), func(v []int64) bool { return l.Of(v) <= 0 }}
	}
	a := generateSet(s, rng, space, depth-1)
	b := generateSet(s, rng, space, depth-1)
	switch rng.Intn(5) {
	case 0:
		return generated{s.And(a.x, b.x), func(v []int64) bool { return a.in(v) && b.in(v) }}
	case 1:
		return generated{s.Or(a.x, b.x), func(v []int64) bool { return a.in(v) || b.in(v) }}
	case 2:
		return generated{s.Minus(a.x, b.x), func(v []int64) bool { return a.in(v) && !b.in(v) }}
	case 3:
		var f Affine
		for range n {
			f = append(f, generateLinear(rng, n))
		}
		return generated{s.Before(a.x, space, f), func(v []int64) bool {
			w := f.Of(v)
			for i, c := range w {
				if c < 0 && !space.signed(i) {
					return false
				}
			}
			return a.in(w)
		}}
	}
	return generated{s.Not(a.x), func(v []int64) bool { return !a.in(v) }}
}

// Each operation is what it says, for the vectors of a box.
func TestOperations(t *testing.T) {
	for seed := range int64(*rounds) {
		rng := rand.New(rand.NewSource(seed))
		s := NewStore(t.Context(), 1_000_000)
		space := []Space{"nn", "zz", "nzn", "n", "z", "nnz"}[rng.Intn(6)]
		g := generateSet(s, rng, space, 1+rng.Intn(3))
		for _, v := range box(space) {
			if s.Has(g.x, v) != g.in(v) {
				t.Fatalf("seed %d: %v is in the set: %v", seed, v, g.in(v))
			}
		}
		if v := s.Some(g.x); v != nil && !s.Has(g.x, v) {
			t.Fatalf("seed %d: %v is said to be in the set", seed, v)
		}
		if len(space) == 1 {
			continue
		}
		// Component i is forgotten: some value of it is in the set. Boxes are cut by constraints,
		// so that no value is outside of a larger box.
		i := rng.Intn(len(space))
		cut := g.x
		for j := range space {
			l := Linear{make([]int64, len(space)), -side}
			l.Coeffs[j] = 1
			cut = s.And(cut, s.AtMostZero(space, l))
			l.Coeffs = append([]int64{}, l.Coeffs...)
			l.Coeffs[j] = -1
			cut = s.And(cut, s.AtMostZero(space, l))
		}
		p := s.Forget(cut, i)
		w := s.Without(p, i)
		with := s.With(w, i, space[i])
		if !with.Equal(p) {
			t.Fatalf("seed %d: a component that was taken out and put back", seed)
		}
		some := map[string]bool{}
		for _, v := range box(space) {
			if g.in(v) {
				v[i] = 0
				some[fmt.Sprint(v)] = true
			}
		}
		for _, v := range box(space) {
			was := v[i]
			v[i] = 0
			want := some[fmt.Sprint(v)]
			v[i] = was
			if s.Has(p, v) != want {
				t.Fatalf("seed %d: without component %d %v is in the set: %v", seed, i, v, want)
			}
			if without := append(append([]int64{}, v[:i]...), v[i+1:]...); s.Has(w, without) !=
				want {
				t.Fatalf("seed %d: %v is in the smaller set: %v", seed, without, want)
			}
		}
		count := 0
		for _, v := range box(space) {
			if g.in(v) {
				count++
			}
		}
		if list, ok := s.List(cut, 20); ok != (count <= 20) || ok && len(list) != count {
			t.Fatalf("seed %d: %d vectors are listed (%v), want %d", seed, len(list), ok, count)
		}
	}
}

// The preimage by a map with large constants, whose digits need several words, is what it says:
// vectors that the map brings near to the border of a set.
func TestBeforeLarge(t *testing.T) {
	looked := 0
	for seed := range int64(60) {
		rng := rand.New(rand.NewSource(seed))
		s := NewStore(t.Context(), 1_000_000)
		space := Integers(2 + rng.Intn(4))
		g := generateSet(s, rng, space, 1)
		var f Affine
		var from []int64
		for i := range space {
			l := Linear{make([]int64, len(space)), rng.Int63n(largest/8) >> rng.Intn(38)}
			if rng.Intn(2) == 0 {
				l.Constant = -l.Constant
			}
			l.Coeffs[i] = 1
			from = append(from, -l.Constant)
			if j := rng.Intn(len(space)); j < i && rng.Intn(2) == 0 {
				l.Coeffs[j] = int64(rng.Intn(3) - 1)
				from[i] -= l.Coeffs[j] * from[j]
			}
			f = append(f, l)
		}
		var x *Set
		if err := s.Try(func() { x = s.Before(g.x, space, f) }); err != nil {
			continue // too many digits
		}
		looked++
		for range 300 {
			v := make([]int64, len(space))
			for i := range v {
				v[i] = from[i] + int64(rng.Intn(11)-5)
			}
			if want := g.in(f.Of(v)); s.Has(x, v) != want {
				t.Fatalf("seed %d: %v by %v is in the set: %v", seed, v, f, want)
			}
		}
	}
	if looked < 30 {
		t.Errorf("only %d sets", looked)
	}
}

// Projection is exact where the forgotten value has more digits than the others.
func TestForgetLarge(t *testing.T) {
	s := NewStore(t.Context(), 100_000)
	for _, space := range []Space{"nn", "zz", "zn", "nz"} {
		// There is a y with 8 x = y and y >= 40 or y <= -40.
		twice := s.IsZero(space, Linear{[]int64{8, -1}, 0})
		up := s.AtMostZero(space, Linear{[]int64{0, -1}, 40})
		down := s.AtMostZero(space, Linear{[]int64{0, 1}, 40})
		x := s.Forget(s.And(twice, s.Or(up, down)), 1)
		for v := int64(-9); v < 10; v++ {
			want := v >= 5 || v <= -5 && space == "zz"
			if s.Has(x, []int64{v, 3}) != want {
				t.Errorf("%s: %d: want %v", space, v, want)
			}
		}
	}
}

// Equal sets are the same automaton, however they were made.
func TestCanonical(t *testing.T) {
	s := NewStore(t.Context(), 100_000)
	space := Integers(2)
	sum := func(a, b, c int64) *Set { return s.AtMostZero(space, Linear{[]int64{a, b}, c}) }
	both := s.And(sum(1, 1, -5), sum(-1, -1, 5))
	if x := s.IsZero(space, Linear{[]int64{1, 1}, -5}); x != both {
		t.Error("x + y <= 5 and x + y >= 5 is not x + y = 5")
	}
	if x := s.And(sum(2, 0, -7),
		sum(-2, 0, 6)); !x.Equal(s.IsZero(space, Linear{[]int64{1, 0}, -3})) {
		t.Error("6 <= 2 x <= 7 is not x = 3")
	}
	if !s.Or(both, s.Not(both)).IsAll() || !s.And(both, s.Not(both)).IsEmpty() {
		t.Error("a set and its complement")
	}
	s.forget()
	if x := s.IsZero(space, Linear{[]int64{1, 1}, -5}); x == both || !x.Equal(both) {
		t.Error("an equal set that is not shared")
	}
}

// Limits end an operation with an error, and a canceled context with its own.
func TestLimits(t *testing.T) {
	s := NewStore(t.Context(), 2000)
	var limit *Limit
	err := s.Try(func() { s.IsZero(Naturals(3), Linear{[]int64{977, 1009, -911}, 5}) })
	if !errors.As(err, &limit) {
		t.Errorf("%v, want the limit", err)
	}
	for _, number := range []int64{largest + 1, -largest - 1, 1 << 50} {
		for _, l := range []Linear{{[]int64{1}, number}, {[]int64{number}, 1}} {
			err = s.Try(func() { s.IsZero(Naturals(1), l) })
			if !errors.As(err, &limit) || limit.Text != "a number larger than 2^40" {
				t.Errorf("%v, want the limit", err)
			}
		}
	}
	if err = s.Try(func() { s.IsZero(Naturals(1), Linear{[]int64{1}, -largest}) }); err != nil {
		t.Error(err)
	}
	many := Linear{Coeffs: make([]int64, maxComponents+1)}
	err = s.Try(func() { s.AtMostZero(Naturals(maxComponents+1), many) })
	if !errors.As(err, &limit) {
		t.Errorf("%v, want the limit", err)
	}
	err = s.Try(func() {
		s.Before(s.IsZero(Naturals(1), Linear{[]int64{1}, 0}), Naturals(maxComponents+1),
			Affine{many})
	})
	if !errors.As(err, &limit) {
		t.Errorf("%v, want the limit", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s = NewStore(ctx, 1_000_000)
	err = s.Try(func() { s.IsZero(Naturals(3), Linear{[]int64{977, 1009, -911}, 5}) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was canceled", err)
	}
}
