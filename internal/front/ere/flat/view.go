package flat

import "erelong.dev/erelong/internal/front/ere/syntax"

// View says which symbols hold the parts of which value.
type View struct{}

func newView() *View { return &View{} }

func (v *View) symbol(f *flattener, g *global) {}

func (v *View) action(f *flattener, d *syntax.ActionDecl, form actionForm) {}
