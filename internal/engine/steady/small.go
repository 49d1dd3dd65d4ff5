package steady

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Violations mostly show where there are few processes, and there a search state by state finds
// them sooner than a solver that reasons about all numbers. So the states with small parameters are
// looked at first, the smallest parameters before others. That only finds violations: each is
// replayed by the interpreter.

// Limits on the search.
const (
	mostSum    = 16      // of the parameters
	mostStates = 50_000  // with some parameters
	mostLooked = 150_000 // in all
	// FewStates is a limit that is spent in a second or less.
	FewStates = 30_000
)

// few are the values of the parameters and counters: numbers, and truth values as 0 and 1.
type few []int64

// small is a search in small instances.
type small struct {
	*counters
	at     map[*logic.Symbol]int // the places of symbols in few
	params []*logic.Symbol
	moves  []smallMove
	axioms []condition
	inits  []condition
	looked int
	most   int // the limit on it
	skip   int // instances that an earlier search went through
	begun  int // instances
	done   int // instances from the first one on that have no further states
}

// condition is a formula, and the symbols that it reads.
type condition struct {
	holds func(few) int64
	reads []int
}

// smallMove is an action: what it adds, and the next values of flags.
type smallMove struct {
	guard func(few) int64
	add   map[int]int64
	set   map[int]func(few) int64
}

// newSmall prepares a search. False where a formula is about more than numbers and truth values.
func newSmall(c *counters) (s *small, ok bool) {
	s = &small{counters: c, at: map[*logic.Symbol]int{}}
	for _, sym := range c.sys.Symbols {
		if !sym.Mutable {
			s.params = append(s.params, sym)
		}
	}
	for i, sym := range slices.Concat(s.params, c.vars, c.flags) {
		s.at[sym] = i
	}
	if len(s.at) < len(c.sys.Symbols) {
		return nil, false
	}
	ok = true
	read := func(t *logic.Term) func(few) int64 {
		f, known := s.closure(t)
		ok = ok && known
		return f
	}
	for _, m := range c.moves {
		x := smallMove{read(m.guard), map[int]int64{}, map[int]func(few) int64{}}
		for sym, n := range m.add {
			if n != nil {
				x.add[s.at[sym]] = n.Int64()
			}
		}
		for sym, t := range m.set {
			if t.Op != logic.OpApp || t.Symbol != sym {
				x.set[s.at[sym]] = read(t)
			}
		}
		s.moves = append(s.moves, x)
	}
	conditions := func(fs []*system.Formula) (out []condition) {
		for _, f := range fs {
			for _, t := range logic.Conjuncts(plain(f.Term)) {
				x := condition{holds: read(t)}
				for app := range logic.Applications(t) {
					x.reads = append(x.reads, s.at[app.Symbol])
				}
				out = append(out, x)
			}
		}
		return out
	}
	s.axioms, s.inits = conditions(c.sys.Axioms), conditions(c.sys.Inits)
	return s, ok
}

// violated is a run to a state in which a claim is false, as the numbers of its actions.
type violated struct {
	first few
	moves []int
}

// search looks for violations of claims, and tells of the first of each. It ends when tell says
// that none is left.
func (s *small) search(
	ctx context.Context, claims []*system.Property, tell func(int, violated) (more bool),
) {
	var tests []func(few) int64
	for _, p := range claims {
		f, ok := s.closure(plain(p.Term))
		if !ok {
			f = func(few) int64 { return 1 }
		}
		tests = append(tests, f)
	}
	more := true
	for sum := 0; sum <= mostSum && more; sum++ {
		s.parameters(make(few, len(s.at)), 0, int64(sum), func(state few) {
			if !more || ctx.Err() != nil || s.looked >= s.most {
				return
			}
			complete := s.begun < s.skip
			if !complete {
				more, complete = s.instance(ctx, state, tests, tell)
			}
			if complete && s.done == s.begun {
				s.done++
			}
			s.begun++
		})
		more = more && s.looked < s.most && ctx.Err() == nil
	}
}

// parameters lists the values of the parameters from the given one on, with a given sum, for which
// the axioms hold.
func (s *small) parameters(state few, from int, sum int64, do func(few)) {
	switch {
	case from == len(s.params):
		if sum == 0 && !slices.ContainsFunc(s.axioms, func(c condition) bool {
			return c.holds(state) == 0
		}) {
			do(state)
		}
		return
	case s.params[from].Result == logic.Bool:
		sum = min(sum, 1)
	}
	for v := range sum + 1 {
		state[from] = v
		s.parameters(state, from+1, sum-v, do)
	}
}

// begin lists initial states for given parameters, whose numbers are at most the greatest of
// these.
func (s *small) begin(state few, known []bool, do func(few)) {
	unknown := func(c condition) (out []int) {
		for _, i := range c.reads {
			if !known[i] && !slices.Contains(out, i) {
				out = append(out, i)
			}
		}
		return out
	}
	next, least := -1, len(s.at)+1
	for _, c := range s.inits {
		open := unknown(c)
		if len(open) == 0 && c.holds(state) == 0 {
			return
		}
		if len(open) > 0 && len(open) < least {
			next, least = open[0], len(open)
		}
	}
	if next < 0 {
		next = slices.Index(known, false)
	}
	if next < 0 {
		do(state)
		return
	}
	most := slices.Max(append(slices.Clone(state[:len(s.params)]), 1))
	if next >= len(s.at)-len(s.flags) {
		most = 1
	}
	known[next] = true
	for v := range most + 1 {
		state[next] = v
		s.begin(state, known, do)
	}
	known[next] = false
}

// seen is a state of a search: the one before it, and the action that leads to it; -1 for none.
type seen struct {
	state       few
	before, via int
}

// instance looks at the states with given parameters, and reports whether there is more to do, and
// whether these were all.
func (s *small) instance(
	ctx context.Context, params few, tests []func(few) int64, tell func(int, violated) bool,
) (more, complete bool) {
	known := make([]bool, len(s.at))
	for i := range s.params {
		known[i] = true
	}
	var all []seen
	numbers := map[string]bool{}
	more, complete = true, true
	add := func(x seen) {
		key := keyOf(x.state)
		if numbers[key] {
			return
		}
		if len(all) >= min(mostStates, s.most) {
			complete = false
			return
		}
		numbers[key] = true
		all = append(all, x)
		for i, test := range tests {
			if more && test(x.state) == 0 {
				more = tell(i, runTo(all))
			}
		}
	}
	s.begin(slices.Clone(params), known, func(first few) { add(seen{slices.Clone(first), -1, -1}) })
	for i := 0; ; i++ {
		if i == len(all) {
			break
		}
		if !more || s.looked >= s.most || ctx.Err() != nil {
			return more, false
		}
		s.looked++
		for k := range s.moves {
			m := &s.moves[k]
			now := all[i].state
			if m.guard(now) == 0 {
				continue
			}
			next := slices.Clone(now)
			for at, n := range m.add {
				next[at] += n
			}
			for at, value := range m.set {
				next[at] = value(now)
			}
			add(seen{next, i, k})
		}
	}
	return more, complete
}

// runTo is the run to the last of some states.
func runTo(all []seen) (v violated) {
	x := all[len(all)-1]
	for ; x.before >= 0; x = all[x.before] {
		v.moves = append(v.moves, x.via)
	}
	slices.Reverse(v.moves)
	v.first = x.state
	return v
}

func keyOf(state few) string {
	key := make([]byte, 0, 2*len(state))
	for _, v := range state {
		key = append(key, byte(v), byte(v>>8))
	}
	return string(key)
}

// closure computes a term in state Pre. False where it has more than numbers and truth values.
func (s *small) closure(t *logic.Term) (f func(few) int64, ok bool) {
	args := make([]func(few) int64, len(t.Args))
	for i, a := range t.Args {
		if args[i], ok = s.closure(a); !ok {
			return nil, false
		}
	}
	truth := func(b bool) int64 {
		if b {
			return 1
		}
		return 0
	}
	of := func(f func(a, b int64) int64) (func(few) int64, bool) {
		return func(x few) int64 {
			sum := args[0](x)
			for _, a := range args[1:] {
				sum = f(sum, a(x))
			}
			return sum
		}, true
	}
	switch t.Op {
	case logic.OpTrue, logic.OpFalse:
		return func(few) int64 { return truth(t.IsTrue()) }, true
	case logic.OpInt:
		n := t.Int.Int64()
		return func(few) int64 { return n }, t.Int.IsInt64()
	case logic.OpApp:
		i, known := s.at[t.Symbol]
		return func(x few) int64 { return x[i] }, known && len(t.Args) == 0
	case logic.OpNot:
		return func(x few) int64 { return 1 - args[0](x) }, true
	case logic.OpNeg:
		return func(x few) int64 { return -args[0](x) }, true
	case logic.OpIte:
		return func(x few) int64 {
			if args[0](x) != 0 {
				return args[1](x)
			}
			return args[2](x)
		}, true
	case logic.OpAnd:
		return of(func(a, b int64) int64 { return a & b })
	case logic.OpOr:
		return of(func(a, b int64) int64 { return a | b })
	case logic.OpImplies:
		return of(func(a, b int64) int64 { return 1 - a | b })
	case logic.OpIff, logic.OpEq:
		return of(func(a, b int64) int64 { return truth(a == b) })
	case logic.OpLe:
		return of(func(a, b int64) int64 { return truth(a <= b) })
	case logic.OpLt:
		return of(func(a, b int64) int64 { return truth(a < b) })
	case logic.OpAdd:
		return of(func(a, b int64) int64 { return a + b })
	case logic.OpSub:
		return of(func(a, b int64) int64 { return a - b })
	case logic.OpMul:
		return of(func(a, b int64) int64 { return a * b })
	}
	return nil, false
}

// Looked is what a search in small instances went through.
type Looked struct {
	claims    []*system.Property
	instances int // from the smallest one on
}

// Few looks for violations of claims in the smallest instances of a system, up to a number of
// states. It finds none in a system whose runs have no pieces. A violation that the interpreter
// does not take is an error.
func Few(
	ctx context.Context, sys *system.System, claims []*system.Property, states int,
) (found []result.Result, looked Looked, err error) {
	c, err := newCounters(sys)
	if err != nil {
		return nil, Looked{}, nil // it has no pieces
	}
	return c.few(ctx, claims, states, Looked{})
}

// few looks at the instances that an earlier search did not go through.
func (c *counters) few(
	ctx context.Context, claims []*system.Property, states int, before Looked,
) (found []result.Result, looked Looked, err error) {
	s, ok := newSmall(c)
	if !ok || len(claims) == 0 {
		return nil, Looked{}, nil
	}
	s.most = states
	if !slices.ContainsFunc(claims, func(p *system.Property) bool {
		return !slices.Contains(before.claims, p)
	}) {
		s.skip = before.instances
	}
	known := make([]bool, len(claims))
	s.search(ctx, claims, func(i int, v violated) bool {
		if known[i] {
			return true
		}
		p := claims[i]
		trace, wrong := s.replayed(ctx, v, p)
		if wrong != nil {
			if ctx.Err() == nil {
				err = fmt.Errorf("internal error: small instances have a run that violates %s, "+
					"and that the interpreter does not take: %w", p.Name, wrong)
			}
			return false
		}
		known[i] = true
		found = append(found, result.Result{Property: p.Name, Kind: p.Kind,
			Verdict: result.Violated, Scope: result.ScopeAll, Engine: Name,
			Line: p.Span.Line(), Trace: trace, Depth: int64(len(trace.Steps))})
		return slices.Contains(known, false)
	})
	return found, Looked{claims, s.done}, err
}

// fewProcesses looks for violations in small instances, and gives the claims that are left.
func (d *decision) fewProcesses(
	ctx context.Context, claims []*system.Property, before Looked,
) (left []*system.Property, err error) {
	found, _, err := d.few(ctx, claims, mostLooked, before)
	d.found.Results = append(d.found.Results, found...)
	return slices.DeleteFunc(slices.Clone(claims), func(p *system.Property) bool {
		return slices.ContainsFunc(found, func(x result.Result) bool {
			return x.Property == p.Name
		})
	}), err
}

// replayed is a run as the interpreter takes its steps.
func (s *small) replayed(
	ctx context.Context, v violated, p *system.Property,
) (*result.Trace, error) {
	first := &result.Trace{Kind: result.Counterexample, Loop: -1, Steps: []result.Step{{}}}
	for sym, i := range s.at {
		b := result.Binding{Name: sym.Name, Value: result.Int(fmt.Sprint(v.first[i]))}
		if sym.Result == logic.Bool {
			b.Value = result.Bool(v.first[i] != 0)
		}
		if sym.Mutable {
			first.Steps[0].State = append(first.Steps[0].State, b)
		} else {
			first.Params = append(first.Params, b)
		}
	}
	m, state, err := interp.First(s.sys, first)
	if err != nil {
		return nil, err
	}
	start := state
	var steps []interp.Step
	for _, k := range v.moves {
		taken := false
		err := m.Steps(ctx, state, s.counters.moves[k].Action, func(x interp.Step) error {
			if !taken {
				taken, state = true, x.State
				steps = append(steps, x)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("taking %s: %w", s.counters.moves[k].Name, err)
		}
		if !taken {
			return nil, fmt.Errorf("%s is not possible", s.counters.moves[k].Name)
		}
	}
	trace := m.TraceOf(start, steps...)
	trace.Kind, trace.Loop, trace.Violates = result.Counterexample, -1, p.Name
	if err := interp.Replay(ctx, s.sys, trace, p); err != nil {
		return nil, err
	}
	return trace, nil
}
