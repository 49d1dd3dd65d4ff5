package verify

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
)

// sweep is the number of instances that are many.
const sweep = 64

// explore explores the instances that the user or the file names; if there are none, one that is
// guessed.
func (r *run) explore(ctx context.Context) error {
	t := r.task(engine.Explore)
	t.Limits.States, t.Limits.Depth = r.o.Explicit.Limits.States, r.o.Explicit.Limits.Depth
	t.Limits.StatesNote, t.Limits.DepthNote = "; --max-states sets it", "; --max-depth sets it"
	t.Limits.InitialNote = "; `erelong bmc` searches the first steps from all of them at once"
	if len(r.explorers(t)) == 0 {
		return nil
	}
	if c := r.sys.Computed; c != nil && c.Unbounded && t.Limits.States == 0 {
		t.Limits.States = r.o.GuessStates * WholeShare
		t.Limits.StatesNote = ", since there may be endlessly many; --max-states sets it"
	}
	for _, instances := range [][]*system.Instance{r.o.Explored, r.o.Instances, r.sys.Instances} {
		if len(instances) > 0 {
			return r.exploreAll(ctx, t, instances, func(in *system.Instance, err error) error {
				r.ledger.refuse(in, err)
				return nil
			})
		}
	}
	return r.exploreGuess(ctx, t)
}

// explorers are the engines for an exploration of some instance.
func (r *run) explorers(t *engine.Task) []engine.Engine {
	some := *t
	if slices.ContainsFunc(r.sys.Instances, r.expectsOfDeadlock) {
		some.Claims = append(slices.Clone(t.Claims), engine.NoDeadlock)
	}
	return accepting(r.engines(), &some)
}

// exploreGuess explores the instance that is chosen where the file names none, within the limits
// for the program's own choices.
func (r *run) exploreGuess(ctx context.Context, t *engine.Task) error {
	in, why := r.guess()
	if in == nil {
		return r.boundInstead(ctx, "no finite instance was explored: "+why)
	}
	if r.useless(ctx, in) {
		return nil
	}
	if t.Limits.States == 0 {
		if t.Limits.States = r.o.GuessStates; len(in.Sizes) == 0 {
			t.Limits.States *= WholeShare
		}
		t.Limits.StatesNote = " for an instance that the file does not name; an instance in " +
			"the file, --instance or --max-states lifts it"
	}
	ctx, cancel := r.guarded(ctx)
	defer cancel()
	return r.exploreAll(ctx, t, []*system.Instance{in}, func(_ *system.Instance, err error) error {
		return r.boundInstead(ctx, fmt.Sprintf("no finite instance was explored: %v", err))
	})
}

// exploreAll explores instances. It calls refused for one that no engine can explore.
func (r *run) exploreAll(
	ctx context.Context, t *engine.Task, instances []*system.Instance,
	refused func(*system.Instance, error) error,
) error {
	within, stop := context.WithCancel(ctx)
	defer stop()
	if r.o.Stop {
		instances = smallestFirst(instances)
	}
	search, swarm := cmp.Or(r.o.Explicit.Search, explicit.BreadthFirst), false
	if len(instances) >= sweep && search == explicit.BreadthFirst {
		// Most of them are small: compiling takes longer than exploring.
		r.o.Explicit.Brief = true
	}
	engines := r.explorers(t)
	if search == explicit.Swarm {
		before := len(engines)
		engines = slices.DeleteFunc(engines, func(e engine.Engine) bool {
			return e.Name() == explicit.Name
		})
		swarm = len(engines) < before
	}
	begun := make([][]pending, len(instances))
	for i, in := range instances {
		own := *t
		own.Instance = in
		if r.expectsOfDeadlock(in) {
			own.Claims = append(slices.Clone(t.Claims), engine.NoDeadlock)
		}
		if swarm {
			begun[i] = append(begun[i], r.swarm(within, &own))
		}
		begun[i] = append(begun[i], r.beginTogether(within, &own, engines)...)
	}
	for i, in := range instances {
		results, err := r.settleAll(begun[i])
		if engine.IsRefusal(err) {
			err = refused(in, err)
		}
		if err != nil {
			return err
		}
		if rest := instances[i+1:]; r.o.Stop && len(rest) > 0 &&
			slices.ContainsFunc(results, isViolated) {
			stop()
			abandon(slices.Concat(begun[i+1:]...), r.o)
			r.ledger.add(nil, fmt.Sprintf(
				"the exploration stopped at the violation in %s: %s not explored",
				in.Name, engine.Counted(len(rest), "instance was", "instances were")))
			break
		}
	}
	return nil
}

func isViolated(x result.Result) bool { return x.Verdict == result.Violated }

// smallestFirst sorts instances by the sum of the sizes of their sorts and of their numbers.
func smallestFirst(instances []*system.Instance) []*system.Instance {
	size := func(in *system.Instance) (n int) {
		for _, k := range in.Sizes {
			n += k
		}
		for _, v := range in.Values {
			if k, err := strconv.Atoi(v.String()); err == nil {
				n += max(k, -k)
			}
		}
		return n
	}
	out := slices.Clone(instances)
	slices.SortStableFunc(out, func(a, b *system.Instance) int { return size(a) - size(b) })
	return out
}

// expectsOfDeadlock reports whether the file expects a verdict on deadlocks in an instance, or says
// that they are violations, and all claims are checked.
func (r *run) expectsOfDeadlock(in *system.Instance) bool {
	if len(r.o.Only) > 0 || r.o.Inductive {
		return false
	}
	if c := r.sys.Computed; c != nil && c.Deadlock && !isClaim(r.sys, result.Deadlock) {
		return true
	}
	return slices.ContainsFunc(r.sys.Expectations, func(e *system.Expectation) bool {
		return e.Instance == in && e.Property == result.Deadlock && !isClaim(r.sys, e.Property)
	})
}

// guarded bounds the processor time for the program's own choices.
func (r *run) guarded(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.o.GuessTime == 0 {
		return context.WithCancel(ctx)
	}
	return effort.Processor(ctx, r.o.GuessTime,
		&result.Limit{Code: result.Bounded, Text: fmt.Sprintf(
			"the limit of %s of processor time for an instance that the file does not name; an "+
				"instance in the file, --instance or --max-states lifts it", r.o.GuessTime)})
}

// Guess makes the instance that is explored when the file names none: every uninterpreted sort has
// two elements; without such a sort it is called whole. It gives nil and the reason when an integer
// parameter would need a value that only a person can choose.
func Guess(sys *system.System) (*system.Instance, string) {
	in := &system.Instance{Name: "whole", Sizes: map[*logic.Sort]int{},
		Values: map[*logic.Symbol]*logic.Term{}}
	for _, s := range sys.Sized() {
		in.Name, in.Sizes[s] = "size2", 2
	}
	if why := ambiguous(sys); why != "" {
		return nil, why
	}
	return in, ""
}

// ambiguous says which parameters only a person can choose, and how; "" if there is none.
func ambiguous(sys *system.System) string {
	var values, open []string
	for _, s := range sys.Sized() {
		values = append(values, s.Name+"=2")
	}
	for _, s := range sys.Symbols {
		if !s.Mutable && s.Result == logic.Int {
			open, values = append(open, s.Name), append(values, s.Name+"=...")
		}
	}
	if len(open) == 0 {
		return ""
	}
	text := fmt.Sprintf("the file names no instance, and %s may be any integer; choose one: "+
		"--instance %s", strings.Join(open, " and "), strings.Join(values, ","))
	// other languages have no such line
	if sys.Source != nil && filepath.Ext(sys.Source.Name) == ".ere" {
		text += fmt.Sprintf(", or in the file: instance small { %s }",
			strings.ReplaceAll(strings.Join(values, ", "), "=", " = "))
	}
	return text
}

// satisfiable reports whether some instance is known to have an initial state, so that no solver
// need be asked.
func (r *run) satisfiable(ctx context.Context) bool {
	for _, in := range r.examples() {
		if vacuity.HasInitialState(ctx, r.sys, in) {
			return true
		}
	}
	return false
}

// useless reports whether an instance that the user did not choose has no initial state. This says
// nothing about the file, so it is not a result.
func (r *run) useless(ctx context.Context, in *system.Instance) bool {
	if !vacuity.NoInitialState(ctx, r.sys, in) {
		return false
	}
	sizes := ""
	for _, s := range r.sys.Sorts {
		if s.Kind == logic.KindUninterpreted {
			sizes = ", with two elements of every sort,"
		}
	}
	r.unexplored = fmt.Sprintf("no instance was explored: the one that is chosen where the file "+
		"names none%s has %s; add one to the file",
		sizes, vacuity.WhyNoInitialState(ctx, r.sys, in))
	return true
}

// examples are the instances in which signs are looked for.
func (r *run) examples() []*system.Instance {
	out := r.o.Instances
	if len(out) == 0 {
		out = r.sys.Instances
	}
	if in, _ := r.guess(); len(out) == 0 && in != nil {
		out = []*system.Instance{in}
	}
	return out[:min(len(out), glimpsed)]
}
