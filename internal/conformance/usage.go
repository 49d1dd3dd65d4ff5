package conformance

import (
	"slices"

	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
)

// usage looks for what the declarations are about in a log. A declaration that never applies is
// mistyped, and would make the answer say less than it seems to.
type usage struct {
	c        *Checker
	isTrace  bool            // states of a trace have the usual fields, whatever is declared
	fields   []observe.Field // that no event has so far
	declared []*unused       // of events, then of observations
}

// unused is a declaration with the fields that it reads and that no event has so far.
type unused struct {
	line    int
	fields  []observe.Reference
	applies func(*runlog.Event) bool
	applied bool
}

func (c *Checker) usage() *usage {
	u := &usage{c: c, fields: slices.Clone(c.file.Fields)}
	for _, d := range c.file.Events {
		x := &unused{line: d.Line, applies: func(e *runlog.Event) bool {
			return e.Name == d.Name && c.meets(e, d.If)
		}}
		for _, call := range d.Calls {
			for _, a := range call.Args {
				x.fields = append(x.fields, a.Value.Fields()...)
			}
		}
		u.declared = append(u.declared, x)
	}
	for _, o := range c.file.Observations {
		u.declared = append(u.declared, &unused{line: o.Line, fields: fieldsOf(o),
			applies: func(e *runlog.Event) bool { return o.Applies(e.Name) && c.meets(e, o.If) }})
	}
	for _, x := range u.declared {
		for i := range x.fields {
			x.fields[i].Len = false
		}
	}
	return u
}

// add looks at an event.
func (u *usage) add(e *runlog.Event) {
	u.isTrace = u.isTrace || e.Name == runlog.FirstState
	if len(u.fields) > 0 {
		u.fields = slices.DeleteFunc(u.fields, func(f observe.Field) bool {
			_, ok := f.Path.In(e.Record())
			return ok
		})
	}
	for _, x := range u.declared {
		if len(x.fields) == 0 || !x.applies(e) {
			continue
		}
		x.applied = true
		x.fields = slices.DeleteFunc(x.fields, func(p observe.Reference) bool {
			_, ok := u.c.at(e, p)
			return ok
		})
	}
}

// check is an error if a declaration reads a field that no event has to which it applies. A log
// need not have every event.
func (u *usage) check(name string) error {
	if !u.isTrace && len(u.fields) > 0 {
		return u.c.declError(u.fields[0].Line, "no event of %s has the field %s", name,
			u.fields[0].Path)
	}
	for _, x := range u.declared {
		if x.applied && len(x.fields) > 0 {
			return u.c.declError(x.line, "no event of %s to which this applies has %s", name,
				x.fields[0])
		}
	}
	return nil
}

// used checks the declarations against a whole log.
func (c *Checker) used(name string, events []*runlog.Event) error {
	u := c.usage()
	for _, e := range events {
		u.add(e)
	}
	return u.check(name)
}

func fieldsOf(o *observe.Observation) []observe.Reference {
	out := o.Left.Fields()
	if o.Right != nil {
		out = append(out, *o.Right)
	}
	return out
}
