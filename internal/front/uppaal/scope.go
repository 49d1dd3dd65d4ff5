package uppaal

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
	"erelong.dev/erelong/internal/timed"
)

// value is an elaborated expression: a number, a variable, a difference of clocks or a condition on
// clocks.
type value struct {
	typ      *typ
	eval     timed.Eval // of a number, or the effect of a call or assignment
	lo, hi   int64
	constant bool
	faulty   bool // it would be constant, but has no value
	computed bool // it is constant, and its cells have it after eval
	fixed    bool // the variable is a constant, though its index may not be

	addr     timed.Eval // of a variable: its first cell, clock or channel
	alo, ahi int        // bounds on that position
	writable bool
	local    bool  // of the current function: assigning it is no effect
	written  *bool // of a reference parameter: whether the function assigns it

	clocks    *difference    // x - y
	condition *timed.Formula // a condition with clocks
	fn        *callable
}

type difference struct{ i, j timed.Clock }

type symbol struct {
	typ  *typ // of a name of a type
	val  *value
	span diag.Span
}

type scope struct {
	names map[string]*symbol
	up    *scope
}

func (s *scope) inner() *scope { return &scope{map[string]*symbol{}, s} }

func (s *scope) find(name string) *symbol {
	for ; s != nil; s = s.up {
		if x := s.names[name]; x != nil {
			return x
		}
	}
	return nil
}

// elaborator turns parsed text into a network, in one scope.
type elaborator struct {
	*loader
	scope *scope
	fn    *callable // the function whose body is read
	pure  bool      // effects are forbidden: in guards, invariants, channels and queries
	// The expression is an invariant: clocks have rates there.
	invariant bool
	prefix    string // of names of variables: the process
	where     timed.Member
	own       [2]int // the first cell and clock of the process
	shared    bool   // the update of a receiver of a broadcast; one step may have several
}

func (c *elaborator) fail(code diag.Code, span diag.Span, format string, args ...any) {
	c.list.Errorf(code, span, "%s", fmt.Sprintf(format, args...))
	parse.Bail()
}

// mostKnown is the number of known names that a message lists.
const mostKnown = 8

// unresolved fails because of a name, and suggests the most similar of the known ones, or lists
// them.
func (l *loader) unresolved(e *expr, format string, known []string) {
	d := l.list.Errorf(diag.UnresolvedName, e.span, format, e.text)
	if near := diag.Closest(e.text, known); near != "" {
		d.DidYouMean(near)
	} else if known = slices.Compact(slices.Sorted(slices.Values(known))); len(known) > 0 {
		more := ""
		if len(known) > mostKnown {
			known, more = known[:mostKnown], ", ..."
		}
		d.Message += "; there are " + strings.Join(known, ", ") + more
	}
	parse.Bail()
}

func (c *elaborator) define(name string, s *symbol) {
	if old := c.scope.names[name]; old != nil {
		c.list.Errorf(diag.Duplicate, s.span, "%s is declared already", name).Because(old.span,
			"here")
		parse.Bail()
	}
	c.scope.names[name] = s
}

func (c *elaborator) in(s *scope) *elaborator {
	d := *c
	d.scope = s
	return &d
}

// continues gives up when the model is not needed any more.
func (c *elaborator) continues() {
	select {
	case <-c.mem.Done:
		parse.Bail()
	default:
	}
}

// load sets the reading of a number or clock at a position.
func (v *value) load() {
	switch {
	case v.typ.number():
		v.lo, v.hi = int64(v.typ.lo), int64(v.typ.hi)
		if v.alo == v.ahi {
			k := v.alo
			v.eval = func(m *timed.Memory) int32 { return m.Cells[k] }
		} else {
			addr := v.addr
			v.eval = func(m *timed.Memory) int32 { return m.Cells[addr(m)] }
		}
	case v.typ.kind == clockKind:
		v.clocks = &difference{i: timed.Clock{Lo: v.alo, Hi: v.ahi, At: v.addr}}
	}
}

func number(t *typ, n int32) *value {
	return &value{typ: t, constant: true, lo: int64(n), hi: int64(n), eval: func(
		*timed.Memory,
	) int32 {
		return n
	}}
}
