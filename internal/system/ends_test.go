package system

import (
	"fmt"
	"math/big"
	"testing"

	"erelong.dev/erelong/internal/logic"
)

// A variable that is one of some numbers lies between the least and the greatest of them. One that
// is compared with itself, or with a number beyond 64 bits, has no such ends.
func TestEndsOfListed(t *testing.T) {
	x := &logic.Var{Name: "x", Sort: logic.Int}
	is := func(n int64) *logic.Term { return logic.Eq(logic.Ref(x), logic.IntLit(n)) }
	large := logic.BigLit(new(big.Int).Lsh(big.NewInt(1), 64))
	for _, c := range []struct {
		cond *logic.Term
		want string
	}{
		{is(4), "4 4"},
		{logic.Eq(logic.IntLit(4), logic.Ref(x)), "4 4"},
		{logic.Or(is(5), is(-1), is(2)), "-1 5"},
		{logic.Or(is(5), logic.And(is(1), logic.Lt(logic.Ref(x), logic.IntLit(9)))), "1 5"},
		{logic.Or(is(5), logic.Lt(logic.Ref(x), logic.IntLit(9))), "none"},
		{logic.Eq(logic.Ref(x), logic.Ref(x)), "none"},
		{logic.Eq(logic.Ref(x), large), "none"},
		{logic.Or(is(2), logic.Eq(logic.Ref(x), large)), "none"},
	} {
		f := &Fold{Over: []*logic.Var{x}, Cond: c.cond, Value: logic.IntLit(1)}
		got := "none"
		if e := f.Ends(0); len(e.Lo) == 1 && len(e.Hi) == 1 {
			got = fmt.Sprint(e.Lo[0], " ", e.Hi[0])
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.cond, got, c.want)
		}
	}
}
