package value

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// random makes values of a few shapes: equal ones are frequent.
func random(s *Space, r *rand.Rand, depth int) *Value {
	kind := r.IntN(9)
	if depth == 0 {
		kind = r.IntN(3)
	}
	some := func(make func() *Value) (out []*Value) {
		for range r.IntN(4) {
			out = append(out, make())
		}
		return out
	}
	// The elements of a set are of one class.
	like := []func() *Value{
		func() *Value { return s.Int(int64(r.IntN(4))) },
		func() *Value { return s.String(string(rune('a' + r.IntN(3)))) },
		func() *Value { return SetOf(some(func() *Value { return s.Int(int64(r.IntN(3))) })...) },
		func() *Value { return TupleOf(some(func() *Value { return s.Int(int64(r.IntN(3))) })...) },
	}
	one := like[r.IntN(len(like))]
	switch kind {
	case 0:
		return s.Int(int64(r.IntN(5) - 1))
	case 1:
		return s.Bool(r.IntN(2) == 0)
	case 2:
		return s.String(string(rune('a' + r.IntN(3))))
	case 3:
		return s.Model(string(rune('m' + r.IntN(2))))
	case 4:
		return SetOf(some(one)...)
	case 5:
		return TupleOf(some(func() *Value { return random(s, r, depth-1) })...)
	case 6:
		return RecordOf(s.Fields("x", "y"), random(s, r, depth-1), random(s, r, depth-1))
	case 7:
		return IntervalOf(int64(r.IntN(2)), int64(r.IntN(4)))
	}
	domain := SetOf(some(one)...)
	return LambdaOf(domain, func(x *Value) *Value { return SetOf(x) })
}

// outcome is what f gives, or the error with which it ends.
func outcome[T any](f func() T) (out T, failed bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(*Error); !ok {
				panic(r)
			}
			failed = true
		}
	}()
	return f(), false
}

// TestEqualIsText compares equality, hashes, order and numbers with the texts of values, which are
// made element by element.
func TestEqualIsText(t *testing.T) {
	s, r := NewSpace(), rand.New(rand.NewPCG(1, 2))
	var vs []*Value
	for range 300 {
		vs = append(vs, random(s, r, 2))
	}
	text := func(v *Value) string { return v.Forced().String() }
	for _, a := range vs {
		for _, b := range vs {
			same := text(a) == text(b)
			equal, failed := outcome(func() bool { return Equal(a, b) })
			if failed {
				if same {
					t.Fatalf("%s = %s has no value", a, b)
				}
				continue
			}
			if equal != same {
				t.Fatalf("%s = %s is %v", a, b, equal)
			}
			x, y := s.Intern(a), s.Intern(b)
			if (x == y) != same {
				t.Fatalf("numbers of %s and %s", a, b)
			}
			if same && a.Forced().Hash() != b.Forced().Hash() {
				t.Fatalf("hashes of %s and %s", a, b)
			}
			c, failed := outcome(func() int { return Compare(a, b) })
			if !failed && (c == 0) != same {
				t.Fatalf("the order of %s and %s is %d", a, b, c)
			}
			if back, _ := outcome(func() int { return Compare(b, a) }); !failed && back != -c {
				t.Fatalf("the order of %s and %s is %d, and back %d", a, b, c, back)
			}
		}
	}
}

// TestSets compares operations on sets with what they are element by element.
func TestSets(t *testing.T) {
	s, r := NewSpace(), rand.New(rand.NewPCG(3, 4))
	set := func() *Value {
		switch r.IntN(3) {
		case 0:
			return IntervalOf(int64(r.IntN(3)), int64(r.IntN(6)))
		case 1:
			even := func(x *Value) bool { return x.Int()%2 == 0 }
			return Cap(IntervalOf(0, 4), FilterOf(s.Nat, even))
		}
		var elems []*Value
		for range r.IntN(5) {
			elems = append(elems, s.Int(int64(r.IntN(6))))
		}
		return SetOf(elems...)
	}
	has := func(v *Value) (out []bool) {
		for i := range int64(7) {
			out = append(out, Member(s.Int(i), v))
		}
		return out
	}
	for range 2000 {
		a, b := set(), set()
		x, y := has(a), has(b)
		for name, of := range map[string]struct {
			v    *Value
			want func(x, y bool) bool
		}{
			"cup":   {Cup(a, b), func(x, y bool) bool { return x || y }},
			"cap":   {Cap(a, b), func(x, y bool) bool { return x && y }},
			"minus": {Minus(a, b), func(x, y bool) bool { return x && !y }},
			"with":  {With(a, s.Int(3)), nil},
		} {
			size := int64(0)
			for i, got := range has(of.v) {
				want := x[i] || i == 3
				if of.want != nil {
					want = of.want(x[i], y[i])
				}
				if got != want {
					t.Fatalf("%s of %s and %s: %s has %d: %v", name, a, b, of.v, i, got)
				}
				if got {
					size++
				}
			}
			if Size(of.v) != size {
				t.Fatalf("%s has %d elements, not %d", of.v, size, Size(of.v))
			}
			if again := SetOf(of.v.Listed()...); again.Hash() != of.v.Forced().Hash() {
				t.Fatalf("%s of %s and %s has a hash of its own", name, a, b)
			}
		}
		within := true
		for i := range x {
			within = within && (!x[i] || y[i])
		}
		if SubsetEq(a, b) != within {
			t.Fatalf("%s \\subseteq %s is %v", a, b, !within)
		}
	}
}

// TestDescribed compares sets that are not listed with their elements.
func TestDescribed(t *testing.T) {
	s := NewSpace()
	two := SetOf(s.Int(1), s.Int(2))
	f := s.Fields("b", "a")
	for _, v := range []*Value{
		SubsetOf(IntervalOf(1, 3)), FunctionsOf(two, SetOf(s.String("x"), s.String("y"))),
		ProductOf(two, two, two), RecordsOf(f, two, IntervalOf(0, 2)),
		FunctionsOf(IntervalOf(1, 0), two), SubsetOf(SubsetOf(two)),
	} {
		n, last := int64(0), (*Value)(nil)
		Each(v, func(e *Value) bool {
			n++
			if !Member(e, v) {
				t.Errorf("%s is no element of %s", e, v)
			}
			if last != nil && v.Kind() != Records && Compare(last, e) >= 0 {
				t.Errorf("%s comes before %s", last, e)
			}
			last = e
			return true
		})
		if n != Size(v) || n != int64(len(v.Listed())) {
			t.Errorf("%s: %d elements, not %d", v, n, Size(v))
		}
	}
	if _, failed := outcome(func() *Value { return s.Nat.Forced() }); !failed {
		t.Error("Nat is listed")
	}
}

// TestFunctions compares updates of functions with functions that are made anew.
func TestFunctions(t *testing.T) {
	s, r := NewSpace(), rand.New(rand.NewPCG(5, 6))
	domains := [][]*Value{
		{s.Int(1), s.Int(2), s.Int(3)}, {s.Int(0), s.Int(2)}, {s.String("a"), s.String("b")},
		{s.Model("p"), s.Model("q")}, {TupleOf(s.Int(1)), TupleOf(s.Int(2))},
	}
	for range 1000 {
		keys := domains[r.IntN(len(domains))]
		domain := SetOf(keys...)
		make := func(of map[*Value]*Value) *Value {
			return LambdaOf(domain, func(x *Value) *Value {
				for k, v := range of {
					if Equal(k, x) {
						return v
					}
				}
				return nil
			}).Forced()
		}
		of := map[*Value]*Value{}
		for _, k := range keys {
			of[k] = random(s, r, 1).Forced()
		}
		before := make(of)
		k, v := keys[r.IntN(len(keys))], random(s, r, 1).Forced()
		changed := Except(before, k, v)
		of[k] = v
		if after := make(of); !Equal(changed, after) || changed.Hash() != after.Hash() {
			t.Fatalf("%s with %s at %s is %s, not %s", before, v, k, changed, after)
		}
		if !Equal(Apply(changed, k), v) || !Equal(Domain(changed), domain) {
			t.Fatalf("%s at %s", changed, k)
		}
		if !Equal(Merge(LambdaOf(SetOf(k), func(*Value) *Value { return v }), before), changed) {
			t.Fatalf("%s :> %s @@ %s", k, v, before)
		}
	}
	seq := TupleOf(s.Int(7), s.Int(8))
	if got := Append(seq, s.Int(9)); !Equal(got, Concat(seq, TupleOf(s.Int(9)))) ||
		got.Hash() != Concat(seq, TupleOf(s.Int(9))).Hash() {
		t.Error(got)
	}
}

// TestSeal makes strings in two orders, as threads may: only the ones that were met before Seal are
// in the order in which they were met.
func TestSeal(t *testing.T) {
	for _, made := range [][]string{{"x", "y"}, {"y", "x"}} {
		s := NewSpace()
		s.String("z")
		s.String("a")
		s.Seal()
		for _, text := range made {
			s.String(text)
		}
		all := SetOf(s.String("a"), s.String("x"), s.String("y"), s.String("z"))
		if got := TupleOf(all.Sorted()...).String(); got != `<<"z", "a", "x", "y">>` {
			t.Errorf("%v: %s", made, got)
		}
	}
}

func TestText(t *testing.T) {
	s := NewSpace()
	for want, v := range map[string]*Value{
		`{1, 2}`:                         SetOf(s.Int(2), s.Int(1)),
		`<<"a", TRUE>>`:                  TupleOf(s.String("a"), s.True),
		`[a |-> 1, b |-> {}]`:            RecordOf(s.Fields("b", "a"), s.Int(1), s.EmptySet),
		`(p :> 0 @@ q :> 1)`:             FunctionOf(SetOf(s.Model("p")), []*Value{s.Int(0)}),
		`[1..2 -> SUBSET Nat]`:           FunctionsOf(IntervalOf(1, 2), SubsetOf(s.Nat)),
		`[a : {1}, b : (STRING \X Int)]`: RecordsOf(s.Fields("a", "b"), SetOf(s.Int(1)), ProductOf(s.Strings, s.Integers)),
	} {
		if want == `(p :> 0 @@ q :> 1)` {
			v = Merge(v, FunctionOf(SetOf(s.Model("q")), []*Value{s.Int(1)}))
		}
		if v.String() != want {
			t.Errorf("%s, not %s", v, want)
		}
	}
}

// TestMapped compares a permutation of model values with a value whose text is changed, and the
// hash that is foretold with the value's.
func TestMapped(t *testing.T) {
	s := NewSpace()
	p, q := s.Model("p"), s.Model("q")
	make := func(p, q *Value) *Value {
		f := Merge(FunctionOf(SetOf(p), []*Value{SetOf(q)}),
			FunctionOf(SetOf(q), []*Value{SetOf(p, q)}))
		return TupleOf(f, RecordOf(s.Fields("x"), p), s.Int(1), SetOf(TupleOf(p, p), TupleOf(q, p)))
	}
	var swap func(v *Value) *Value
	swap = func(v *Value) *Value {
		switch v {
		case p:
			return q
		case q:
			return p
		}
		return Mapped(v, swap)
	}
	var hashes func(v *Value) []uint64 // as it is, and swapped
	hashes = func(v *Value) []uint64 {
		switch v {
		case p:
			return []uint64{p.Hash(), q.Hash()}
		case q:
			return []uint64{q.Hash(), p.Hash()}
		}
		return MappedHashes(v, 2, hashes, func(e *Value) []uint64 {
			return MappedMembers(hashes(e))
		})
	}
	v, want := make(p, q), make(q, p)
	if got := swap(v); !Equal(got, want) {
		t.Error(got)
	}
	if got := hashes(v); !slices.Equal(got, []uint64{v.Hash(), want.Hash()}) {
		t.Error(got, v.Hash(), want.Hash())
	}
	if got := hashes(TupleOf(s.Int(1), SetOf(p, q))); got != nil && got[0] != got[1] {
		t.Error(got)
	}
}

// TestSpaceIsShared interns the same values from several goroutines.
func TestSpaceIsShared(t *testing.T) {
	s := NewSpace()
	results := make(chan []uint32)
	for range 4 {
		go func() {
			r := rand.New(rand.NewPCG(9, 9))
			var ids []uint32
			for range 3000 {
				id, ok := s.Intern(random(s, r, 2)).ID()
				if !ok {
					panic("no number")
				}
				ids = append(ids, id)
			}
			results <- ids
		}()
	}
	first := <-results
	for range 3 {
		if !slices.Equal(first, <-results) {
			t.Fatal("equal values have several numbers")
		}
	}
	for _, id := range first[:100] {
		if n, _ := s.Of(id).ID(); n != id {
			t.Fatal(fmt.Sprint(id, " is ", n))
		}
	}
}
