package ere_test

import (
	"testing"

	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// A temporal property that means p ~> q is a liveness property.
func TestResponse(t *testing.T) {
	const head = "sort s\nmutable relation p(s)\nmutable relation q(s)\ninit !p(X) & !q(X)\n" +
		"action a(x: s) { p(x) := true; }\n"
	for text, want := range map[string]string{
		"forall x: s. p(x) ~> q(x)":                         "forall x:s. p(x) ~> q(x)",
		"forall x: s. always (p(x) -> eventually q(x))":     "forall x:s. p(x) ~> q(x)",
		"always (forall x: s. p(x) -> eventually q(x))":     "forall x:s. p(x) ~> q(x)",
		"always (p(X) -> eventually q(X))":                  "forall X:s. p(X) ~> q(X)",
		"forall x: s. always eventually q(x)":               "forall x:s. true ~> q(x)",
		"always eventually (exists x: s. q(x))":             "true ~> exists x:s. q(x)",
		"always (!p(X) | eventually q(X))":                  "forall X:s. p(X) ~> q(X)",
		"always (p(X) -> !q(X) -> eventually q(X))":         "forall X:s. p(X) & !q(X) ~> q(X)",
		"always (p(X) -> forall y: s. eventually q(y))":     "forall X:s. forall y:s. p(X) ~> q(y)",
		"always (eventually p(X) | eventually q(X))":        "",
		"eventually (exists x: s. q(x))":                    "",
		"exists x: s. always eventually q(x)":               "",
		"always (exists x: s. p(x) -> eventually q(x))":     "",
		"always eventually always (exists x: s. q(x))":      "",
		"forall x: s. always (eventually p(x) -> q(x))":     "",
		"forall x: s. eventually (p(x) -> eventually q(x))": "",
	} {
		p := testkit.Compile(t, head+"temporal [t] "+text+"\n").Property("t")
		if got := p.Kind == system.Liveness; got != (want != "") || got && p.Term.String() != want {
			t.Errorf("%s: %s, %s", text, p.Kind, p.Term)
		}
	}
}
