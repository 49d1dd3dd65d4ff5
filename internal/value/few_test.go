package value

import (
	"cmp"
	"math/big"
	"testing"
)

func digits(s *Space, text string) *Value {
	n, _ := new(big.Int).SetString(text, 10)
	return s.Integer(n)
}

// TestLarge compares integers beyond 64 bits with the ones within.
func TestLarge(t *testing.T) {
	s := NewSpace()
	order := []*Value{digits(s, "-36893488147419103232"), digits(s, "-9223372036854775809"),
		s.Int(-1 << 63), s.Int(-1), s.Int(3), s.Int(1<<63 - 1), digits(s, "9223372036854775808"),
		digits(s, "9223372036854775809"), digits(s, "36893488147419103232")}
	for i, a := range order {
		for j, b := range order {
			if got := Compare(a, b); got != cmp.Compare(i, j) {
				t.Errorf("%s and %s: %d", a, b, got)
			}
			again := digits(s, b.String())
			if Equal(a, again) != (i == j) || (s.Intern(a) == s.Intern(again)) != (i == j) {
				t.Errorf("%s = %s", a, b)
			}
			in := Member(order[4], s.Range(a, b))
			if in != (i <= 4 && 4 <= j) {
				t.Errorf("3 in %s..%s is %t", a, b, in)
			}
		}
	}
	whole := IntervalOf(-1<<63, 1<<63-1)
	if Member(order[1], whole) || Member(order[6], whole) || !Member(order[2], whole) {
		t.Error("a large integer is one of 64 bits")
	}
	if !Member(order[0], s.Integers) || Member(order[0], s.Nat) || !Member(order[8], s.Nat) {
		t.Error("Nat and Int")
	}
	if r := s.Range(order[0], order[8]); !Finite(r) {
		t.Errorf("%s is not finite", r)
	}
}

// TestFew takes some elements of large sets: they are elements, no more than asked for, and all
// where there are no more.
func TestFew(t *testing.T) {
	s := NewSpace()
	letters := SetOf(s.String("a"), s.String("b"), s.String("c"))
	large := s.Range(s.Int(1), digits(s, "36893488147419103232"))
	even := func(v *Value) bool { return v.kind != Int || v.Integer().Bit(0) == 0 }
	sets := []*Value{s.EmptySet, letters, IntervalOf(1, 5), IntervalOf(-1<<63, 1<<63-1), s.Nat,
		s.Integers, large, SubsetOf(letters), SubsetOf(s.Nat), SubsetOf(IntervalOf(1, 100)),
		FunctionsOf(letters, s.Nat), FunctionsOf(letters, letters), FunctionsOf(letters, large),
		ProductOf(letters, s.Integers), ProductOf(letters, letters),
		RecordsOf(s.Fields("x", "y"), s.Nat, letters), FilterOf(s.Nat, even), FilterOf(large, even),
		Cup(s.Nat, IntervalOf(-3, -1)), Minus(s.Nat, IntervalOf(0, 1)),
		Cap(s.Nat, IntervalOf(1, 3)),
		FunctionsOf(letters, SubsetOf(s.Nat))}
	for _, of := range sets {
		for _, most := range []int64{30, 100, 1 << 16} {
			few, whole := Few(of, most, 30)
			if whole {
				if few != of {
					t.Errorf("%s is not itself", of)
				}
				if n, wrong := outcome(func() int64 { return Size(of) }); wrong || n > most {
					t.Errorf("all of %s, which are more than %d", of, most)
				}
				continue
			}
			if Finite(of) && sizeUpTo(of, most) <= most {
				t.Errorf("%s has at most %d elements, and not all are taken", of, most)
			}
			n := int64(0)
			Each(few, func(v *Value) bool {
				n++
				if !Member(v, of) {
					t.Errorf("%s is none of %s", v, of)
				}
				return true
			})
			if n > 30 || n == 0 && !Finite(few) {
				t.Errorf("%d elements of %s, at most %d", n, of, most)
			}
		}
	}
}
