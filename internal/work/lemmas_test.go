package work

import (
	"reflect"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// A ring in which one token goes round: that there is one is not inductive by itself.
const relay = `
sort node
mutable relation has(node)
mutable relation sent(node)
immutable constant first: node
init has(N) <-> N = first
init !sent(N)
action send(a: node, b: node) { require has(a); has(a) := false; sent(b) := true; }
action take(b: node) { require sent(b); sent(b) := false; has(b) := true; }
safety [one] has(A) & has(B) -> A = B
invariant [own] sent(A) & sent(B) -> A = B
`

// Invariants that were found are the same after a journey as text. What cannot be one is refused.
func TestInferredComesBack(t *testing.T) {
	ctx := testkit.Solving(t)
	systems, _, err := front.Systems(ctx, "relay.ere", relay, front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &Source{Name: "relay.ere", Text: relay, Systems: systems}
	sys := systems[0].Spec.System
	claims, err := engine.Claims(sys, []string{"one"})
	if err != nil {
		t.Fatal(err)
	}
	task := &engine.Task{Method: engine.Infer, System: sys, Claims: claims}
	found := travel(t, s, "infer+induct", task)
	if found.Inferred == nil || len(found.Inferred.Lemmas)+len(found.Inferred.Kept) == 0 {
		t.Fatalf("nothing was found: %+v", found)
	}
	found.Inferred.Lemmas = append(found.Inferred.Lemmas, // also if the file's own were enough
		engine.WrittenLemma{Name: "lemma9",
			Formula: "forall Node:node, Node1:node. !has(Node) | !sent(Node1)", For: "one"})
	read, err := s.Read(ctx, found, task)
	if err != nil {
		t.Fatal(err)
	}
	if again := writeInferred(read.Inferred); !reflect.DeepEqual(again, found.Inferred) {
		t.Errorf("%+v\nwant %+v", again, found.Inferred)
	}
	lemma := func(name, formula string) []engine.WrittenLemma {
		return []engine.WrittenLemma{{Name: name, Formula: formula, For: "one"}}
	}
	for want, spoil := range map[string]func(*Findings){
		"its invariants are missing": func(f *Findings) { f.Inferred = nil },
		`no invariant "one"`:         func(f *Findings) { f.Inferred.Kept = []string{"one"} },
		"no invariant can be called": func(f *Findings) {
			f.Inferred.Lemmas = lemma("x] true trusted [y", "true")
		},
		"reading the invariant": func(f *Findings) {
			f.Inferred.Lemmas = lemma("x", "true\ntrusted invariant false")
		},
		"is no formula": func(f *Findings) { f.Inferred.Lemmas = lemma("x", "first") },
		"nobody asked":  func(*Findings) { task.Method = engine.Prove }, // the last one
	} {
		bad := *found
		own := *found.Inferred
		bad.Inferred = &own
		asked := *task
		task = &asked
		spoil(&bad)
		if _, err := s.Read(ctx, &bad, task); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		task.Method = engine.Infer
	}
	if found.Results[0].Verdict != result.Holds {
		t.Errorf("one: %s", found.Results[0].Verdict)
	}
}
