package syntax

import (
	"math/big"

	"erelong.dev/erelong/internal/diag"
)

// File is a parsed source.
type File struct {
	Source   *diag.Source
	Tokens   []Token // all, comments included, EOF last
	Decls    []Decl
	Included []*diag.Source // other files that the declarations are from, too
	Parts    []*File        // what Included became, of a file that was loaded
	// Structured reports whether the file has structured data, which package flat replaces.
	Structured bool
	// Names of which size is asked, as the size of a sort is structured data; and min or max, where
	// they are applied to two values.
	sized []string
	// Tight has the places of tokens of structured data that stand close to what is around them:
	// the period of a field, the bracket behind a value, the braces of a set.
	Tight map[int]bool
}

// Majority says that the elements of a sort are the smallest majorities of another one, and which
// relation says what is in them.
type Majority struct{ Of, Member string }

// Notation is how the file writes a symbol that holds a part of structured data; see
// logic.Notation.
type Notation struct {
	Name, Text string
	Relates    bool
	Cases      []string
}

// Name is an identifier with its position.
type Name struct {
	Text string
	Span diag.Span
}

// Word is a word of the language that no declaration makes, such as a kind of fault.
type Word Name

// SortExpr is a sort as written: a name (bool and int included), a range Lo..Hi, or a type of
// structured data.
type SortExpr struct {
	Name   string // empty for a range, and for structured data
	Lo, Hi *Expr
	Data   *DataType // nil for a sort
	Span   diag.Span
}

// Binder declares a variable; Sort is nil when it is to be inferred. With In, the variable stands
// for an element of a set, a sequence, or the keys of a map.
type Binder struct {
	Name Name
	Sort *SortExpr
	In   *Expr
}

// ExprKind is the kind of an expression.
type ExprKind int

const (
	ExprName   ExprKind = iota // Name with Primes, applied to Args if Applied
	ExprSafety                 // the conjunction of all safety properties, with Primes
	ExprInt
	ExprTrue
	ExprFalse
	ExprNew // Args[0] in the next state
	ExprOld // Args[0] in the state before
	ExprNot
	ExprNeg
	ExprAnd // any number
	ExprOr  // any number
	ExprImplies
	ExprIff
	ExprEq
	ExprNe
	ExprLt
	ExprLe
	ExprGt
	ExprGe
	ExprAdd
	ExprSub
	ExprMul
	ExprDiv // by Args[1], which is an ExprInt
	ExprMod
	ExprIf
	ExprDistinct
	ExprForall // Binders
	ExprExists
	ExprLet // Binders[0] = Args[0] in Args[1]
	ExprAlways
	ExprEventually
	ExprUntil
	ExprLeadsTo

	ExprIn        // Args[0] is an element of Args[1]
	ExprSubset    // every element of Args[0] is one of Args[1]
	ExprUnion     // of sets
	ExprIntersect // of sets
	ExprMinus     // of sets
	ExprWith      // Args[0] with the element, the fields or the entries of Args[1]
	ExprWithout   // Args[0] without the element or key Args[1]
	ExprField     // the field Name of Args[0]
	ExprAt        // Args[0][Args[1]]: the element at a position, the value of a key
	ExprIs        // Args[0] is made by the constructor Name
	ExprRecord    // the field Fields[i] is Args[i]
	ExprTuple     // two values or more
	ExprSet       // its elements
	ExprSeq       // its elements
	ExprMap       // keys and values by turns
	ExprEach      // {Args[0] for Binders if Args[1]}
	ExprMapEach   // [Args[0]: Args[1] for Binders[0] if Args[2]]: Args[0] is the variable
	ExprMany      // an argument (Args[0] for Binders if Args[1]): a value each time
	ExprMatch     // Args[0], whose constructor chooses one of Arms
	ExprNeeds     // Args[1], which has a value only if Args[0] is true; not in files
	ExprFold      // Name, sum or max, of Args[1] for the Binders with Args[0]; not in files
)

// Expr is an expression.
type Expr struct {
	Kind    ExprKind
	Span    diag.Span
	Name    Name
	Applied bool
	Primes  int
	Parens  bool // in parentheses, which Span covers
	Args    []*Expr
	Binders []*Binder
	Int     *big.Int
	Fields  []Name // of a record
	Arms    []*Arm // of a match
}

// Decl is a declaration.
type Decl interface{ Pos() diag.Span }

type (
	// SortDecl is `sort name`.
	SortDecl struct {
		Span        diag.Span
		Name        Name
		Annotations []Name
		Majority    *Majority // nil in files
		Code        bool      // its elements are the codes of values; false in files
	}
	// EnumDecl is `enum name { member, ... }`.
	EnumDecl struct {
		Span    diag.Span
		Name    Name
		Members []Name
	}
	// TypeDecl is `type name = sort`, another name for a sort.
	TypeDecl struct {
		Span diag.Span
		Name Name
		Sort *SortExpr
	}
	// SymbolDecl declares one relation, constant or function.
	SymbolDecl struct {
		Span        diag.Span
		Word        string // relation, constant, function
		Mutable     bool
		Ghost       bool
		Name        Name
		Args        []*SortExpr
		Result      *SortExpr // nil for a relation
		Derived     *Expr     // of a derived relation
		Annotations []Name
		// What an instance fixes where it is not given: a constant that may be any element, or a
		// number of places that grows. Neither is in files.
		Usual, Capacity bool
		Keyed           bool // it holds the values of the keys of a map; not in files
		// Of a symbol that holds a part of structured data, or messages in transit; not in files.
		Notation *Notation
		Declared string // how the file declares what the symbol holds; see logic.Symbol
	}
	// FormulaDecl is an axiom, init, safety, invariant, trusted invariant, theorem, liveness or
	// temporal property.
	FormulaDecl struct {
		Span diag.Span
		// "axiom", "init", "safety", "invariant", "trusted", "theorem", "liveness", "temporal"
		Word   string
		States int  // of a theorem
		Name   Name // Text is empty when there is none
		Expr   *Expr
		// Doubt says why a state in which it is false need be none of the system, whose file says
		// more than was read. Not in files.
		Doubt  string
		Listed bool // see system.Formula; not in files
	}
	// DefinitionDecl is a definition of 0, 1 or 2 states, or, with Transition set, a transition.
	DefinitionDecl struct {
		Span       diag.Span
		Transition bool
		Fairness   string // "", "fair", "strong fair"
		FairIf     *Expr  // of `fair if e`; nil is always
		States     int
		Name       Name
		Params     []*Binder
		Result     *SortExpr // nil for a formula
		// Depth is how many calls of a recursive definition may be inside one another, the first
		// one included; 0 for other definitions.
		Depth int
		// Measure becomes smaller with each call of a recursive definition inside another one, and
		// is not negative there; nil where nothing is said.
		Measure  *Expr
		Modifies []Name
		Expr     *Expr
	}
	// ActionDecl is an imperative action.
	ActionDecl struct {
		Span     diag.Span
		Fairness string
		FairIf   *Expr
		Name     Name
		Params   []*Binder
		Body     []Stmt
	}
	// TraceDecl is `sat trace { ... }` or `unsat trace { ... }`.
	TraceDecl struct {
		Span       diag.Span
		Sat        bool
		Components []TraceComponent
	}
	// InstanceDecl is `instance name { item = value, ... }`, where `= base with` may stand before
	// the items.
	InstanceDecl struct {
		Span diag.Span
		Name Name
		// Base names the instance of the file that the items change; Text is empty without one.
		Base  Name
		Items []InstanceItem
	}
	// ExpectDecl is `expect [property] verdict (in instance)? (states N)? (depth N)?`.
	ExpectDecl struct {
		Span          diag.Span
		Property      Name
		Verdict       Name
		Instance      Name // Text is empty when there is none
		States, Depth *big.Int
	}
)

func (d *SortDecl) Pos() diag.Span       { return d.Span }
func (d *EnumDecl) Pos() diag.Span       { return d.Span }
func (d *TypeDecl) Pos() diag.Span       { return d.Span }
func (d *SymbolDecl) Pos() diag.Span     { return d.Span }
func (d *FormulaDecl) Pos() diag.Span    { return d.Span }
func (d *DefinitionDecl) Pos() diag.Span { return d.Span }
func (d *ActionDecl) Pos() diag.Span     { return d.Span }
func (d *TraceDecl) Pos() diag.Span      { return d.Span }
func (d *InstanceDecl) Pos() diag.Span   { return d.Span }
func (d *ExpectDecl) Pos() diag.Span     { return d.Span }

// Recursive reports whether a definition says how its recursion ends.
func (d *DefinitionDecl) Recursive() bool { return d.Depth > 0 || d.Measure != nil }

// TraceComponent is one line of a trace: an assertion (Assert, or Init), or a step (Any, or Calls).
type TraceComponent struct {
	Span   diag.Span
	Assert *Expr
	Init   bool
	Any    bool
	Calls  []TraceCall
}

// TraceCall names a transition. Without Applied its arguments are free; a nil argument, written *,
// is free, too.
type TraceCall struct {
	Name    Name
	Applied bool
	Args    []*Expr
}

// InstanceItem gives a sort its size, a constant its value, or a symbol with arguments its table.
type InstanceItem struct {
	Span  diag.Span
	Name  Name
	Value *Expr // nil if there is a table or a sweep
	Table *InstanceTable
	Sweep []*Expr // the ends of first..last, only on a command line
}

// InstanceTable is `{row, ...}`: the points of a relation, the points and values of a function, or
// the elements of a sort.
type InstanceTable struct {
	Span diag.Span
	Rows []InstanceRow
}

// InstanceRow is `a`, `(a, b)`, `a: value` or `(a, b): value`.
type InstanceRow struct {
	Span  diag.Span
	Args  []*Expr
	Value *Expr // nil without one
}

// Stmt is a statement of an action.
type Stmt interface{ stmt() }

type (
	// RequireStmt is `require e;` or `assume e;`.
	RequireStmt struct {
		Span diag.Span
		Cond *Expr
		Room string // the number of places that Cond asks of a sequence; not in files
	}
	// AssignStmt is `target := value;`, where Value is nil for *.
	AssignStmt struct {
		Span   diag.Span
		Target *Expr // an ExprName
		Value  *Expr
	}
	// IfStmt is `if cond { then } else { else }`.
	IfStmt struct {
		Span       diag.Span
		Cond       *Expr
		Then, Else []Stmt
	}
	// ChooseStmt is `choose binder with such { body }`, or with `;` instead of the body, for the
	// rest of the block.
	ChooseStmt struct {
		Span   diag.Span
		Binder *Binder
		Such   *Expr // nil for none
		Block  bool
		Body   []Stmt
	}
	// LetStmt is `let binder = value;`, for the rest of the block.
	LetStmt struct {
		Span   diag.Span
		Binder *Binder
		Value  *Expr
	}
)

// MatchStmt runs the block of the constructor that made a value.
type MatchStmt struct {
	Span  diag.Span
	Value *Expr
	Arms  []*Arm
}

// TogetherStmt carries out all assignments at once, from the values before. It is not in files.
type TogetherStmt struct {
	Span    diag.Span
	Assigns []*AssignStmt
}

func (*MatchStmt) stmt()    {}
func (*TogetherStmt) stmt() {}

func (*RequireStmt) stmt() {}
func (*AssignStmt) stmt()  {}
func (*IfStmt) stmt()      {}
func (*ChooseStmt) stmt()  {}
func (*LetStmt) stmt()     {}
