package cli

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// contradictory generates a specification whose axioms, initial conditions or instance exclude each
// other, among declarations that do not.
func contradictory(r *rand.Rand) string {
	n := r.Intn(5)
	lines := []string{
		"immutable constant N: int", "immutable relation r(s)", "mutable constant x: 0..5", "mutable relation f(s)",
		fmt.Sprintf("axiom [even] r(X) | N <= %d", 9+n),
		fmt.Sprintf("init [start] x = %d & !f(X)", n),
		"fair action step(p: s) { require x < 5; x := x + 1; f(p) := !f(p); }",
	}
	instance := fmt.Sprintf("instance one { s = %d, N = %d }", 1+r.Intn(2), n+2)
	switch r.Intn(5) {
	case 0:
		lines = append(lines, fmt.Sprintf("axiom N > %d", n+1),
			fmt.Sprintf("axiom N < %d", n+2-r.Intn(3)))
	case 1:
		lines = append(lines, "axiom exists X:s. r(X)", "axiom forall X:s. !r(X)")
	case 2:
		lines = append(lines, fmt.Sprintf("init x > %d", n+r.Intn(3)))
	case 3:
		lines = append(lines, "init exists X:s. f(X)")
	default:
		lines = append(lines, fmt.Sprintf("trusted invariant [calm] x != %d", n))
	}
	lines = append(lines, "safety [small] x <= 5", "liveness [grows] x = 0 ~> x = 5")
	tail := lines[4:]
	r.Shuffle(len(tail), func(i, j int) { tail[i], tail[j] = tail[j], tail[i] })
	return "sort s\n" + strings.Join(append(lines, instance), "\n") + "\n"
}

// TestContradictory: of what contradicts itself, every command says that nothing was checked.
func TestContradictory(t *testing.T) {
	ctx := testkit.Solving(t)
	seeds := int64(4)
	if testkit.Long() {
		seeds = 300
	}
	file := filepath.Join(t.TempDir(), "x.ere")
	for seed := range seeds {
		text := contradictory(rand.New(rand.NewSource(seed)))
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"check", "prove", "verify", "live", "bmc", "infer"} {
			var out, errs bytes.Buffer
			args := []string{command, file, "-q", "--no-lints"}
			code := Main(ctx, args, strings.NewReader(""), &out, &errs)
			if code != ExitNothingChecked || !strings.Contains(out.String(), "nothing checked") ||
				strings.Contains(out.String(), "holds") {
				t.Errorf("seed %d: %s has exit code %d\n%s%s%s", seed, command, code, text, &out,
					&errs)
			}
		}
	}
}
