package uppaal

import "erelong.dev/erelong/internal/diag"

// expr is an expression as written. Op is an operator with its arity in kids, or one of: num, name,
// call (kids[0] is the function), index, field, post++, post--, pre++, pre--, neg, plus, forall,
// exists, sum, assign (text is the operator), deadlock.
type expr struct {
	op     string
	text   string // of a name, field or bound variable; the operator of an assignment
	value  int64
	kids   []*expr
	domain *typeExpr // of a quantifier
	span   diag.Span
}

type typeExpr struct {
	urgent, broadcast, meta, constant bool
	// int, bool, clock, chan, void, scalar, struct, range, or a name of a typedef
	base   string
	lo, hi *expr // of a range; hi is the size of a scalar
	fields []*variable
	span   diag.Span
}

// dimension of an array: an expression or a type. A name may be either.
type dimension struct {
	size *expr
	typ  *typeExpr
}

// variable is a declared variable, parameter, field or type.
type variable struct {
	name string
	typ  *typeExpr
	dims []dimension
	ref  bool
	init *initializer
	span diag.Span
}

type initializer struct {
	expr *expr
	list []*initializer
	name string // of a field
	span diag.Span
}

type function struct {
	name   string
	result *variable
	params []*variable
	body   *stmt
	span   diag.Span
}

// stmt is a statement: block, expr, if, while, do, for, each, return, empty.
type stmt struct {
	kind  string
	decls []*declaration
	exprs []*expr // of for: start, condition, step (nil if missing)
	body  []*stmt
	bound *variable // of each
	span  diag.Span
}

// declaration is one of its fields.
type declaration struct {
	variable *variable
	typedef  *variable
	function *function
}

type location struct {
	name              string
	invariant         *expr
	urgent, committed bool
	span              diag.Span
}

type edge struct {
	source, target string
	selects        []*variable
	guard          *expr
	channel        *expr
	send           bool
	update         []*expr
	weight         *expr
	span           diag.Span
}

type template struct {
	name      string
	params    []*variable
	decls     []*declaration
	locations []*location
	branches  []string // branchpoints
	initial   string
	edges     []*edge
	span      diag.Span
}

// instance is name(params) = base(args).
type instance struct {
	name   string
	params []*variable
	base   string
	args   []*expr
	span   diag.Span
}

type system struct {
	decls     []*declaration
	templates []*template
	instances []*instance
	processes []*expr // names, or names with arguments
	ranks     []int   // their priorities

	priorities   [][]*expr // of channels: levels from the lowest, where nil is the default
	prioritySpan diag.Span

	before, after []*expr // updates of each step
}

type query struct {
	kind     string // A[] E<> A<> E[] --> sup inf
	left     *expr
	right    *expr
	text     string
	span     diag.Span
	measures []*expr // of sup and inf
	recorded string
	value    string // of sup and inf, as recorded
	refused  string
}
