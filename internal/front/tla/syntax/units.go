package syntax

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

// units reads modules.
type units struct {
	prover
	failed bool // a unit has an error
	column int  // of the unit before the next one
}

// mostErrors bounds the errors that are shown of a module.
const mostErrors = 20

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
	for failed := 0; !u.At("===="); {
		var unit Unit
		before, begin := *u.Cursor, u.Peek()
		switch ok := parse.Catch(func() { unit = u.unit() }); {
		case !ok:
			last := u.Errs.All[len(u.Errs.All)-1]
			if failed++; failed == mostErrors || last.Code == diag.TooDeep ||
				!u.recover(before, begin.Column) {
				parse.Bail()
			}
			u.failed = true
		case unit != nil:
			m.Units = append(m.Units, unit)
		}
		u.column = begin.Column
	}
	u.Next()
	m.Span = u.Since(start)
	return m
}

// recover goes on after an error in a unit, from before which the cursor is given: at the next unit
// that begins at the column of that one or left of it. It reports whether there is one.
func (u *units) recover(before parse.Cursor, column int) bool {
	at := u.Peek().Start
	*u.Cursor = before
	u.bullets, u.levels, u.proofs = nil, nil, false
	for u.Next(); ; u.Next() {
		switch t := u.Peek(); {
		case t.Kind == parse.EOF:
			return false
		case t.Start >= at && t.Column <= column && u.atUnit():
			return true
		}
	}
}

// atUnit reports whether a unit begins at the next token, or the module ends.
func (u *units) atUnit() bool {
	switch u.Peek().Kind {
	case "====", "----", "CONSTANT", "CONSTANTS", "VARIABLE", "VARIABLES", "RECURSIVE", "INSTANCE",
		"LOCAL", "ASSUME", "ASSUMPTION", "AXIOM", "THEOREM", "LEMMA", "PROPOSITION", "COROLLARY":
		return true
	}
	return u.definitionAt(0) || u.equated()
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
		if !u.definitionAt(0) {
			u.noUnit()
		}
		return u.definition(false, t)
	}
	return nil
}

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

// noUnit reports that no unit begins at the next token, and ends the parse.
func (u *units) noUnit() {
	if u.equated() {
		at := u.Span(u.Ahead(u.heading(0)))
		u.Errs.Errorf(diag.Syntax, at, "expected '==', found '='").
			Suggest("Write == to define; = compares.").Replace(at, "==")
		parse.Bail()
	}
	if u.column > 0 && u.Peek().Column > u.column {
		u.expected("an operator, or a definition")
	}
	u.expected("a definition, a declaration or '===='")
}
