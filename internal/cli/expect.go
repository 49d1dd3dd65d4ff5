package cli

import (
	"fmt"

	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// expectations compares the expectations of the file with the results. It leaves out the
// expectations of an instance that was not explored, and, unless a proof was tried, the
// expectations without an instance.
func expectations(
	sys *system.System, results []result.Result, proved bool,
) (out []report.Expectation) {
	outcomes := map[string]result.Verdict{}
	for _, o := range result.Outcomes(results) {
		outcomes[o.Property] = o.Verdict
	}
	for _, x := range sys.Expectations {
		e := report.Expectation{Property: x.Property, Want: x.Verdict}
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
