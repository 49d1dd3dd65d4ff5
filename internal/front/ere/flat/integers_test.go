package flat_test

import (
	"errors"
	"fmt"
	"math/rand"
	"regexp"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/flat/oracletest"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
)

// withoutRanges makes sets and maps of integers of the ones with a range.
func withoutRanges(text string) string {
	lines := strings.Split(text, "\n")
	inside := regexp.MustCompile(`(set|map)\[0\.\.2\b`)
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "type"):
			lines[i] = strings.ReplaceAll(line, "0..2", "int")
		case strings.HasPrefix(line, "mutable"):
			lines[i] = inside.ReplaceAllString(line, "$1[int")
		}
	}
	return strings.Join(lines, "\n")
}

// TestIntegersWithoutRange compares explorations of sets and maps of integers without a range with
// the oracle, which has the range that they do not leave.
func TestIntegersWithoutRange(t *testing.T) {
	counts := tally{}
	for seed := range 4 * systems() {
		ranged := oracletest.Generate(rand.New(rand.NewSource(seed)))
		text := withoutRanges(ranged)
		if text == ranged {
			continue
		}
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) {
			compareIntegers(t, ranged, text, counts)
		}) {
			t.Log(text)
		}
	}
	t.Log(counts)
	if all := systems(); counts["compared"] < int(all/20) {
		t.Errorf("only %d systems were compared", counts["compared"])
	}
}

func compareIntegers(t *testing.T, ranged, text string, counts tally) {
	t.Helper()
	sys, _, err := ere.Compile("generated.ere", text)
	if err != nil {
		counts["refused by the language"]++
		return
	}
	if len(system.Sparse(sys)) == 0 {
		counts["without sparse symbols"]++
		return
	}
	file := syntax.Parse(diag.NewSource("generated.ere", ranged), &diag.List{})
	sizes := map[string]int{"node": 1}
	if strings.Contains(text, "node = 2") {
		sizes["node"] = 2
	}
	m := oracletest.New(file, sizes)
	want := m.Explore(mostStates)
	if want.TooMany || want.Overflow || want.Passing {
		counts["not within the ranges"]++
		return
	}
	x, err := explicit.Explore(t.Context(), sys, sys.Instances[0], explicit.Options{Threads: 1})
	var infinite *interp.InfiniteError
	switch {
	case errors.As(err, &infinite),
		err != nil && strings.Contains(err.Error(), "something is added up is not said"):
		counts["refused"]++
		return
	case err != nil:
		t.Fatal(err)
	}
	counts["compared"]++
	agree(t, m, want, sys, x)
}
