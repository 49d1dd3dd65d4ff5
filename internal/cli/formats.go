package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/report"
)

// outputFormat is a format for results.
type outputFormat struct {
	name  string
	whole bool // it shows everything, so options for the amount of detail do not apply
	write func(o *output, w io.Writer, r *report.Report, view report.Options) error
}

// formats lists the formats for results; the first one is the default. A new one is a function of
// package report and one line.
func formats() []outputFormat {
	return []outputFormat{
		{name: "text", write: writeText},
		{name: "json", whole: true, write: writeJSON},
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
	}
	if err := report.WriteText(w, &shown, view); err != nil {
		return fmt.Errorf("writing the results: %w", err)
	}
	// Several properties may have the same run, such as a run to a state that cannot be evaluated.
	written := map[string]bool{}
	for _, t := range traces(shown.Results) {
		var b strings.Builder
		if err := report.WriteTrace(&b, t, view); err != nil {
			return fmt.Errorf("writing a trace: %w", err)
		}
		if written[b.String()] {
			continue
		}
		written[b.String()] = true
		if _, err := fmt.Fprintf(w, "\n%s", b.String()); err != nil {
			return fmt.Errorf("writing a trace: %w", err)
		}
	}
	return nil
}
