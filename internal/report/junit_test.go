package report

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/result"
)

// junitElements has the attributes and the elements that the schema of the xUnit plugin of Jenkins
// allows in the elements that are written; the ones with an exclamation mark are required. The
// plugin refuses a file with others. ERELONG_JUNIT_SCHEMA names a file with the whole schema
// (junit-10.xsd), against which xmllint then checks each file, too.
var junitElements = map[string]struct{ attributes, children string }{
	"":           {"", "testsuites"},
	"testsuites": {"name time tests failures errors", "testsuite"},
	"testsuite": {"name! tests! failures! errors! group time skipped timestamp hostname id package file log url",
		"testsuite properties testcase system-out system-err"},
	"testcase":   {"name! time classname group", "skipped error failure system-out system-err"},
	"failure":    {"type message", ""},
	"error":      {"type message", ""},
	"system-out": {"", ""},
}

var junitSeconds = regexp.MustCompile(`^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?$`)

// fitsJUnit reports what the schema does not allow.
func fitsJUnit(t *testing.T, text string) {
	t.Helper()
	inside := []string{""}
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		switch e := token.(type) {
		case xml.EndElement:
			inside = inside[:len(inside)-1]
		case xml.StartElement:
			name, in := e.Name.Local, inside[len(inside)-1]
			if !slices.Contains(strings.Fields(junitElements[in].children), name) {
				t.Errorf("the element %s is in %q", name, in)
			}
			for _, fault := range attributeFaults(e, junitElements[name].attributes) {
				t.Errorf("the element %s: %s", name, fault)
			}
			inside = append(inside, name)
		}
	}
	if schema := os.Getenv("ERELONG_JUNIT_SCHEMA"); schema != "" {
		lint := exec.CommandContext(t.Context(), "xmllint", "--noout", "--schema", schema, "-")
		lint.Stdin = strings.NewReader(text)
		if out, err := lint.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
}

// attributeFaults compares the attributes of an element with the words of a line of junitElements.
func attributeFaults(e xml.StartElement, allowed string) (out []string) {
	words := strings.Fields(allowed)
	for _, a := range e.Attr {
		i := slices.IndexFunc(words, func(w string) bool {
			return strings.TrimSuffix(w, "!") == a.Name.Local
		})
		switch {
		case i < 0:
			out = append(out, "no attribute "+a.Name.Local)
		case a.Name.Local == "time" && !junitSeconds.MatchString(a.Value):
			out = append(out, "no time: "+a.Value)
		default:
			words = slices.Delete(words, i, i+1)
		}
	}
	for _, w := range words {
		if strings.HasSuffix(w, "!") {
			out = append(out, "without "+w)
		}
	}
	return out
}

// An element that the schema does not have, and a missing attribute, are noticed.
func TestJUnitFaults(t *testing.T) {
	e := xml.StartElement{Name: xml.Name{Local: "testcase"},
		Attr: []xml.Attr{{Name: xml.Name{Local: "line"}}}}
	if got := attributeFaults(e, junitElements["testcase"].attributes); len(got) != 2 {
		t.Errorf("the faults are %q", got)
	}
}

func junitOf(t *testing.T, r *Report) (out junitSuites) {
	t.Helper()
	var b strings.Builder
	if err := WriteJUnit(&b, r, Options{}); err != nil {
		t.Fatal(err)
	}
	fitsJUnit(t, b.String())
	if err := xml.Unmarshal([]byte(b.String()), &out); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	return out
}

func TestJUnit(t *testing.T) {
	written := reports()
	src, list := diag.NewSource("lock.ere", "sort\n"), &diag.List{}
	list.Errorf(diag.Syntax, diag.Span{Source: src, Start: 4, End: 5}, "expected a name")
	written["broken"] = &Report{File: "lock.ere", Warnings: list.All}
	for name, r := range written {
		r.File = "lock.ere"
		for _, s := range junitOf(t, r).Suites {
			if s.Name == "" || s.Tests != len(s.Cases) || s.Time == "" {
				t.Errorf("%s: %+v", name, s)
			}
			for _, c := range s.Cases {
				if c.Name == "" || c.Class == "" || c.Time == "" {
					t.Errorf("%s: %+v", name, c)
				}
			}
		}
	}
	all := junitOf(t, allVerdicts())
	if len(all.Suites) != 2 || all.Tests != len(result.All)+2 || all.Failures != 4 ||
		all.Errors != 4 {
		t.Errorf("%+v", all.junitCounts)
	}
	for i, v := range result.All {
		c := all.Suites[0].Cases[i]
		fails := v == result.Violated || v == result.NotInductive || v == result.NoRun
		if (c.Failure != nil) != fails || (c.Error != nil) != (!fails && v != result.Holds) {
			t.Errorf("%s: %+v", v, c)
		}
	}
	odd := allVerdicts()
	odd.Results[0].Property, odd.Notes = "a\x01<\xff", []string{"]]>\uffff"}
	if all := junitOf(t, odd); all.Suites[0].Cases[0].Name != "a\ufffd<\ufffd" {
		t.Errorf("%+v", all)
	}
	decided := allVerdicts()
	decided.ExpectationsDecide = true
	if all := junitOf(t, decided); len(all.Suites) != 1 || all.Failures != 1 || all.Errors != 0 {
		t.Errorf("only expectations: %+v", all)
	}
}
