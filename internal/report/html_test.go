package report

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/result"
)

func htmlText(t *testing.T, r *Report, o Options) string {
	t.Helper()
	var b strings.Builder
	if err := WriteHTML(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var tag = regexp.MustCompile(`<(/?)([a-z0-9]+)[^>]*>`)

// Every opened element is closed, in the right order.
func TestHTMLIsBalanced(t *testing.T) {
	for name, r := range reports() {
		var open []string
		for _, m := range tag.FindAllStringSubmatch(htmlText(t, r, Options{Snippet: snippet}), -1) {
			switch closing, name := m[1] == "/", m[2]; {
			// of a drawing
			case slices.Contains([]string{"meta", "br", "wbr"}, name) || strings.HasSuffix(m[0], "/>"):
			case !closing:
				open = append(open, name)
			case len(open) == 0 || open[len(open)-1] != name:
				t.Fatalf("</%s> after %v", name, open)
			default:
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 {
			t.Errorf("%s: not closed: %v", name, open)
		}
	}
}

func TestHTMLText(t *testing.T) {
	text := htmlText(t, exampleReport(), Options{Snippet: snippet})
	for _, want := range []string{
		"<title>lock.ere: 5 properties: 1 holds for all under assumptions, 1 holds up to k, 2 violated, 1 not checked</title>",
		`<td class="not-inductive">not inductive</td>`,
		`<td class="n">10,158</td><td class="n">12,194</td>`,
		`<td>barge preserves mutex<br><code class="soft">safety [mutex] entered(C1) &amp; entered(C2) -&gt; C1 = C2</code></td><td class="n">12</td><td class="not-inductive">not inductive</td><td>z3 4.16.0</td><td class="soft"></td><td class="n">6</td><td class="n">39ms</td><td class="n">-</td>`,
		`<td class="n">12,345</td>`,
		"<dt>trusted without proof</dt><dd>fair</dd>",
		`<b>barge(c = client1)</b>`,
		`<div>clock(client1): <span class="old">1</span> → <span class="new">0</span></div>`,
		`<b>loop back to state 1</b>`,
		`<td class="verdict holds">holds, assuming fair, slow</td>`,
		"<li>fair, a trusted invariant in line 10: forall C:client. clock(C) &lt;= M_period</li>",
		`<p class="soft">it obeys the assumptions fair, slow</p>`,
		"This is not a bug report",
		`mutex is violated in state 4</b> <span class="soft">line 12</span>`,
		"<dt>date</dt><dd>2026-11-21 01:02:03 UTC</dd>",
		"<dt>processors</dt><dd>2</dd>", "<dt>solver</dt><dd>cvc5 1.3.1</dd>",
		`<td class="unmet">not met</td>`,
		"the action leave is never enabled",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// A long name may break after its parts, and is escaped.
func TestHTMLName(t *testing.T) {
	const want = "one_<wbr>way/<wbr>range:<wbr>x, &lt;b&gt; &#34;n=<wbr>2&#34;"
	if got := string(htmlName(`one_way/range:x, <b> "n=2"`)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The page is self-contained: it names no address, loads nothing, and runs no script.
func TestHTMLExplains(t *testing.T) {
	text := htmlText(t,
		&Report{Results: []result.Result{{Property: "mutex", Verdict: result.NotInductive,
			Trace: diagnosed()}}}, Options{Snippet: snippet})
	for _, want := range []string{
		"for C1 = client0, C2 = client1<ul><li>entered(C1) &amp; entered(C2) -&gt; C1 = C2 is false<ul><li>entered(C1) &amp; entered(C2) is true</li><li>C1 = C2 is false</li></ul>",
		"<code class=\"source\">safety [mutex] <u>entered(C1) &amp; entered(C2) -&gt; C1 = C2</u></code>",
		"<b>state 0 is not reachable with client = 2, M_period = 4 (1,234 states); bigger instances were not looked at: an invariant is missing, or the violation needs a bigger one</b>",
		"<dt><code>invariant turn = Busy</code></dt><dd>with it mutex is inductive, but it is not inductive itself</dd>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestHTMLStandsAlone(t *testing.T) {
	text := htmlText(t, exampleReport(), Options{})
	for _, no := range []string{"http:", "https:", "src=", "<link", "<script", "@import", "url("} {
		if strings.Contains(text, no) {
			t.Errorf("%s occurs", no)
		}
	}
}

func TestHTMLEscapes(t *testing.T) {
	const evil = `"><script>alert('x')</script>`
	trace := &result.Trace{Kind: result.Counterexample, Instance: evil, Violates: evil, Line: 1,
		Loop:     0,
		Universe: []result.Universe{{Sort: evil, Elements: []string{evil}}},
		Params:   []result.Binding{{Name: evil, Value: result.Atom("s", evil)}},
		Steps: []result.Step{
			{State: []result.Binding{{Name: evil, Value: result.Atom("s", evil)}}},
			{Action: evil, Args: []result.Binding{{Name: evil, Value: result.Atom("s", evil)}},
				State: []result.Binding{{Name: evil, Value: result.Atom("s", "b")}}},
		}}
	r := &Report{Version: evil, File: evil, Command: evil, Notes: []string{evil},
		Results: []result.Result{{Property: evil, Kind: evil, Verdict: evil, Scope: evil,
			Engine: evil, Reason: result.Because(result.NotProved, evil), Trace: trace,
			Evidence: &result.Evidence{Invariant: []string{evil}, Trusted: []string{evil},
				Reductions: []result.Reduction{{Name: evil, Theorem: evil}},
				Obligations: []result.Obligation{{Name: evil, Verdict: evil,
					Reason: result.Because(result.NotProved, evil),
					Solver: result.Solver{Name: evil, Version: evil}, Line: 1}}}}},
		Expectations: []Expectation{{evil, evil, evil, evil, false, evil}},
		Environment:  Environment{Date: exampleReport().Environment.Date, Solvers: []string{evil}},
	}
	text := htmlText(t, r, Options{Snippet: func(int) string { return evil }})
	if strings.Contains(text, "<script") || strings.Contains(text, "alert('x')") {
		t.Error("text of the user is taken as HTML")
	}
	if n := strings.Count(text, "&lt;script&gt;"); n < 25 {
		t.Errorf("only %d places show the text", n)
	}
}

func TestHTMLOfEmptyReportAndLongValues(t *testing.T) {
	if text := htmlText(t, &Report{}, Options{}); !strings.Contains(text, "nothing was checked") ||
		strings.Contains(text, "<table") {
		t.Error(text)
	}
	text := htmlText(t, reports()["odd traces"], Options{})
	if !strings.Contains(text, strings.Repeat("7", 5000)) {
		t.Error("a long value is cut")
	}
	if !strings.Contains(text, "the trace has no states") {
		t.Error("the trace without states is missing")
	}
}

// A run of an algorithm is told in rounds, before the states of the derived system; and a run that
// two results share is shown once.
func TestHTMLTellsRoundsAndRepeatsNoRun(t *testing.T) {
	trace := func(violates string) *result.Trace {
		state := func(n string) []result.Binding {
			return []result.Binding{{Name: "epc", Value: result.Atom("place", "SSched")},
				{Name: "silent", Value: result.Int(n)}}
		}
		return &result.Trace{Kind: result.Counterexample, Loop: -1, Violates: violates,
			Steps: []result.Step{{State: state("0")}, {Action: "receive", State: state("1")}},
			Story: &result.Story{System: "one_way", Variables: []string{"silent"},
				Segments: []result.StorySegment{{Round: 1, From: 0, To: 1,
					Events: []result.StoryEvent{{Text: "the receiver receives nothing"}}, Transit: []string{"beat"}}}},
		}
	}
	text := htmlText(t, &Report{Results: []result.Result{
		{Property: "first", Verdict: result.Violated, Trace: trace("first")},
		{Property: "second", Verdict: result.Violated, Trace: trace("second")},
	}}, Options{})
	for _, want := range []string{
		`<b>round 1 (state 1)</b>`, `<div>the receiver receives nothing</div>`, `<div>silent: <span class="old">0</span> → <span class="new">1</span></div>`,
		`<div class="soft">in transit: beat</div>`, `<summary>the states of one_way</summary>`, `The run is <a href="#result-0">the one above</a>`,
		"second is violated in state 1",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "the receiver receives nothing"); n != 1 {
		t.Errorf("the run is shown %d times", n)
	}
}
