package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// openWork bounds the proof for all values of constants that goes beside an exploration.
const openWork = 100 * effort.Million

// beside is a proof for all values of the constants, beside the exploration with their values.
type beside struct {
	out  *Outcome
	open []unproved
}

// unproved is a claim that is not proved, with the reason; without a name, all claims.
type unproved struct{ name, why string }

// forAll proves the claims of a system for all values of its constants, where the system says what
// that is, and a proof is asked for. The result waits for the proof; it is nil where there is none.
func forAll(ctx context.Context, d *derive.Derived, o *Options) (wait func() *beside) {
	if d.Open == nil || !o.Prove && !o.Live || o.Inductive || o.Take != nil {
		return func() *beside { return nil }
	}
	own := *o
	o.Prove, o.Infer, o.Live = false, false, false
	done := make(chan *beside, 1)
	go func() { done <- proveOpen(ctx, d, own) }()
	return func() *beside { return <-done }
}

func proveOpen(ctx context.Context, d *derive.Derived, o Options) *beside {
	if !o.LiveOnly {
		var cancel context.CancelFunc
		ctx, cancel = upTo(ctx, openWork, "the share of a proof beside an exploration; erelong "+
			"prove, infer and live have none")
		defer cancel()
	}
	other, err := d.Open(ctx)
	first := diag.First(err)
	switch {
	case first != nil:
		return &beside{open: []unproved{{"", fmt.Sprintf("line %d: %s", first.Span.Line(),
			first.Message)}}}
	case err != nil:
		return &beside{open: []unproved{{"", err.Error()}}}
	}
	sys := other.Spec.System
	asked := func(name string) bool { return len(o.Only) == 0 || slices.Contains(o.Only, name) }
	b := &beside{}
	for _, u := range sys.Unread {
		if asked(u.Name) && !o.LiveOnly {
			b.open = append(b.open, unproved{u.Name, u.Why})
		}
	}
	only := o.Only
	o.Only = nil
	for _, p := range sys.Properties {
		kind := o.Prove && !o.LiveOnly && (p.Kind == system.Safety || p.Kind == system.Invariant) ||
			o.Live && p.Kind == system.Liveness
		if kind && !p.Tried && (len(only) == 0 || slices.Contains(only, p.Name)) {
			o.Only = append(o.Only, p.Name)
		}
	}
	if len(o.Only) == 0 {
		return b
	}
	o.Explore, o.Bound, o.Elsewhere, o.Instances, o.Explored = false, false, nil, nil, nil
	out, err := runSystem(ctx, other, o)
	if out == nil {
		b.open = append(b.open, unproved{"", fmt.Sprint(err)})
		return b
	}
	b.keep(out, o.Only)
	return b
}

// keep keeps what is proved. What is not has no row: the exploration has one.
func (b *beside) keep(out *Outcome, claims []string) {
	proved := func(x result.Result) bool {
		return x.Verdict == result.Holds && x.Scope == result.ScopeAll
	}
	for _, name := range claims {
		why := string(result.Unknown)
		for _, x := range out.Results {
			switch {
			case x.Property != name:
			case proved(x):
				why = ""
			case why != "" && x.Scope == result.ScopeAll:
				why = string(x.Verdict)
			}
		}
		if why != "" {
			b.open = append(b.open, unproved{name, why})
		}
	}
	out.Results = slices.DeleteFunc(out.Results, func(x result.Result) bool {
		return !proved(x) || !slices.Contains(claims, x.Property)
	})
	if len(out.Results) == 0 {
		out.Notes, out.Lemmas = nil, nil
	}
	b.out = out
}

// add adds what is proved for all values of the constants to an outcome: each row behind the ones
// of its claim.
func (o *Outcome) add(b *beside) {
	if b == nil {
		return
	}
	if p := b.out; p != nil {
		for _, x := range p.Results {
			at := len(o.Results)
			for i, y := range slices.Backward(o.Results) {
				if y.Property == x.Property {
					at, x.Kind = i+1, y.Kind
					break
				}
			}
			o.Results = slices.Insert(o.Results, at, x)
		}
		o.Notes, o.Lemmas = append(o.Notes, p.Notes...), append(o.Lemmas, p.Lemmas...)
		o.Solvers = append(o.Solvers, p.Solvers...)
		if p.NoSolver != nil {
			o.NoSolver = p.NoSolver
		}
	}
	var open []string
	for _, u := range b.open {
		violated := func(x result.Result) bool {
			return x.Property == u.name && x.Verdict == result.Violated
		}
		switch {
		case u.name == "":
			open = append(open, u.why)
		case !slices.ContainsFunc(o.Results, violated):
			open = append(open, u.name+" ("+u.why+")")
		}
	}
	if len(open) > 0 {
		o.Notes = append(o.Notes, "not proved for all values of the constants: "+
			strings.Join(open, ", "))
	}
}
