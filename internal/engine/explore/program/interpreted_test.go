package program

import (
	"context"
	"errors"
	"testing"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// An interrupt ends the evaluation of a property in a single state.
func TestInterruptWithinState(t *testing.T) {
	spec, _, err := ere.Read("wide.ere", `immutable constant N: int
type number = 1..N
mutable function f(number): number
init f(I) = 1
safety [none] forall I: number, J: number, K: number. I + J + f(K) > 0
instance wide { N = 5000 }
`)
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.NewModel(spec.System, spec.System.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	var first interp.State
	if err := m.Initial(t.Context(), func(s interp.State) error {
		first = s
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p := newInterpreter(ctx, m, []*logic.Term{spec.System.Properties[0].Term},
		map[int]compile.Interval{0: {Lo: 5000, Hi: 5000}})
	w, err := p.Worker()
	if err != nil {
		t.Fatal(err)
	}
	packed, err := p.Pack(first)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := w.Expand(packed); !errors.Is(err, context.Canceled) {
		t.Errorf("after the interrupt: %v", err)
	}
}
