package zone

import (
	"context"
	"fmt"
	"strings"

	"erelong.dev/erelong/internal/timed"
)

// maxValue is the largest value of a clock up to which its supremum is sought.
const maxValue = 1 << 16

// extremes finds the largest or least values of measures in the reachable states of a condition.
func extremes(ctx context.Context, net *timed.Network, q *timed.Query, o Options) (*Result, error) {
	r := &Result{Loop: -1}
	var texts []string
	for _, m := range q.Measures {
		text, err := extreme(ctx, net, q, m, o, r)
		if err != nil || r.Reason != "" {
			return r, err
		}
		texts = append(texts, text)
	}
	r.Answer, r.Value = Satisfied, strings.Join(texts, ", ")
	return r, nil
}

// extreme finds the value of one measure. A zone may stand for others that agree with it up to the
// numbers with which clocks are compared. So a clock counts as compared with a number, which is
// doubled until no reached value is larger.
func extreme(
	ctx context.Context, net *timed.Network, q *timed.Query, m timed.Measure, o Options, r *Result,
) (string, error) {
	sup := q.Kind == timed.Supremum
	if m.Clocks != nil && (m.Clocks[0].Lo != m.Clocks[0].Hi || m.Clocks[1].Hi != 0) {
		r.Reason = "the supremum and infimum of a difference of clocks, or of a clock that " +
			"depends on the state, are not supported"
		return "", nil
	}
	for most := int32(0); ; most = max(2*most, 16) {
		a, err := analyse(ctx, net, []*timed.Formula{q.Formula})
		if err != nil {
			return "", err
		}
		a.equal = a.equal || a.aboutDeadlocks
		if m.Clocks != nil {
			x := m.Clocks[0].Lo
			if most == 0 {
				most = int32(a.largest)
			}
			a.all.lower[x], a.all.upper[x] = max(a.all.lower[x], most), max(a.all.upper[x], most)
			a.largest = max(a.largest, int64(most))
		}
		best, found := bound(0), false
		*r = Result{Loop: -1}
		s := newSearch(net, a, q, o, r)
		s.target = q.Formula
		s.measure = func(z zone) {
			b := infinity
			switch {
			case m.Clocks == nil:
				b = bound(m.Number.Eval(&s.steps.Memory))
			case sup:
				b = z.m[m.Clocks[0].Lo*z.n]
			default:
				b = z.m[m.Clocks[0].Lo] // minus the infimum
			}
			larger := b > best
			if m.Clocks == nil && !sup {
				larger = b < best
			}
			if !found || larger {
				best, found = b, true
			}
		}
		if err := s.run(ctx); err != nil {
			return "", err
		}
		r.Stored = s.kept
		switch {
		case !found:
			r.Reason = "no reachable state satisfies the condition"
			return "", nil
		case m.Clocks == nil:
			return fmt.Sprint(int32(best)), nil
		case !sup && -int64(best>>1) <= int64(most):
			return edge(-int64(best>>1), best, ">"), nil
		case sup && best != infinity && int64(best>>1) <= int64(most):
			return edge(int64(best>>1), best, "<"), nil
		case best == infinity:
			return "infinity", nil
		case most > maxValue:
			r.Reason = fmt.Sprintf("values above %d are reached", most)
			return "", nil
		}
	}
}

// edge prints a number, and says when it is not reached.
func edge(n int64, b bound, strict string) string {
	if b&1 == 0 {
		return fmt.Sprintf("%s%d", strict, n)
	}
	return fmt.Sprint(n)
}
