package flat

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// Expressions replaces the structured data of expressions about a file that File has read. Only one
// goroutine at a time may use it.
type Expressions struct{ f *flattener }

// Lower gives an expression without structured data. It gives nil after an error.
func (e *Expressions) Lower(x *syntax.Expr, errs *diag.List) *syntax.Expr {
	f := e.f
	f.errs = errs
	f.free = nil
	t := f.infer(x, nil)
	f.freeOf[x] = f.free
	added := len(f.added)
	if errs.Err() != nil {
		return nil
	}
	if !t.plain() {
		errs.Errorf(diag.SortMismatch, x.Span, "this has type %s, and no single value", t).
			Suggest("Ask for a part of it, such as size(s), e in s, s[1] or r.field.")
		return nil
	}
	out := f.lowerClosed(x, top)
	if errs.Err() == nil && len(f.added) > added {
		errs.Errorf(diag.Unsupported, x.Span, "this speaks of a size, or of a missing value, of "+
			"which the file does not speak")
	}
	if errs.Err() != nil {
		return nil
	}
	return out
}
