package derive

import (
	"math/big"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// faults checks what can go wrong with processes and with messages in transit.
func (c *protocolCheck) faults() {
	if f := c.p.decl.Faults; f != nil {
		switch kind := f.Kind.Text; {
		case kind != "none" && kind != "crash" && kind != "recover":
			c.fail(f.Kind.Span, "there is no kind of fault '%s'", kind).
				Suggest("Write faults none, faults crash, faults recover, or faults crash(f) for " +
					"at most f processes.")
		case kind == "none" && f.Most != nil:
			c.fail(f.Span, "how many of no faults?").Suggest("Write faults none.")
		case f.Most != nil && len(c.p.decl.Roles) > 1:
			c.errs.Errorf(diag.Unsupported, f.Most.Span,
				"a greatest number of crashes where there are several roles").
				Suggest("Write faults crash, or faults none.")
		case f.Most != nil:
			c.fixed(f.Most, "the greatest number of crashes")
			c.tooMany(f.Most)
		}
	}
	if n := c.p.decl.Network; n != nil {
		switch {
		case n.Kind.Text != "reliable" && n.Kind.Text != "lossy":
			c.fail(n.Kind.Span, "there is no network '%s'", n.Kind.Text).
				Suggest("Write network reliable, or network lossy: then messages may be lost " +
					"before the bounds hold.")
		case n.Kind.Text == "lossy" && c.p.model == "partial_synchrony" && c.p.gst == "":
			c.fail(n.Kind.Span, "messages are lost before the bounds hold, and these hold from "+
				"the start").
				Suggest("Give the time from which they hold: partial_synchrony(Delta, Phi, Gst).")
		}
	}
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

// tooMany refuses an instance in which more processes may crash than there are.
func (c *protocolCheck) tooMany(most *syntax.Expr) {
	for _, inst := range c.instances() {
		n, f := inst.value(&syntax.Expr{Kind: syntax.ExprName,
			Name: syntax.Name{Text: ProcessSort}}), inst.value(most)
		if n != nil && f != nil && f.Cmp(n) > 0 {
			c.fail(inst.Name.Span, "%s of %s processes may crash in '%s'", f, n,
				inst.Name.Text).
				Because(most.Span, "the number of processes that may crash").
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
