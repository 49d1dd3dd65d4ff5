package compile

import (
	"fmt"
	"testing"

	"erelong.dev/erelong/internal/interp"
)

// reachable collects packed states breadth-first.
func reachable(t testing.TB, m *interp.Model, p Program, limit int) []uint64 {
	t.Helper()
	w, err := p.Worker()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var states []uint64
	seen := map[string]bool{}
	visit := func(s []uint64) {
		if key := fmt.Sprint(s); !seen[key] && len(seen) < limit {
			seen[key] = true
			states = append(states, s...)
		}
	}
	err = m.Initial(t.Context(), func(s interp.State) error {
		packed, err := p.Pack(s)
		if err == nil {
			visit(packed)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	n := p.Words()
	for i := 0; i < len(states) && len(seen) < limit; i += n {
		b, err := w.Expand(states[i : i+n])
		if err != nil {
			t.Fatal(err)
		}
		for k := range b.Source {
			visit(b.States[k*n : (k+1)*n])
		}
	}
	return states
}

// BenchmarkExpand measures the time per state, with all claims and with the safety property alone.
func BenchmarkExpand(b *testing.B) {
	for _, c := range []struct{ delta, phi int64 }{{4, 4}, {16, 16}, {20, 20}} {
		for _, claims := range []int{0, 1, -1} {
			b.Run(fmt.Sprintf("Delta=%d,Phi=%d,claims=%d", c.delta, c.phi, claims), func(
				b *testing.B,
			) {
				m := failureDetector(b, c.delta, c.phi)
				all := claimsOf(m.System)
				if claims >= 0 {
					all = all[:claims]
				}
				p, err := Compile(b.Context(), m, all, Options{})
				if err != nil {
					b.Fatal(err)
				}
				defer p.Close()
				states := reachable(b, m, p, 200000)
				w, err := p.Worker()
				if err != nil {
					b.Fatal(err)
				}
				defer w.Close()
				n := p.Words() * chunk
				done, successors := 0, 0
				b.ResetTimer()
				for i := 0; done < b.N; i = (i + n) % (len(states) - n) {
					batch, err := w.Expand(states[i : i+n])
					if err != nil {
						b.Fatal(err)
					}
					done += chunk
					successors += len(batch.Source)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(done), "ns/state")
				b.ReportMetric(float64(successors)/float64(done), "succ/state")
				b.ReportMetric(float64(p.Bits()), "bits")
				b.ReportMetric(float64(len(p.(*program).code)), "bytes")
			})
		}
	}
}
