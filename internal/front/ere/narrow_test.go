package ere

import "testing"

// An implied quantifier over a range, which may be empty, stands around the smallest conjuncts that
// need it.
func TestImpliedQuantifiers(t *testing.T) {
	const head = `
sort node
immutable constant n: int
type index = 1..n
mutable relation r(index)
mutable relation q(node, index)
mutable relation g(node)
mutable constant x: int
`
	for _, c := range []struct{ formula, want string }{
		{"!r(A) & x = 0", "(forall A:1..n. !r(A)) & x = 0"},
		{"r(A) & !q(N, A) & x = 0", "forall N:node. (forall A:1..n. r(A)) & (forall A:1..n. !q(N, A)) & x = 0"},
		{"x = 1 -> r(A) & x = 0", "x = 1 -> (forall A:1..n. r(A)) & x = 0"},
		{"x = 1 | r(A) & x = 0", "x = 1 | (forall A:1..n. r(A)) & x = 0"},
		{"r(A) -> r(B) & x = 0", "forall A:1..n. r(A) -> (forall B:1..n. r(B)) & x = 0"},
		{"(forall N. q(N, A) & g(N))", "forall N:node. (forall A:1..n. q(N, A)) & g(N)"},
		// The ones that mean the same anyway, or where the quantifier would change.
		{"g(N) & x = 0", "forall N:node. g(N) & x = 0"},
		{"r(A) -> x = 0", "forall A:1..n. r(A) -> x = 0"},
		{"r(A) & x = 0 -> x = 1", "forall A:1..n. r(A) & x = 0 -> x = 1"},
		{"r(A) | r(A) & x = 0", "forall A:1..n. r(A) | r(A) & x = 0"},
		{"!(r(A) & x = 0)", "forall A:1..n. !(r(A) & x = 0)"},
		{"(exists N. q(N, A) & g(N))", "forall A:1..n. exists N:node. q(N, A) & g(N)"},
	} {
		sys, _, err := Compile("test.ere", head+"init "+c.formula+"\naxiom [a] n >= 0\n"+
			"invariant [i] "+c.formula+"\naction s() { require "+c.formula+"; x := 0; }\n")
		if err != nil {
			t.Fatal(err)
		}
		for where, got := range map[string]string{"init": sys.Inits[0].Term.String(),
			"invariant": sys.Properties[0].Term.String()} {
			if got != c.want {
				t.Errorf("%s %s:\ngot  %s\nwant %s", where, c.formula, got, c.want)
			}
		}
	}
}
