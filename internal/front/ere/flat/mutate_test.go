package flat_test

import (
	"errors"
	"math/rand"
	"regexp"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/flat/oracletest"
	"erelong.dev/erelong/internal/testkit"
)

// Files with structured data in which some tokens are missing, doubled or exchanged compile, or
// have errors with positions.
func TestMutatedFiles(t *testing.T) {
	tokens := regexp.MustCompile(`[a-zA-Z_0-9]+|\s+|:=|->|.`)
	compiled := 0
	for seed := range int64(testkit.Size(150, 1500)) {
		rng := rand.New(rand.NewSource(seed))
		whole := tokens.FindAllString(oracletest.Generate(rng), -1)
		for range 20 {
			text := mutated(rng, whole)
			_, list, err := ere.Compile("mutated.ere", text)
			var errs *diag.List
			switch {
			case err == nil:
				compiled++
			case !errors.As(err, &errs):
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			for _, d := range list.All {
				if d.Span.IsZero() {
					t.Fatalf("seed %d: no position: %v\n%s", seed, d, text)
				}
			}
		}
	}
	if compiled == 0 {
		t.Error("no file compiles")
	}
}

// mutated changes one or two tokens.
func mutated(rng *rand.Rand, tokens []string) string {
	out := append([]string{}, tokens...)
	for range 1 + rng.Intn(2) {
		i, j := rng.Intn(len(out)), rng.Intn(len(out))
		switch rng.Intn(3) {
		case 0:
			out[i] = ""
		case 1:
			out[i] = out[j]
		default:
			out[i], out[j] = out[j], out[i]
		}
	}
	return strings.Join(out, "")
}
