package ivy

import (
	"os"
	"testing"

	"erelong.dev/erelong/internal/diag"
)

// A file gets a warning where it leaves the fragment in which solvers decide, and no other.
func TestFragment(t *testing.T) {
	const whole = "interpret t -> int\nfunction f(X:t) : t\nindividual c : t\nindividual p : bool\n"
	const free = "relation r(X:t,Y:t)\nfunction f(X:t) : t\nindividual c : t\ntype u\n" +
		"function g(X:t) : u\nfunction h(X:u) : t\n"
	for text, leaves := range map[string]bool{
		// A variable may be compared with what is ground, and be below uninterpreted symbols.
		whole + "axiom X:t <= c":                          false,
		whole + "axiom f(X) <= f(Y) + 1":                  false,
		whole + "axiom X:t < Y":                           false, // a literal over two variables
		whole + "axiom X:t <= Y":                          true,
		whole + "axiom ~(X:t <= Y)":                       false,
		whole + "axiom X:t + 1 = c":                       true,
		whole + "axiom f(Y) <= X + 0":                     true,
		whole + "axiom p -> f(X) <= X":                    true,
		whole + "property p -> f(X) <= X":                 false, // X is one value in its negation
		whole + "property exists X. f(X) <= X":            true,
		whole + "invariant p -> f(X) <= X":                true, // it is assumed, too
		whole + "property (exists X. f(X) <= X) -> p":     false,
		whole + "axiom (c if p else X) = f(X)":            true,
		whole + "axiom (c if p else f(X)) = f(f(X))":      true,  // f(X) in the place of X
		whole + "axiom f(X) = X\naxiom f(f(c)) = c":       false, // the first is a definition of f
		whole + "axiom f(X) = X\naxiom f(Y) <= f(Z)":      true,
		whole + "relation r(X:t) = X <= f(c)\naxiom r(Y)": false,
		whole + "relation r(X:t) = X <= f(X)\naxiom r(Y)": true,
		// Terms that are put in the place of variables within them.
		free + "axiom exists Y. r(X,Y)":                                  false,
		free + "axiom r(X,X) & exists Y. r(X,Y)":                         true,
		free + "explicit axiom r(X,X) & exists Y. r(X,Y)":                false,
		free + "property r(X,X) & exists Y. r(X,Y)":                      false,
		free + "axiom f(X) ~= c":                                         false,
		free + "axiom r(f(X), X)":                                        false,
		free + "axiom r(X, X)\naxiom r(f(X), X)":                         true,
		free + "axiom r(X, Y) -> X = f(Y)":                               false,
		free + "axiom r(X, Y) -> X = f(Y) & Y = c":                       true, // = joins all of t
		free + "axiom g(X) = g(Y) -> X = Y":                              false,
		free + "axiom g(X) = g(Y) -> X = Y\naxiom h(g(X)) = c":           true,
		free + "axiom g(X) = g(Y) -> X = Y\naxiom exists A. h(A) = X":    true,
		free + "isolate i = { axiom r(X,X) & exists Y. r(X,Y) }":         false,
		free + "include order\naxiom r(X,X) & exists Y. r(X,Y)":          false,
		free + "axiom r(X,X)\nproperty [a] exists Y. r(X,Y) proof foo\n": false,
	} {
		_, list, err := Read(t.Context(), "x.ivy", "#lang ivy1.7\ntype t\n"+text, os.ReadFile)
		if err != nil {
			t.Fatalf("%s: %v", text, list.All[0])
		}
		found := false
		for _, d := range list.All {
			found = found || d.Code == diag.IvyFragment
		}
		if found != leaves {
			t.Errorf("leaves the fragment: %v, want %v\n%s", found, leaves, text)
		}
	}
}
