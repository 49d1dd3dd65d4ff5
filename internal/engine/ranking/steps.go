package ranking

import (
	"context"
	"sync"

	"erelong.dev/erelong/internal/discharge"
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
) ([]*discharge.Obligation, *discharge.Obligation) {
	all := func(
		probe bool, d *discharge.Discharger,
	) (os []*discharge.Obligation, open *discharge.Obligation) {
		groups := state()
		for _, g := range groups {
			for _, o := range g.Obligations {
				if probe {
					o.Probe()
				}
				os = append(os, o)
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
		return os, open
	}
	os, open := all(true, s.quick)
	if open == nil || open.Verdict == result.NotInductive {
		return os, open
	}
	return all(false, s.full)
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
