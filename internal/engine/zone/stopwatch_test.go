package zone

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"erelong.dev/erelong/internal/front/uppaal"
	"erelong.dev/erelong/internal/timed"
)

// quarters is a valuation of clocks that show quarters, with all above a ceiling as one. Whatever
// it reaches is reached, also where clocks stand still.
type quarters struct {
	values  []int
	ceiling int
}

func newQuarters(ceiling int) func(clocks int) valuation {
	return func(n int) valuation { return quarters{make([]int, n), ceiling} }
}

func (q quarters) String() string { return packed(q.values) }

func (q quarters) later() valuation { return q.laterBut(nil) }

func (q quarters) laterBut(still []int) valuation {
	e := quarters{slices.Clone(q.values), q.ceiling}
	for x := 1; x < len(e.values); x++ {
		if !slices.Contains(still, x) {
			e.values[x] = min(e.values[x]+1, 4*q.ceiling+1)
		}
	}
	return e
}

func (q quarters) set(x, value int) valuation {
	e := quarters{slices.Clone(q.values), q.ceiling}
	e.values[x] = min(4*value, 4*q.ceiling+1)
	return e
}

func (q quarters) satisfies(c timed.Constraint, m *timed.Memory) bool {
	if c.Cond != nil && c.Cond(m) == 0 {
		return true
	}
	d, b := q.values[c.I.Index(m)]-q.values[c.J.Index(m)], 4*int(c.Bound.Eval(m))
	return d < b || d == b && !c.Strict
}

// exact is a valuation with exact values.
type exact []*big.Rat

func (v exact) String() string   { return fmt.Sprint([]*big.Rat(v)) }
func (v exact) later() valuation { panic("there is no shortest delay") }

func (v exact) set(x, value int) valuation {
	e := slices.Clone(v)
	e[x] = big.NewRat(int64(value), 1)
	return e
}

func (v exact) wait(d *big.Rat, still []int) exact {
	e := slices.Clone(v)
	for x := 1; x < len(e); x++ {
		if !slices.Contains(still, x) {
			e[x] = new(big.Rat).Add(v[x], d)
		}
	}
	return e
}

func (v exact) satisfies(c timed.Constraint, m *timed.Memory) bool {
	if c.Cond != nil && c.Cond(m) == 0 {
		return true
	}
	d := new(big.Rat).Sub(v[c.I.Index(m)], v[c.J.Index(m)])
	order := d.Cmp(big.NewRat(int64(c.Bound.Eval(m)), 1))
	return order < 0 || order == 0 && !c.Strict
}

// still gives the clocks that stand still.
func (o *oracle) still(c configuration) (out []int) {
	m := o.memory(c)
	for p := range o.net.Processes {
		for _, r := range o.location(c, p).Rates {
			if (r.Cond == nil || r.Cond(m) != 0) && r.Value.Eval(m) == 0 {
				out = append(out, r.Clock.Index(m))
			}
		}
	}
	return out
}

// follows checks that there is such a run, to a state with a formula.
func (o *oracle) follows(run *timed.Run, f *timed.Formula) error {
	var start exact
	for range o.net.Clocks {
		start = append(start, new(big.Rat))
	}
	now := []configuration{{slices.Clone(o.net.Init), start}}
	for i, delay := range run.Delays {
		var later []configuration
		for _, c := range now {
			d := configuration{c.cells, c.clocks.(exact).wait(delay, o.still(c))}
			if delay.Sign() >= 0 && (delay.Sign() == 0 || !o.urgent(c)) && o.invariant(d) {
				later = append(later, d)
			}
		}
		if now = later; i == len(run.Steps) {
			break
		}
		var next []configuration
		for _, c := range now {
			for _, d := range o.steps(c) {
				if !slices.ContainsFunc(run.Steps[i], func(p timed.Participant) bool {
					return d.cells[p.Process] != int32(p.Edge.Target)
				}) {
					next = append(next, d)
				}
			}
		}
		now = next
	}
	if !slices.ContainsFunc(now, func(c configuration) bool { return o.holds(c, f) }) {
		return fmt.Errorf("the run does not exist, or ends elsewhere")
	}
	return nil
}

// TestStopwatches compares networks in which clocks stand still: what quarters reach is not denied,
// and what is said to be reached is, by a run that the oracle follows.
func TestStopwatches(t *testing.T) {
	answers := map[Answer]int{}
	rapid.Check(t, func(t *rapid.T) {
		text := model(t, shape{clocks: 2, most: 3, stops: true,
			broadcasts: rapid.Bool().Draw(t, "broadcasts"), ranked: rapid.Bool().Draw(t, "ranked")})
		net, err := uppaal.Read("model.xta", text, "model.q", closedQueries)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		o := &oracle{net: net, zero: newQuarters(5)(len(net.Clocks))}
		for _, q := range net.Queries {
			f := q.Formula
			if q.Kind == timed.Invariantly {
				f = timed.Not(f)
			}
			reached := o.reaches(f)
			for _, opts := range []Options{{}, {DepthFirst: true}, {Threads: 2, eager: true}} {
				r, err := Check(context.Background(), net, q, opts)
				if err != nil {
					t.Fatalf("%s: %v\n%s", q.Text, err, text)
				}
				if q.Kind == timed.Invariantly {
					r.negate()
				}
				answers[r.Answer]++
				if r.Answer == NotSatisfied && reached {
					t.Fatalf("%s is reached\n%s", q.Text, text)
				}
				if r.Answer == Satisfied {
					if err := o.follows(r.Run, f); err != nil {
						t.Fatalf("%s: %v\n%s", q.Text, err, text)
					}
				}
			}
		}
	})
	t.Logf("answers: %v", answers)
	if n := answers[Satisfied] + answers[NotSatisfied]; n < 20*answers[Unknown] {
		t.Errorf("only %d queries are decided, and %d are not", n, answers[Unknown])
	}
}

// TestLinear compares the solver of linear inequalities with values on a grid.
func TestLinear(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		n := 1 + below(t, 3)
		l := newLinear(n)
		type inequality struct {
			sum []term
			b   bound
		}
		var all []inequality
		possible := true
		for range 1 + below(t, 6) {
			x := inequality{b: bound(below(t, 14) - 6)}
			for i := range n {
				if f := below(t, 5) - 2; f != 0 {
					x.sum = append(x.sum, term{i, f})
				}
			}
			all = append(all, x)
			possible = l.atMost(x.sum, x.b) && possible
			if below(t, 3) == 0 && possible { // inequalities may be added to a solution
				l.solve(1<<20, nil)
			}
		}
		satisfied := func(v []*big.Rat) bool {
			for _, x := range all {
				sum := new(big.Rat)
				for _, y := range x.sum {
					sum.Add(sum, new(big.Rat).Mul(big.NewRat(int64(y.factor), 1), v[y.number]))
				}
				c := sum.Cmp(big.NewRat(int64(x.b>>1), 1))
				if c > 0 || c == 0 && x.b&1 == 0 {
					return false
				}
			}
			return !slices.ContainsFunc(v, func(x *big.Rat) bool { return x.Sign() < 0 })
		}
		is, decided := l.solve(1<<20, nil)
		is = is && possible
		switch {
		case !decided:
			t.Fatal("not decided")
		case is:
			found++
			if v := l.numbers(); !satisfied(v) {
				t.Fatalf("%v does not satisfy %v", v, all)
			}
		default:
			v := make([]*big.Rat, n)
			var each func(i int)
			each = func(i int) {
				if i == n {
					if satisfied(v) {
						t.Fatalf("%v satisfies %v", v, all)
					}
					return
				}
				for k := range int64(32) {
					v[i] = big.NewRat(k, 4)
					each(i + 1)
				}
			}
			each(0)
		}
	})
	if found == 0 {
		t.Error("nothing was ever satisfied")
	}
}
