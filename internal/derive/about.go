package derive

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// aboutCheck checks blocks about derived systems: they add claims that are checked, and definitions
// for them, and change neither what a system does nor what the file says.
type aboutCheck struct {
	errs     *diag.List
	written  map[string]bool // the names that occur outside of such blocks
	reserved func(syntax.Name)
	seen     map[[2]string]diag.Span // by the system and the name
}

// claims refuses declarations that would change the behaviour of a derived system, and names that
// have another meaning.
func (c *aboutCheck) claims(d *syntax.AboutDecl) {
	for _, x := range d.Decls {
		if n := declared(x); n != nil {
			c.name(d, *n)
		}
		switch x := x.(type) {
		case *syntax.DefinitionDecl:
			if !x.Transition {
				continue
			}
		case *syntax.FormulaDecl:
			if x.Word != "axiom" && x.Word != "init" && x.Word != "trusted" {
				continue
			}
		case *syntax.RankDecl:
			continue // hints, which are proved
		}
		c.errs.Errorf(diag.AlgorithmForm, x.Pos(),
			"this would change what the derived system does").
			Because(d.Name.Span,
				"what is said about a system are claims that are checked, such as invariants, "+
					"and definitions for them")
	}
}

func (c *aboutCheck) name(d *syntax.AboutDecl, n syntax.Name) {
	c.reserved(n)
	if c.written[n.Text] {
		c.errs.Errorf(diag.Duplicate, n.Span,
			"'%s' is a name of the file: what is said about a derived system must not "+
				"give it another meaning", n.Text).
			Suggest("Choose a name that occurs only in such blocks.")
	}
	key := [2]string{d.Name.Text, n.Text}
	if before, twice := c.seen[key]; twice {
		c.errs.Errorf(diag.Duplicate, n.Span, "'%s' is declared twice", n.Text).Because(before,
			"it is declared here").Suggest("Give one of the two another name.")
	}
	if c.seen == nil {
		c.seen = map[[2]string]diag.Span{}
	}
	c.seen[key] = n.Span
}

// about checks the blocks about the systems of a protocol, and that expectations are about
// properties of the file.
func (c *protocolCheck) about() {
	blocks := &aboutCheck{errs: c.errs, written: map[string]bool{}, reserved: c.notReserved}
	claims := map[string]diag.Span{} // of such blocks
	for _, d := range c.file.Decls {
		switch d := d.(type) {
		case *syntax.AboutDecl:
			for _, x := range d.Decls {
				if n := declared(x); n != nil {
					claims[n.Text] = n.Span
				}
			}
		case *syntax.ExpectDecl:
		default:
			syntax.AddNames(d, blocks.written)
		}
	}
	for _, d := range c.file.Decls {
		switch d := d.(type) {
		case *syntax.AboutDecl:
			if d.Name.Text != Rounds && d.Name.Text != Untimed {
				c.fail(d.Name.Span, "no derived system is called '%s'", d.Name.Text).
					Suggest("The systems of a protocol are %s and %s.", Rounds, Untimed)
			}
			blocks.claims(d)
		case *syntax.ExpectDecl:
			if at, within := claims[d.Property.Text]; within &&
				!blocks.written[d.Property.Text] {
				c.errs.Errorf(diag.UnknownTarget, d.Property.Span,
					"'%s' is a claim about one of the systems of the protocol",
					d.Property.Text).Because(at, "it is declared here").
					Suggest("An expectation is about a property of the file.")
			}
		}
	}
}

// assumption is the place of an assumption of the file about messages; zero if there is none. In
// the system without time a message is in transit if it was ever sent, so the assumption would say
// something else there.
func (w *rounds) assumption(file *syntax.File, sys *system.System) (at diag.Span) {
	for _, d := range file.Decls {
		d, ok := d.(*syntax.FormulaDecl)
		if !ok || d.Word != "trusted" && d.Word != "axiom" && d.Word != "init" {
			continue
		}
		eachName(d.Expr, func(x *syntax.Expr) {
			if w.p.reads(x.Name.Text, func(n string) bool { return w.p.message(n) != nil }) != "" {
				at = d.Span
			}
		})
	}
	for _, d := range sys.Derived {
		// It may restrict the states.
		if d.Body == nil && concerns(d.Axiom, w.isMessage) {
			at = d.Axiom.Span
		}
	}
	return at
}

// isMessage reports whether a symbol has the messages of a kind in transit.
func (w *rounds) isMessage(s *logic.Symbol) bool {
	return slices.ContainsFunc(w.p.messages, func(m *message) bool {
		return s.Name == string(w.transit(m))
	})
}
