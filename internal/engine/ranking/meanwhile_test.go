package ranking

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// What is true from the trigger to the good state is found, and the proof can be derived again. A
// step that leads elsewhere belongs to it, too.
func TestMeanwhile(t *testing.T) {
	opts := options(t)
	opts.unfitted = true
	const text = "sort node\nenum mood { idle, hungry, holding, eating }\n" +
		"mutable function mood_of(node): mood\ninit mood_of(N) = idle\n" +
		"action start(n: node) { require mood_of(n) = idle; mood_of(n) := hungry; }\n" +
		"fair action grab(n: node) { require mood_of(n) = hungry; mood_of(n) := holding; }\n" +
		"fair action eat(n: node) { require mood_of(n) = holding; mood_of(n) := eating; }\n" +
		"action stop(n: node) { require mood_of(n) = eating; mood_of(n) := idle; }\n" +
		"liveness [fed] mood_of(N) = hungry ~> mood_of(N) = eating"
	for _, c := range []struct{ name, text, pending string }{
		{"on the way", text, "(mood_of(N) = hungry | mood_of(N) = holding) & mood_of(N) != eating"},
		{"a way back", strings.Replace(text, "liveness", "action give_back(n: node) "+
			"{ require mood_of(n) = holding; mood_of(n) := idle; }\nliveness", 1), ""},
		{"on its way already", strings.Replace(text, "] mood_of(N) = hungry",
			"] mood_of(N) = holding", 1), "mood_of(N) = holding & mood_of(N) != eating"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, c.text)
			r := prove1(t, opts, sys)
			if c.pending == "" {
				if r.Verdict != result.Unknown {
					t.Fatalf("%s, and who gives the fork back never eats", r.Verdict)
				}
				return
			}
			if r.Verdict != result.Holds {
				t.Fatalf("%s: %s", r.Verdict, r.Reason)
			}
			if is := r.Evidence.Ranking.Proof.Pending; is != c.pending {
				t.Errorf("pending is %q, want %q", is, c.pending)
			}
			restate(t, sys, r)
		})
	}
}
