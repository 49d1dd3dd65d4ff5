package erelong_test

import (
	"sync"
	"testing"

	"erelong.dev/erelong"
)

// Goroutines can share a specification: they verify it at the same time, with the same results.
func TestShared(t *testing.T) {
	loader := erelong.Loader{ReadFile: read}
	for _, file := range []string{"lock.ere", "timer.xta", "up.fst"} {
		spec, err := loader.Load(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		var states [4]int64
		var wg sync.WaitGroup
		for i := range states {
			wg.Go(func() {
				report, err := spec.Verify(t.Context(), erelong.Options{NoProof: true})
				if err != nil {
					t.Error(err)
					return
				}
				for _, r := range report.Results {
					states[i] += r.States
				}
			})
		}
		wg.Wait()
		for _, n := range states {
			if n != states[0] || n == 0 {
				t.Errorf("%s: explorations at the same time have %v states", file, states)
				break
			}
		}
	}
}
