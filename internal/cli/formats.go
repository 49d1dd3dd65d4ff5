package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
)

// outputFormat is a format for results.
type outputFormat struct {
	name   string
	ending string // of files in this format
	whole  bool   // it shows everything, so options for the amount of detail do not apply
	write  func(o *output, w io.Writer, r *report.Report, view report.Options) error
}

// formats lists the formats for results; the first one is the default. A new one is a function of
// package report and one line.
func formats() []outputFormat {
	return []outputFormat{
		{name: "text", ending: ".txt", write: writeText},
		{name: "json", ending: ".json", whole: true, write: writeJSON},
		{name: "sarif", ending: ".sarif", whole: true, write: ofReport(report.WriteSARIF)},
		{name: "junit", ending: ".junit.xml", whole: true, write: ofReport(report.WriteJUnit)},
		{name: "mermaid", ending: ".mermaid.md", whole: true, write: ofReport(report.WriteMermaid)},
		{name: "plantuml", ending: ".puml", whole: true, write: ofReport(report.WritePlantUML)},
	}
}

func formatNames() (names []string) {
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

// formatOf is the format of this name, nil if there is none.
func formatOf(name string) *outputFormat {
	all := formats()
	if i := slices.IndexFunc(all, func(f outputFormat) bool { return f.name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// destination is a format, and the file that gets the results in it: empty for the standard output.
type destination struct {
	*outputFormat
	path string
	flag string // that asks for it
}

// destinations are the formats of the results of a file. Of the formats without a file of their
// own, the first goes to the standard output and each other one beside the specification.
func (o *reportOptions) destinations(specification string) (out []destination, err error) {
	printed := false
	for _, item := range o.formats {
		name, path, named := strings.Cut(item, "=")
		f := formatOf(name)
		switch {
		case f == nil:
			return nil, usage("--format %s is not supported: write %s", name,
				enumerated(formatNames()))
		case named && path == "":
			return nil, usage("--format %s: there is no file after '='", item)
		case !named && !printed:
			printed = true
		case !named && specification == standardInput:
			return nil, usage("--format %s: the standard input has no folder, so write --format "+
				"%s=FILE", name, name)
		case !named:
			path = specification + f.ending
		}
		for _, d := range out {
			if d.name == f.name {
				return nil, usage("--format names %s twice", name)
			}
		}
		out = append(out, destination{f, path, "format"})
	}
	for _, also := range []struct{ name, path string }{{"sarif", o.sarif}, {"junit", o.junit}} {
		if also.path != "" {
			out = append(out, destination{formatOf(also.name), also.path, also.name})
		}
	}
	return out, nil
}

// ofReport is a format that has one writer in package report.
func ofReport(
	write func(io.Writer, *report.Report, report.Options) error,
) func(*output, io.Writer, *report.Report, report.Options) error {
	return func(_ *output, w io.Writer, r *report.Report, view report.Options) error {
		return write(w, r, view)
	}
}

func writeJSON(_ *output, w io.Writer, r *report.Report, _ report.Options) error {
	if err := report.WriteJSON(w, r); err != nil {
		return fmt.Errorf("writing the results: %w", err)
	}
	return nil
}

// writeText prints a table, and below it the traces.
func writeText(o *output, w io.Writer, r *report.Report, view report.Options) error {
	shown := *r
	if o.All != nil && !o.All.all {
		shown.Results, shown.Notes = withoutAuxiliary(r)
		view.Brief = true
	}
	if err := report.WriteText(w, &shown, view); err != nil {
		return fmt.Errorf("writing the results: %w", err)
	}
	if view.Bounds {
		return nil
	}
	// Several properties may have the same run, such as a run to a state that cannot be evaluated.
	written := map[string]bool{}
	var shownRuns []*result.Trace
	for _, t := range traces(shown.Results) {
		var whole, b strings.Builder
		err := report.WriteTrace(&whole, t, view)
		if err == nil && written[whole.String()] {
			continue
		}
		written[whole.String()] = true
		below := view
		below.Above = shownRuns
		if err := errors.Join(err, report.WriteTrace(&b, t, below)); err != nil {
			return fmt.Errorf("writing a trace: %w", err)
		}
		shownRuns = append(shownRuns, t)
		if _, err := fmt.Fprintf(w, "\n%s", b.String()); err != nil {
			return fmt.Errorf("writing a trace: %w", err)
		}
	}
	return nil
}
