package ere

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/system"
)

// What is claimed about arguments of ranges, without what is plain.
func TestArguments(t *testing.T) {
	const head = `
sort node
immutable constant L: int
axiom L >= 1
type index = 0..L
mutable relation f(index)
mutable relation g(node)
mutable constant c: index
mutable constant n: int
init c = 0 & n = 0
`
	for _, c := range []struct{ name, text, want string }{
		{"plain", `
action a(i: index) { require f(i) & f(c) & f(0) & f(L); f(n mod 3) := true; }
safety f(I) -> f(c) | f(1)`,
			"argument:f: forall i:0..L. f(i) & f(c) & f(0) & f(L) -> n mod 3 <= L"},
		{"a condition before", `
action a() { require c < L; f(c + 1) := true; }
action b() { if (c > 0) { f(c - 1) := f(c); } }`, ""},
		{"no condition", `action a() { f(c + 1) := true; }`, "argument:f: c + 1 <= L"},
		{"a condition afterwards", `action a() { f(c + 1) := true; require c < L; }`,
			"argument:f: c + 1 <= L"},
		{"an earlier assignment", `action a() { n := n + 1; require f(n); }`,
			"argument:f: 0 <= n + 1 & n + 1 <= L"},
		{"from left to right", `
safety [s] n >= 0 & n <= L & f(n)
safety [t] n < 0 | n > L | f(n)
safety [u] 0 <= n & n <= L -> f(n)
safety [v] f(n) -> n <= L`, "defined:v: 0 <= n & n <= L"},
		{"a choice", `action a() { choose k: 0..2 with k <= c { f(k) := true; } }`,
			"argument:f: forall k:0..2. k <= c -> k <= L"},
		{"a new value", `action a() { n := *; require n >= 0; if (n < L) { f(n + 1) := true; } require f(n); }`,
			"argument:f: forall any1:int. 0 <= any1 -> any1 <= L"},
		{"a new relation", `
action a() { g := *; require forall N. g(N); if (!(forall N. g(N))) { f(n) := true; } }`,
			"argument:f: forall any1:bool. any1 -> !any1 -> 0 <= n & n <= L"},
		{"a quantifier", `safety [s] exists I: index. f(I + 1)`, "defined:s: forall I:0..L. I + 1 <= L"},
		{"the size of a set for each value", `
mutable function asked(index): set[node]
action a(i: index) { require size(asked(i)) > n; n := size(asked(i)); }`, ""},
		{"a name", `safety [s] let v = f(n) in n < 0 | n > L | v`, ""},
		{"a name that is needed", `safety [s] let v = f(n) in n < 0 | v`,
			"defined:s: 0 <= n -> n <= L"},
		{"a derived relation", `
derived relation d(node): forall N. d(N) <-> g(N) & f(n)
safety [s] n < 0 | n > L | d(N)
safety [t] n < 0 | d(N)`, "defined:t: forall N:node. 0 <= n -> g(N) -> n <= L"},
		{"other states", `
temporal [t] always (0 <= n & n <= L -> f(n))
temporal [u] n <= L -> always (0 <= n -> f(n))
temporal [v] 1 <= L -> always f(1)`, "defined:u: 0 <= n -> n <= L"},
		{"a trusted invariant", `
action a() { n := n + 1; }
trusted invariant 0 <= n -> f(n)`, "argument:f: 0 <= n + 1 -> n + 1 <= L"},
		{"a condition of fairness", `action a() fair if f(n) { n := n + 1; }`,
			"argument:f: 0 <= n & n <= L"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys, _, err := Compile("test.ere", head+c.text+"\n")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range sys.Properties {
				if p.Kind == system.Argument || p.Kind == system.Defined {
					got = append(got, p.Name+": "+p.Term.String())
				}
			}
			if s := strings.Join(got, "\n"); s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
		})
	}
}
