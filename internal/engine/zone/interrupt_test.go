package zone

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/front/uppaal"
)

// One step may take for ever: by nested loops, calls that double, ways to select, or receivers of a
// broadcast. Each ends when its answer is not needed any more.
func TestOneStepIsInterrupted(t *testing.T) {
	calls := "int n = 1; int f0() { return n; } "
	for i := range 60 {
		calls += fmt.Sprintf("int f%d() { return f%d() + f%d() > 1; } ", i+1, i, i)
	}
	for name, text := range map[string]string{
		"forall": "process P() { state a, b; init a; trans a -> b { guard forall (i : int[0,9999999]) forall (j : int[0,9999999]) i + j >= 0; }; } system P;",
		"calls":  calls + "process P() { state a, b; init a; trans a -> b { guard f60() > 3; assign n = 2; }; } system P;",
		"select": `int v; process P() { state a, b; init a; trans a -> b { select i : int[0,999], j : int[0,999]; guard forall (k : int[0,9999999]) k >= 0;
assign v = i + j - i - j; }; } system P;`,
		"broadcast": `broadcast chan c; process S() { state a; init a; trans a -> a { sync c!; }; }
process R(const int[0,39] i) { state a; init a; trans a -> a { sync c?; }, a -> a { sync c?; }; } system S, R;`,
	} {
		for _, query := range []string{"E<> P.b", "A<> P.b", "A[] not deadlock"} {
			net, err := uppaal.Read("m.xta", text, "m.q", query)
			if err != nil {
				t.Fatal(err)
			}
			if net.Queries[0].Refused != "" {
				continue
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			_, err = Check(ctx, net, net.Queries[0], Options{})
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %s ended with %v", name, query, err)
			}
		}
	}
}

// Loops that are too long are an error of the model.
func TestTooManyRounds(t *testing.T) {
	net, err := uppaal.Read("m.xta", "process P() { state a, b; init a; trans a -> b { guard forall (i : int[0,99999]) forall (j : int[0,99999]) i + j >= 0; }; } system P;",
		"m.q", "E<> P.b")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Check(t.Context(), net, net.Queries[0], Options{})
	if err != nil || r.Answer != Unknown || !strings.Contains(r.Reason, "m.xta:1:82: one step takes more than 16777216 rounds of loops") {
		t.Errorf("%+v, %v", r, err)
	}
}
