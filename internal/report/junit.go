package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"erelong.dev/erelong/internal/result"
)

// The elements of JUnit's XML that build servers read. Some servers refuse a file with others, or
// with other attributes: a test has the list.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Suites []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCounts
		File      string      `xml:"file,attr"`
		Timestamp string      `xml:"timestamp,attr,omitempty"`
		Cases     []junitCase `xml:"testcase"`
		Output    string      `xml:"system-out,omitempty"`
	}
	junitCounts struct {
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Time     string `xml:"time,attr"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitMessage `xml:"failure"`
		Error   *junitMessage `xml:"error"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the report as JUnit's XML. Each property is a test: it passes exactly if the
// property holds, it fails with a counterexample, and it is an error if there is no answer. The
// expectations of the file are a second suite, or, if they alone decide, the only one. Each error
// in a file that cannot be read is a test that fails.
func WriteJUnit(w io.Writer, r *Report, o Options) error {
	all := junitSuites{Name: "erelong " + r.Command}
	if !r.ExpectationsDecide || len(r.errors()) > 0 {
		properties, err := propertySuite(r, o)
		if err != nil {
			return err
		}
		all.Suites = append(all.Suites, properties)
	}
	if len(r.Expectations) > 0 {
		all.Suites = append(all.Suites, expectationSuite(r))
	}
	var total time.Duration
	for i := range all.Suites {
		s := &all.Suites[i]
		if !r.Environment.Date.IsZero() {
			s.Timestamp = r.Environment.Date.UTC().Format("2006-01-02T15:04:05")
		}
		for _, c := range s.Cases {
			s.Tests++
			s.Failures += btoi(c.Failure != nil)
			s.Errors += btoi(c.Error != nil)
		}
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
	}
	for _, x := range r.Results {
		total += x.Elapsed
	}
	all.Time = junitTime(total)
	text, err := xml.MarshalIndent(all, "", " ")
	if err != nil {
		return fmt.Errorf("writing the report as JUnit's XML: %w", err)
	}
	if _, err := fmt.Fprintf(w, "%s%s\n", xml.Header, text); err != nil {
		return fmt.Errorf("writing the report as JUnit's XML: %w", err)
	}
	return nil
}

// propertySuite has a test for each property, about all of its rows.
func propertySuite(r *Report, o Options) (junitSuite, error) {
	s := junitSuite{Name: r.File, File: r.File, Output: strings.Join(r.Notes, "\n")}
	var sum time.Duration
	for _, outcome := range result.Outcomes(r.Results) {
		c := junitCase{Name: outcome.Property, Class: r.File}
		place := r.File
		var elapsed time.Duration
		var rows, traces []string
		for _, x := range r.Results {
			if x.Property != outcome.Property || x.Kind != outcome.Kind {
				continue
			}
			elapsed += x.Elapsed
			if x.Line > 0 {
				place = r.File + ":" + strconv.Itoa(x.Line)
			}
			row := spoken(&x) + ", scope " + x.Scope
			if x.Engine != "" {
				row += ", by " + x.Engine
			}
			if x.Reason.Given() {
				row += ": " + x.Reason.Text
			}
			rows = append(rows, row)
			if x.Trace != nil && x.Verdict != result.Holds {
				var b strings.Builder
				plain := Options{Hide: o.Hide, File: o.File, Snippet: o.Snippet,
					Elsewhere: o.Elsewhere}
				if err := WriteTrace(&b, x.Trace, plain); err != nil {
					return s, err
				}
				traces = append(traces, b.String())
			}
		}
		sum += elapsed
		c.Time = junitTime(elapsed)
		say := &junitMessage{
			Message: outcome.Property + ": " + string(outcome.Verdict),
			Type:    ruleID(outcome.Verdict),
			Text:    strings.Join(append(append([]string{place}, rows...), traces...), "\n"),
		}
		switch outcome.Verdict {
		case result.Holds:
			c.Output = strings.Join(rows, "\n")
		case result.Violated, result.NoRun, result.NotInductive:
			c.Failure = say
		default:
			c.Error = say
		}
		s.Cases = append(s.Cases, c)
	}
	for _, d := range r.errors() {
		say := &junitMessage{Message: d.Message, Type: string(d.Code),
			Text: strings.TrimSpace(d.Span.String() + ": " + d.Message + "\n" + d.Fix)}
		s.Cases = append(s.Cases, junitCase{Name: d.Span.String() + ": " + string(d.Code),
			Class: r.File, Time: junitTime(0), Error: say})
	}
	s.Time = junitTime(sum)
	return s, nil
}

// expectationSuite has a test for each expectation of the file.
func expectationSuite(r *Report) junitSuite {
	s := junitSuite{Name: r.File + " (expectations)", File: r.File}
	s.Time = junitTime(0)
	for _, e := range r.Expectations {
		name := e.Property + " " + e.Want
		if e.Instance != "" {
			name += " in " + e.Instance
		}
		c := junitCase{Name: "expect " + name, Class: r.File + ".expect", Time: junitTime(0)}
		if !e.Met {
			text := fmt.Sprintf("expected %s, got %s", e.Want, e.Got)
			c.Failure = &junitMessage{Message: text, Type: "expectation", Text: e.Detail}
		}
		s.Cases = append(s.Cases, c)
	}
	return s
}

func junitTime(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }
