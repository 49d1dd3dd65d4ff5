package cutoff

import (
	"testing"

	"erelong/internal/engine/explicit"
	"erelong/internal/verdict"
)

const chandraToueg = `
immutable constant Delta: int
immutable constant Phi: int
immutable constant initial_timeout: int
axiom Delta >= 0 & Phi >= 1

algorithm chandra_toueg {
  message alive
  var suspected: bool = false
  var timeout: int = initial_timeout
  var waiting_time: int = 0
  timing partial_synchrony(Delta, Phi)
  sender starts listen

  send alive at announce {
    if waiting_time < timeout { waiting_time := waiting_time + 1; }
  }
  receive at listen {
    if received(alive) {
      waiting_time := 0;
      if suspected { suspected := false; timeout := timeout + 1; }
    } else if waiting_time < timeout {
      waiting_time := waiting_time + 1;
    }
  }
  compute at judge {
    if waiting_time < timeout { waiting_time := waiting_time + 1; } else { suspected := true; }
  }
}

safety [strong_accuracy] correct(P) & correct(Q) -> !suspected(P, Q)

instance d2p4 { Delta = 2, Phi = 4, initial_timeout = 26 }
instance d4p4 { Delta = 4, Phi = 4, initial_timeout = 28 }
instance small { Delta = 2, Phi = 4, initial_timeout = 3 }
`

// The figures are those of the model of the paper's appendix, as other model checkers give them.
func TestGoldenCounts(t *testing.T) {
	for _, o := range []Options{{}, {Counter: true}} {
		ds, _, err := Read("ct.ere", chandraToueg, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(ds) != 1 {
			t.Fatalf("%d systems", len(ds))
		}
		for name, want := range map[string][2]int64{"d2p4": {10158, 176}, "d4p4": {16590, 183}, "small": {1059, 43}} {
			sys := ds[0].Spec.System
			var stats explicit.Stats
			results, err := explicit.Check(t.Context(), sys, sys.Instance(name), explicit.Options{Stats: &stats})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if r.Property == "strong_accuracy" && (r.Verdict == verdict.Violated) != (name == "small") {
					t.Errorf("%s: %s %s", name, r.Verdict, r.Reason)
				}
			}
			if stats.States != want[0] || stats.Depth != want[1] {
				t.Errorf("%+v %s: %d states, depth %d, want %v", o, name, stats.States, stats.Depth, want)
			}
		}
	}
}
