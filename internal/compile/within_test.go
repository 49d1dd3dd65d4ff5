package compile

import (
	"errors"
	"fmt"
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/testkit"
)

// Integers that formulas bound, in any words, have the same values in a program.
func TestIntegersBetween(t *testing.T) {
	var total comparison
	systems := testkit.Size(12, 150)
	for seed := range systems {
		sys := testkit.Compile(t, testkit.BoundedIntegers(rand.New(rand.NewSource(seed))))
		m := model(t, sys, sys.Instances[0])
		claims := []*logic.Term{sys.Property("none").Term}
		if !t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			total.try(t, seed, m, claims)
		}) {
			t.FailNow()
		}
	}
	t.Logf("%+v", total)
	if n := int(systems); total.unsupported > n/10 || total.successors < 20*n ||
		total.violations < n/2 || total.spurious > total.states/50 {
		t.Errorf("too little was compared: %+v", total)
	}
}

// What bounds an integer, and what a program leaves to the interpreter: where it has no bounds, or
// where fewer formulas bound it in some states, of which the others may then be errors.
func TestBounds(t *testing.T) {
	const text = `mutable constant n: 0..5
		mutable constant z: int
		init n = 2 & z = 0
		action a(k: int) { require %s; n := if k > n then 5 else 0; z := k; }
		action b() { choose k: int with %[1]s; n := if k > n then 0 else n; z := k; }
		action back() { n := 3; z := 0; }`
	for _, c := range []struct {
		condition string
		errors    bool // in some states
		compiled  bool
	}{
		{"0 <= k & k <= n", false, true},
		{"k = n", false, true},
		{"0 <= k & k <= n & k != 1", false, true},
		{"n = 2 & 0 <= k & k <= n | n = 3 & k = 4 | n != 2 & n != 3 & k = -1", false, true},
		{"if n = 3 then k = 4 else -1 <= k & k <= n", false, true},
		{"exists i: 0..3. k = n + i", false, true},
		{"(let d = n - k in 0 <= d & d <= 2)", false, true},
		{"k - 1 = (if n = 3 then 5 else n)", false, true},
		{"0 <= k & k <= n * 1000000000", true, true},
		{"0 <= k & k <= n * 3000000000000000000", true, true},
		{"9223372036854775805 <= k & k <= 9223372036854775806", false, true},
		{"n = 3 & 0 <= k & k <= n & k + 9223372036854775805 > 0", true, true},
		{"0 <= k", true, false},
		{"0 <= k & (n = 3 -> k <= n)", true, false},
		{"0 <= k & k * k <= n", true, false},
	} {
		m := parse(t, fmt.Sprintf(text, c.condition))
		_, err := build(t.Context(), m, nil, Options{})
		if compiled := !errors.Is(err, ErrUnsupported); compiled != c.compiled {
			t.Errorf("%s: %v", c.condition, err)
		} else if !compiled {
			continue
		}
		seen := compare(t, m, Options{}, 100)
		if seen.failures > 0 != c.errors || seen.successors+seen.failures < 2 {
			t.Errorf("%s: %+v", c.condition, seen)
		}
	}
}
