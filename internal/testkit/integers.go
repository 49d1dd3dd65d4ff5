package testkit

import (
	"fmt"
	"math/rand"
	"strings"
)

// inWords says in some words that a variable is at least low and at most high.
func inWords(r *rand.Rand, v, low, high string) string {
	return strings.NewReplacer("V", v, "LOW", low, "HIGH", high).Replace([]string{
		"LOW <= V & V <= HIGH", "V >= LOW & !(V > HIGH)", "(LOW) - 1 < V & (HIGH) + 1 > V",
		"V - (LOW) >= 0 & (HIGH) - V >= 0", "(V = LOW | V = HIGH)", "-V <= -(LOW) & V <= HIGH",
		"LOW <= V & (V < HIGH | V = HIGH)", "!(V < LOW | V > HIGH)",
		"(if n > m then V = LOW else LOW <= V & V <= HIGH)", "(LOW > V -> false) & V <= HIGH",
		"(let x = V in LOW <= x & x <= HIGH)", "V != m & LOW < V & V < HIGH",
	}[r.Intn(12)])
}

// BoundedIntegers is a system with integers of parameters, choices, quantifiers and unknown values
// that formulas bound.
func BoundedIntegers(r *rand.Rand) string {
	pick := func(from ...string) string { return from[r.Intn(len(from))] }
	low := func() string { return pick("0", "n - 2", "m", "-3", "f(true) - 1") }
	high := func() string { return pick("n + 1", "m + 2", "4", "f(false)") }
	k := inWords(r, "k", low(), high())
	j := inWords(r, "j", low(), pick("k", "k + 1", high()))
	i := inWords(r, "i", low(), high())
	h := inWords(r, "h", low(), high())
	return fmt.Sprintf(`mutable constant n: -6..6
mutable constant m: -6..6
mutable function f(bool): -6..6
mutable constant z: int
init n = %d & m = %d & f(true) = %d & f(false) = %d & z = 0
action a(k: int, j: int) {
  require %s;
  require %s & %s & -6 <= k - j & k - j <= 6;
  n := k - j;
}
action b() {
  require exists i: int. %s & i * 2 = n;
  choose h: int with %s & -6 <= h & h <= 6;
  f(h > m) := h;
}
action d() {
  m := *;
  require exists i: int. %s & i != n;
  choose h: int with %s & -6 <= h & h <= 6;
  n := h;
}
action e(k: int) {
  let n1 = n - 1;
  let m1 = n1 + m;
  require n1 <= k & k <= n1 + 3;
  require -6 <= k + m1 & k + m1 <= 6 & %s;
  n := k + m1;
}
action c() { require forall i: int, j: int. %s & %s -> i + j != m; m := if m = 6 then -6 else m + 1; }
action g() {
  z := *;
  require -6 <= z & z <= 6;
  require %s & z != m;
  n := z;
  z := 0;
}
safety [none] forall i: int. %s -> i != 6
instance one {}
`, r.Intn(5)-2, r.Intn(5)-2, r.Intn(5)-2, r.Intn(5)-2, k, j, pick("true", "k != j", "k * j < 9"),
		i, h, i, h, k, i, inWords(r, "j", low(), "i"), inWords(r, "z", low(), high()), i)
}
