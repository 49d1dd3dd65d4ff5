package ranking

import (
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// An action counts as possible only where its guards, its updates and the trusted invariants imply
// it.
func TestEnabled(t *testing.T) {
	const state = "mutable constant x: int\nmutable function f(int): int\nmutable relation on\ninit x = 0 & !on\nliveness true ~> on\n"
	for _, c := range []struct{ text, want string }{
		{"action a() { require !on; on := true; }", "!on"},
		{"action a() { choose v: int with v > x { x := v; } }", "exists v:int. x < v"},
		{"action a() { x := *; }", "true"},
		{"action a() { x := *; assume 0 < x & x < 1; }", "exists a_any_x:int. 0 < a_any_x & a_any_x < 1"},
		{"transition a() modifies x\n new(x) > x & new(x) < x\n", "exists x':int. x < x' & x' < x"},
		{"action a() { require !on; x := x + 1; }\ntrusted invariant x < 3", "!on & x + 1 < 3"},
		{"action a() { require !on; on := true; }\ntrusted invariant x < 3", "!on"},
		{"action a() { x := *; }\ntrusted invariant 0 < x & x < 1", "exists a_any_x:int. 0 < a_any_x & a_any_x < 1"},
		{"transition a() modifies x\n new(x) > x\ntrusted invariant x < 3\n", "exists x':int. x < x' & x' < 3"},
		{"action a() { on := true; }\nderived relation d: d <-> on & x > 0\ntrusted invariant !d", "!(true & 0 < x)"},
		{"action a() { x := *; }\nderived relation d: d <-> on & x > 0\ntrusted invariant !d", "exists a_any_x:int. !(on & 0 < a_any_x)"},
		{"transition a(c: int) modifies f\n new(f(c)) > new(f(0))\n",
			"exists f':int, f'':int. f' < f'' & (c = 0 -> f'' = f')"},
		{"transition a() modifies f\n forall C. new(f(C)) > f(C)\n", ""},
		{"action a() { on := true; }\nderived relation d: d <-> !d & on", ""},
	} {
		sys := testkit.Compile(t, state+c.text+"\n")
		got := ""
		if e := enabled(sys, sys.Actions[0]); e != nil {
			got = e.String()
		}
		if got != c.want {
			t.Errorf("%q instead of %q: %s", got, c.want, c.text)
		}
	}
}
