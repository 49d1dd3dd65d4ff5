package names

import (
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

func (r *resolver) protocol(d *syntax.ProtocolDecl) {
	r.useName(r.protocols, d.Below)
	for _, m := range d.Messages {
		for _, f := range m.Fields {
			r.sortExpr(f.Sort)
		}
		r.useName(r.sorts, m.From)
		r.useName(r.sorts, m.To)
	}
	if d.Timing != nil {
		for _, a := range d.Timing.Args {
			r.useName(r.globals, a)
		}
	}
	for _, b := range d.Bounds {
		of := r.sorts
		if slices.ContainsFunc(d.Messages, func(m *syntax.MessageDecl) bool {
			return m.Name.Text == b.Model.Text
		}) {
			of = r.peers
		}
		r.useName(of, b.Model)
		r.useName(r.globals, b.Args[0])
	}
	if d.Drift != nil {
		for _, n := range d.Drift.Args {
			r.useName(r.globals, n)
		}
	}
	for _, f := range d.Faults {
		if f.Most != nil {
			r.term(f.Most)
		}
	}
	for _, f := range d.Forges {
		r.forge(f)
	}
	for _, n := range d.Network {
		if n.Most != nil {
			r.term(n.Most)
		}
	}
	for _, v := range d.Variables() {
		for _, s := range v.Args {
			r.sortExpr(s)
		}
		r.sortExpr(v.Sort)
		if v.Value != nil {
			r.term(v.Value)
		}
	}
	for _, role := range d.Roles {
		for _, h := range role.Handlers {
			r.handler(h)
		}
		for _, s := range role.Steps {
			if s.Timer != nil {
				r.term(s.After)
				r.term(s.Timer)
			}
			r.formula(s.When)
			r.block(s.Body)
		}
	}
}

// handler resolves what is done with a message: the parts of the message and the sender are
// variables there.
func (r *resolver) handler(h *syntax.Handler) {
	r.message(h.Message, append(h.Params[:len(h.Params):len(h.Params)], h.From), h.Span,
		func() { r.block(h.Body) })
}

// forge resolves the condition under which a message is made up.
func (r *resolver) forge(f *syntax.Forge) {
	r.message(f.Message, append(f.Params[:len(f.Params):len(f.Params)], f.From, f.To), f.Span,
		func() { r.formula(f.When) })
}

// message resolves a part of a protocol in which there are variables for the parts and the ends of
// a message.
func (r *resolver) message(
	message syntax.Name, of []syntax.Name, at diag.Span, inside func(),
) {
	r.useName(r.peers, message)
	var bs []*syntax.Binder
	for _, n := range of {
		if n.Text != "" {
			bs = append(bs, &syntax.Binder{Name: n})
		}
	}
	depth := len(r.scope)
	r.enter(bs, Variable, at)
	inside()
	r.scope = r.scope[:depth]
}

func (r *resolver) send(s *syntax.SendStmt) {
	r.useName(r.peers, s.Message)
	depth := len(r.scope)
	if s.Each != nil {
		r.enter([]*syntax.Binder{s.Each}, Variable, s.Span)
	}
	for _, a := range s.Args {
		r.term(a)
	}
	if s.To != nil {
		r.term(s.To)
	}
	r.formula(s.If)
	r.scope = r.scope[:depth]
}

// Names that a protocol makes of the name of a message or a role, and in which it is a part: what
// was ever sent, and in blocks about the derived systems what is in transit and how it is received.
var (
	endings    = []string{"_sent", "_of_age", "_copies", "_to_itself"}
	beginnings = []string{"receive_", "lose_", "omit_", "repeat_", "forge_"}
	ofRoles    = []string{"correct_", "crashed_", "faulty_", "stepping_", "acted_", "waited_",
		"counted_", "evenly_"}
)

// part notes the message or the role of which a protocol makes a name, and reports whether there is
// one: renaming m must rename m_sent.
func (r *resolver) part(n syntax.Name) bool {
	message := func(text string) *Declaration {
		if d := r.peers[text]; d != nil && d.Kind == MessageName {
			return d
		}
		return nil
	}
	for _, e := range endings {
		if text, ok := strings.CutSuffix(n.Text, e); ok && message(text) != nil {
			n.Span.End = n.Span.Start + len(text)
			r.use(message(text), n.Span)
			return true
		}
	}
	for _, b := range beginnings {
		if text, ok := strings.CutPrefix(n.Text, b); ok && message(text) != nil {
			n.Span.Start += len(b)
			r.use(message(text), n.Span)
			return true
		}
	}
	for _, b := range ofRoles {
		text, ok := strings.CutPrefix(n.Text, b)
		if d := r.sorts[text]; ok && d != nil && r.roles[text] {
			n.Span.Start += len(b)
			r.use(d, n.Span)
			return true
		}
	}
	return false
}
