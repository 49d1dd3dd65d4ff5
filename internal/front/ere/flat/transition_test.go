package flat_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front/ere"
)

// A step is the same whether it is written as an action or as a transition.
func TestTransitions(t *testing.T) {
	const before = `sort node
type entry = { term: 0..1, ok: bool }
type message = ask(from: node, e: entry) | stop | say(term: 0..1)
mutable constant sent: set[message]
mutable function log(node): seq[entry, 2]
mutable function seen(node): map[0..1, option[node]]
init sent = {} & log(N) = [] & seen(N) = [:]
action send(m: message) { require sent = {} | m is say; sent := sent with m; }
`
	const after = `
safety [short] size(log(N)) < 2
safety [same] forall n: node. size(log(n)) = 0 | log(n)[1].ok
instance two { node = 2 }
`
	for name, c := range map[string][2]string{
		"an element": {`action take(n: node, m in sent) {
  match m {
    ask(f, e) { require size(log(n)) < 2 & e.ok; log(n) := append(log(n), e); seen(n)[e.term] := some(f); }
    stop { require false; }
    say(k) { seen(n)[k] := none; }
  }
}`, `transition take(n: node, m in sent)
  modifies log, seen
  match m {
    ask(f, e) -> size(log(n)) < 2 & e.ok
      & (forall p: node. new(log(p)) = (if p = n then append(log(p), e) else log(p)))
      & (forall p: node. new(seen(p)) = (if p = n then seen(p) with [e.term: some(f)] else seen(p)));
    stop -> false;
    say(k) -> (forall p: node. new(log(p)) = log(p))
      & (forall p: node. new(seen(p)) = (if p = n then seen(p) with [k: none] else seen(p)))
  }
`},
		"a record": {`action write(n: node, e: entry) {
  require size(log(n)) < 2 & e.ok;
  log(n) := append(log(n), e);
}`, `transition write(n: node, e: entry)
  modifies log
  size(log(n)) < 2 & e.ok
  & forall p: node. new(log(p)) = (if p = n then append(log(p), e) else log(p))
`},
		"a size afterwards": {`mutable constant total: 0..4
init total = 0
action write(n: node, e: entry) {
  require size(log(n)) < 2;
  log(n) := append(log(n), e);
  total := sum(size(log(m)) for m: node);
}`, `mutable constant total: 0..4
init total = 0
transition write(n: node, e: entry)
  modifies log, total
  size(log(n)) < 2
  & (forall p: node. new(log(p)) = (if p = n then append(log(p), e) else log(p)))
  & new(total) = sum(size(new(log(m))) for m: node)
`},
		"a relation of a size afterwards": {`mutable relation many(node)
init !many(N)
action write(n: node, e: entry) {
  require size(log(n)) < 2;
  log(n) := append(log(n), e);
  many(N) := sum(size(log(m)) for m: node) + size(log(N)) > 3;
}`, `mutable relation many(node)
init !many(N)
transition write(n: node, e: entry)
  modifies log, many
  size(log(n)) < 2
  & (forall p: node. new(log(p)) = (if p = n then append(log(p), e) else log(p)))
  & (forall p: node. new(many(p)) <-> sum(size(new(log(m))) for m: node) + size(new(log(p))) > 3)
`},
		"a size before": {`mutable constant total: 0..4
init total = 0
action write(n: node, e: entry) {
  require size(log(n)) < 2 & size(sent) + total <= 2;
  total := sum(size(log(m)) for m: node);
  log(n) := append(log(n), e);
}`, `mutable constant total: 0..4
init total = 0
transition write(n: node, e: entry)
  modifies log, total
  size(log(n)) < 2 & size(sent) + total <= 2
  & (forall p: node. new(log(p)) = (if p = n then append(log(p), e) else log(p)))
  & new(total) = sum(size(log(m)) for m: node)
`},
	} {
		t.Run(name, func(t *testing.T) {
			var all []*explicit.Exploration
			for _, step := range c {
				sys, list, err := ere.Compile("test.ere", before+step+after)
				if err != nil {
					t.Fatalf("%v: %v", err, list)
				}
				x, err := explicit.Explore(t.Context(), sys, sys.Instances[0],
					explicit.Options{Threads: 1})
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, x)
			}
			if a, b := all[0].Stats, all[1].Stats; a.States != b.States || a.Depth != b.Depth {
				t.Errorf("%d states in %d levels as an action, %d in %d as a transition", a.States,
					a.Depth, b.States, b.Depth)
			}
			if a, b := verdicts(all[0]), verdicts(all[1]); !slices.Equal(a, b) {
				t.Errorf("%v as an action, %v as a transition", a, b)
			}
			if r := all[1].Results[0]; r.Trace != nil {
				for _, s := range r.Trace.Shown().Steps[1:] {
					t.Log(s.Action, s.Args)
				}
			}
		})
	}
}

// A transition that is seen to have no step leaves nothing open, whatever is left of its formula;
// else what it does not speak of has the name of the file.
func TestUnconstrained(t *testing.T) {
	const before = "sort node\ntype pair = { a: bool, b: bool }\nmutable constant v: pair\n" +
		"mutable constant w: node\ninit v = { a: true, b: true }\n"
	for _, c := range []struct{ text, want string }{
		{"transition none() modifies v, w (v.a & (exists N:node. false & new(v) = v & new(w) = N))", ""},
		{"transition none() modifies v (false & new(v) = v)", ""},
		{"transition some() modifies v (new(v).a)", "nothing is said of the new value of v.b"},
	} {
		_, list, err := ere.Compile("test.ere", before+c.text+"\nsafety v.a\n")
		if c.want == "" && err != nil || c.want != "" && !strings.Contains(fmt.Sprint(list), c.want) {
			t.Errorf("%s: %v", c.text, list)
		}
	}
}
