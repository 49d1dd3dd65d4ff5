package verify

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/flat/oracletest"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// What is proved of generated systems with structured data is true in the states that the oracle
// finds, which evaluates structured data as it stands.
func TestStructuredProofs(t *testing.T) {
	ctx := testkit.Solving(t)
	counts := map[string]int{}
	for seed := range int64(testkit.Size(6, 156)) {
		text := oracletest.Generate(rand.New(rand.NewSource(100_000 + seed)))
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { proved(ctx, t, text, seed, counts) }) {
			t.Log(text)
		}
	}
	t.Log(counts)
	least := 4
	if testkit.CI() {
		least = 12
	}
	if counts["proved"] < least {
		t.Errorf("too little was proved: %v", counts)
	}
}

func proved(ctx context.Context, t *testing.T, text string, seed int64, counts map[string]int) {
	sys, _, err := ere.Compile("generated.ere", text)
	if err != nil || sys.Uncountable() != nil {
		counts["refused"]++
		return
	}
	errs := &diag.List{}
	file := syntax.Parse(diag.NewSource("generated.ere", text), errs)
	m := oracletest.New(file, map[string]int{"node": 1 + strings.Count(text, "node = 2")})
	found := m.Explore(200)
	var out *Outcome
	if seed%4 == 0 {
		out, _, err = Infer(ctx, sys, Options{Effort: 20 * effort.Million})
	} else {
		out, err = Run(ctx, sys, Options{Prove: true, Effort: effort.Million,
			Induct: Default().Induct})
	}
	if err != nil {
		t.Fatal(err)
	}
	ranges, arguments := 0, 0
	for _, x := range out.Results {
		if x.Scope != result.ScopeAll || x.Verdict != result.Holds {
			counts[string(x.Verdict)]++
			continue
		}
		counts["proved"]++
		depth := found.Violated[x.Property]
		switch kind, name, _ := strings.Cut(x.Property, ":"); kind {
		case "defined":
			depth = found.Undefined[name]
		case "argument":
			arguments++
		case "range":
			ranges++
		}
		if depth > 0 {
			t.Errorf("%s is proved, and the oracle has a run of %d states against it", x.Property,
				depth)
		}
	}
	for _, p := range sys.Properties {
		switch p.Kind {
		case system.Range:
			ranges--
		case system.Argument:
			arguments--
		}
	}
	if len(out.Results) > 0 &&
		(found.Overflow && ranges == 0 || found.Failed > 0 && arguments == 0) {
		t.Errorf("the oracle has a step that leaves a range, or is an error, and none is claimed "+
			"to be possible: %+v", found)
	}
	counts["with violations"] += min(len(found.Violated), 1)
}
