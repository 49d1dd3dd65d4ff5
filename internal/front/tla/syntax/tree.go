package syntax

import "erelong.dev/erelong/internal/diag"

// Name is a name where it stands.
type Name struct {
	Text string
	Span diag.Span
}

// Module is a module with its units in the order of the file.
type Module struct {
	Name    Name
	Extends []Name
	Units   []Unit
	Span    diag.Span
}

// Unit is a part of a module, or a definition of a LET.
type Unit interface{ unit() }

// Decl declares a constant or a recursive operator. An operator of symbols has its symbol as name.
type Decl struct {
	Name  Name
	Arity int
}

// The units. Proofs are skipped.
type (
	// Constants declares constants.
	Constants struct{ Decls []Decl }
	// Variables declares variables.
	Variables struct{ Names []Name }
	// Recursive declares operators before they are defined.
	Recursive struct{ Decls []Decl }
	// Definition defines an operator: Name(Params) == Body. Local ones are seen in the module only.
	Definition struct {
		Local  bool
		Name   Name
		Params []Decl
		Body   Expr
		Span   diag.Span
	}
	// FunctionDefinition defines a function, which may be recursive: Name[Bounds] == Body.
	FunctionDefinition struct {
		Local  bool
		Name   Name
		Bounds []Bound
		Body   Expr
		Span   diag.Span
	}
	// InstanceDefinition is INSTANCE Module WITH ..; with a name, it is Name(Params) == INSTANCE
	// ...
	InstanceDefinition struct {
		Local  bool
		Name   Name // Text is empty where there is none
		Params []Decl
		Module Name
		With   []Substitution
		Span   diag.Span
	}
	// Assume is an assumption about constants.
	Assume struct {
		Name Name // Text is empty where there is none
		Body Expr
		Span diag.Span
	}
	// Theorem is a theorem, lemma, proposition or corollary. Its proof is skipped. Body is nil
	// where it is an ASSUME .. PROVE ...
	Theorem struct {
		Name Name
		Body Expr
		Span diag.Span
	}
	// Inner is a module within a module.
	Inner struct{ *Module }
)

func (*Constants) unit()          {}
func (*Variables) unit()          {}
func (*Recursive) unit()          {}
func (*Definition) unit()         {}
func (*FunctionDefinition) unit() {}
func (*InstanceDefinition) unit() {}
func (*Assume) unit()             {}
func (*Theorem) unit()            {}
func (*Inner) unit()              {}

// Substitution is Name <- Value in a WITH. Value may be the name of an operator.
type Substitution struct {
	Name  Name
	Value Expr
}

// Bound is `x, y \in Set`, or with Tuple `<<x, y>> \in Set`. Set is nil where a quantifier or
// CHOOSE has none.
type Bound struct {
	Names []Name
	Tuple bool
	Set   Expr
}

// Expr is an expression.
type Expr interface {
	Span() diag.Span
	expr()
}

// At is where an expression stands.
type At struct{ Where diag.Span }

// Span is the place of the expression.
func (a At) Span() diag.Span { return a.Where }
func (At) expr()             {}

// Qualifier is a step of a name in an instance: M(args)!
type Qualifier struct {
	Name Name
	Args []Expr
}

// Quantifier is one of \A, \E and, over runs, \AA, \EE.
type Quantifier int

// The quantifiers.
const (
	Forall Quantifier = iota
	Exists
	ForallRuns
	ExistsRuns
)

// The expressions.
type (
	// Apply applies an operator by its name, with Path through instances. Without arguments it is a
	// name: an operator without parameters, a variable, or an operator as an argument. Prefix,
	// infix and postfix operators are named by their symbols, as they are written in the standard
	// modules (`-.` is the minus of one operand; synonyms have one name: `\land` is `/\`, `\leq`
	// and `=<` are `<=`, `\cup` is `\union`, `#` is `/=`, `<=>` is `\equiv`, `~` is `\lnot`...).
	// The table in operators.go says which. The built-in ones are SUBSET, UNION, DOMAIN, ENABLED,
	// UNCHANGED, ', [], <>, ~>, -+->, \cdot and so on. TRUE, FALSE, BOOLEAN, STRING are names.
	Apply struct {
		At
		Path []Qualifier
		Name Name
		Args []Expr
	}
	// Number is a number as it is written.
	Number struct {
		At
		Text string
	}
	// String is a string; Value is without quotes, and its escapes are replaced.
	String struct {
		At
		Value string
	}
	// Tuple is <<a, b>>.
	Tuple struct {
		At
		Elems []Expr
	}
	// SetOf is {a, b}.
	SetOf struct {
		At
		Elems []Expr
	}
	// Filter is {x \in S : p}.
	Filter struct {
		At
		Bound Bound
		Body  Expr
	}
	// Image is {e : x \in S, y \in T}.
	Image struct {
		At
		Body   Expr
		Bounds []Bound
	}
	// Quantified is \A x \in S, y \in T : p.
	Quantified struct {
		At
		Quantifier Quantifier
		Bounds     []Bound
		Body       Expr
	}
	// Choose is CHOOSE x \in S : p.
	Choose struct {
		At
		Bound Bound
		Body  Expr
	}
	// Function is [x \in S, y \in T |-> e].
	Function struct {
		At
		Bounds []Bound
		Body   Expr
	}
	// FunctionSet is [S -> T].
	FunctionSet struct {
		At
		Domain, Range Expr
	}
	// Index is f[a, b].
	Index struct {
		At
		Function Expr
		Args     []Expr
	}
	// Record is [a |-> x, b |-> y].
	Record struct {
		At
		Fields []Field
	}
	// RecordSet is [a : S, b : T].
	RecordSet struct {
		At
		Fields []Field
	}
	// Select is e.name.
	Select struct {
		At
		Record Expr
		Field  Name
	}
	// Except is [f EXCEPT ![a].b = e, ..].
	Except struct {
		At
		Function Expr
		Updates  []Update
		Strict   bool // where it is an error that there is nothing to replace; no file says so
	}
	// Old is the @ of an EXCEPT.
	Old struct{ At }
	// If is IF c THEN a ELSE b.
	If struct {
		At
		Cond, Then, Else Expr
	}
	// Case is CASE p -> e [] q -> f [] OTHER -> g. Other is nil where there is none.
	Case struct {
		At
		Arms  []Arm
		Other Expr
	}
	// Let is LET defs IN e.
	Let struct {
		At
		Units []Unit
		Body  Expr
	}
	// Lambda is LAMBDA x, y : e.
	Lambda struct {
		At
		Params []Name
		Body   Expr
	}
	// Action is [A]_v, or with Angle <<A>>_v.
	Action struct {
		At
		Angle      bool
		Body, Vars Expr
	}
	// Fair is WF_v(A), or with Strong SF_v(A).
	Fair struct {
		At
		Strong     bool
		Vars, Body Expr
	}
	// Junction is a list of conjuncts or disjuncts, each behind a bullet at one column. The infix
	// /\ and \/ are an Apply.
	Junction struct {
		At
		And   bool
		Items []Expr
	}
	// Times is S \X T \X U.
	Times struct {
		At
		Sets []Expr
	}
	// Label is name(params) :: e.
	Label struct {
		At
		Name   Name
		Params []Name
		Body   Expr
	}
)

// Field is a field of a record with its value, or with the set of its values.
type Field struct {
	Name  Name
	Value Expr
}

// Update is ![a].b = e.
type Update struct {
	Path  []Access
	Value Expr
	Span  diag.Span
}

// Access is [a, b] or, with Args nil, .Field in the path of an update.
type Access struct {
	Args  []Expr
	Field Name
}

// Arm is p -> e in a CASE.
type Arm struct{ Cond, Value Expr }

// Config is a configuration of TLC: a .cfg file.
type Config struct {
	Assignments       []Assignment  // CONSTANTS: C = value
	Replacements      []Replacement // C <- D
	Specification     Name          // Text is empty where it is not given; so with Init and so on
	Init, Next        Name
	Invariants        []Name
	Properties        []Name
	Constraints       []Name
	ActionConstraints []Name
	Symmetry          []Name
	View, Alias       Name
	Postconditions    []Name
	Possible          []Name // _POSSIBLE: what some state or step ought to satisfy
	Tried             []Name // formulas that nobody claims; no file says so
	InitialStep       bool   // INIT may have primes, of which each means nothing; no file says so
	CheckDeadlock     *bool
}

// Assignment is C = value, or C = [Module] value: a number, a string, TRUE, a model value or a set
// of values. A model value is an Apply without arguments.
type Assignment struct {
	Name   Name
	Params []Expr // of an assignment C(1, 2) = value
	Module Name   // Text is empty where there is none
	Value  Expr
}

// Replacement is C <- D, or C <- [Module] D.
type Replacement struct {
	Name   Name
	Module Name // Text is empty where there is none
	By     Name
}
