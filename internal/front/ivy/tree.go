package ivy

import "erelong.dev/erelong/internal/diag"

// name is a dotted name as written, with its position.
type name struct {
	text string
	span diag.Span
}

// binder declares a variable, a parameter or an argument. Type is empty when it is to be inferred.
type binder struct {
	name name
	typ  name
}

// termKind is the kind of a term or formula.
type termKind int

const (
	termName  termKind = iota // a symbol, a local or a numeral, with args
	termDot                   // args[0].name(args[1:])
	termVar                   // a capital letter
	termOp                    // op with args: ~ & | -> <-> = ~= < <= > >= + - * / ite
	termQuant                 // op (forall, exists) with vars and args[0]
	termOld                   // old args[0]
	termRun                   // op (globally, eventually) with args[0]
	termOther                 // something that is read and not supported; op names it
	termBool                  // op is true or false
)

// nativeCode is the op of code in another language, which only a definition may be.
const nativeCode = "<<<"

// term is a term or a formula.
type term struct {
	kind    termKind
	span    diag.Span
	op      string
	name    name
	args    []*term
	vars    []binder
	typ     name // of an annotation x:t
	applied bool
}

// formula is a formula with a label and perhaps a proof.
type formula struct {
	label name
	term  *term
	span  diag.Span
	proof diag.Span // zero when there is none
}

// A statement of an action.
type stmt interface{ pos() diag.Span }

type (
	// claimStmt is assume, assert, require or ensure.
	claimStmt struct {
		span diag.Span
		word string
		formula
	}
	// assignStmt is `lhs := rhs`, where rhs is nil for *.
	assignStmt struct {
		span     diag.Span
		lhs, rhs *term
	}
	// callStmt is `call lhs := callee`, or a term by itself.
	callStmt struct {
		span   diag.Span
		lhs    []*term
		callee *term
	}
	// ifStmt is `if cond {...} else {...}`, where cond is nil for *. With some, it binds some.vars.
	ifStmt struct {
		span      diag.Span
		cond      *term
		some      *some
		then, alt []stmt
	}
	// whileStmt is a loop.
	whileStmt struct {
		span       diag.Span
		cond       *term
		some       *some
		invariants []formula
		body       []stmt
	}
	// localStmt declares variables for its body.
	localStmt struct {
		span diag.Span
		vars []binder
		body []stmt
	}
	// varStmt declares a variable for the rest of the block.
	varStmt struct {
		span diag.Span
		v    binder
		args []binder // of a local function
		init *term
	}
	// blockStmt is a block of its own.
	blockStmt struct {
		span diag.Span
		body []stmt
	}
	// nativeStmt is code in another language.
	nativeStmt struct{ span diag.Span }
)

// some is `some x:t. such`, perhaps with the least or greatest value of by.
type some struct {
	vars []binder
	such *term
	best string // minimizing, maximizing or empty
	by   *term
}

func (s *claimStmt) pos() diag.Span  { return s.span }
func (s *assignStmt) pos() diag.Span { return s.span }
func (s *callStmt) pos() diag.Span   { return s.span }
func (s *ifStmt) pos() diag.Span     { return s.span }
func (s *whileStmt) pos() diag.Span  { return s.span }
func (s *localStmt) pos() diag.Span  { return s.span }
func (s *varStmt) pos() diag.Span    { return s.span }
func (s *blockStmt) pos() diag.Span  { return s.span }
func (s *nativeStmt) pos() diag.Span { return s.span }

// A declaration.
type decl interface{ pos() diag.Span }

type (
	// typeDecl declares a type: uninterpreted, or one of the others.
	typeDecl struct {
		span    diag.Span
		name    name
		members []name   // of an enumeration
		lo, hi  string   // of a range of numerals
		fields  []binder // of a structure, with args
		args    [][]binder
		structs bool
	}
	// symbolDecl declares a relation, function or individual, perhaps with its definition.
	symbolDecl struct {
		span diag.Span
		word string
		name name
		args []binder
		typ  name
		def  *term
	}
	// definitionDecl defines a symbol that is declared elsewhere, or declares it, too.
	definitionDecl struct {
		span diag.Span
		name name
		args []binder
		typ  name
		body *term
	}
	// formulaDecl is an axiom, property, invariant, conjecture or init.
	formulaDecl struct {
		span     diag.Span
		word     string
		explicit bool // only proofs use it
		formula
	}
	// moduleDecl is a module with parameters.
	moduleDecl struct {
		span   diag.Span
		name   name
		params []name
		body   []decl
	}
	// objectDecl is an object, perhaps with parameters. Without a name it is a section of the
	// enclosing object.
	objectDecl struct {
		span    diag.Span
		word    string
		name    name
		params  []binder
		body    []decl
		typed   bool // it is a type, too
		trusted bool
		// of an isolate that lists what is verified together; it is no object of its own
		listed []name
	}
	// instanceDecl instantiates a module, under a name or into the enclosing object.
	instanceDecl struct {
		span   diag.Span
		name   name
		params []binder
		module name
		args   []name
	}
	// actionDecl declares an action.
	actionDecl struct {
		span            diag.Span
		name            name
		params, returns []binder
		body            []stmt
		defined         bool
		export          string // export, import or empty
	}
	// mixinDecl is before, after or implement.
	mixinDecl struct {
		span            diag.Span
		word            string
		name            name
		params, returns []binder
		body            []stmt
	}
	// portDecl is export or import of an action.
	portDecl struct {
		span diag.Span
		word string
		name name
	}
	// interpretDecl interprets a type.
	interpretDecl struct {
		span   diag.Span
		name   name
		as     name
		lo, hi string // of {lo..hi}
		native bool
	}
	// aliasDecl is another name.
	aliasDecl struct {
		span diag.Span
		name name
		of   name
	}
	// includeDecl includes a file of Ivy's library.
	includeDecl struct {
		span diag.Span
		name name
	}
	// readOverDecl has no meaning for what is checked; note says why where a user should know.
	readOverDecl struct {
		span diag.Span
		note string
	}
)

func (d *typeDecl) pos() diag.Span       { return d.span }
func (d *symbolDecl) pos() diag.Span     { return d.span }
func (d *definitionDecl) pos() diag.Span { return d.span }
func (d *formulaDecl) pos() diag.Span    { return d.span }
func (d *moduleDecl) pos() diag.Span     { return d.span }
func (d *objectDecl) pos() diag.Span     { return d.span }
func (d *instanceDecl) pos() diag.Span   { return d.span }
func (d *actionDecl) pos() diag.Span     { return d.span }
func (d *mixinDecl) pos() diag.Span      { return d.span }
func (d *portDecl) pos() diag.Span       { return d.span }
func (d *interpretDecl) pos() diag.Span  { return d.span }
func (d *aliasDecl) pos() diag.Span      { return d.span }
func (d *includeDecl) pos() diag.Span    { return d.span }
func (d *readOverDecl) pos() diag.Span   { return d.span }
