package ranking

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// solvers decide obligations.
type solvers struct {
	quick *discharge.Discharger // for questions that may stay open
	full  *discharge.Discharger
}

// decide discharges obligations: at a low limit first, and then, unless one of them is refuted, at
// the full limit. It gives the obligations and the first that is not proved, nil if all are.
func (s solvers) decide(
	ctx context.Context, state func() []*discharge.Group,
) (os []*discharge.Obligation, open *discharge.Obligation) {
	for i, d := range []*discharge.Discharger{s.quick, s.full} {
		groups := state()
		os, open = nil, nil
		for _, g := range groups {
			os = append(os, g.Obligations...)
		}
		for _, o := range os {
			if i == 0 {
				o.Probe()
			}
		}
		d.All(ctx, groups)
		for _, o := range os {
			if o.Verdict != result.Holds &&
				(open == nil ||
					o.Verdict == result.NotInductive && open.Verdict == result.Unknown) {
				open = o
			}
		}
		if open == nil || open.Verdict == result.NotInductive {
			break
		}
	}
	return os, open
}

// steps answers questions about the steps of parts: by states and steps that were seen, where these
// refute what is asked, and else by solvers, within a limit.
type steps struct {
	p *problem
	solvers
	samples samples
	fitted  bool // what no sample and no witness refutes counts as proved
	deep    bool // the invariants were proved by induction over several states
	// With the quick solvers, about the steps of each action.
	dialogues map[*system.Action]*discharge.Dialogue
	effort    int // spent so far, in questions
	limit     int // the effort that is allowed
	stages    *stopwatch
}

func newSteps(p *problem, by solvers) *steps {
	return &steps{p: p, solvers: by, dialogues: map[*system.Action]*discharge.Dialogue{},
		limit: maxEffort, stages: &stopwatch{}}
}

// maxEffort bounds the effort of a search, in questions to solvers. A question that stays open
// counts as effortInVain, because the solvers try until their limit.
const (
	maxEffort    = 10_000
	effortInVain = 50
)

// exhausted reports whether the effort that is allowed is spent.
func (s *steps) exhausted() bool { return s.effort >= s.limit }

// dialogue gives the dialogue about the steps of an action. The conditions of parts are in its
// questions.
func (s *steps) dialogue(a *system.Action) *discharge.Dialogue {
	if d := s.dialogues[a]; d != nil {
		return d
	}
	known := 1
	if s.deep {
		known = 2
	}
	t, picture := s.p.stepFrom(a, true, known)
	d := s.quick.Dialogue(&discharge.Group{Theory: t, Path: picture})
	s.dialogues[a] = d
	return d
}

// close ends the dialogues.
func (s *steps) close() {
	for _, d := range s.dialogues {
		d.Close()
	}
	clear(s.dialogues)
}

// claim is the goal under the conditions of a part, over the versions of the symbols in the theory
// of its action.
func (p *problem) claim(part *part, goal *logic.Term) *logic.Term {
	pre, post := p.versions(part.action)
	return vc.In(part.implies(goal), pre, post)
}

// ask decides the goals about parts. The questions about one action go to its dialogue, one after
// the other.
func (s *steps) ask(
	ctx context.Context, order []*part, questions map[*part]*discharge.Obligation,
) {
	if s.exhausted() {
		return
	}
	if s.fitted {
		for _, o := range questions {
			s.effort++
			o.Verdict = result.Holds
		}
		return
	}
	s.each(order, func(part *part) {
		o := questions[part]
		if o == nil {
			return
		}
		o.Action, o.Goal = part.action.Name, s.p.claim(part, o.Goal)
		s.dialogues[part.action].Decide(ctx, o)
	})
	for _, part := range order {
		if o := questions[part]; o != nil {
			s.effort++
			if o.Verdict == result.NotInductive {
				part.settled = true // there is a step
			}
			if o.Verdict == result.Unknown {
				s.effort += effortInVain
			}
		}
	}
}

// mostDialogues bounds the dialogues with running processes. Where there are more actions, each
// dialogue ends its processes when the parts of its action are done.
const mostDialogues = 64

// each works on parts: on parts of one action in sequence, on different actions in parallel.
func (s *steps) each(parts []*part, work func(*part)) {
	byAction := map[*system.Action][]*part{}
	for _, part := range parts {
		s.dialogue(part.action)
		byAction[part.action] = append(byAction[part.action], part)
	}
	var wait sync.WaitGroup
	running := make(chan struct{}, mostDialogues)
	for action, parts := range byAction {
		running <- struct{}{}
		wait.Go(func() {
			defer func() { <-running }()
			for _, part := range parts {
				work(part)
			}
			if len(s.p.sys.Actions) > mostDialogues {
				s.dialogues[action].Close()
			}
		})
	}
	wait.Wait()
}

// counter looks for a step of a part in which a formula is false, and reports whether it found one.
func (s *steps) counter(ctx context.Context, part *part, goal *logic.Term) bool {
	if s.fitted {
		return false // all that is known refutes
	}
	t := s.dialogues[part.action].Model(ctx, s.p.claim(part, goal))
	if t == nil {
		return false
	}
	w := s.p.newWitness(part.action, t)
	if w == nil || !w.refutes(part.implies(goal)) {
		return false
	}
	part.witnesses = append(part.witnesses, w)
	return true
}

// witness is a step of a small model between states in which the property is pending. It refutes
// every formula that it makes false, without a question to a solver. It proves nothing.
type witness struct {
	model     *interp.Model
	pre, post interp.State
	args      map[*logic.Var]*logic.Term // the values of the action's parameters and choices
	// Constants that are none of the model, with their values.
	constants []*logic.Symbol
	by        []*logic.Term
}

// newWitness reads a trace of one step; nil if something in it is unknown.
func (p *problem) newWitness(a *system.Action, t *result.Trace) *witness {
	sys := *p.sys
	sys.Symbols = slices.Clone(sys.Symbols)
	w := &witness{args: map[*logic.Var]*logic.Term{}}
	params := slices.Clone(t.Params)
	for i, v := range slices.Concat(a.Params, a.Relation.Choices) {
		if i >= len(t.Steps[1].Args) {
			return nil
		}
		// No name of the user's contains a space.
		c := &logic.Symbol{Name: fmt.Sprintf("argument %d", i+1), Kind: logic.Constant,
			Result: v.Sort}
		sys.Symbols = append(sys.Symbols, c)
		params = append(params, result.Binding{Name: c.Name, Value: t.Steps[1].Args[i].Value})
		w.args[v] = logic.App(c, logic.Pre)
	}
	full := *t
	full.Params = params
	in, err := interp.InstanceOf(&sys, &full)
	if err != nil {
		return nil
	}
	if w.model, err = interp.NewModel(&sys, in); err != nil {
		return nil
	}
	if w.pre, err = w.model.StateOf(slices.Concat(params, t.Steps[0].State)...); err != nil {
		return nil
	}
	if w.post, err = w.model.StateOf(slices.Concat(params, t.Steps[1].State)...); err != nil {
		return nil
	}
	return w
}

// refutes reports whether a formula over both states and the action's arguments is false.
func (w *witness) refutes(t *logic.Term) bool {
	if len(w.args) > 0 {
		t = logic.Subst(t, w.args)
	}
	if len(w.constants) > 0 {
		t = replace(t, w.constants, w.by)
	}
	holds, err := w.model.Holds(t, w.pre, w.post)
	return err == nil && !holds
}
