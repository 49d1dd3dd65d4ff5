package derive

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// A protocol may stand on another one, `protocol consensus on detector`. A process then runs both
// programs: each message is handled by the program that has it, and in a step the lower program
// takes its steps first. The upper program reads the variables of the lower one, and changes none.
// So the two together are one protocol, whose declaration is made here.

// stack puts the protocols of a file together, the lowest first; nil if there is none. Protocols
// that are no part of it are reported later.
func stack(file *syntax.File, errs *diag.List) (whole *syntax.ProtocolDecl,
	layers []*syntax.ProtocolDecl) {
	var all []*syntax.ProtocolDecl
	for _, d := range file.Decls {
		if d, ok := d.(*syntax.ProtocolDecl); ok {
			all = append(all, d)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	for _, d := range all {
		if d.Below.Text != "" && named(file, all, d.Below, errs) == nil {
			return d, nil
		}
	}
	top := all[0]
	for _, d := range all {
		if !slices.ContainsFunc(all, func(on *syntax.ProtocolDecl) bool {
			return on.Below.Text == d.Name.Text
		}) {
			top = d
			break
		}
	}
	layers = []*syntax.ProtocolDecl{top}
	for layers[0].Below.Text != "" {
		below := named(file, all, layers[0].Below, errs)
		if slices.Contains(layers, below) {
			errs.Errorf(diag.Cyclic, layers[0].Below.Span, "the protocol '%s' stands on itself",
				below.Name.Text)
			return top, layers
		}
		layers = slices.Insert(layers, 0, below)
	}
	whole = layers[0]
	for _, d := range layers[1:] {
		whole = over(whole, d, errs)
	}
	return whole, layers
}

// asProtocol says how the program of an algorithm is written as a protocol. A protocol cannot stand
// on an algorithm: the rounds of an algorithm send first and receive then, and its theorems are
// about its messages alone.
const asProtocol = "Write the algorithm as a protocol: send m becomes step { send m to all; }, " +
	"and received(m) becomes on m from p { ... }; " +
	"examples/partial_synchrony/adaptive_detector.ere is such a detector."

// named finds the protocol below another one.
func named(
	file *syntax.File, all []*syntax.ProtocolDecl, wanted syntax.Name, errs *diag.List,
) *syntax.ProtocolDecl {
	for _, d := range file.Decls {
		if d, ok := d.(*syntax.AlgorithmDecl); ok && d.Name.Text == wanted.Text {
			errs.Errorf(diag.UnknownTarget, wanted.Span, "'%s' is an algorithm, and a protocol "+
				"stands on a protocol only", wanted.Text).
				Because(d.Name.Span, "it is declared here").Suggest("%s", asProtocol)
			return nil
		}
	}
	var names []string
	for _, d := range all {
		if d.Name.Text == wanted.Text {
			return d
		}
		names = append(names, d.Name.Text)
	}
	d := errs.Errorf(diag.UnknownTarget, wanted.Span, "there is no protocol '%s'", wanted.Text)
	if near := diag.Closest(wanted.Text, names); near != "" {
		d.DidYouMean(near)
	} else {
		d.Suggest("Declare it in this file, or include the file that does: include \"%s.ere\"",
			wanted.Text)
	}
	return nil
}

// over is the protocol of two layers.
func over(low, up *syntax.ProtocolDecl, errs *diag.List) *syntax.ProtocolDecl {
	(&layering{low, up, errs}).check()
	out := *up
	out.Messages = slices.Concat(low.Messages, up.Messages)
	out.Bounds = slices.Concat(low.Bounds, up.Bounds)
	if up.Timing == nil {
		out.Timing = low.Timing
	}
	if up.Drift == nil {
		out.Drift = low.Drift
	}
	out.Faults = slices.Concat(low.Faults, up.Faults)
	out.Forges = slices.Concat(low.Forges, up.Forges)
	out.Network = slices.Concat(low.Network, up.Network)
	out.Roles = nil
	for _, r := range low.Roles {
		joined := *r
		if i := roleOf(up, r.Name.Text); i >= 0 {
			above := up.Roles[i]
			joined.Span, joined.Name = above.Span, above.Name
			joined.Vars = slices.Concat(r.Vars, above.Vars)
			joined.Handlers = slices.Concat(r.Handlers, above.Handlers)
			joined.Steps = slices.Concat(r.Steps, above.Steps)
		}
		out.Roles = append(out.Roles, &joined)
	}
	for _, r := range up.Roles {
		if roleOf(low, r.Name.Text) < 0 {
			out.Roles = append(out.Roles, r)
		}
	}
	return &out
}

func roleOf(d *syntax.ProtocolDecl, name string) int {
	return slices.IndexFunc(d.Roles, func(r *syntax.Role) bool { return r.Name.Text == name })
}

// layering checks what the upper of two layers does with the lower one.
type layering struct {
	low, up *syntax.ProtocolDecl
	errs    *diag.List
}

func (l *layering) check() {
	twice := func(what string, at, before diag.Span) {
		l.errs.Errorf(diag.Duplicate, at, "'%s' has its %s from '%s', on which it stands",
			l.up.Name.Text, what, l.low.Name.Text).Because(before, "it is said here").
			Suggest("Leave this line out.")
	}
	if l.up.Timing != nil && l.low.Timing != nil {
		twice("model of time", l.up.Timing.Span, l.low.Timing.Span)
	}
	if l.up.Drift != nil && l.low.Drift != nil {
		twice("clocks", l.up.Drift.Span, l.low.Drift.Span)
	}
	if len(l.up.Faults) > 0 && len(l.low.Faults) > 0 {
		twice("faults", l.up.Faults[0].Span, l.low.Faults[0].Span)
	}
	if len(l.up.Network) > 0 && len(l.low.Network) > 0 {
		twice("network", l.up.Network[0].Span, l.low.Network[0].Span)
	}
	for _, f := range l.up.Forges {
		l.message(f.Message)
	}
	for _, r := range l.up.Roles {
		for _, h := range r.Handlers {
			l.message(h.Message)
			eachStmt(h.Body, l.statement)
		}
		for _, s := range r.Steps {
			eachStmt(s.Body, l.statement)
		}
	}
}

// message refuses a message of the lower layer.
func (l *layering) message(n syntax.Name) {
	for _, m := range l.low.Messages {
		if m.Name.Text == n.Text {
			l.refuse(n.Span, m.Name, "message", "Declare a message of its own for '"+
				l.up.Name.Text+"'.")
		}
	}
}

// variable refuses a change of a variable of the lower layer.
func (l *layering) variable(x *syntax.Expr) {
	for _, v := range l.low.Variables() {
		if v.Name.Text == x.Name.Text {
			l.refuse(x.Span, v.Name, v.Word(), "It can be read here, and is changed there.")
		}
	}
}

func (l *layering) refuse(at diag.Span, n syntax.Name, what, mend string) {
	if what == "var" {
		what = "variable"
	}
	l.errs.Errorf(diag.AlgorithmForm, at, "'%s' is a %s of '%s', on which '%s' stands", n.Text,
		what, l.low.Name.Text, l.up.Name.Text).Because(n.Span, "it is declared here").
		Suggest("%s", mend)
}

func (l *layering) statement(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		l.variable(changed(s.Target))
	case *syntax.ResetStmt:
		l.variable(s.Timer)
	case *syntax.SendStmt:
		l.message(s.Message)
	}
}

// second refuses a protocol that is no layer of the others.
func (c *protocolCheck) second(d *syntax.ProtocolDecl) {
	first := c.p.decl
	e := c.errs.Errorf(diag.Duplicate, d.Name.Span, "a second protocol").
		Because(first.Name.Span, "the first is here")
	if below := d.Below.Text; below != "" && slices.ContainsFunc(c.layers,
		func(l *syntax.ProtocolDecl) bool { return l.Name.Text == below }) {
		e.Suggest("A file has one protocol, under one model of time. Put '%s' into a file of its "+
			"own, which includes the one with '%s'.", d.Name.Text, below)
		return
	}
	if d.Timing != nil && first.Timing != nil {
		e.Suggest("A file has one protocol, under one model of time. Put '%s' into a file of its "+
			"own; if '%s' uses it, leave out one model of time, and write: protocol %s on %s "+
			"{ ... }", d.Name.Text, first.Name.Text, first.Name.Text, d.Name.Text)
		return
	}
	e.Suggest("If one uses the other, it stands on it: protocol %s on %s { ... }",
		first.Name.Text, d.Name.Text)
}
