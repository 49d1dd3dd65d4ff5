package report

import (
	"fmt"

	"erelong.dev/erelong/internal/engine/zone"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/timed"
)

// Expectations compares the expectations of the file with the results. It leaves out the
// expectations of an instance that was not explored, and, unless a proof was tried, the
// expectations without an instance.
func Expectations(
	sys *system.System, results []result.Result, proved bool,
) (out []Expectation) {
	outcomes := map[string]result.Verdict{}
	for _, o := range result.Outcomes(results) {
		outcomes[o.Property] = o.Verdict
	}
	for _, x := range sys.Expectations {
		e := Expectation{Property: x.Property, Want: x.Verdict}
		if x.Instance == nil {
			got, ok := outcomes[x.Property]
			if !ok || !proved {
				continue
			}
			e.Got = string(got)
		} else {
			e.Instance = x.Instance.Name
			r := find(results, x.Property, e.Instance)
			if r == nil {
				continue
			}
			e.Got = string(r.Verdict)
			if x.States != nil {
				e.Want += " states " + x.States.String()
				e.Got += fmt.Sprintf(" states %d", r.States)
			}
			if x.Depth != nil {
				e.Want += " depth " + x.Depth.String()
				e.Got += fmt.Sprintf(" depth %d", r.Depth)
			}
		}
		if e.Met = e.Got == e.Want; !e.Met {
			e.Detail = fmt.Sprintf("stated at %s", x.Span)
		}
		out = append(out, e)
	}
	return out
}

func find(results []result.Result, property, scope string) *result.Result {
	for i := range results {
		if r := &results[i]; r.Property == property && r.Scope == scope {
			return r
		}
	}
	return nil
}

// Recorded compares a result with the verdict that a model records for its query; nil if there is
// none.
func Recorded(q *timed.Query, x *result.Result) *Expectation {
	if q.Recorded == "" {
		return nil
	}
	want := result.Holds
	if q.Recorded == "not satisfied" {
		want = zone.Denied(q)
	}
	e := &Expectation{Property: q.Text, Want: string(want), Got: string(x.Verdict),
		Detail: "recorded in the file"}
	if q.Value != "" && len(q.Measures) > 0 {
		e.Want, e.Got = "the value is "+q.Value, x.Reason.Text
		e.Met = x.Verdict == result.Holds && x.Value == q.Value
		return e
	}
	e.Met = want == x.Verdict
	return e
}
