package derive

import (
	"fmt"

	"erelong.dev/erelong/internal/front/ere/syntax"
)

// names gives the names that a derived system has beside the file's names. None of them occurs in
// the file outside of blocks about derived systems. So generated text captures none of the user's
// names, and the user's text captures no generated name. A name that the file uses gets a number.
type names struct {
	taken map[string]bool
	given map[string]name
}

func newNames(file *syntax.File) *names {
	n := &names{taken: namesOf(file), given: map[string]name{}}
	for _, d := range file.Decls {
		if about, ok := d.(*syntax.AboutDecl); ok {
			for _, d := range about.Decls {
				// It names a declaration of the derived system.
				if name := declared(d); name != nil {
					n.taken[name.Text] = true
				}
			}
		}
	}
	return n
}

// namesOf collects the names that occur in a file outside of blocks about derived systems.
func namesOf(file *syntax.File) map[string]bool {
	out := map[string]bool{}
	for _, d := range file.Decls {
		if _, ok := d.(*syntax.AboutDecl); !ok {
			syntax.AddNames(d, out)
		}
	}
	return out
}

// of gives the name for a generated symbol; the same symbol always gets the same name.
func (n *names) of(wanted string) name {
	if got, ok := n.given[wanted]; ok {
		return got
	}
	got := wanted
	for i := 1; n.taken[got]; i++ {
		got = fmt.Sprintf("%s_%d", wanted, i)
	}
	n.taken[got], n.given[wanted] = true, name(got)
	return name(got)
}

// declared is the name that a declaration introduces, nil when it has none.
func declared(d syntax.Decl) *syntax.Name {
	switch d := d.(type) {
	case *syntax.SortDecl:
		return &d.Name
	case *syntax.EnumDecl:
		return &d.Name
	case *syntax.TypeDecl:
		return &d.Name
	case *syntax.SymbolDecl:
		return &d.Name
	case *syntax.DefinitionDecl:
		return &d.Name
	case *syntax.FormulaDecl:
		if d.Name.Text != "" {
			return &d.Name
		}
	}
	return nil
}
