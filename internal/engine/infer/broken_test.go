package infer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// Two protocols that are right, with one sort each. Each statement stands on a line of its own.
var right = []string{`
sort node
mutable relation free
mutable relation grant(node), release(node), holds(node)
init free
init !grant(C) & !release(C) & !holds(C)
action give(c: node) {
  require free;
  grant(c) := true;
  free := false;
}
action take(c: node) {
  require grant(c);
  grant(c) := false;
  holds(c) := true;
}
action put(c: node) {
  require holds(c);
  holds(c) := false;
  release(c) := true;
}
action accept(c: node) {
  require release(c);
  release(c) := false;
  free := true;
}
safety [exclusive] holds(A) & holds(B) -> A = B
`, `
sort node
mutable relation asked(node, node), voted(node), elected(node), votes(node, node)
init !asked(N, M) & !voted(N) & !elected(N) & !votes(N, M)
action ask(n: node, m: node) {
  require !elected(n);
  asked(n, m) := true;
}
action vote(n: node, m: node) {
  require asked(m, n);
  require !voted(n);
  voted(n) := true;
  votes(m, n) := true;
}
action win(n: node) {
  require forall M. votes(n, M);
  elected(n) := true;
}
action retire(n: node) {
  require elected(n);
  asked(n, M) := false;
}
safety [one] elected(A) & elected(B) -> A = B
`}

// statement is a line that can be left out of an action.
var statement = regexp.MustCompile(`(?m)^  .*;\n`)

// Of a broken protocol a trace is shown. Each statement of two protocols is left out, in turn;
// exploration says whether that breaks it.
func TestBroken(t *testing.T) {
	opts := options(t)
	opts.Effort = 200
	broken := 0
	for _, text := range right {
		for _, at := range statement.FindAllStringIndex(text, -1) {
			mutant := text[:at[0]] + text[at[1]:]
			name := strings.TrimSpace(text[at[0]:at[1]])
			sys, list, err := ere.Compile("x.ere", mutant)
			if err != nil {
				t.Fatalf("without %s: %v (%v)", name, err, list)
			}
			out, err := Find(t.Context(), sys, opts)
			if err != nil {
				t.Fatalf("without %s: %v", name, err)
			}
			i := slices.IndexFunc(out.Results, func(r result.Result) bool {
				return r.Verdict == result.Violated
			})
			switch real := violatedIn(t, sys, 3); {
			case real && out.Proved:
				t.Errorf("without %s: proved, but violated", name)
			case real && (i < 0 || out.Results[i].Trace == nil):
				t.Errorf("without %s: the violation was not found", name)
			case !real && i >= 0:
				t.Errorf("without %s: a violation was found that exploration does not see", name)
			case real:
				broken++
			}
		}
	}
	if broken < 6 {
		t.Errorf("only %d of the variants are broken", broken)
	}
}

// violatedIn explores the instances up to a size.
func violatedIn(t *testing.T, sys *system.System, most int) bool {
	t.Helper()
	for size := 1; size <= most; size++ {
		instances, err := ere.Instances(sys, fmt.Sprintf("node = %d", size))
		if err != nil {
			t.Fatal(err)
		}
		results, err := explicit.Check(t.Context(), sys, instances[0], explicit.Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(results, func(r result.Result) bool {
			return r.Verdict == result.Violated
		}) {
			return true
		}
	}
	return false
}

// Broken models of others are violated, too.
func TestUnsafeModels(t *testing.T) {
	opts := options(t)
	for _, name := range []string{"lockserv_unsafe", "consensus_unsafe", "sharded-kv_unsafe", "paxos_forall_choosable_unsafe"} {
		sys, _, err := ere.Load(testkit.Shared(t, "models", "mypyvy", "unsafe", name+".pyv"))
		if err != nil {
			t.Fatal(err)
		}
		out, err := Find(t.Context(), sys, opts)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(out.Results, func(r result.Result) bool {
			return r.Verdict == result.Violated && r.Trace != nil
		}) {
			t.Errorf("%s: no violation was found", name)
		}
	}
}
