package explorer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/sim"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/timed"
	"erelong.dev/erelong/internal/verify"
)

func (d *Description) add(name string, sys *system.System) {
	x := System{Name: name, Instances: []Instance{}, Sorts: []string{}, Symbols: []string{},
		Actions: []string{}}
	for _, in := range sys.Instances {
		x.Instances = append(x.Instances,
			Instance{in.Name, in.Span.Line(), sys.Source.Line(in.Span.Line())})
	}
	if len(sys.Instances) == 0 {
		if in, _ := verify.Guess(sys); in != nil {
			x.Instances = append(x.Instances,
				Instance{Name: in.Name, Text: "every sort has two elements"})
		}
	}
	for _, srt := range sys.Sorts {
		if srt.Kind == logic.KindUninterpreted {
			x.Sorts = append(x.Sorts, srt.Name)
		}
	}
	for _, sym := range sys.Symbols {
		x.Symbols = append(x.Symbols, sym.Name)
	}
	for _, a := range sys.Actions {
		x.Actions = append(x.Actions, a.Name)
	}
	d.Systems = append(d.Systems, x)
}

// derived finds the system that a request names.
func (s *Service) derived(ctx context.Context, q *request) (*derive.Derived, error) {
	f, err := s.open(ctx, q.File)
	if err != nil {
		return nil, err
	}
	for _, d := range f.file.Systems {
		if d.Name == q.System || q.System == "" {
			return d, nil
		}
	}
	return nil, fmt.Errorf("%w: there is no system %q", ErrRequest, q.System)
}

// instance finds or makes the one instance that a text names.
func instance(sys *system.System, text string) (*system.Instance, error) {
	all, err := instances(sys, text)
	switch {
	case err != nil:
		return nil, err
	case len(all) != 1:
		return nil, fmt.Errorf("%s: these are %d instances, and a run has one", text, len(all))
	}
	return all[0], nil
}

// instances finds or makes the instances that a text names.
func instances(sys *system.System, text string) ([]*system.Instance, error) {
	if in := sys.Instance(text); in != nil {
		return []*system.Instance{in}, nil
	}
	if strings.Contains(text, "=") {
		return ere.Instances(sys, text)
	}
	guessed, why := verify.Guess(sys)
	switch {
	case text == "" && len(sys.Instances) > 0:
		return sys.Instances[:1], nil
	case len(sys.Instances) == 0 && guessed == nil:
		return nil, fmt.Errorf("%s", why)
	case len(sys.Instances) == 0 && (text == "" || text == guessed.Name):
		return []*system.Instance{guessed}, nil
	}
	return nil, fmt.Errorf("there is no instance %q", text)
}

// recording is a recorded run that a request names, with the system that its engines saw; nil if it
// names none.
type recording struct {
	trace   *result.Trace
	system  *derive.Derived // nil for a network of timed automata
	network *timed.Network  // nil for a system
}

func (s *Service) recorded(q *request) (*recording, error) {
	if q.Run == 0 {
		return nil, nil
	}
	r, err := s.run(q.Run)
	if err != nil {
		return nil, err
	}
	results := r.results()
	if q.Result < 0 || q.Result >= len(results) || results[q.Result].Trace == nil {
		return nil, fmt.Errorf("%w: result %d of run %d has no trace", ErrRequest, q.Result, q.Run)
	}
	rec := &recording{trace: results[q.Result].Trace, network: r.file.file.Network}
	for _, d := range r.file.file.Systems {
		if _, own := d.Own(results[q.Result].Property); own {
			rec.system = d
		}
	}
	return rec, nil
}

// shown is the file that the states of a request are of: the one that the engines of its recorded
// run saw or, without a run, the present one.
func (s *Service) shown(ctx context.Context, q *request) (*opened, error) {
	if q.Run == 0 {
		return s.open(ctx, q.File)
	}
	r, err := s.run(q.Run)
	if err != nil {
		return nil, err
	}
	return r.file, nil
}

// explorer finds or makes the explorer for a request.
func (s *Service) explorer(ctx context.Context, q *request) (sim.Runs, *derive.Derived, error) {
	rec, err := s.recorded(q)
	if err != nil {
		return nil, nil, err
	}
	var d *derive.Derived
	if rec != nil {
		d = rec.system
	} else {
		f, err := s.open(ctx, q.File)
		if err != nil {
			return nil, nil, err
		}
		if f.file.Network == nil {
			if d, err = s.derived(ctx, q); err != nil {
				return nil, nil, err
			}
		} else {
			rec = &recording{network: f.file.Network}
		}
	}
	x, err := s.explorerOf(ctx, q, rec, d)
	return x, d, err
}

// explorerKey names an explorer. A file that is read again has new systems, so an explorer of its
// earlier text is never found for the new one.
type explorerKey struct {
	system      *derive.Derived
	network     *timed.Network
	instance    string
	run, result int
}

func (s *Service) explorerOf(
	ctx context.Context, q *request, rec *recording, d *derive.Derived,
) (sim.Runs, error) {
	key := explorerKey{d, nil, q.Instance, q.Run, q.Result}
	if rec != nil {
		key.network = rec.network
	}
	s.mu.Lock()
	x := s.explorers[key]
	s.mu.Unlock()
	if x != nil {
		return x, nil
	}
	x, err := begun(ctx, q, rec, d)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.explorers) >= maxExplorers {
		clear(s.explorers)
	}
	s.explorers[key] = x
	return x, nil
}

// begun makes an explorer of an instance, of a network, or of a recorded run.
func begun(ctx context.Context, q *request, rec *recording, d *derive.Derived) (sim.Runs, error) {
	var in *system.Instance
	var t *result.Trace
	var err error
	switch {
	case d == nil && rec.network == nil:
		return nil, errors.New("the steps of this run cannot be chosen")
	case d == nil:
		return sim.NewTimedExplorer(rec.network, rec.trace, "")
	case rec != nil:
		t = rec.trace
	default:
		if in, err = instance(d.Spec.System, q.Instance); err != nil {
			return nil, err
		}
	}
	return sim.NewExplorer(ctx, d.Spec, in, t, sim.Options{View: report.Options{File: q.File}})
}

func (s *Service) state(ctx context.Context, q *request) (any, error) {
	x, d, err := s.explorer(ctx, q)
	if err == nil {
		view, err := x.View(ctx, q.Address)
		if err == nil && d != nil {
			view.System = d.Name
		}
		return view, err
	}
	if rec, missing := s.recorded(q); missing == nil && rec != nil {
		return sim.ViewOf(rec.trace, q.Address.At)
	}
	return nil, err
}

func (s *Service) take(ctx context.Context, q *request) (any, error) {
	x, _, err := s.explorer(ctx, q)
	if err != nil {
		return nil, err
	}
	a, err := x.Take(ctx, q.Address, q.Step)
	if err != nil {
		return nil, err
	}
	return x.View(ctx, a)
}

func (s *Service) until(ctx context.Context, q *request) (any, error) {
	x, _, err := s.explorer(ctx, q)
	if err != nil {
		return nil, err
	}
	a, err := x.Until(ctx, q.Address, q.Text)
	if err != nil {
		return nil, err
	}
	return x.View(ctx, a)
}

func (s *Service) evaluate(ctx context.Context, q *request) (any, error) {
	x, _, err := s.explorer(ctx, q)
	if err != nil {
		return nil, err
	}
	values, err := x.Evaluate(ctx, q.Address, q.Text)
	if err != nil {
		return nil, err
	}
	return map[string][]string{"values": values}, nil
}

// Reason is a node of the tree that explains the value of a formula.
type Reason struct {
	Text        string   `json:"text"`
	Line        int      `json:"line"` // in the file, 0 for none
	Subformulas []Reason `json:"parts"`
}

func (s *Service) why(ctx context.Context, q *request) (any, error) {
	x, _, err := s.explorer(ctx, q)
	if err != nil {
		return nil, err
	}
	w, err := x.Why(ctx, q.Address, q.Text)
	if err != nil {
		return nil, err
	}
	return reason(w), nil
}

func reason(w *result.Why) Reason {
	r := Reason{Text: report.Reason(w), Line: w.Line, Subformulas: []Reason{}}
	for _, p := range report.Reasons(w) {
		r.Subformulas = append(r.Subformulas, reason(p))
	}
	return r
}
