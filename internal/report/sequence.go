package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diagram"
	"erelong.dev/erelong/internal/result"
)

// WriteMermaid writes a page in Markdown with the runs of the results as sequence diagrams of
// Mermaid.
func WriteMermaid(w io.Writer, r *Report, o Options) error {
	return writeDiagrams(w, r, o, func(title string, c *diagram.Chart) string {
		return "## " + title + "\n\n```mermaid\n" + c.Mermaid() + "```\n"
	}, "No run of %s can be drawn as a chart.\n")
}

// WritePlantUML writes the runs of the results as sequence diagrams of PlantUML.
func WritePlantUML(w io.Writer, r *Report, o Options) error {
	return writeDiagrams(w, r, o, func(title string, c *diagram.Chart) string {
		return "' " + title + "\n" + c.PlantUML()
	}, "' No run of %s can be drawn as a chart.\n")
}

// writeDiagrams writes each run once, although several properties may have it.
func writeDiagrams(w io.Writer, r *Report, o Options, draw func(string, *diagram.Chart) string,
	none string) error {
	var parts []string
	var drawn []*result.Trace
	for _, x := range r.Results {
		t := x.Trace
		if t == nil || slices.ContainsFunc(drawn, func(other *result.Trace) bool {
			return sameRun(t, other)
		}) {
			continue
		}
		c := diagram.ChartOf(t, "")
		if c == nil {
			continue
		}
		if err := checkHidden(t.Told(), o.Hide); err != nil {
			return err
		}
		drawn = append(drawn, t)
		title, _ := Headline(t)
		parts = append(parts, draw(strings.Join(strings.Fields(title), " "), c.Hide(o.Hide)))
	}
	text := strings.Join(parts, "\n")
	if len(parts) == 0 {
		text = fmt.Sprintf(none, r.File)
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("writing the diagrams: %w", err)
	}
	return nil
}
