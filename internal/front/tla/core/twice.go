package core

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/syntax"
)

// once reports the names that the units of a module, or of a LET, give a second meaning: nobody
// could tell which one counts. A constant or a variable may be declared again. Known are names that
// have a meaning already.
func (s *Spec) once(units []syntax.Unit, known map[string]given) {
	give := func(n syntax.Name, declared, local bool) {
		before, twice := known[n.Text]
		if n.Text == "" || twice && declared && before.declared {
			return
		}
		if twice {
			s.Errs.Errorf(diag.Duplicate, n.Span, "%s is defined already%s", n.Text,
				before.in).Because(before.span, "%s", before.why).
				Suggest("Give one of the two another name.")
			return
		}
		known[n.Text] = given{span: n.Span, why: "here", declared: declared, local: local}
	}
	for _, u := range units {
		switch u := u.(type) {
		case *syntax.Constants:
			for _, d := range u.Decls {
				give(d.Name, true, false)
			}
		case *syntax.Variables:
			for _, n := range u.Names {
				give(n, true, false)
			}
		case *syntax.Assume:
			give(u.Name, false, false)
		case *syntax.Definition:
			give(u.Name, false, u.Local)
			params := map[string]given{}
			for _, p := range u.Params {
				s.once([]syntax.Unit{&syntax.Definition{Name: p.Name}}, params)
			}
		case *syntax.FunctionDefinition:
			give(u.Name, false, u.Local)
		case *syntax.InstanceDefinition:
			give(u.Name, false, u.Local)
		}
	}
}

// given is where a name got its meaning.
type given struct {
	span     diag.Span
	in, why  string
	declared bool // as a constant or a variable
	local    bool
}

// extended are the names that a module has by EXTENDS: from modules whose operators are built in,
// and the definitions of other modules that are named there.
func (m *module) extended(tree *syntax.Module) map[string]given {
	known := map[string]given{}
	for _, e := range tree.Extends {
		by := given{span: e.Span, in: ", in module " + e.Text, why: "it is extended here"}
		if sc := m.spec.builtins(e.Text); sc != nil {
			for n := range sc.names {
				known[n] = by
			}
			continue
		}
		other := m.spec.parsed[e.Text]
		if other == nil {
			continue
		}
		own := map[string]given{}
		(&Spec{Errs: &diag.List{}}).once(other.Units, own)
		for n, g := range own {
			if !g.local {
				by.declared = g.declared
				known[n] = by
			}
		}
	}
	return known
}
