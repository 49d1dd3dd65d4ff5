package certificate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// plan is a proof as derived from the text; the certificate states the same one.
type plan struct {
	of        *derive.Derived
	claimed   []*system.Property
	rests     []*system.Property // invariants that earlier proofs claim
	text      string             // of the system: several systems of one name may be derived
	questions []question
	provers   []string            // for each question, the solver that the certificate names
	seeds     []int               // and its seed
	cores     [][]string          // and the hypotheses that the proof used; nil if unknown
	steps     string              // of liveness: the bound on the number of steps; empty for none
	premises  []result.Assumption // of liveness: sorts taken for finite
	vacuous   question            // do the hypotheses about the first state contradict each other
}

// subject is a property of a system.
type subject struct{ system, property string }

func (p *plan) subject(prop *system.Property) subject { return subject{p.text, prop.Name} }

// plans reads the text and compares every proof with it. Each difference is an error that names it.
func (c *Certificate) plans(ctx context.Context) (*system.System, []*plan, error) {
	if got := hash(c.Specification.Text); got != c.Specification.SHA256 {
		return nil, nil,
			refuse("the SHA-256 of the text is %s, not %s", got, c.Specification.SHA256)
	}
	for _, m := range c.Specification.Included {
		if got := hash(m.Text); got != m.SHA256 {
			return nil, nil, refuse("the SHA-256 of %s is %s, not %s", m.Name, got, m.SHA256)
		}
	}
	if len(c.Proofs) == 0 {
		return nil, nil, refuse("it proves nothing")
	}
	if err := c.translatedAgain(); err != nil {
		return nil, nil, err
	}
	var sys *system.System
	var out []*plan
	seen, claimed := map[subject]bool{}, map[subject]bool{}
	for i := range c.Proofs {
		p, err := c.plan(ctx, &c.Proofs[i])
		if ctx.Err() != nil {
			return nil, nil, fmt.Errorf("reading the text of the certificate: %w", ctx.Err())
		}
		if err != nil {
			return nil, nil, refuse("proof %d: %w", i+1, err)
		}
		for _, prop := range p.rests {
			if !claimed[p.subject(prop)] {
				return nil, nil,
					refuse("proof %d: it rests on %s, which no proof before it claims", i+1,
						prop.Name)
			}
		}
		for _, prop := range p.claimed {
			if seen[subject{p.of.Name, prop.Name}] {
				return nil, nil, refuse("%s is claimed twice", prop.Name)
			}
			seen[subject{p.of.Name, prop.Name}], claimed[p.subject(prop)] = true, true
		}
		out = append(out, p)
		sys = p.of.Spec.System
	}
	return sys, out, nil
}

// plan derives the system of a proof from the text, and compares the proof with it.
func (c *Certificate) plan(ctx context.Context, p *Proof) (*plan, error) {
	// Several systems of this name may be derived, for different properties of the file. Others
	// have their names from the front end, and are no passes.
	var problem error
	options := []derive.Options{{}}
	if p.System != "" {
		o, err := derive.Pass(p.System)
		if err == nil {
			options = append(options, o)
		}
		problem = err
	}
	for _, o := range options {
		systems, err := c.Specification.systems(ctx, "", o)
		if err != nil {
			return nil, fmt.Errorf("its text is in error: %w", err)
		}
		if systems, err = derive.Choose(systems, p.System); err != nil {
			problem = cmp.Or(problem, err)
		}
		for _, d := range systems {
			out, err := c.planFor(ctx, p, d)
			if err == nil {
				return out, nil
			}
			problem = err
		}
	}
	return nil, problem
}

// planFor compares a proof with one of the systems of the text.
func (c *Certificate) planFor(
	ctx context.Context, p *Proof, d *derive.Derived,
) (*plan, error) {
	sys := d.Spec.System
	if err := sameReductions(p.Reductions, d.Reductions); err != nil {
		return nil, err
	}
	claimed, err := find(sys, p.Properties)
	if err != nil {
		return nil, err
	}
	if len(claimed) == 0 {
		return nil, fmt.Errorf("it claims nothing")
	}
	invariant, err := find(sys, p.Invariant)
	if err != nil {
		return nil, err
	}
	trusted, err := find(sys, p.Trusted)
	if err != nil {
		return nil, err
	}
	out := &plan{of: d, text: sys.String(), claimed: claimed, premises: sys.Finite(),
		vacuous: question{theory: background(sys), goal: logic.False}}
	switch {
	case p.Ranking != nil:
		if p.Induction != 0 || len(claimed) != 1 {
			return nil, fmt.Errorf("ranking functions are for one property, and without induction")
		}
		if err := together(sys, invariant, trusted); err != nil {
			return nil, err
		}
		out.rests = invariant
		if out.questions, err = rankingQuestions(ctx, &c.Specification, sys, claimed[0], invariant,
			p.Ranking); err != nil {
			return nil, err
		}
		out.premises = ranking.Premises(sys, p.Ranking)
		if b := p.Ranking.Bound; b != nil {
			out.steps = b.Steps
		}
		out.vacuous.theory = initial(sys)
	case p.Pieces:
		if p.Induction != 0 || len(claimed) != 1 || len(invariant)+len(trusted) > 0 {
			return nil, fmt.Errorf("a proof by pieces of runs is for one property, without " +
				"invariants and without induction")
		}
		if out.questions, err = piecesQuestions(sys, claimed[0], p.Obligations); err != nil {
			return nil, err
		}
		out.vacuous.theory = initial(sys)
	case p.Induction == 0:
		if len(invariant)+len(trusted) > 0 {
			return nil, fmt.Errorf("a proof without induction rests on no invariant and on no " +
				"trusted one")
		}
		for _, prop := range claimed {
			if prop.Kind != system.Theorem {
				return nil, fmt.Errorf("%s is no theorem, so that it needs an induction", prop.Name)
			}
			out.questions = append(out.questions, validity(sys, prop)...)
		}
	case p.Induction == 1:
		if err := together(sys, invariant, trusted); err != nil {
			return nil, err
		}
		for _, prop := range claimed {
			if !slices.Contains(invariant, prop) {
				return nil, fmt.Errorf("%s is claimed, but it is not covered: it is not part of "+
					"the invariant", prop.Name)
			}
		}
		out.questions = inductionQuestions(sys, invariant, p.following())
		out.vacuous.theory = initial(sys)
	default:
		return nil, fmt.Errorf("it is by %d-induction; only plain induction can be rechecked",
			p.Induction)
	}
	return out, out.match(p.Obligations)
}

// following are the conjuncts that follow in one state, as the proof states.
func (p *Proof) following() map[identity]bool {
	stated := map[identity]bool{}
	for _, o := range p.Obligations {
		stated[o.identity()] = o.Name == inState(o.Property) && o.Action == ""
	}
	return stated
}

// together checks the formulas that a proof assumes of every state.
func together(sys *system.System, invariant, trusted []*system.Property) error {
	for _, prop := range invariant {
		if !prop.IsInvariant() {
			return fmt.Errorf("%s is a %s property, which cannot be part of an invariant",
				prop.Name, prop.Kind)
		}
	}
	if all := ofKind(sys, system.Trusted); !slices.Equal(all, trusted) {
		return fmt.Errorf("it states the trusted invariants %s, but the text has %s",
			names(trusted), names(all))
	}
	return nil
}

// sameReductions compares the stated reductions with the reductions that derive the system from the
// text.
func sameReductions(stated []Reduction, derived []result.Reduction) error {
	for i, r := range stated {
		switch {
		case i >= len(derived):
			return fmt.Errorf("the reduction %q is not known", r.Name)
		case r != (Reduction{derived[i].Name, derived[i].String()}):
			return fmt.Errorf("the reduction %q is stated as %q, but it is %q by %q", r.Name,
				r.Theorem, derived[i].Name, derived[i])
		}
	}
	if len(stated) < len(derived) {
		return fmt.Errorf("the reduction %q is missing", derived[len(stated)].Name)
	}
	return nil
}

// find looks up properties, and compares their printed forms.
func find(sys *system.System, fs []Formula) (out []*system.Property, err error) {
	for _, f := range fs {
		prop := sys.Property(f.Name)
		switch {
		case prop == nil:
			return nil, fmt.Errorf("the text has no property %s", f.Name)
		case slices.Contains(out, prop):
			return nil, fmt.Errorf("%s is listed twice", f.Name)
		case formula(prop) != f:
			return nil, fmt.Errorf("%s is stated as %q, but the text says %q", f.Name, f.Formula,
				prop.Term)
		}
		out = append(out, prop)
	}
	return out, nil
}

func names(props []*system.Property) []string {
	out := make([]string, len(props))
	for i, p := range props {
		out[i] = p.Name
	}
	return out
}

// identity is the part of an obligation that the text determines.
type identity struct {
	name, action, property string
	conjunct               int
}

func (o *Obligation) identity() identity {
	return identity{o.Name, o.Action, o.Property, o.Conjunct}
}

func (id identity) String() string { return fmt.Sprintf("%q, conjunct %d", id.name, id.conjunct) }

// match finds every question among the stated obligations, and every stated obligation among the
// questions.
func (p *plan) match(stated []Obligation) error {
	open := map[identity]Obligation{}
	for _, o := range stated {
		if _, ok := open[o.identity()]; ok {
			return fmt.Errorf("the obligation %s is stated twice", o.identity())
		}
		open[o.identity()] = o
	}
	for i := range p.questions {
		q := &p.questions[i]
		o, ok := open[q.identity()]
		if !ok {
			return fmt.Errorf("the obligation %s is missing", q.identity())
		}
		if o.Formula != q.Formula {
			return fmt.Errorf("the obligation %s is stated about %q, but the text says %q",
				q.identity(), o.Formula, q.Formula)
		}
		p.provers, p.seeds = append(p.provers, o.Solver), append(p.seeds, o.Seed)
		p.cores = append(p.cores, o.Core)
		q.from(&o)
		delete(open, q.identity())
	}
	for _, o := range stated {
		if _, ok := open[o.identity()]; ok {
			return fmt.Errorf("the obligation %s does not belong to the proof", o.identity())
		}
	}
	return nil
}
