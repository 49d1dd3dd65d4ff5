package zone

import (
	"context"
	"fmt"

	"erelong.dev/erelong/internal/timed"
)

// Reached gives the constraints on the clocks with which these steps lead to the same state,
// however long one waits before each of them and after the last one. It gives nil for a network in
// which priorities, or clocks of receivers, restrict steps, or clocks stand still: these values are
// no zone.
func Reached(
	ctx context.Context, net *timed.Network, steps [][]timed.Participant,
) ([]string, error) {
	if net.Prioritised() || net.Selective() || net.Stops() {
		return nil, nil
	}
	a, err := analyse(ctx, net, nil)
	if err != nil {
		return nil, fmt.Errorf("computing the zone: %w", err)
	}
	x := newExplorer(net, a)
	z, ok := x.start()
	if !ok {
		return nil, fmt.Errorf("computing the zone: the invariants do not hold initially")
	}
	for i, parts := range steps {
		x.guards(parts)
		s, ok := x.take(parts)
		if !ok || !z.constrainAll(s.limits) {
			return nil, fmt.Errorf("computing the zone: step %d is not possible", i+1)
		}
		s.finish(z)
	}
	return z.describe(net.Clocks), nil
}

// describe lists the constraints of a zone: the bounds of each clock, and of each difference where
// they say more.
func (z zone) describe(clocks []string) []string {
	out := []string{}
	for i := 1; i < z.n; i++ {
		low, high := z.m[i], z.m[i*z.n]
		switch text := clocks[i]; {
		case low == leZero && high == infinity:
		case high != infinity && low == atMost(-int64(high>>1), false) && high&1 == 1:
			out = append(out, fmt.Sprintf("%s = %d", text, high>>1))
		default:
			if low != leZero {
				text = fmt.Sprintf("%d %s %s", -(low >> 1), less(low), text)
			}
			if high != infinity {
				text = fmt.Sprintf("%s %s %d", text, less(high), high>>1)
			}
			out = append(out, text)
		}
	}
	for i := 1; i < z.n; i++ {
		for j := 1; j < i; j++ {
			more := func(i, j int) bool { return z.m[i*z.n+j] < add(z.m[i*z.n], z.m[j]) }
			if z.m[i*z.n+j] == leZero && z.m[j*z.n+i] == leZero {
				if more(i, j) || more(j, i) {
					out = append(out, clocks[i]+" = "+clocks[j])
				}
				continue
			}
			for _, d := range [][2]int{{i, j}, {j, i}} {
				if b := z.m[d[0]*z.n+d[1]]; more(d[0], d[1]) {
					out = append(out,
						fmt.Sprintf("%s - %s %s %d", clocks[d[0]], clocks[d[1]], less(b), b>>1))
				}
			}
		}
	}
	return out
}

func less(b bound) string {
	if b&1 == 1 {
		return "<="
	}
	return "<"
}
