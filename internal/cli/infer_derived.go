package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/infer"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/verify"
)

// derived finds invariants of the systems that are derived from an algorithm. They go into blocks
// about these systems.
func (w *inference) derived(
	ctx context.Context, s *streams, path string, systems []*derive.Derived,
	warnings []*diag.Diagnostic, opts verify.Options, m *meter, note string,
) error {
	searched := systems
	var out *verify.Outcome
	var found []*engine.Inferred
	var err error
	if w.Pass.pass != "" { // the user chose a system
		out, found, err = verify.InferAll(ctx, systems, opts)
	} else {
		searched, out, found, err = verify.InferAny(ctx, systems, opts)
	}
	if err != nil {
		m.done()
		return (&analysis{}).failure(err)
	}
	r := w.report(path, out, warnings, note)
	source, err := s.textOf(path)
	text := source
	if err == nil && changes(systems, searched, found) {
		text, err = w.withBlocks(path, source, searched, found, r)
	}
	if err != nil {
		m.done()
		return err
	}
	proved, results, err := w.confirmDerived(ctx, path, text, searched, found, opts, r)
	m.done()
	if err != nil {
		return err
	}
	if text == source {
		text = "" // the file stays as it is
	}
	return w.write(ctx, s, path, searched[0].Spec.System, r, text, proved, results)
}

// changes reports whether a file needs blocks for what was found: there are lemmas, or the proof is
// of other systems than the file's.
func changes(own, searched []*derive.Derived, found []*engine.Inferred) bool {
	other := !slices.EqualFunc(own, searched, sameName)
	return slices.ContainsFunc(found, func(f *engine.Inferred) bool {
		return f != nil && (other || len(f.Lemmas) > 0)
	})
}

func sameName(a, b *derive.Derived) bool { return a.Name == b.Name }

// confirmDerived derives the systems anew from the text with the lemmas in it, and proves the ones
// that have lemmas, or need none. It reports that, and gives the systems, and what was proved of
// them.
func (w *inference) confirmDerived(
	ctx context.Context, path, text string, systems []*derive.Derived,
	found []*engine.Inferred, opts verify.Options, r *report.Report,
) (proved []*derive.Derived, results []result.Result, err error) {
	if !slices.ContainsFunc(found, func(f *engine.Inferred) bool { return f != nil }) {
		return nil, nil, nil
	}
	ctx, cancel := effort.Late(ctx, lateProof)
	defer cancel()
	o, err := w.Pass.derivation(derive.Options{})
	if err != nil {
		return nil, nil, err
	}
	again, _, err := derive.Read(ctx, filepath.ToSlash(path), text, o)
	if err == nil && w.Pass.pass != "" {
		again, err = derive.Choose(again, w.Pass.pass)
	}
	if err == nil && !slices.EqualFunc(again, systems, sameName) {
		err = errors.New("other systems are derived with them")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading the file with the invariants found: %w", err)
	}
	w.leaveOut(again)
	for i, d := range again {
		if found[i] != nil {
			d.Spec.System.Properties = withoutUnused(d.Spec.System, found[i], nil)
			proved = append(proved, d)
		}
	}
	opts.Prove, opts.Elsewhere = true, nil
	none := func(*system.System) ([]*system.Instance, error) { return nil, nil }
	outcome, err := verify.RunAll(ctx, proved, opts, none)
	if err != nil {
		return nil, nil, err
	}
	anew := slices.DeleteFunc(slices.Clone(outcome.Results), func(x result.Result) bool {
		return x.Kind.IsAuxiliary()
	})
	for i := range anew {
		anew[i].Engine = infer.Name
	}
	r.Results = slices.DeleteFunc(r.Results, func(x result.Result) bool {
		return slices.ContainsFunc(outcome.Results, func(y result.Result) bool {
			return x.Property == y.Property && x.Scope == y.Scope
		})
	})
	r.Results = append(anew, r.Results...)
	return proved, outcome.Results, nil
}

// lateProof bounds the work of the proof of what was found when a search is ended from outside.
const lateProof = 30 * effort.Million

// withBlocks is the file with blocks about the derived systems, laid out. A system without lemmas
// gets an empty block: a property without a block about its system is decided by another system
// that has one.
func (w *inference) withBlocks(
	path, source string, systems []*derive.Derived, found []*engine.Inferred,
	r *report.Report,
) (string, error) {
	var b strings.Builder
	b.WriteString(source)
	for i, d := range systems {
		if found[i] == nil || len(found[i].Lemmas) == 0 {
			fmt.Fprintf(&b, "\nabout %s {\n}\n", d.Name)
			continue
		}
		fmt.Fprintf(&b, "\n# found by erelong infer\nabout %s {\n", d.Name)
		for _, l := range found[i].Lemmas {
			formula := l.Term.String()
			fmt.Fprintf(&b, "  invariant [%s] %s\n", l.Name, formula)
			about := d.Reported(l.For) + ", about " + d.Name
			r.Lemmas = append(r.Lemmas, report.Lemma{Name: l.Name, Formula: formula, For: about})
		}
		b.WriteString("}\n")
	}
	return layOut(path, b.String())
}
