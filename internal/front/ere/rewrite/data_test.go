package rewrite

import (
	"errors"
	"strings"
	"testing"
)

const records = `sort node
type entry = { at: node, old: bool }
mutable function log(node): seq[entry, 2]
mutable constant best: entry
mutable function pair(node): (node, bool)
mutable function votes(node): set[node]
mutable relation seen(node, node)
mutable constant count: set[0..3]
init log(N) = [] & best = { at: a, old: false } & votes(N) = {} & !seen(M, N) & count = {}
init pair(N) = (N, true)
immutable constant a: node
action swap() { best := { at: pair(best.at).1, old: !best.old }; }
action take(n: node) {
  require !(n in votes(best.at)) & size(votes(n)) < 2;
  votes(n) := votes(n) with best.at;
  votes(N) := votes(N) minus votes(n);
  seen(n, X) := X in votes(n);
  seen(n, best.at) := best.old;
}
action push(n: node) { require size(log(n)) < 2; log(n) := append(log(n), best); pair(n) := *; }
action change(n: node) { require size(log(n)) > 0; log(n)[1].old := true; pair(N).2 := N = n; }
safety [p] forall e in log(a). e = best -> seen(a, e.at)
instance two { node = 2 }
`

// Each rewrite changes the file as its comment says.
func TestData(t *testing.T) {
	want := map[string][]string{
		"fields": {"mutable constant best_at: node\nmutable relation best_old",
			"{at: best_at, old: best_old} = {",
			"let value: entry = { at: pair(best_at).1, old: !best_old };\n  best_at := value.at; " +
				"best_old := value.old;", "append(log(n), {at: best_at, old: best_old})"},
		"relation": {"mutable relation votes_has(node, node)", "!(votes_has(best.at, n))",
			"size({each_4 for each_4: node if votes_has(n, each_4)})", "votes_has(n, best.at) := true;",
			"votes_has(N, Each) := Each in ({each_"},
		"function": {"mutable function log_size(node): 0..2",
			"mutable function log_at(node, 1..2): option[entry]", "require log_size(n) < 2;",
			"init forall point: node, place: 1..2. log_at(point, place) is some <-> place <= log_size(point)",
			"with [1: ("},
		"record": {"mutable ", "_and_"},
		"set": {"mutable function seen_set(node): set[node]", "(e.at in seen_set(a))",
			"seen_set(n) := {X for X: node if X in votes(n)};", "seen_set(n) := if best.old then seen_set(n) with"},
	}
	for _, r := range Data {
		found := false
		for seed := range int64(20) { // which decides the variable
			out, err := r.Apply("test.ere", records, seed)
			if err != nil && !errors.Is(err, ErrNothing) {
				t.Errorf("%s: %v\n%s", r.Name, err, out)
			}
			all := true
			for _, part := range want[r.Name] {
				all = all && strings.Contains(out, part)
			}
			found = found || err == nil && all
		}
		if !found {
			t.Errorf("%s: no text has all of %q", r.Name, want[r.Name])
		}
	}
}

// A file without such data, and one in which the variable stands where only a name can.
func TestDataRefusals(t *testing.T) {
	for _, text := range []string{
		"sort s\nmutable constant c: 0..1\nsafety c = 0\n",
		"type t = { a: bool, b: bool }\nmutable constant v: t\n" +
			"transition step() modifies v (new(v) = v)\nsafety v.a\n",
	} {
		for _, r := range Data {
			if out, err := r.Apply("test.ere", text, 0); !errors.Is(err, ErrNothing) {
				t.Errorf("%s: %v\n%s", r.Name, err, out)
			}
		}
	}
}
