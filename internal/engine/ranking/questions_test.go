package ranking

import (
	"path/filepath"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// counting is a solver that counts its queries: each query sets its limit once.
type counting struct {
	smt.Driver
	queries *int
}

func (c counting) Limit(rlimit int64) string {
	if rlimit > 0 { // else it lifts the limit of the last query
		*c.queries++
	}
	return c.Driver.Limit(rlimit)
}

// The cost of a proof is its number of queries, without the queries about the invariants. The
// bounds leave room for other versions of the solver.
func TestQuestions(t *testing.T) {
	for _, c := range []struct {
		file string
		most int
	}{{"ticket_lock", 220}, {"alternating_bit", 870}, {"sliding_window", 1250}} {
		if c.most > 500 && !testkit.CI() {
			continue
		}
		sys, _, err := ere.Load(filepath.FromSlash("../../../examples/liveness/" + c.file + ".ere"))
		if err != nil {
			t.Fatal(err)
		}
		opts := options(t)
		for _, p := range sys.Properties {
			if p.IsInvariant() {
				opts.Proved = append(opts.Proved,
					result.Result{Property: p.Name, Kind: system.Invariant,
						Engine: "induct", Scope: result.ScopeAll, Verdict: result.Holds})
			}
		}
		queries := 0
		opts.Drivers[0] = counting{opts.Drivers[0], &queries}
		if r := prove1(t, opts, sys); r.Verdict != result.Holds {
			t.Errorf("%s: %s: %s", c.file, r.Verdict, r.Reason)
		}
		if queries > c.most || queries < c.most/2 {
			t.Errorf("%s: %d queries, and there were %d", c.file, queries, c.most)
		}
	}
}

// highest is a solver that notes the highest limit of its queries.
type highest struct {
	smt.Driver
	limit *int64
}

func (h highest) Limit(rlimit int64) string {
	*h.limit = max(*h.limit, rlimit)
	return h.Driver.Limit(rlimit)
}

// No question has a higher limit than the user's, with hints or without.
func TestLimit(t *testing.T) {
	for _, hints := range []string{"", "rank { variable x; }"} {
		sys := testkit.Compile(t, step+"liveness [ends] true ~> x = 0\n"+
			strings.Replace(hints, "rank", "rank [ends]", 1))
		opts, limit := options(t), int64(0)
		opts.Drivers[0], opts.Rlimit = highest{opts.Drivers[0], &limit}, 20_000
		prove1(t, opts, sys)
		if limit == 0 || limit > opts.Rlimit {
			t.Errorf("with %q a query has the limit %d, and the user's is %d", hints, limit, opts.Rlimit)
		}
	}
}
