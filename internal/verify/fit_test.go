package verify

import (
	"fmt"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// Liveness of sequences and of relations of integers without a bound has the verdicts, states and
// depths of the same ones with one.
func TestLivenessWithoutBounds(t *testing.T) {
	const text = `sort job
mutable constant queue: SEQ
mutable relation asked(job, INT)
mutable constant round: INT
mutable function done(job): int
init queue = [] & !asked(J, N) & round = 0 & done(J) = 0
action ask(j: job) {
  require !(j in elements(queue)) & round < 3 & done(j) = 0;
  round := round + 1;
  queue := append(queue, j);
  asked(j, round) := true;
}
FAIR action serve() {
  require size(queue) > 0;
  done(first(queue)) := 1;
  queue := tail(queue);
}
action idle() { }
action forget(j: job, n: INT) { require asked(j, n) & done(j) = 1; asked(j, n) := false; }
liveness [served] asked(J, N) ~> done(J) = 1
liveness [all] true ~> forall J. done(J) = 1
safety [early] asked(J, N) -> N <= 3
instance two { job = 2 }
`
	for _, fair := range []string{"fair", ""} {
		var seen []string
		for _, types := range [][2]string{{"seq[job]", "int"}, {"seq[job, 4]", "0..5"}} {
			sys := testkit.Compile(t, strings.NewReplacer("SEQ", types[0], "INT", types[1], "FAIR",
				fair).Replace(text))
			o := Default()
			o.Prove, o.Live, o.Infer = false, false, false
			out, err := Run(t.Context(), sys, o)
			if err != nil {
				t.Fatal(err)
			}
			var rows []string
			for _, r := range out.Results {
				if !strings.Contains(r.Property, ":") {
					rows = append(rows, fmt.Sprint(r.Property, " ", r.Verdict, r.States, r.Depth))
				}
				if r.Trace != nil && strings.Contains(fmt.Sprint(r.Trace.Shown()), "queue_size") {
					t.Errorf("%v", r.Trace.Shown())
				}
			}
			seen = append(seen, strings.Join(rows, "\n"))
		}
		if seen[0] != seen[1] || !strings.Contains(seen[0], "served holds") == (fair != "") {
			t.Errorf("%q: without bounds\n%s\nwith bounds\n%s", fair, seen[0], seen[1])
		}
	}
}

// A sequence that grows for ever is refused, with what to write.
func TestLivenessThatHasNoBound(t *testing.T) {
	sys := testkit.Compile(t, `mutable constant log: seq[bool]
init log = []
fair action add() { log := append(log, true); }
liveness [long] true ~> size(log) > 2
instance one {}
`)
	o := Default()
	o.Prove, o.Live, o.Infer = false, false, false
	out, err := Run(t.Context(), sys, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range out.Results {
		if r.Property == "long" && (r.Verdict != result.Unknown ||
			!strings.Contains(r.Reason.Text, "write seq[T, n]")) {
			t.Errorf("%s: %s", r.Verdict, r.Reason.Text)
		}
	}
}
