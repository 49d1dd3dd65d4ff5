package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/engine/infer"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/format"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/verify"
)

// inferOptions are about the use of the lemmas.
type inferOptions struct{ write, asTLA bool }

func (o *inferOptions) flags(fl *pflag.FlagSet) {
	fl.BoolVarP(&o.write, "write", "w", false, "write the invariants into the file")
	fl.BoolVar(&o.asTLA, "as-tla", false,
		"show the invariants as definitions for the TLA+ module of the file")
}

// inference is the handler of infer with specifications.
type inference struct {
	Output    output
	Selection *selectionOptions
	Time      *timeOptions
	Solve     *solveOptions
	Cache     *cacheOptions
	Pass      *passOptions
	Instance  *instanceOptions
	Infer     *inferOptions

	Certificate *certificateOptions
	Effort      *effortOptions

	spread

	borders  []*report.Border // the conditions under which properties are proved
	excluded []string         // the instances of the file that they exclude
}

func inferCommand(s *streams) *cobra.Command {
	w := &inference{
		Output:    output{Report: &reportOptions{}, Trace: &traceOptions{}, ITF: &itfOptions{}},
		Selection: &selectionOptions{}, Time: &timeOptions{}, Solve: &solveOptions{},
		Cache: &cacheOptions{}, Pass: &passOptions{}, Instance: &instanceOptions{},
		Infer:       &inferOptions{},
		Certificate: &certificateOptions{}, Effort: &effortOptions{}, spread: newSpread(),
	}
	return eachFile(attach(&cobra.Command{
		Use:   "infer FILE...",
		Short: "Find invariants with which the safety properties are inductive",
		Long: `infer first looks for a real violation in small instances. If there is none, it looks for invariants that make the safety
properties inductive, proves the whole for all instances, and prints them in the language of the file, each with what it is for.
The file's own invariants are not needed, and they are left out where the proof does without. erelong help inference says how.
With --instance, as in -i small,Delta=1..3,wait=1..9, it explores these instances first. Where a property holds in some of
them and not in others, it proposes the condition on their numbers, and proves the property under this condition.`,
		Args: someFiles,
	}, s, map[kind]handler{specifications: w}))
}

func (w *inference) limits() timeLimit { return w.Time }

func (w *inference) run(ctx context.Context, s *streams, args []string) error {
	path := args[0]
	if err := w.Output.valid(path); err != nil {
		return err
	}
	targets := append(w.Output.targets(path),
		target{flag: "certificate", path: w.Certificate.certificate})
	if err := tryTargets(path, targets); err != nil {
		return err
	}
	systems, warnings, err := w.read(ctx, s, path)
	if err != nil {
		return err
	}
	claim(systems, w.Selection.properties)
	if err := w.selected(s, path, systems); err != nil {
		return err
	}
	sys := systems[0].Spec.System
	solving, err := w.Solve.options()
	if err != nil {
		return err
	}
	opts := verify.Options{Only: chosen(w.Selection, systems),
		Induct: induction.Options{Options: solving}, Each: w.Time.perProperty()}
	if opts.Effort, err = w.Effort.units(); err != nil {
		return err
	}
	note, err := w.Cache.apply(&opts.Induct.Options, false)
	if err != nil {
		return err
	}
	crew, err := w.crew(ctx, s, path, systems, &opts)
	if err != nil {
		return err
	}
	defer crew.end(ctx, s)
	forget, err := ownCache(&opts.Induct.Options)
	if err != nil {
		return err
	}
	defer forget()
	ctx, show, err := w.Effort.explained(ctx, s, w.given())
	if err != nil {
		return err
	}
	defer show()
	m := newMeter(s)
	if !w.Output.Report.quiet {
		opts.Progress = m.event
	}
	if systems[0].Name != "" {
		return w.derived(ctx, s, path, systems, warnings, opts, m, note)
	}
	out, inferred, err := verify.Infer(ctx, sys, opts)
	m.done()
	if err != nil {
		return (&analysis{}).failure(err)
	}
	r := w.report(path, out, warnings, note)
	if names := searched(sys); len(out.Results) == 0 && len(sys.Unread) == 0 && names != "" {
		r.Notes = append(r.Notes, "the file claims no safety property; -p NAME chooses what is to "+
			"be proved, one of: "+names)
	}
	var text string
	var confirmed *system.System
	var results []result.Result
	if inferred != nil {
		text, confirmed, results, err = w.confirm(ctx, s, path, sys, inferred, opts, r)
		if err != nil {
			return err
		}
	}
	own := *systems[0]
	if confirmed != nil {
		own.Spec = &ere.Specification{System: confirmed}
	}
	return w.write(ctx, s, path, sys, r, text, []*derive.Derived{&own}, results)
}

// read reads the file, with the conditions that are proposed for it, and derives its systems.
func (w *inference) read(
	ctx context.Context, s *streams, path string,
) ([]*derive.Derived, []*diag.Diagnostic, error) {
	if err := w.propose(ctx, s, path); err != nil {
		return nil, nil, err
	}
	systems, warnings, err := deriveFile(ctx, s, path, w.Pass, front.Options{Open: true})
	if err != nil {
		return nil, nil, err
	}
	w.leaveOut(systems)
	return systems, warnings, w.suits(s, path)
}

// suits refuses options that do not suit the language of the file.
func (w *inference) suits(s *streams, path string) error {
	text, err := s.textOf(path)
	if err != nil {
		return nil // the file was read before
	}
	if foreign(path, text) && (w.Infer.write || w.Certificate.certificate != "") {
		return usage("--write and --certificate need a text with the invariants in it, in " +
			"erelong's language: erelong convert --to ere writes this file in it")
	}
	if f := front.Of(path, text); w.Infer.asTLA && f.Say == nil {
		return usage("--as-tla is for modules of TLA+, and %s is read as a file of %s", path,
			f.Name)
	}
	return nil
}

// selected refuses a chosen property that infer is not for. Where an algorithm has several systems,
// they say themselves which properties there are.
func (w *inference) selected(s *streams, path string, systems []*derive.Derived) error {
	sys := systems[0].Spec.System
	for _, name := range w.Selection.properties {
		if systems[0].Name != "" {
			break
		}
		if p := sys.Property(name); p == nil ||
			p.Kind != system.Safety && p.Kind != system.Invariant {
			return w.notInferred(s, path, sys, name)
		}
	}
	return nil
}

// notInferred says why nothing is found for what was chosen.
func (w *inference) notInferred(s *streams, path string, sys *system.System, name string) error {
	may := ""
	if text, err := s.textOf(path); err == nil && foreign(path, text) {
		may = "; erelong verify -p " + name + " may explore it"
	}
	for _, u := range sys.Unread {
		if u.Name == name {
			return usage("%s:%d: %s has no translation for proofs: %s%s", path, u.Line, name, u.Why,
				may)
		}
	}
	if others := searched(sys); others != "" {
		may = "; the file has: " + others + may
	}
	return usage("there is no safety property or invariant %q%s", name, may)
}

// searched are the names of what can be chosen.
func searched(sys *system.System) string {
	var names []string
	for _, p := range sys.Properties {
		if p.Kind == system.Safety || p.Kind == system.Invariant {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, " ")
}

// asTLA says the lemmas of a report in TLA+.
func asTLA(s *streams, path string, r *report.Report) error {
	text, err := s.textOf(path)
	if err != nil {
		return err
	}
	var names, formulas []string
	for _, l := range r.Lemmas {
		names, formulas = append(names, l.Name), append(formulas, l.Formula)
	}
	said, err := front.Of(path, text).Say(path, text, names, formulas)
	if err != nil {
		return err
	}
	for i, d := range said {
		l := &r.Lemmas[i]
		l.TLA = d.Name + " == " + d.Text
		if d.Why != "" {
			l.TLA = `\* ` + l.Name + " has no form in TLA+: " + d.Why
		}
	}
	return nil
}

// crew connects to the workers that search, nil without. What they find is proved by this process.
func (w *inference) crew(
	ctx context.Context, s *streams, path string, systems []*derive.Derived, o *verify.Options,
) (*crew, error) {
	if !w.given() {
		return nil, nil
	}
	if w.Workers.divide && w.Workers.given("divide") {
		return nil, usage("--divide: %s", nothingExplored)
	}
	if _, err := smt.Find(ctx, o.Induct.Solvers); err != nil {
		return nil, fmt.Errorf("what workers find is proved here: %w", err)
	}
	derived, err := w.Pass.derivation(derive.Options{})
	if err != nil {
		return nil, err
	}
	return w.begin(ctx, s, &assignment{path: path, systems: systems, derive: derived,
		anew: w.Cache.anew(), quiet: w.Output.Report.quiet}, o)
}

// ownCache keeps the proofs of this run alone where no others are kept: the proof of the text with
// the lemmas in it asks what the search has asked at last.
func ownCache(o *discharge.Options) (forget func(), err error) {
	if o.Cache != nil || o.LogDir != "" {
		return func() {}, nil
	}
	dir, err := os.MkdirTemp("", "erelong-proofs")
	if err != nil {
		return nil, fmt.Errorf("keeping the proofs of this run: %w", err)
	}
	o.Cache = smt.NewCache(dir)
	o.Cache.Earlier = false
	return func() { _ = os.RemoveAll(dir) }, nil
}

// report is the report of a search, to which the lemmas and their proof are still to be added.
func (w *inference) report(
	path string, out *verify.Outcome, warnings []*diag.Diagnostic, note string,
) *report.Report {
	r := &report.Report{
		Version: Version(), File: path, Command: "infer", Results: out.Results, Notes: out.Notes,
		Warnings:    warnings,
		Environment: report.Environment{Date: time.Now(), CPUs: runtime.NumCPU()},
	}
	if note != "" {
		r.Notes = append(r.Notes, note)
	}
	return r
}

// write prints the report, and writes the files that are wanted: the text with the lemmas in it, if
// there is one, and the certificate of some systems, if there are any.
func (w *inference) write(
	ctx context.Context, s *streams, path string, sys *system.System, r *report.Report,
	text string, proved []*derive.Derived, results []result.Result,
) error {
	if w.Infer.asTLA {
		if err := asTLA(s, path, r); err != nil {
			return err
		}
	}
	w.sayBorders(r)
	lost := w.Output.write(s, sys, r)
	if text != "" && w.Infer.write && lost == nil {
		lost = writeFile(path, func(to io.Writer) error {
			_, err := io.WriteString(to, text)
			return err
		})
	}
	if file := w.Certificate.certificate; file != "" && lost == nil && len(proved) > 0 {
		lost = writeCertificate(ctx, s, file, proved, results, nil)
	}
	return orLost(lost, w.Output.verdict(ctx, &verify.Outcome{Results: r.Results}, r))
}

// confirm proves the text with the lemmas in it, as it would be written, and reports that. It gives
// the text, its system, and what was proved of it.
func (w *inference) confirm(
	ctx context.Context, s *streams, path string, given *system.System, out *engine.Inferred,
	opts verify.Options, r *report.Report,
) (
	text string, sys *system.System, results []result.Result, err error) {
	if text, err = s.textOf(path); err != nil {
		return "", nil, nil, err
	}
	var b strings.Builder
	b.WriteString(text)
	b.WriteString("\n# found by erelong infer\n")
	for _, l := range out.Lemmas {
		formula := l.Term.String()
		fmt.Fprintf(&b, "invariant [%s] %s\n", l.Name, formula)
		r.Lemmas = append(r.Lemmas, report.Lemma{Name: l.Name, Formula: formula, For: l.For})
	}
	r.Results = slices.DeleteFunc(r.Results, func(x result.Result) bool {
		return x.Scope == result.ScopeAll && x.Verdict != result.NothingChecked &&
			!slices.Contains(out.Open, x.Property)
	})
	if foreign(path, text) {
		sys, results, err = w.prove(ctx, engine.Extended(given, out.Lemmas), out, opts, r)
		return text, sys, results, err
	}
	if len(out.Lemmas) > 0 {
		if text, err = layOut(path, b.String()); err != nil {
			return "", nil, nil, err
		}
	}
	sys, _, err = ere.Compile(filepath.ToSlash(path), text)
	if err != nil {
		var list *diag.List
		if errors.As(err, &list) {
			return "", nil, nil,
				fmt.Errorf("the invariants that were found cannot be read back: %w", list.All[0])
		}
		return "", nil, nil, err
	}
	w.leaveOut([]*derive.Derived{{Spec: &ere.Specification{System: sys}}})
	renamed := newNames(given, sys, out)
	opts.Only = renamed(opts.Only)
	now := &engine.Inferred{Lemmas: out.Lemmas, Kept: renamed(out.Kept), Open: renamed(out.Open)}
	sys, results, err = w.prove(ctx, sys, now, opts, r)
	return text, sys, results, err
}

// newNames gives the names that properties have in a text with the lemmas in it: what has no name
// of its own is called by its line.
func newNames(
	given, sys *system.System, out *engine.Inferred,
) (renamed func(names []string) []string) {
	own := slices.DeleteFunc(slices.Clone(sys.Properties), func(p *system.Property) bool {
		return isLemma(out, p)
	})
	return func(names []string) (now []string) {
		for _, name := range names {
			i := slices.IndexFunc(given.Properties, func(p *system.Property) bool {
				return p.Name == name
			})
			if i >= 0 && i < len(own) {
				name = own[i].Name
			}
			now = append(now, name)
		}
		return now
	}
}

// isLemma reports whether a property is one of the lemmas that were found.
func isLemma(out *engine.Inferred, p *system.Property) bool {
	return slices.ContainsFunc(out.Lemmas, func(l engine.Lemma) bool { return l.Name == p.Name })
}

// layOut lays out a file with the lemmas in it.
func layOut(path, text string) (string, error) {
	text, err := format.Source(path, text)
	if err != nil {
		return "", fmt.Errorf("laying out the file with its invariants: %w", err)
	}
	return text, nil
}

// foreign reports whether a file is in another language than erelong's, so that no text of
// erelong's can be added to it.
func foreign(path, text string) bool { return !front.Of(path, text).Own }

// prove proves a system with the lemmas in it, and reports that.
func (w *inference) prove(
	ctx context.Context, sys *system.System, out *engine.Inferred, opts verify.Options,
	r *report.Report,
) (*system.System, []result.Result, error) {
	ctx, cancel := effort.Late(ctx, lateProof)
	defer cancel()
	own := *sys // an invariant that is left out here is one of the file all the same
	own.Properties = withoutUnused(sys, out, opts.Only)
	sys = &own
	results, err := induction.Prove(ctx, sys, opts.Induct)
	if err != nil {
		return nil, nil, err
	}
	for _, x := range results {
		if p := sys.Property(x.Property); p != nil && p.Kind == system.Safety {
			x.Engine = infer.Name
			r.Results = append(r.Results, x)
		}
	}
	result.Assume(r.Results, sys.Assumptions())
	return sys, results, nil
}

// withoutUnused lists the properties without the ones that are not proved, the safety properties
// that are not chosen, if some are, and the file's own invariants, which are no part of the proof
// unless it needs them or they are to be proved.
func withoutUnused(sys *system.System, out *engine.Inferred, only []string) []*system.Property {
	return slices.DeleteFunc(slices.Clone(sys.Properties), func(p *system.Property) bool {
		if slices.Contains(out.Open, p.Name) {
			return true
		}
		if slices.Contains(only, p.Name) {
			return false
		}
		return p.Kind == system.Safety && len(only) > 0 || p.Kind == system.Invariant &&
			!slices.Contains(out.Kept, p.Name) && !isLemma(out, p)
	})
}
