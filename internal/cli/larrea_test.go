package cli

import (
	"bytes"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// The slow verdicts about the ring failure detectors; the script larrea has the others.
func TestLongRingDetectors(t *testing.T) {
	testkit.InLong(t)
	const suspected = "crashProc[1] --> L[0][1]"
	const deadlock, monitor = "A[] not deadlock", "A[] not Monitor.error"
	for _, test := range []struct {
		file, query, instance string
		want                  int
	}{
		{"weak_completeness", deadlock, "", ExitDeadlock},
		{"weak_completeness", deadlock, "EARLY=true,TYPE=I", ExitHolds},
		{"weak_completeness", deadlock, "EARLY=true,TYPE=I,FIFO=true", ExitHolds},
		{"weak_completeness", deadlock, "EARLY=true,FIFO=true,KEEPS_QUESTIONS=true", ExitHolds},
		{"timeouts", deadlock, "ALGORITHM=WEAK_ACCURACY", ExitDeadlock},
		{"timeouts", deadlock, "ALGORITHM=WEAK_ACCURACY,FIFO=true", ExitDeadlock},
		{"timeouts", deadlock, "ALGORITHM=WEAK_ACCURACY,FIFO=true,BUFFER=3,initial_cand=0",
			ExitDeadlock},
		{"timeouts", deadlock, "ALGORITHM=WEAK_ACCURACY,FIFO=true,BUFFER=4,initial_cand=0",
			ExitHolds},
		{"timeouts", deadlock, "ALGORITHM=WEAK_ACCURACY,BUFFER=4,initial_cand=0", ExitDeadlock},
		{"timeouts", deadlock, "ALGORITHM=WEAK_ACCURACY,TYPE=I", ExitHolds},
		{"timeouts", deadlock, "ALGORITHM=STRONG_ACCURACY,FIFO=true", ExitHolds},
		{"timeouts", deadlock, "EARLY=false,ALGORITHM=STRONG_ACCURACY,FIFO=true", ExitDeadlock},
		{"timeouts", deadlock, "ALGORITHM=STRONG_ACCURACY,TYPE=I", ExitHolds},
		{"timeouts", deadlock, "ALGORITHM=STRONG_COMPLETENESS", ExitDeadlock},
		{"timeouts", deadlock, "ALGORITHM=STRONG_COMPLETENESS,FIFO=true", ExitHolds},
		{"timeouts", deadlock, "EARLY=false,ALGORITHM=STRONG_COMPLETENESS,FIFO=true", ExitDeadlock},
		{"timeouts", deadlock, "ALGORITHM=STRONG_COMPLETENESS,TYPE=I", ExitHolds},
		{"timeouts", monitor, "ALGORITHM=WEAK_ACCURACY,FIFO=true", ExitHolds},
		{"timeouts", monitor, "ALGORITHM=WEAK_ACCURACY,FIFO=true,TYPE=I", ExitSafety},
		{"timeouts", monitor, "ALGORITHM=STRONG_ACCURACY,FIFO=true,BUFFER=2", ExitHolds},
		{"timeouts", monitor, "ALGORITHM=STRONG_COMPLETENESS,FIFO=true,BUFFER=2", ExitHolds},
		{"timeouts", monitor, "ALGORITHM=STRONG_COMPLETENESS,FIFO=true,AT_MOST=true", ExitHolds},
		{"timeouts", suspected, "ALGORITHM=STRONG_ACCURACY,FIFO=true,EAGER=true", ExitHolds},
		{"timeouts", suspected, "ALGORITHM=STRONG_ACCURACY,EAGER=true", ExitHolds},
		{"timeouts", suspected, "ALGORITHM=WEAK_ACCURACY,EAGER=true", ExitHolds},
		{"timeouts", "E<> Monitor.most", "ALGORITHM=STRONG_COMPLETENESS,FIFO=true", ExitSafety},
	} {
		t.Run(test.file+","+test.query+","+test.instance, func(t *testing.T) {
			args := []string{"verify", "-q", "-p", test.query,
				"../../examples/larrea/" + test.file + ".xta"}
			if test.instance != "" {
				args = append(args, "--instance", test.instance)
			}
			var out, errOut bytes.Buffer
			if code := Main(t.Context(), args, nil, &out, &errOut); code != test.want {
				t.Errorf("exit code %d, want %d\n%s%s", code, test.want, &out, &errOut)
			}
		})
	}
}
