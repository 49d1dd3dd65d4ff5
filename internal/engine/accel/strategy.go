package accel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"erelong.dev/erelong/internal/front/fast"
	"erelong.dev/erelong/internal/presburger"
	"erelong.dev/erelong/internal/result"
)

// mostTurns bounds the turns of all loops of a strategy.
const mostTurns = 1000

// Carried is the outcome of strategies that were carried out.
type Carried struct {
	Results []result.Result // of the tests that no property of a system is about
	Notes   []string        // what is printed, and where it ended
	// Whole says that all of each strategy was carried out.
	Whole bool
}

// Strategies carries out the strategies of a file with exact regions. A test that is made again
// and again has the outcome that it had last. Nothing is carried out where the file is no counter
// system, and a note says so.
func Strategies(ctx context.Context, p *fast.Program, effort Effort) (*Carried, error) {
	if effort.Nodes == 0 {
		effort = Default
	}
	out := &Carried{Whole: true}
	store := presburger.NewStore(ctx, effort.Nodes)
	var m *machine
	err := store.Try(func() {
		var err error
		if m, _, err = newMachine(store, p.System); err != nil {
			store.Stop(err)
		}
	})
	if err != nil {
		err = fmt.Errorf("carrying out the strategies: %w", err)
		if limit := new(presburger.Limit); errors.Is(err, ErrNotCounters) ||
			errors.As(err, &limit) {
			return &Carried{Notes: []string{err.Error()}}, nil
		}
		return nil, err
	}
	for _, proc := range p.Procedures {
		s := &carrier{machine: m, program: p, effort: effort, out: out, name: proc.Name,
			regions: map[string]region{}, sets: map[string][]string{}, truths: map[string]bool{}}
		err := store.Try(func() { s.block(proc.Body) })
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, err
		case err != nil:
			out.Whole = false
			out.Notes = append(out.Notes, fmt.Sprintf("strategy %s stopped in line %d: %v",
				proc.Name, s.line, err))
		}
	}
	return out, nil
}

// carrier carries out a strategy.
type carrier struct {
	*machine
	program *fast.Program
	effort  Effort
	out     *Carried
	name    string
	line    int
	turns   int
	regions map[string]region
	sets    map[string][]string
	truths  map[string]bool
}

func (s *carrier) stop(format string, args ...any) {
	s.store.Stop(&presburger.Limit{Text: fmt.Sprintf(format, args...)})
}

func (s *carrier) print(text string) {
	s.out.Notes = append(s.out.Notes, fmt.Sprintf("strategy %s prints: %s", s.name, text))
}

func (s *carrier) block(body []fast.Command) {
	for _, c := range body {
		s.line = c.Line
		switch c.Op {
		case fast.Let:
			switch c.Value.Kind {
			case fast.Region:
				s.regions[c.Name] = s.region(c.Value)
			case fast.Transitions:
				s.sets[c.Name] = s.set(c.Value)
			default:
				s.truths[c.Name] = s.truth(c.Value)
			}
		case fast.Print:
			switch {
			case c.Value == nil:
				s.print(c.Text)
			case c.Value.Kind == fast.Boolean:
				s.print(fmt.Sprint(s.truth(c.Value)))
			case c.Value.Kind == fast.Transitions:
				s.print("{" + strings.Join(s.set(c.Value), ", ") + "}")
			default:
				s.print(strings.Join(s.show(s.region(c.Value)), " || "))
			}
		case fast.If:
			if s.truth(c.Value) {
				s.block(c.Then)
			} else {
				s.block(c.Else)
			}
		case fast.While:
			for s.truth(c.Value) {
				if s.turns++; s.turns > mostTurns {
					s.stop("more than %d turns of loops", mostTurns)
				}
				s.block(c.Then)
				s.line = c.Line
			}
		}
	}
}

func (s *carrier) set(v *fast.Value) []string {
	switch v.Op {
	case "name":
		return s.sets[v.Name]
	case "||":
		out := slices.Clone(s.set(v.Args[0]))
		for _, n := range s.set(v.Args[1]) {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
		return out
	}
	return v.Actions
}

func (s *carrier) region(v *fast.Value) region {
	switch v.Op {
	case "name":
		return s.regions[v.Name]
	case "{}":
		r, err := s.states(s.program.System.Property(v.Name).Term)
		if err != nil {
			s.store.Stop(err)
		}
		return r
	case "!":
		return s.opposite(s.region(v.Args[0]))
	case "&&":
		return each(s.region(v.Args[0]), s.region(v.Args[1]), s.store.And)
	case "||":
		return each(s.region(v.Args[0]), s.region(v.Args[1]), s.store.Or)
	}
	d := forwards
	if v.Op == "pre*" {
		d = backwards
	}
	return s.closure(d, s.region(v.Args[0]), s.set(v.Args[1]), v)
}

// opposite has the states that are not in a region.
func (m *machine) opposite(r region) region {
	out := make(region, len(r))
	for p, x := range r {
		out[p] = m.store.Not(x)
	}
	return out
}

// closure is post* or pre*.
func (s *carrier) closure(d direction, from region, actions []string, v *fast.Value) region {
	var edges []*edge
	for _, e := range s.edges {
		if slices.Contains(actions, s.program.System.Actions[e.action].Name) {
			edges = append(edges, e)
		}
	}
	_, got, err := s.find(d, from, nil, edges, s.effort)
	switch {
	case err != nil:
		s.store.Stop(err)
	case !got.complete:
		s.stop("%s in line %d has no end here: %s", v.Op, v.Line, got.incomplete)
	}
	// No step leads out of what is reachable, or into it from outside when the search is backwards.
	closed := got.reach
	if d == backwards {
		closed = s.opposite(closed)
	}
	if !s.within(from, got.reach) || len(s.leaving(closed, edges)) > 0 {
		s.stop("%s in line %d gave a region that is not closed", v.Op, v.Line)
	}
	return got.reach
}

func (s *carrier) truth(v *fast.Value) (is bool) {
	began := time.Now()
	var witness string
	switch v.Op {
	case "true", "false":
		return v.Op == "true"
	case "name":
		return s.truths[v.Name]
	case "!":
		return !s.truth(v.Args[0])
	case "&&":
		return s.truth(v.Args[0]) && s.truth(v.Args[1])
	case "||":
		return s.truth(v.Args[0]) || s.truth(v.Args[1])
	case "isEmpty":
		is, witness = s.isEmpty(s.region(v.Args[0]), "the region has the state")
	default:
		a, b := s.region(v.Args[0]), s.region(v.Args[1])
		is, witness = s.isEmpty(each(a, b, s.store.Minus), "only the first region has the state")
		if is && v.Op == "equal" {
			is, witness = s.isEmpty(each(b, a, s.store.Minus),
				"only the second region has the state")
		}
	}
	if v.Claim != "" {
		s.decided(v, is, witness, time.Since(began))
	}
	return is
}

// isEmpty reports whether a region is empty, and otherwise a state of it.
func (s *carrier) isEmpty(r region, says string) (bool, string) {
	for p, x := range r {
		if !x.IsEmpty() {
			parts := append(s.where(p), s.point(s.store.Some(x)))
			return false, says + " " + strings.Join(parts, " && ")
		}
	}
	return true, ""
}

// decided keeps the outcome of a test.
func (s *carrier) decided(v *fast.Value, is bool, witness string, took time.Duration) {
	x := result.Result{Property: v.Claim, Kind: result.Safety, Verdict: result.Holds,
		Scope: result.ScopeAll, Engine: Name, Line: v.Line, Elapsed: took}
	if !is {
		x.Verdict = result.Violated
		x.Reason = result.Because(result.Remark, witness)
	}
	s.out.Results = slices.DeleteFunc(s.out.Results, func(y result.Result) bool {
		return y.Property == x.Property
	})
	s.out.Results = append(s.out.Results, x)
}
