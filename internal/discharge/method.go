package discharge

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/vc"
)

// method is one way to put a question to a solver.
type method struct {
	driver    int
	rendering vc.Rendering
	strategy  string // one of the driver's, empty for its default options
	scope     scope
}

// scope selects the named hypotheses for the solver. With fewer than all of them only unsat counts.
type scope int

const (
	whole scope = iota
	// related leaves out hypotheses that share no mutable symbol with the goal and the action.
	related
	// singly leaves out the laws that compare two sums or sizes.
	singly
	// ordered leaves out the laws by how much two sums or sizes differ.
	ordered
	// needed keeps the hypotheses that the last proof of the goal needed.
	needed
	// likely keeps the hypotheses that probably suffice.
	likely
	// bounded leaves out large new values: facts about them stand in the goal.
	bounded
)

// leadScope selects the hypotheses of the first attempt; the attempts after it have all, too. Next
// to products the first has all as well: a solver that misses one there does not end, and does not
// count what it spends.
func (a *asker) leadScope(o *Obligation) scope {
	switch {
	case o.Bounded:
		return bounded
	case a.in.approximate:
		return related
	case withLessToRead(a.group.Theory, o.Goal) != a.group.Theory && a.products() == nil:
		return related
	}
	return whole
}

// attempt is one use of a method for an obligation.
type attempt struct {
	method
	seed int // added to the seed of the options
	// in a new process: what a solver learned for other obligations can lead it astray
	fresh    bool
	core     bool   // it asks for the needed hypotheses
	reason   string // for an unknown answer
	hopeless bool   // a higher limit cannot help
}

// String describes the method, for the evidence.
func (w method) String() string {
	parts := []string{"relational"}
	if w.rendering == vc.Macro {
		parts[0] = "macro"
	}
	if w.strategy != "" {
		parts = append(parts, w.strategy)
	}
	switch w.scope {
	case related:
		parts = append(parts, "related hypotheses")
	case singly:
		parts = append(parts, "no law of two sums")
	case ordered:
		parts = append(parts, "no law of differences")
	case needed:
		parts = append(parts, "hypotheses of the last proof")
	case likely:
		parts = append(parts, "likely hypotheses")
	case bounded:
		parts = append(parts, "bounds of large new values")
	}
	return strings.Join(parts, ", ")
}

func (at *attempt) String() string {
	if at.fresh {
		return at.method.String() + ", new process"
	}
	return at.method.String()
}

// attempts lists the methods in the order in which they are tried: for each solver the rendering
// that suits it, then the other one. The first attempt is the only one in a process that other
// obligations use, too; a model that it finds counts.
func (a *asker) attempts() []*attempt {
	integers := a.hasIntegers()
	perDriver := make([][]method, len(a.in.drivers))
	for i, d := range a.in.drivers {
		order := []vc.Rendering{vc.Relational, vc.Macro}
		if d.Macros() {
			order = []vc.Rendering{vc.Macro, vc.Relational}
		}
		if r := a.in.opts.Rendering; r != vc.Auto {
			order = []vc.Rendering{r}
		}
		if len(a.group.Theory.Updates) == 0 {
			order = order[:1] // both renderings are the same
		}
		for _, r := range order {
			var ways []method
			for _, s := range d.Strategies() {
				ways = append(ways, method{driver: i, rendering: r, strategy: s})
			}
			usual := len(ways)
			if integers {
				usual = 0 // models over integers are rarely finite
			}
			perDriver[i] = append(perDriver[i],
				slices.Insert(ways, usual, method{driver: i, rendering: r})...)
		}
	}
	// Neighbours belong to different solvers, so that solvers race each other.
	var out []*attempt
	for i := 0; ; i++ {
		before := len(out)
		for _, ways := range perDriver {
			if i < len(ways) {
				out = append(out, &attempt{method: ways[i], fresh: true})
			}
		}
		if len(out) == before {
			break
		}
	}
	usual := slices.IndexFunc(out, func(at *attempt) bool { return at.strategy == "" })
	return append([]*attempt{{method: out[usual].method}}, out...)
}

// eachOnce keeps the first attempt, and one more with each solver.
func (a *asker) eachOnce(attempts []*attempt) []*attempt {
	return attempts[:min(1+len(a.in.drivers), len(attempts))]
}

// reseeded is how often a query is asked again with another seed.
const reseeded = 8

// restarts lists the strategies again, with other seeds. Where solvers instantiate by patterns, the
// cost of a proof varies by a factor of fifty with the seed, so several short attempts succeed
// sooner than one long one.
func restarts(attempts []*attempt) []*attempt {
	out := attempts[:1:1] // it is not tried again
	for seed := 1; seed <= reseeded; seed++ {
		for _, at := range attempts[1:] {
			if at.strategy == smt.AtOnce && at.scope == whole && !at.hopeless {
				out = append(out, &attempt{method: at.method, seed: seed, fresh: true})
			}
		}
	}
	return out
}

// byModels reports whether solvers instantiate quantifiers of a theory by models.
func (a *asker) byModels() bool { return !a.large && !a.hasIntegers() }

// patient separates the usual options of the preferred solver from the other attempts. Where they
// instantiate by models and not by patterns, a proof takes about as long with any seed, and one
// long attempt costs less than many short ones. So the first attempt has the limit of the others
// there; the same in a new process goes before the others, with a third of the whole limit, and
// once more, with half of it, after them.
func patient(attempts []*attempt) (others, usual []*attempt) {
	others = attempts[:1:1]
	for _, at := range attempts[1:] {
		if at.driver == attempts[0].driver && at.strategy == "" && at.scope == whole {
			usual = append(usual, at)
		} else {
			others = append(others, at)
		}
	}
	return others, usual
}

// preferences remember the method of the last proof, for each property and each action, and where
// the first attempt was given up. They only change who answers.
type preferences struct {
	mu              sync.Mutex
	last            map[string]method
	givenUp         map[string]bool
	narrowingFailed atomic.Bool // fewer hypotheses did not help where the first attempt failed
}

// tiredShare is the share of its limit that the first attempt has where an earlier one was given
// up.
const tiredShare = 10

// tire records that the first attempt was given up.
func (p *preferences) tire(o *Obligation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range p.keys(o) {
		p.givenUp[k] = true
	}
}

// tired reports whether the first attempt was given up for the same property or the same action.
func (p *preferences) tired(o *Obligation) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.keys(o), func(k string) bool { return p.givenUp[k] })
}

func (p *preferences) keys(o *Obligation) (out []string) {
	if o.Property != "" {
		out = append(out, "property "+o.Property)
	}
	if o.Action != "" {
		out = append(out, "action "+o.Action)
	}
	return out
}

// learn records a proof.
func (p *preferences) learn(o *Obligation, w method) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range p.keys(o) {
		p.last[k] = w
	}
}

// order puts the method of a proof for the same property first, then the method of a proof for the
// same action.
func (p *preferences) order(o *Obligation, attempts []*attempt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range slices.Backward(p.keys(o)) {
		w, ok := p.last[k]
		i := slices.IndexFunc(attempts, func(at *attempt) bool { return at.method == w })
		if ok && i > 0 {
			at := attempts[i]
			copy(attempts[1:i+1], attempts[:i])
			attempts[0] = at
		}
	}
}

// solverOf names a solver in results.
func solverOf(d smt.Driver) result.Solver {
	return result.Solver{Name: d.Name(), Version: d.Version()}
}

func (p *processes) label(at *attempt) string { return smt.Label(p.in.drivers[at.driver]) }
