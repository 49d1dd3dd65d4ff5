package syntax

import "erelong.dev/erelong/internal/front/parse"

// units reads modules.
type units struct{ prover }

// module reads ---- MODULE Name ---- .. ====.
func (u *units) module() *Module {
	u.Enter()
	defer u.Leave()
	start := u.expect("----")
	u.expect("MODULE")
	m := &Module{Name: u.field("the name of the module")}
	u.expect("----")
	if u.Accept("EXTENDS") {
		u.Commas(func() { m.Extends = append(m.Extends, u.field("the name of a module")) })
	}
	for !u.At("====") {
		if unit := u.unit(); unit != nil {
			m.Units = append(m.Units, unit)
		}
	}
	u.Next()
	m.Span = u.Since(start)
	return m
}

// unit reads a unit of a module; nil for a separator, or what is only for proofs.
func (u *units) unit() Unit {
	switch t := u.Peek(); t.Kind {
	case "----":
		if u.Ahead(1).Kind == "MODULE" {
			return &Inner{u.module()}
		}
		u.Next()
	case "CONSTANT", "CONSTANTS":
		u.Next()
		return &Constants{u.decls()}
	case "VARIABLE", "VARIABLES":
		u.Next()
		v := &Variables{}
		u.Commas(func() { v.Names = append(v.Names, u.name("the name of a variable")) })
		return v
	case "RECURSIVE":
		u.Next()
		return &Recursive{u.decls()}
	case "INSTANCE":
		return u.instance()
	case "LOCAL":
		u.Next()
		if u.At("INSTANCE") {
			i := u.instance()
			i.Local, i.Span = true, u.Since(t)
			return i
		}
		return u.definition(true, t)
	case "ASSUME", "ASSUMPTION", "AXIOM":
		u.Next()
		a := &Assume{Name: u.title()}
		a.Body = u.expr()
		a.Span = u.Since(t)
		return a
	case "THEOREM", "LEMMA", "PROPOSITION", "COROLLARY":
		return u.theorem(t)
	case "USE", "HIDE":
		u.facts()
	case parse.EOF:
		u.expected("'====' at the end of the module")
	default:
		if !u.atDefinition() {
			u.noUnit()
		}
		return u.definition(false, t)
	}
	return nil
}

// noUnit reports that no unit begins at the next token, and ends the parse.
func (u *units) noUnit() { u.expected("a definition, a declaration or '===='") }

// title reads the name of an assumption or a theorem with its ==, if it has one.
func (u *units) title() (n Name) {
	if u.At(parse.Word) && u.Ahead(1).Kind == "==" {
		n = u.as(u.Next())
		u.Next()
	}
	return n
}

// theorem reads a theorem, and reads over its proof.
func (u *units) theorem(start parse.Token) Unit {
	u.Next()
	t := &Theorem{Name: u.title()}
	if u.atSequent() {
		u.sequent()
	} else {
		t.Body = u.expr()
	}
	t.Span = u.Since(start)
	if u.beginsProof() {
		u.proof()
	}
	return t
}
