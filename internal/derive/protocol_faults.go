package derive

import (
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// faultKind is a kind of fault of processes.
type faultKind struct {
	word    string // what a process with this fault is called
	stops   bool   // it takes no steps of its program
	returns bool   // until it recovers
	// Messages that it sends, or that are sent to it, may get lost.
	losesSent, losesReceived bool
	forges                   bool // it sends any messages of its kinds
}

const faultyWord = "faulty"

// faultKinds are the kinds of faults, by their names in the language.
var faultKinds = map[string]*faultKind{
	"none":             {word: crashedWord},
	"crash":            {word: crashedWord, stops: true},
	"recover":          {word: crashedWord, stops: true, returns: true},
	"omission":         {word: faultyWord, losesSent: true, losesReceived: true},
	"send_omission":    {word: faultyWord, losesSent: true},
	"receive_omission": {word: faultyWord, losesReceived: true},
	"byzantine":        {word: faultyWord, stops: true, forges: true},
}

// fault is something that can go wrong with processes.
type fault struct {
	*faultKind
	// most is the greatest number of processes that have it at a time; nil for any.
	most *syntax.Expr
}

// faults lists what can go wrong with processes, the faults of different words. Processes crash
// where the file says nothing.
func (p *protocol) faults() (out []fault) {
	if p.decl.Faults == nil {
		return []fault{{faultKind: faultKinds["crash"]}}
	}
	for _, f := range p.decl.Faults {
		if kind := faultKinds[f.Kind.Text]; kind != nil && f.Kind.Text != "none" {
			out = append(out, fault{kind, f.Most})
		}
	}
	return out
}

// suffers reports whether something that can go wrong with processes has a property.
func (p *protocol) suffers(is func(fault) bool) bool { return slices.ContainsFunc(p.faults(), is) }

func stops(f fault) bool   { return f.stops }
func returns(f fault) bool { return f.returns }
func forges(f fault) bool  { return f.forges }

// faultWords are the words for processes with faults.
func (p *protocol) faultWords() (out []string) {
	for _, f := range p.faults() {
		out = append(out, f.word)
	}
	if out == nil {
		return []string{crashedWord} // which nobody is
	}
	return out
}

// links reports whether messages in transit have a property: lossy, duplicating, fifo.
func (p *protocol) links(kind string) bool {
	return slices.ContainsFunc(p.decl.Network, func(n *syntax.Network) bool {
		return n.Kind.Text == kind
	})
}

// copies is the greatest number of copies of a message in transit; nil where messages have ages or
// are a set.
func (p *protocol) copies() *syntax.Expr {
	for _, n := range p.decl.Network {
		if n.Kind.Text == "copies" {
			return n.Most
		}
	}
	return nil
}

// faults checks what can go wrong with processes.
func (c *protocolCheck) faults() {
	for i, f := range c.p.decl.Faults {
		c.oneFault(f)
		c.beside(f, c.p.decl.Faults[:i])
	}
}

// beside refuses faults that are not to be told apart, or are none.
func (c *protocolCheck) beside(f *syntax.Faults, others []*syntax.Faults) {
	kind := faultKinds[f.Kind.Text]
	for _, other := range others {
		switch before := faultKinds[other.Kind.Text]; {
		case kind == nil || before == nil: // it is reported
		case kind == before:
			c.errs.Errorf(diag.Duplicate, f.Span, "this is given twice").
				Because(other.Span, "the first is here")
		case f.Kind.Text == "none" || other.Kind.Text == "none":
			c.fail(f.Span, "no faults, and faults").Because(other.Span, "the first are here").
				Suggest("Leave faults none out.")
		case kind.word == before.word:
			c.errs.Errorf(diag.Unsupported, f.Span,
				"'%s' beside '%s': one word, %s(P), would stand for both", f.Kind.Text,
				other.Kind.Text, kind.word).
				Because(other.Span, "the first is here").
				Suggest("One of crash and recover goes with one of omission, send_omission, " +
					"receive_omission and byzantine.")
		}
	}
}

func (c *protocolCheck) oneFault(f *syntax.Faults) {
	switch kind := f.Kind.Text; {
	case faultKinds[kind] == nil:
		c.fail(f.Kind.Span, "there is no kind of fault '%s'", kind).
			Suggest("The kinds are none, crash, recover, omission, send_omission, " +
				"receive_omission and byzantine; faults crash(f) is for at most f processes.")
	case kind == "none" && f.Most != nil:
		c.fail(f.Span, "how many of no faults?").Suggest("Write faults none.")
	case f.Most != nil:
		c.fixed(f.Most, "the greatest number of faults")
		c.tooMany(f.Most)
	}
}

// network checks what can happen to messages in transit.
func (c *protocolCheck) network() {
	for i, n := range c.p.decl.Network {
		timed := c.p.model == "partial_synchrony"
		if n.Most != nil && n.Kind.Text != "copies" {
			c.fail(n.Most.Span, "network %s has no number", n.Kind.Text).
				Suggest("Write network %s, or network copies(%s).", n.Kind.Text, n.Most.Span.Text())
		}
		switch n.Kind.Text {
		case "copies":
			c.numbered(n)
		case "reliable":
			if len(c.p.decl.Network) > 1 {
				c.fail(n.Span, "a network that is reliable, and more").
					Suggest("Leave this out.")
			}
		case "fifo":
			if !timed {
				c.errs.Errorf(diag.Unsupported, n.Kind.Span,
					"an order of messages where they have no ages").
					Suggest("Messages have ages with timing partial_synchrony(Delta, Phi).")
			}
		case "lossy":
			if timed && c.p.gst == "" {
				c.beforeBounds(n, "lost")
			}
		case "duplicating":
			switch {
			case !timed:
				c.errs.Errorf(diag.Unsupported, n.Kind.Span,
					"copies of messages where messages in transit are a set").
					Suggest("Copies exist with timing partial_synchrony(Delta, Phi, Gst).")
			case c.p.gst == "":
				c.beforeBounds(n, "duplicated")
			}
		default:
			c.fail(n.Kind.Span, "there is no network '%s'", n.Kind.Text).
				Suggest("Write network reliable, or one or more of: network lossy, network " +
					"duplicating (before the bounds hold), network fifo, network copies(C).")
		}
		for _, before := range c.p.decl.Network[:i] {
			if before.Kind.Text == n.Kind.Text {
				c.errs.Errorf(diag.Duplicate, n.Span, "this is given twice").
					Because(before.Span, "the first is here")
			}
		}
	}
}

// numbered checks a number of copies.
func (c *protocolCheck) numbered(n *syntax.Network) {
	switch {
	case n.Most == nil:
		c.fail(n.Span, "how many copies of a message are in transit at most?").
			Suggest("Write network copies(2).")
	case c.p.timed():
		c.fail(n.Span, "a number of copies where messages have ages").
			Suggest("Leave this out: under partial synchrony two equal messages are two.")
	default:
		c.fixed(n.Most, "the greatest number of copies")
	}
}

// beforeBounds refuses what happens before the bounds hold where these hold from the start.
func (c *protocolCheck) beforeBounds(n *syntax.Network, what string) {
	c.fail(n.Kind.Span, "messages are %s before the bounds hold, and these hold from the start",
		what).
		Suggest("Give the time from which they hold: partial_synchrony(Delta, Phi, Gst).")
}

// fixed refuses a number that is not made of numbers and immutable constants: it is the end of a
// range.
func (c *protocolCheck) fixed(x *syntax.Expr, what string) {
	switch x.Kind {
	case syntax.ExprInt:
		return
	case syntax.ExprNeg, syntax.ExprAdd, syntax.ExprSub, syntax.ExprMul:
		for _, a := range x.Args {
			c.fixed(a, what)
		}
		return
	case syntax.ExprName:
		if s, ok := c.p.globals[x.Name.Text].(*syntax.SymbolDecl); ok && !s.Mutable &&
			s.Word == "constant" && s.Result != nil && s.Result.Name == "int" {
			return
		}
	}
	c.fail(x.Span, "%s is made of numbers and immutable constants of sort int", what).
		Suggest("Declare one, immutable constant f: int, and give it in each instance.")
}

// tooMany refuses an instance in which more processes may be faulty than there are.
func (c *protocolCheck) tooMany(most *syntax.Expr) {
	for _, inst := range c.instances() {
		n, f := inst.processes(c.p), inst.value(most)
		if n != nil && f != nil && f.Cmp(n) > 0 {
			c.fail(inst.Name.Span, "%s of %s processes may be faulty in '%s'", f, n,
				inst.Name.Text).
				Because(most.Span, "the number of faulty processes").
				Suggest("Give at most as many as there are processes.")
		}
	}
}

// instanceValues are the numbers that an instance gives; nil stands for no instance.
type instanceValues struct{ *syntax.InstanceDecl }

// instances lists the instances of the file.
func (c *protocolCheck) instances() (out []instanceValues) {
	for _, d := range c.file.Decls {
		if inst, ok := d.(*syntax.InstanceDecl); ok {
			if inst = inst.Whole(c.file.Decls); inst != nil { // package check reports it
				out = append(out, instanceValues{inst})
			}
		}
	}
	return out
}

// processes is the number of the processes of all roles; nil where the instance does not give it.
func (in instanceValues) processes(p *protocol) *big.Int {
	sorts := []string{ProcessSort}
	if len(p.decl.Roles) > 0 {
		sorts = nil
		for _, r := range p.decl.Roles {
			sorts = append(sorts, r.Name.Text)
		}
	}
	all := new(big.Int)
	for _, s := range sorts {
		n := in.value(&syntax.Expr{Kind: syntax.ExprName, Name: syntax.Name{Text: s}})
		if n == nil {
			return nil
		}
		all.Add(all, n)
	}
	return all
}

// value computes an expression of numbers and names that the instance gives; nil for another one.
func (in instanceValues) value(x *syntax.Expr) *big.Int {
	var args []*big.Int
	for _, a := range x.Args {
		n := in.value(a)
		if n == nil {
			return nil
		}
		args = append(args, n)
	}
	out := new(big.Int)
	switch x.Kind {
	case syntax.ExprInt:
		return x.Int
	case syntax.ExprNeg:
		return out.Neg(args[0])
	case syntax.ExprAdd:
		return out.Add(args[0], args[1])
	case syntax.ExprSub:
		return out.Sub(args[0], args[1])
	case syntax.ExprMul:
		return out.Mul(args[0], args[1])
	case syntax.ExprName:
		if in.InstanceDecl == nil || x.Applied {
			return nil
		}
		for _, i := range in.Items {
			if i.Name.Text == x.Name.Text && i.Value != nil && i.Value.Kind != syntax.ExprName {
				return in.value(i.Value)
			}
		}
	}
	return nil
}
