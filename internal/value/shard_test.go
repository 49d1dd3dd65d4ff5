package value

import (
	"sync"
	"testing"
)

// TestInternTogether interns the same values in several goroutines: each value is one pointer, with
// one number, also when it is made by one change of another.
func TestInternTogether(t *testing.T) {
	s := NewSpace()
	const threads, values = 4, 3000
	var got [threads][]*Value
	var wait sync.WaitGroup
	for k := range threads {
		wait.Go(func() {
			for i := range int64(values) {
				set := s.Intern(SetOf(s.Int(i), TupleOf(s.Int(i)).elems[0], s.Int(i%7)))
				with := s.With(set, s.Int(-1-i%100))
				f := s.Intern(TupleOf(s.Int(i%50), set, with))
				got[k] = append(got[k], set, with, f, s.Except(f, s.Int(1), set))
			}
		})
	}
	wait.Wait()
	numbers := map[uint32]*Value{}
	for i, v := range got[0] {
		id, ok := v.ID()
		if !ok || s.Of(id) != v {
			t.Fatalf("%s has no number", v)
		}
		if w := numbers[id]; w != nil && w != v {
			t.Fatalf("%s and %s have one number", v, w)
		}
		numbers[id] = v
		for k := range threads {
			if got[k][i] != v {
				t.Fatalf("%s is two values", v)
			}
		}
	}
	for i := range values {
		set, with, f := got[0][4*i], got[0][4*i+1], got[0][4*i+2]
		n := s.Int(-1 - int64(i)%100)
		if want := With(set, n); !Equal(with, want) || with != s.Intern(want) {
			t.Fatalf("%s is not %s with %s", with, set, n)
		}
		if e := Except(f, s.Int(1), set); s.Intern(e) != got[0][4*i+3] {
			t.Fatalf("%s, not %s", got[0][4*i+3], e)
		}
	}
}
