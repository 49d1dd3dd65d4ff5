package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"erelong.dev/erelong/internal/certificate"
	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/verify"
)

// writeCertificate writes the proofs to a file, also the ones in the system of a protocol without
// time.
func writeCertificate(
	ctx context.Context, s *streams, path string, systems []*derive.Derived,
	results, untimed []result.Result,
) error {
	var sources []certificate.Source
	for _, d := range systems {
		source := certificate.Source{Name: d.Name, System: d.Spec.System, Reductions: d.Reductions}
		for _, r := range results {
			if own, ok := d.Own(r.Property); ok && (!isUntimed(r) || d.Name == derive.Untimed) {
				r.Property = own
				source.Results = append(source.Results, r)
			}
		}
		sources = append(sources, source)
		if d.Untimed == nil || len(untimed) == 0 {
			continue
		}
		other, err := d.Untimed(ctx)
		if err != nil {
			return fmt.Errorf("making the certificate: %w", err)
		}
		sources = append(sources, certificate.Source{Name: other.Name, System: other.Spec.System,
			Reductions: other.Reductions, Results: untimed})
	}
	modules, err := translate(ctx, sources)
	if err != nil {
		return fmt.Errorf("making the certificate: %w", err)
	}
	c, err := certificate.New(Version(), sources...)
	if err != nil {
		return fmt.Errorf("making the certificate: %w", err)
	}
	if c == nil {
		_, err := fmt.Fprintf(s.err,
			"no certificate was written to %s: nothing was proved for all instances\n", path)
		return err
	}
	c.Specification.Modules = modules
	if err := writeFile(path, c.Write); err != nil {
		return fmt.Errorf("writing the certificate: %w", err)
	}
	_, err = fmt.Fprintf(s.err,
		"the certificate is in %s; check it again with: erelong prove --recheck %s\n", path, path)
	return err
}

// translate puts the text of a translation in the place of the system of a file that is proved as
// one. It gives the files of which the translation was made, none for other files. What nobody
// claims, and was not proved, is no claim of the text.
func translate(
	ctx context.Context, sources []certificate.Source,
) ([]certificate.Module, error) {
	s := &sources[0]
	src := s.System.Source
	if !front.Of(src.Name, src.Text).Translated {
		return nil, nil
	}
	proved := map[string]bool{}
	for _, r := range s.Results {
		proved[r.Property] = r.Verdict == result.Holds
	}
	text, modules, err := certificate.Translate(src.Name, src.Text, os.ReadFile,
		func(formula string) bool { return proved[formula] })
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // what is proved is written down where the time has ended, too
	systems, _, err := front.Systems(ctx, certificate.TranslationName(src.Name), text,
		front.Options{})
	if err != nil {
		return nil, fmt.Errorf("reading the translation of %s again: %w", src.Name, err)
	}
	s.System = systems[0].Spec.System
	return modules, nil
}

// isUntimed reports whether a result is of the system of a protocol without time.
func isUntimed(r result.Result) bool {
	return r.Evidence != nil && slices.ContainsFunc(r.Evidence.Reductions,
		func(x result.Reduction) bool { return x.Name == derive.Untimed })
}

// recheck is the handler of prove with a certificate, which is checked again. A given specification
// must be the text of the certificate.
type recheck struct {
	Output  output
	Solve   *solveOptions
	Recheck *recheckOptions
}

// certificateOf tells the certificate from its specification: it is the first file, or the only one
// with a name of JSON.
func certificateOf(args []string) (certificate string, specification []string) {
	isJSON := func(path string) bool { return strings.HasSuffix(path, ".json") }
	if len(args) == 2 && !isJSON(args[0]) && isJSON(args[1]) {
		return args[1], args[:1]
	}
	return args[0], args[1:]
}

func (k *recheck) idle() []idleOption { return k.Output.idle() }

func (k *recheck) run(ctx context.Context, s *streams, args []string) error {
	path, specification := certificateOf(args)
	if err := k.Output.valid(path); err != nil {
		return err
	}
	solving, err := k.Solve.options()
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return &exitError{ExitFile, fmt.Errorf("reading the certificate: %w", err)}
	}
	defer file.Close()
	c, err := certificate.Read(file)
	if err != nil {
		return &exitError{ExitFile, fmt.Errorf("%s: %w", path, err)}
	}
	for _, spec := range specification {
		text, err := os.ReadFile(spec)
		if err != nil {
			return &exitError{ExitFile, fmt.Errorf("reading the specification: %w", err)}
		}
		if why := c.About(spec, string(text), os.ReadFile); why != "" {
			return &exitError{ExitFile, fmt.Errorf("%s: %s", path, why)}
		}
	}
	targets := append(k.Output.targets(path), target{"save-queries", solving.LogDir, true})
	if err := tryTargets(path, targets); err != nil {
		return err
	}
	drivers, err := smt.Find(ctx, solving.Solvers)
	if err != nil {
		return &exitError{ExitSolver, err}
	}
	o := certificate.Options{Drivers: drivers, Rlimit: solving.Rlimit, Seed: solving.Seed,
		Jobs: solving.Jobs, LogDir: solving.LogDir}
	m := newMeter(s)
	if !k.Output.Report.quiet {
		o.Progress = func(done, total int, o result.Obligation) {
			m.event(engine.Progress{Text: fmt.Sprintf("rechecking: %d of %d obligations, last "+
				"%s: %s", done, total, o.Name, o.Verdict)})
		}
	}
	outcome, err := c.Recheck(ctx, o)
	m.done()
	if err != nil {
		if errors.Is(err, certificate.ErrRefused) {
			err = &exitError{ExitFile, fmt.Errorf("%s: %w", path, err)}
		}
		return err
	}
	r := &report.Report{
		Version: Version(), File: path, Command: "prove --recheck", Results: outcome.Results,
		Notes: about(c),
		Environment: report.Environment{Date: time.Now(), CPUs: runtime.NumCPU(),
			Solvers: outcome.Solvers},
	}
	// The text has been read before. After an interrupt the results are still to be printed.
	if err := uncertified(context.WithoutCancel(ctx), c, r, len(specification) > 0); err != nil {
		return err
	}
	lost := k.Output.write(s, outcome.System, r)
	if slices.ContainsFunc(outcome.Results, func(r result.Result) bool {
		return r.Verdict == result.NotInductive
	}) {
		return orLost(lost,
			&exitError{ExitNotInductive,
				fmt.Errorf("%s: THE CERTIFICATE IS WRONG: it claims what a solver refutes", path)})
	}
	return orLost(lost, k.Output.verdict(ctx, &verify.Outcome{}, r))
}

// about says which text a certificate is about.
func about(c *certificate.Certificate) []string {
	s := &c.Specification
	out := []string{fmt.Sprintf("the text is that of %s, SHA-256 %s", s.Name, s.SHA256)}
	for i, m := range s.Modules {
		said := "with %s, SHA-256 %s"
		if i == 0 {
			said = "it is the translation of %s, SHA-256 %s, which was made again"
		}
		out = append(out, fmt.Sprintf(said, m.Name, m.SHA256))
	}
	for _, m := range s.Included {
		out = append(out, fmt.Sprintf("it includes %s, SHA-256 %s", m.Name, m.SHA256))
	}
	return out
}

// uncertified adds the claims of the text that a certificate does not cover: as results if the text
// was given, otherwise as a note.
func uncertified(
	ctx context.Context, c *certificate.Certificate, r *report.Report, given bool,
) error {
	open, err := c.Uncertified(ctx, r.Results)
	if err != nil || given {
		r.Results = append(r.Results, open...)
		return err
	}
	var names []string
	for _, x := range open {
		if x.Verdict != result.Holds {
			names = append(names, x.Property)
		}
	}
	if len(names) > 0 {
		r.Notes = append(r.Notes,
			"the text claims more than the certificate, and nothing is said of that: "+
				strings.Join(names, ", "))
	}
	return nil
}
