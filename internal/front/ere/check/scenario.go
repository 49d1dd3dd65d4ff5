package check

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// buildScenarios makes the sat and unsat traces.
func (c *checker) buildScenarios() {
	for _, d := range c.file.Decls {
		d, ok := d.(*syntax.TraceDecl)
		if !ok {
			continue
		}
		name := fmt.Sprintf("trace:%d", d.Span.Line())
		for n := 2; slices.ContainsFunc(c.sys.Scenarios, func(s *system.Scenario) bool {
			return s.Name == name
		}); n++ {
			name = fmt.Sprintf("trace:%d.%d", d.Span.Line(), n)
		}
		s := &system.Scenario{Name: name, Sat: d.Sat, Span: d.Span}
		for _, p := range d.Components {
			part := system.ScenarioComponent{Any: p.Any, Span: p.Span}
			switch {
			case p.Init:
				terms := make([]*logic.Term, len(c.sys.Inits))
				for i, f := range c.sys.Inits {
					terms[i] = f.Term
				}
				part.Assert = logic.And(terms...)
			case p.Assert != nil:
				part.Assert = c.oneState().formula(p.Assert)
			}
			for _, call := range p.Calls {
				if ac, ok := c.actionCall(call); ok {
					part.Calls = append(part.Calls, ac)
				}
			}
			s.Components = append(s.Components, part)
		}
		c.sys.Scenarios = append(c.sys.Scenarios, s)
	}
}

func (c *checker) oneState() *elaborator { return c.elaborator(1) }

func (c *checker) actionCall(call syntax.TraceCall) (system.ActionCall, bool) {
	out := system.ActionCall{Span: call.Name.Span}
	for _, a := range c.sys.Actions {
		if a.Name == call.Name.Text {
			out.Action = a
		}
	}
	if out.Action == nil {
		names := make([]string, len(c.sys.Actions))
		for i, a := range c.sys.Actions {
			names[i] = a.Name
		}
		d := c.errs.Errorf(diag.UnknownTarget, call.Name.Span,
			"there is no transition or action '%s'", call.Name.Text)
		if near := diag.Closest(call.Name.Text, names); near != "" {
			d.DidYouMean(near)
		}
		return out, false
	}
	if !call.Applied {
		return out, true
	}
	params := out.Action.Params
	if len(call.Args) != len(params) {
		c.wrongArguments(call.Name.Span, call.Name.Text, len(call.Args), out.Action.Span,
			parameters(out.Action), "a value or *")
		return out, false
	}
	out.Args = make([]*logic.Term, len(params))
	for i, a := range call.Args {
		if a == nil {
			continue
		}
		e := c.oneState()
		e.noFree = "an argument of a step is a term; write * for any value"
		out.Args[i] = e.closed(a, params[i].Sort.Base(),
			fmt.Sprintf("parameter '%s' has sort %s", params[i].Name, params[i].Sort))
		e.finish()
	}
	return out, true
}

// buildInstances makes the named instances.
func (c *checker) buildInstances() {
	seen := map[string]diag.Span{}
	for _, d := range c.file.Decls {
		d, ok := d.(*syntax.InstanceDecl)
		if !ok {
			continue
		}
		if before, ok := seen[d.Name.Text]; ok {
			c.errs.Errorf(diag.Duplicate, d.Name.Span, "the instance '%s' is declared twice",
				d.Name.Text).
				Because(before, "it is declared here").Suggest(renameOne)
		}
		seen[d.Name.Text] = d.Name.Span
		whole := d.Whole(c.file.Decls)
		if whole == nil {
			noBase(c.sys, d.Base, " up to here", c.errs)
			continue
		}
		c.sys.Instances = append(c.sys.Instances, Instance(c.sys, whole, c.errs))
	}
}

// buildExpectations makes the expectations.
func (c *checker) buildExpectations() {
	var names []string
	for _, p := range c.sys.Properties {
		names = append(names, p.Name)
	}
	for _, d := range c.file.Decls {
		d, ok := d.(*syntax.ExpectDecl)
		if !ok {
			continue
		}
		deadlock := d.Property.Text == result.Deadlock && d.Instance.Text != ""
		if !slices.Contains(names, d.Property.Text) && !deadlock && c.errs.Err() == nil {
			e := c.errs.Errorf(diag.UnknownTarget, d.Property.Span, "there is no property '%s'",
				d.Property.Text)
			if d.Property.Text == result.Deadlock {
				e.Suggest("Deadlocks are looked for in instances: add 'in' and the name of one.")
			} else if near := diag.Closest(d.Property.Text, names); near != "" {
				e.DidYouMean(near)
			} else if len(names) > 0 {
				e.Suggest("The file has %s.", strings.Join(names, ", "))
			}
		}
		if !slices.Contains(result.All, result.Verdict(d.Verdict.Text)) ||
			slices.Contains([]result.Verdict{result.HoldsUpTo, result.HoldsInitially},
				result.Verdict(d.Verdict.Text)) {
			c.errs.Errorf(diag.VerdictWord, d.Verdict.Span, "'%s' is not a verdict",
				d.Verdict.Text).
				Suggest("Write holds, violated, not inductive, unknown or nothing checked.")
		}
		x := &system.Expectation{Property: d.Property.Text, Verdict: d.Verdict.Text,
			States: d.States, Depth: d.Depth, Span: d.Span}
		if d.Instance.Text == "" && (d.States != nil || d.Depth != nil) {
			c.errs.Errorf(diag.BadValue, d.Span,
				"states and depth belong to an instance").Suggest("Add 'in' and the name of the " +
				"instance before them.")
		}
		if d.Instance.Text != "" {
			if x.Instance = c.sys.Instance(d.Instance.Text); x.Instance == nil {
				var names []string
				for _, i := range c.sys.Instances {
					names = append(names, i.Name)
				}
				e := c.errs.Errorf(diag.UnknownTarget, d.Instance.Span, "there is no instance '%s'",
					d.Instance.Text)
				if near := diag.Closest(d.Instance.Text, names); near != "" {
					e.DidYouMean(near)
				} else if len(names) > 0 {
					e.Suggest("The instances are %s.", strings.Join(names, ", "))
				} else {
					e.Suggest("Add one, as in instance %s { SORT = 2 }.", d.Instance.Text)
				}
			}
		}
		c.sys.Expectations = append(c.sys.Expectations, x)
	}
}
