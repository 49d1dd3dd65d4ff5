package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"erelong.dev/erelong/internal/testkit"
)

// essence is what does not differ between runs.
type essence struct {
	Results []struct {
		Property, Verdict, Scope, Engine   string
		States, Depth, Transitions, Line   int64
		Reason, Trace, Why, Vacuity, Shows any
		Assumptions                        any
	}
	Outcomes, Expectations any
	Notes                  []string
}

func essenceOf(t *testing.T, args ...string) (essence, int) {
	t.Helper()
	var out, errOut bytes.Buffer
	code := Main(t.Context(), args, nil, &out, &errOut)
	var e essence
	if err := json.Unmarshal(out.Bytes(), &e); err != nil {
		t.Fatalf("%v: %v\n%s%s", args, err, &out, &errOut)
	}
	return e, code
}

// Worker processes give the verdicts, counts, runs and notes of one process.
func TestWorkersAgree(t *testing.T) {
	testkit.Solvers(t)
	for name, options := range map[string][]string{
		"lease.ere": nil, "lease_without_drift.ere": nil, "mutex_starvation.ere": nil, "failure_detector/small_timeout.ere": nil,
		"chandra_toueg.ere": {"-p", "strong_accuracy", "-i", "d2p4"}, // a derived system
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("..", "..", "examples", filepath.FromSlash(name))
			args := append([]string{"verify", "-q", "--format", "json", path}, options...)
			want, code := essenceOf(t, args...)
			got, code2 := essenceOf(t, append(args, "--workers", "local:3")...)
			if diff := cmp.Diff(want, got); diff != "" || code != code2 {
				t.Errorf("exit codes %d and %d; one process -, workers +\n%s", code, code2, diff)
			}
		})
	}
}

// What cannot be spread is refused by name.
func TestWorkersRefuse(t *testing.T) {
	lease := filepath.Join("..", "..", "examples", "lease.ere")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"check", "--workers", "local:2", "--checkpoint", t.TempDir(), lease}, "--checkpoint"},
		{[]string{"prove", "--workers", "local:2", "--stability", "3", lease}, "--stability"},
		{[]string{"check", "--workers", "local:none", lease}, "local:none"},
		{[]string{"check", "--workers", "local:2", "--divide", "--por", lease}, "partial order"},
		{[]string{"check", "--workers", "local:2", "--divide", "--max-states", "9", lease}, "limit of states"},
		{[]string{"prove", "--workers", "local:2", "--divide", lease}, "nothing is explored"},
		{[]string{"check", "--workers", "nats://127.0.0.1:1", "--divide", "--checkpoint", t.TempDir(), lease}, "--team-key"},
		{[]string{"check", "--divide", lease}, "there are no --workers"},
		{[]string{"check", "--workers", "local:2", "--divide", "--swarm", "2", lease}, "--divide"},
		{[]string{"check", "--swarm", "2", "--search", "dfs", lease}, "leave --search out"},
		{[]string{"check", "--search", "swarm", lease}, "--swarm N"},
		{[]string{"check", "--swarm", "2", "--store", "hash", lease}, "needs the store exact"},
		{[]string{"check", "--swarm", "2", "--symmetry", lease}, "no symmetry"},
		{[]string{"check", "--swarm", "2", "--checkpoint", t.TempDir(), lease}, "checkpoints"},
		{[]string{"check", "--swarm", "2", "--threads", "2", lease}, "one thread"},
		{[]string{"check", "--seed-walk", "2", lease}, "--swarm are random"},
		{[]string{"bmc", "--workers", "local:2", lease}, "--workers is not read by bmc"},
		{[]string{"infer", "--need", "site=a", lease}, "there are no --workers"},
		{[]string{"worker"}, "--nats"},
		{[]string{"worker", "--nats", "nats://127.0.0.1:1", "--page", "70000"}, "number of a port"},
		{[]string{"worker", "--nats", "nats://127.0.0.1:1", "--log", "xml"}, "text or json"},
		{[]string{"worker", "--nats", "nats://127.0.0.1:1", "--job-memory", "much"}, "--job-memory much"},
		{[]string{"worker", "--nats", "nats://127.0.0.1:1", "--job-timeout", "-1s"}, "--job-timeout -1s"},
		{[]string{"worker", "--nats", "nats://127.0.0.1:1", "--nats-cert", "x"}, "--nats-key"},
	} {
		var out, errOut bytes.Buffer
		if code := Main(t.Context(), c.args, nil, &out, &errOut); code != ExitUsage ||
			!bytes.Contains(errOut.Bytes(), []byte(c.want)) {
			t.Errorf("%v: exit code %d\n%s", c.args, code, &errOut)
		}
	}
}

// Worker processes that have the states of an exploration together give the verdicts, counts, runs
// and notes of one process.
func TestDividedAgrees(t *testing.T) {
	for name, options := range map[string][]string{
		"lease.ere": nil, "lease_without_drift.ere": nil, "two_phase_commit.ere": {"--symmetry"}, "mutex_starvation.ere": {"--deadlock"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("..", "..", "examples", filepath.FromSlash(name))
			args := append([]string{"check", "-q", "--format", "json", path}, options...)
			want, code := essenceOf(t, args...)
			got, code2 := essenceOf(t, append(args, "--workers", "local:3", "--divide")...)
			if diff := cmp.Diff(want, got); diff != "" || code != code2 {
				t.Errorf("exit codes %d and %d; one process -, workers +\n%s", code, code2, diff)
			}
		})
	}
}

// What is asked for anew is done by workers, too.
func TestWorkersAskAnew(t *testing.T) {
	testkit.Solvers(t)
	path := filepath.Join("..", "..", "examples", "lease.ere")
	args := []string{"prove", "-q", "--format", "json", "--cache", "verify", path}
	want, code := essenceOf(t, args...)
	got, code2 := essenceOf(t, append(args, "--workers", "local:1")...)
	if diff := cmp.Diff(want, got); diff != "" || code != code2 {
		t.Errorf("exit codes %d and %d; one process -, workers +\n%s", code, code2, diff)
	}
}

// A swarm says the same whoever does its searches: what is violated, and what was seen together.
func TestSwarmAgrees(t *testing.T) {
	for name, options := range map[string][]string{
		"lease.ere":                          {"-i", "three", "--max-states", "300"},
		"failure_detector/small_timeout.ere": {"-i", "d2p4", "--seed-walk", "5"},
	} {
		path := filepath.Join("..", "..", "examples", filepath.FromSlash(name))
		args := append([]string{"check", "-q", "--format", "json", path, "--swarm", "3"}, options...)
		want, code := essenceOf(t, args...)
		got, code2 := essenceOf(t, append(args, "--workers", "local:2")...)
		if diff := cmp.Diff(want, got); diff != "" || code != code2 {
			t.Errorf("%s: exit codes %d and %d; one process -, workers +\n%s", name, code, code2, diff)
		}
		for _, r := range want.Results {
			if r.Verdict == "holds" {
				t.Errorf("%s: a swarm says that %s holds", name, r.Property)
			}
		}
	}
}
