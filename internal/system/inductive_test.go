package system_test

import (
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/system"
)

func TestInductive(t *testing.T) {
	sys, _, err := ere.Compile("x.ere", "mutable constant x: 0..3\nmutable relation r\ninit x = 0\nsafety [p] r -> x < 3\ntrusted invariant x != 2")
	if err != nil {
		t.Fatal(err)
	}
	in := system.Inductive(sys)
	if len(in.Inits) != 2 || in.Inits[0].Name != "p" || in.Inits[1].Name != "range:x" ||
		len(sys.Inits) != 1 {
		t.Errorf("initial conditions: %v", in.Inits)
	}
	if err := system.Validate(in); err != nil {
		t.Error(err)
	}
}
