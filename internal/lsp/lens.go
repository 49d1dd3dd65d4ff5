package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Commands that a client can ask the server to execute.
const (
	// a document, perhaps one property of it, perhaps by one method
	commandVerify  = "erelong.verify"
	commandStop    = "erelong.stop"    // the verification of a document
	commandStatus  = "erelong.status"  // the states of the properties of a document
	commandExplain = "erelong.explain" // a code of an error
	// a document, perhaps the run that was found for one property of it
	commandExplore = "erelong.explore"
)

var commands = []string{commandVerify, commandStop, commandStatus, commandExplain, commandExplore}

// Method is how a property is verified.
type method string

const (
	byAll     method = "verify" // every engine that suits it
	byCheck   method = "check"  // exploration of instances
	byProof   method = "prove"  // induction
	byRanking method = "live"   // ranking functions
	byInfer   method = "infer"  // invariants are looked for
)

var methods = []method{byAll, byCheck, byProof, byRanking, byInfer}

// property is a claim of a document.
type property struct {
	name string
	kind result.Kind
	span diag.Span
}

// methods are the ways to verify a property on its own.
func (p *property) methods() []method {
	switch p.kind {
	case system.Safety:
		return []method{byCheck, byProof, byInfer}
	case system.Liveness:
		return []method{byCheck, byRanking}
	case system.Temporal:
		return []method{byCheck}
	case system.Theorem, system.FbiiProof, result.Scenario:
		return []method{byProof}
	case queryKind:
		return []method{byCheck}
	}
	return []method{byCheck, byProof}
}

// queryKind is the kind of a query of a model.
const queryKind result.Kind = "query"

// properties lists the claims of a document without errors, in the order of the text.
func (a *analysis) properties() (out []property) {
	for _, d := range a.systems {
		sys := d.Spec.System
		for _, p := range sys.Properties {
			if p.Kind != system.Trusted && a.own(p.Span) {
				out = append(out, property{d.Reported(p.Name), p.Kind, p.Span})
			}
		}
		for _, s := range sys.Scenarios {
			if a.own(s.Span) {
				out = append(out, property{d.Reported(s.Name), result.Scenario, s.Span})
			}
		}
	}
	if a.network != nil {
		for _, q := range a.network.Queries {
			out = append(out, property{q.Text, queryKind, q.Span})
		}
	}
	slices.SortStableFunc(out, func(x, y property) int {
		return cmp.Compare(x.span.Start,
			y.span.Start)
	})
	return slices.CompactFunc(out, func(x, y property) bool { return x.name == y.name })
}

// rangeOf is the first line of a claim; of a query in another file, the start of the document.
func (a *analysis) rangeOf(p property) textRange {
	if !a.own(p.span) {
		return textRange{}
	}
	end := min(p.span.End, a.text.end(a.text.line(p.span.Start)))
	return a.text.rangeOf(p.span.Start, end)
}

// single is the system of a text that states it, nil for a model, and for what is derived from an
// algorithm: invariants of derived systems are about other names than the text's.
func (a *analysis) single() *system.System {
	if len(a.systems) != 1 || a.systems[0].Name != "" {
		return nil
	}
	return a.systems[0].Spec.System
}

// lenses are the commands above each property: its state, and the ways to verify it.
func (s *server) lenses(a *analysis, _ documentParams) (any, error) {
	out := []codeLens{}
	all := a.properties()
	if len(all) == 0 {
		return out, nil
	}
	out = append(out, codeLens{textRange{}, &command{"verify all", commandVerify, []any{a.uri}}})
	states := s.statuses(a.snapshot)
	for _, p := range all {
		if p.kind.IsAuxiliary() && p.kind != system.Invariant {
			continue
		}
		at := a.rangeOf(p)
		if st := states[p.name]; st != nil {
			title := st.symbol() + " " + st.State
			if st.Detail != "" {
				title += " " + st.Detail
			}
			out = append(out, codeLens{at, &command{title, commandVerify, []any{a.uri, p.name}}})
		}
		for _, m := range p.methods() {
			if m == byInfer && a.single() == nil {
				continue
			}
			out = append(out, codeLens{at, &command{string(m), commandVerify, []any{a.uri, p.name,
				string(m)}}})
		}
		out = append(out, s.explorerLenses(a, p, at)...)
	}
	return out, nil
}

// symbol is a sign for a state.
func (p *propertyStatus) symbol() string {
	switch p.State {
	case string(result.Holds):
		return "✓"
	case string(result.Violated), string(result.NoRun):
		return "✗"
	case stateQueued, stateRunning:
		return "…"
	case stateStale:
		return "○"
	}
	return "?"
}

// execute carries out a command.
func (s *server) execute(p executeParams) (answer, error) {
	var args []string
	for _, raw := range p.Arguments {
		var arg string
		if err := json.Unmarshal(raw, &arg); err != nil {
			return nil, fmt.Errorf("%s: the arguments are texts: %w", p.Command, err)
		}
		args = append(args, arg)
	}
	if p.Command == commandExplain {
		if len(args) != 1 {
			return nil, fmt.Errorf("%s takes a code", p.Command)
		}
		e, ok := diag.Explain(diag.Code(args[0]))
		if !ok {
			return nil, fmt.Errorf("there is no code %s", args[0])
		}
		return func(context.Context) (any, error) {
			s.notify("window/showMessage", showMessage{3, fmt.Sprintf("%s: %s\n%s", e.Code, e.Title,
				strings.TrimSpace(e.Text))})
			return strings.TrimSpace(e.Text), nil
		}, nil
	}
	if !slices.Contains(commands, p.Command) {
		return nil, fmt.Errorf("there is no command %q", p.Command)
	}
	if len(args) == 0 {
		return nil, fmt.Errorf("%s takes the address of a document", p.Command)
	}
	snap := s.snapshotOf(args[0])
	if snap == nil {
		return nil, fmt.Errorf("%s is not open", args[0])
	}
	switch p.Command {
	case commandExplore:
		return s.explore(snap, args)
	case commandStop:
		s.stop(snap)
		return func(context.Context) (any, error) { return nil, nil }, nil
	case commandStatus:
		return func(context.Context) (any, error) {
			if _, err := snap.analyse(); err != nil {
				return nil, err
			}
			return s.status(snap), nil
		}, nil
	}
	order := work{method: byAll}
	if len(args) > 1 && args[1] != "" {
		order.property = args[1]
	}
	if len(args) > 2 {
		order.method = method(args[2])
	}
	if !slices.Contains(methods, order.method) {
		return nil, fmt.Errorf("there is no way %q to verify", order.method)
	}
	return func(context.Context) (any, error) {
		a, err := snap.analyse()
		if err != nil {
			return nil, err
		}
		if err := s.verify(a, order); err != nil {
			return nil, err
		}
		return s.status(snap), nil
	}, nil
}
