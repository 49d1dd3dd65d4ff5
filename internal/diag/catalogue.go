package diag

import (
	"slices"
	"strings"
)

// Entry explains a code. Example is a whole file that fails with it, whose name is File; an empty
// name stands for a specification.
type Entry struct {
	Code    Code
	Title   string
	Text    string
	Example string
	File    string
}

// Explain finds the entry of a code.
func Explain(code Code) (Entry, bool) {
	i := slices.IndexFunc(catalogue, func(e Entry) bool { return e.Code == code })
	if i < 0 {
		return Entry{}, false
	}
	return catalogue[i], true
}

// Catalogue lists all entries in the order of their codes.
func Catalogue() []Entry { return slices.Clone(catalogue) }

var catalogue = []Entry{
	{Code: NotText, Title: "The file is not text", Text: `
A specification is UTF-8 text of at most 64 MiB. This file has a byte that is not part of any character, or a zero byte.
Usually it is not a specification at all.`,
		Example: "sort node\n\x00\x01\x02"},
	{Code: BadCharacter, Title: "A character that the language does not use", Text: `
The character has no meaning anywhere in a specification. Comments begin with '#'.`,
		Example: "sort node $"},
	{Code: Syntax, Title: "Syntax error", Text: `
Something else was expected at this place. The message says what, and the span shows where. After the error reading goes on
at the next declaration, so that the errors of several declarations are shown at once.`,
		Example: "sort node\nmutable relation r(node\ninit !r(N)"},
	{Code: NonAssociative, Title: "Two operators that need parentheses", Text: `
'<->', '~>' and comparisons do not chain: a = b = c could mean several things. Put parentheses around one of the two, or
write a conjunction such as a <= b & b <= c.`,
		Example: "immutable constant a: int\naxiom 0 <= a <= 3"},
	{Code: TooDeep, Title: "Nested too deeply", Text: `
Parentheses, quantifiers and blocks may be nested 1000 deep. Name parts of the formula with definitions.`,
		Example: "axiom " + strings.Repeat("(", 1100) + "true" + strings.Repeat(")", 1100)},
	{Code: Unsupported, Title: "A construct that is not supported", Text: `
The file uses something that erelong knows but cannot read, such as the phase automata of an old branch of mypyvy.

Structured data is kept in relations and functions, which first-order logic can speak of. So a set and the keys of a map have no
sets, sequences or maps in them, a variable of a quantifier or an action is no set, sequence or map, and the size of a set is
compared with a small number or with half of its sort. The message says what to write instead.`,
		Example: "automaton { }"},
	{Code: MixedDialects, Title: "old(..) and new(..) in one file", Text: `
mypyvy has two dialects. Today's marks the values after a step: new(x), or x'. That of 2019-20 marks the values before it,
old(x), and an unmarked x is the value after. A file is in one of the two. (In an action, which is a program, old(x) is
the value at its start in either.)`,
		Example: "mutable relation r\ntransition a() modifies r new(r)\ntransition b() modifies " +
			"r r & !old(r)"},
	{Code: UnresolvedName, Title: "A name that is not declared", Text: `
The name is neither a symbol, a variable in scope, a member of an enum, a constructor, nor a definition; or it is no field or
constructor of the type of the value. In formulas a name with a capital
letter needs no declaration: it stands for every value. In an assignment only an argument of the target stands for
every value.`,
		Example: "sort node\nmutable relation waiting(node)\ninit !wating(N)"},
	{Code: UnresolvedSort, Title: "A sort that is not declared", Text: `
Sorts are bool, int, ranges such as 0..3, and what was declared with sort, enum or type. Types of structured data are
{ field: T }, (T, T), set[T], seq[T], option[T] and map[K, V].`,
		Example: "mutable relation r(node)"},
	{Code: Duplicate, Title: "Declared twice", Text: `
Symbols, members of enums, constructors, definitions, transitions, actions and named formulas share one space of names; sorts
have another, instances a third. The fields of one record or constructor have different names, and a match names each
constructor once.`,
		Example: "mutable relation r\nmutable relation r"},
	{Code: Shadowing, Title: "A variable hides a declaration", Text: `
A variable or parameter must not be called like something that is declared at the top level: a formula that seems to speak of
the one would speak of the other.`,
		Example: "sort t\nimmutable constant a: t\ntheorem forall a: t. a = a"},
	{Code: WrongArguments, Title: "Wrong number of arguments", Text: `
The number of arguments differs from that of the declaration. A constructor has a value for each of its fields, in a match a
variable for each of them, or none.`,
		Example: "sort node\nmutable relation link(node, node)\ninit !link(N)"},
	{Code: NotCallable, Title: "Something that takes no arguments", Text: `
Variables and members of enums are not functions.`,
		Example: "sort node\nmutable relation r(node)\ninit forall N: node. r(N(N))"},
	{Code: Cyclic, Title: "Defined in terms of itself", Text: `
Definitions and types are expanded where they are used. A recursive definition says after the type of its result how many
calls may be inside one another, definition f(s: seq[int]): int depth 4 = ..., and becomes at most 4,096 calls. Types cannot be
recursive, since a state has a fixed number of parts: a list or tree is kept in a map or a function, from numbers or names to its
nodes.`,
		Example: "definition a() = b\ndefinition b() = a"},
	{Code: UnknownTarget, Title: "A property, instance or action that does not exist", Text: `
An expectation names a property and perhaps an instance, a trace names actions. The name is given in brackets after the
property's first word: safety [mutex] ...`,
		Example: "mutable relation r\nsafety [mutex] !r\nexpect [mutx] holds"},
	{Code: Include, Title: "A file that cannot be included", Text: `
include "file.ere" stands for the declarations of another file, whose path is from the folder of this one. A file does not include
itself, directly or through other files, and is in this language or mypyvy's: convert --to ere writes the files of others in it.`,
		Example: "sort node\ninclude \"node.ere\""},
	{Code: SortMismatch, Title: "Sorts do not fit", Text: `
An expression has another sort or type than its place asks for. The elements of a set, a sequence or a map have one type.
Note that ! binds tighter than =, so !x = y means (!x) = y.`,
		Example: "sort node\nsort ticket\nmutable function t(node): ticket\ninit t(N) = N"},
	{Code: NoSort, Title: "The sort of a variable cannot be inferred", Text: `
Variables without a sort get it from their use as arguments or in equations. Where that says nothing, write it.`,
		Example: "sort node\nmutable relation r\ninit forall N. !r"},
	{Code: TwoRanges, Title: "Two ranges for one variable", Text: `
The variable has no sort of its own and is an argument of symbols with different ranges. Say over which it is to range.`,
		Example: "mutable relation a(0..2)\nmutable relation b(0..3)\ninit !a(X) & !b(X)"},
	{Code: MypyvyArgument, Title: "bool or int as an argument in a .pyv file", Text: `
mypyvy allows only declared sorts as arguments of relations and functions. erelong allows bool, int, enums and ranges, too, in
files that end in .ere.`,
		Example: "immutable relation r(int)", File: "example.pyv"},
	{Code: RangeEnds, Title: "The ends of a range", Text: `
The ends of a range are made of numbers, immutable constants, +, - and *, so that an instance fixes them.`,
		Example: "immutable function f(int): int\nmutable constant x: 0..f(1)"},
	{Code: Divisor, Title: "Division by 0", Text: `
div and mod divide by a positive number that is written there: x div 3, x mod 3. The quotient is rounded down, and the remainder is
never negative, also where x is.`,
		Example: "mutable constant x: int\ninit x mod 0 = 0"},
	{Code: MutableHere, Title: "A mutable symbol where only immutable ones can be used", Text: `
Axioms, zerostate theorems and the ends of ranges are about what never changes.`,
		Example: "mutable relation r\naxiom r"},
	{Code: NewHere, Title: "There is no next or previous state here", Text: `
new(x) and x' are for transitions, twostate definitions and twostate theorems. In an action a plain name is the current value,
and old(x) the value at the start.`,
		Example: "mutable relation r\ninvariant r -> new(r)"},
	{Code: DefinitionHere, Title: "A definition about two states where there is one", Text: `
A twostate definition, a transition or an action can be used as a formula only in a transition or a twostate theorem, and not
inside new(..).`,
		Example: "mutable relation r\ntwostate definition d() = new(r)\ninvariant d | r"},
	{Code: NotModified, Title: "Used in the new state, but not modified", Text: `
A transition may speak of the new value only of what it lists under modifies; all else keeps its value.`,
		Example: "mutable relation r, s\ntransition t() modifies r new(r) & new(s)"},
	{Code: Unconstrained, Title: "Modified, but nothing is said of the new value", Text: `
The symbol is listed under modifies, and the formula does not mention its new value: any value would do, which is rarely meant.`,
		Example: "mutable relation r\ntransition t() modifies r r"},
	{Code: ImmutableTarget, Title: "An immutable symbol cannot change", Text: `
Immutable symbols are the parameters of the system: they have no new value and cannot be assigned to.`,
		Example: "immutable constant n: int\naction a() { n := 1; }"},
	{Code: DerivedTarget, Title: "A derived relation changes by itself", Text: `
The value of a derived relation follows from its definition in every state, so it is neither assigned nor listed under modifies.`,
		Example: "mutable relation r\nderived relation d: d <-> r\naction a() { d := true; }"},
	{Code: NoMutable, Title: "A formula about the state that mentions no state", Text: `
A warning: no step can change the truth of an invariant or initial condition without mutable symbols. It may be an axiom.`,
		Example: "sort node\nimmutable relation r(node)\ninvariant r(N)"},
	{Code: TemporalHere, Title: "A temporal operator outside of a temporal property", Text: `
always, eventually, until and ~> can stand in liveness and temporal properties, and there not inside quantified terms of other
kinds of formulas.`,
		Example: "mutable relation r, s\ndefinition d() = r\nliveness d ~> s\nsafety r ~> s"},
	{Code: LivenessForm, Title: "A liveness property of another form", Text: `
A liveness property has the form trigger ~> good, perhaps under universal quantifiers, where trigger and good are about one state.
Other properties over time are declared with temporal.`,
		Example: "mutable relation r, s\nliveness always r"},
	{Code: PointVariable, Title: "A capital letter twice in the target of an assignment", Text: `
In f(C, D) := e each capital letter stands for every value of its argument. The same letter twice would assign only the
diagonal; if that is meant, write f(C, D) := if C = D then e else f(C, D).`,
		Example: "sort node\nmutable relation link(node, node)\n" +
			"action a() { link(N, N) := true; }"},
	{Code: NotATarget, Title: "Something that cannot be assigned to", Text: `
The target of ':=' is a mutable symbol, a point of one, or a part of its value: x := e, f(a, b) := e, log(n)[i].term := e.`,
		Example: "sort node\nmutable relation r(node)\naction a(n: node) { n := n; }"},
	{Code: GhostFlow, Title: "A ghost influences the behaviour", Text: `
Ghost symbols are for proofs: the system without them behaves the same. So they may be read only by properties, in assignments
to ghosts, and in conditions under which only ghosts are assigned.`,
		Example: "ghost relation g\nmutable relation r\naction a() { r := g; }"},
	{Code: InstanceItem, Title: "An instance gives a value to something else", Text: `
An instance gives sizes to uninterpreted sorts, values to immutable constants, and tables to immutable relations and
functions.`,
		Example: "mutable constant x: int\ninstance small { x = 3 }"},
	{Code: MissingSize, Title: "An instance without the size of a sort", Text: `
Every uninterpreted sort needs a size in every instance.`,
		Example: "sort node\nsort value\ninstance small { node = 2 }"},
	{Code: BadValue, Title: "A value that is not possible", Text: `
The size of a sort is a number from 1 on. A value is a number, true, false, a member of an enum, or an element of an
uninterpreted sort by the name that traces print: the elements of a sort node are node0, node1, and so on. A table of a relation
is the set of its points, {(node0, node1), ...}; one of a function has values, too, {node0: 3, ...}. The first element of a
sequence is at position 1.`,
		Example: "sort node\ninstance small { node = 0 }"},
	{Code: VerdictWord, Title: "Not a verdict", Text: `
An expectation says holds, violated, not inductive, unknown or nothing checked.`,
		Example: "mutable relation r\nsafety [p] !r\nexpect [p] good"},
	{Code: MissingValue, Title: "An instance without the value of a constant", Text: `
The ends of a range are made of this constant, and something goes through the values of the range: in an instance it needs a value, unless
an axiom fixes it. The instance is not explored; proofs do not need it.`,
		Example: "immutable constant last: int\nmutable relation r(0..last)\ninit !r(X)\naction " +
			"a() { r(0) := true; }\nsafety !r(0)\ninstance small { }"},
	{Code: TooMany, Title: "More values than can be tried", Text: `
A variable, a choice, or the arguments of a symbol have too many values in an instance to try them all: more than
16,777,216. The instance is not explored; proofs do not need it.`,
		Example: "mutable relation r\ninit !r\naction a(x: 0..9000000000000000000) { require x " +
			"= 5; r := true; }\nsafety !r\ninstance small { }"},
	{Code: Infinite, Title: "Infinitely many points or values", Text: `
A symbol with an argument of sort int has infinitely many points, which no state of an instance can hold; or the values of
a symbol of sort int would have to be tried one by one. A range such as 0..9 in place of int makes them finite. The instance is not
explored; proofs do not need it.`,
		Example: "mutable function f(int): int\ninit f(X) = 0\naction a() { f(0) := 1; }\n" +
			"safety f(0) < 2\ninstance small { }"},
	{Code: OutsideClass, Title: "Outside the class of symmetric point-to-point algorithms", Text: `
All processes run the same deterministic program. At each location a process sends one message to all, or receives, or
computes; the location alone decides which, and which location comes next. What it keeps for a peer depends on the location,
on the messages received from that peer in this step, and on what it kept before. No process is named, and no message
names one. For this class two processes are enough to find every error between two of them.`,
		Example: "algorithm x {\n  message m\n  var n: int = 0\n  timing synchrony\n  compute " +
			"at l { n := n(P); }\n}\nsafety n(P, Q) = 0"},
	{Code: AlgorithmForm, Title: "An algorithm that is not complete", Text: `
An algorithm has messages, variables with their values at the start, a model of time, and tasks with their locations. Beside it
stand properties, invariants about a derived system (about one_way { ... }) and reductions (reduce [p] within e).`,
		Example: "algorithm x {\n  message m\n  var n: int = 0\n  send m at l { }\n}\nsafety " +
			"n(P, Q) = 0"},
	{Code: NotReduced, Title: "A property that is not reduced", Text: `
A warning: the cutoff theorems are about properties of one process or of two, for every process and every pair. This one
speaks of more, so it is explored only in instances that say how many processes there are. In a protocol: a proof without time
does not exist, since an assumption is about messages in transit, which without time are all that were ever sent.`,
		Example: "algorithm x {\n  message m\n  var a: bool = false\n  timing synchrony\n  send " +
			"m at l { }\n  receive at k { a := received(m); }\n}\nsafety a(P, Q) & a(Q, R) -> " +
			"a(P, R)"},
	{Code: NoEffect, Title: "A part that does nothing", Text: `
A warning: a message is sent and no task that is reached asks for it, or the other way round, or a task is never reached. A process goes
from task to task whatever it has received, so nothing ever gets there. In a configuration of TLC: the module has no such name, or the part is one
that is not supported and changes no verdict. A definition has a depth and does not call itself.`,
		Example: "algorithm x {\n  message m\n  var a: bool = false\n  timing synchrony\n  " +
			"receive at k { a := received(m); }\n}\nsafety !a(P, Q)"},
	{Code: CapitalOnce, Title: "A capital letter that may be a typing error", Text: `
A warning: a name with a capital letter that nobody declared stands for every value. This one occurs once in its formula, and a
name in scope differs from it by case or by one letter. Where every value is meant, a quantifier says so: forall N. r(N).`,
		Example: "sort node\nmutable relation r(node)\ninit !r(N)\naction a(n: node) { require " +
			"!r(N); r(n) := true; }\nsafety exists X. !r(X)"},
	{Code: UnusedParameter, Title: "A parameter that is not used", Text: `
A warning: the step or definition does not depend on the parameter. A name that begins with '_' says that this is meant.`,
		Example: "mutable relation r\ninit !r\naction a(n: 0..3) { r := true; }"},
	{Code: UnusedDeclaration, Title: "A declaration that is not used", Text: `
A warning: nothing in the file mentions the symbol, sort, type or definition, but perhaps an instance. The comment
# meant: W0703 on its line, or in the comment above it, says that this is meant.`,
		Example: "mutable relation r, s\ninit !r & s\ndefinition d() = r & s"},
	{Code: NoInit, Title: "A mutable symbol that can start with any value", Text: `
A warning: no initial condition mentions the symbol, so a run can start with any value of it. The comment # meant: W0704 on
its line, or in the comment above it, says that this is meant.`,
		Example: "mutable relation r, s\ninit !r\naction a() { r := s; }"},
	{Code: FreeInCondition, Title: "A capital letter in the condition of an action", Text: `
A warning: a name with a capital letter that nobody declared stands for every value, in the whole condition: require !r(N); asks
that r is empty. Where that is meant, a quantifier says so: require forall N. !r(N);`,
		Example: "sort node\nmutable relation r(node)\ninit !r(N)\naction a() { require !r(X); " +
			"r(Y) := true; }"},
	{Code: ImplicationReading, Title: "An implication that may be read in two ways", Text: `
A warning: & binds tighter than ->, so require a & b -> c; asks for c only where a and b are true, and asks for nothing elsewhere. What
is often meant is a & (b -> c). Parentheses around either part say which. The same goes for !(a & b -> c).`,
		Example: "mutable relation r, s, t\ninit !r & !s & !t\naction a() { require r & s -> t; " +
			"t := true; }"},
	{Code: MeantNothing, Title: "A comment that is about no warning", Text: `
A warning: # meant: CODE says of the line on which it stands, or of the line that follows the comment, that the warning with this
code is about something that is meant. Here is no such warning.`,
		Example: "mutable relation r # meant: W0704\ninit !r\naction a() { r := true; }"},
	{Code: DerivedFree, Title: "A derived relation that its formula does not define", Text: `
A warning: the formula of a derived relation fixes its value in each state. This one does not mention the relation, or is an
equivalence about another symbol, as after a typing error: the relation may then have any value. The comment # meant: W0708 on its
line, or in the comment above it, says that this is meant.`,
		Example: "sort node\nmutable relation r(node), s(node)\nderived relation t(node): s(X) " +
			"<-> r(X)\ninit !r(X) & !s(X)\n" +
			"action a(n: node) { r(n) := t(n); }"},
	{Code: IvyConstruct, Title: "A construct of Ivy that is not supported", Text: `
The file is read as a model of Ivy, and uses something that is not read here. docs/ivy.md lists what is. A construct is refused where
it would matter to what is checked: leave it out, or write what it stands for.`,
		Example: "#lang ivy1.7\ntype t\nvariant s of t", File: "example.ivy"},
	{Code: IvyReadOver, Title: "A part of an Ivy file that is read over", Text: `
A warning: this part of the file changes nothing of what is checked here, so nothing is said of it: a temporal property with its
proof, or code in another language.`,
		Example: "#lang ivy1.7\nindividual p : bool\nafter init { p := true }\naction go = { p " +
			":= p }\nexport go\ninvariant p\ntemporal property globally p", File: "example.ivy"},
	{Code: IvyFragment, Title: "A formula that leaves Ivy's decidable fragment", Text: `
A warning: Ivy refuses such a file. The solvers that are asked here may answer or not; what they answer counts. An operator of an
interpreted type is applied to a variable that a quantifier binds, where it is no comparison of the variable with a term without
variables. Or a function from a type to the same type, or one back to it, is put in the place of what it is a function of: a formula
forall X. exists Y is such a function. Axioms, properties and invariants of files without isolates are looked at.`,
		Example: "#lang ivy1.7\ntype t\ninterpret t -> int\nfunction f(X:t) : t\n" +
			"axiom f(X) <= X + 1", File: "example.ivy"},
	{Code: FastConstruct, Title: "A construct of FAST that is not supported", Text: `
The file is read as a counter system of FAST, and uses something that is not read here. docs/fast.md lists what is.`,
		Example: "model m { var x; states a; " +
			"transition t := { from := a; to := a; guard := x > 1; action := x' = x + ?; }; }",
		File: "example.fst"},
	{Code: FastReadOver, Title: "A part of a FAST file that is read over", Text: `
A warning: this part of the file has no effect on what is checked here, or there is nothing to check.`,
		Example: "model m { var x; states a; }", File: "example.fst"},
	{Code: FastPrecedence, Title: "'&&' after '||' in a FAST file", Text: `
A warning: a && b || c && d is read as (a && b) || (c && d), as in most languages. The documents of FAST do not say which operator
binds tighter, and with operators of equal rank it is ((a && b) || c) && d. Parentheses say which one is meant.`,
		Example: "model m { var x; states a; transition t := { from := a; to := a; guard := " +
			"x > 1 || x = 0 && x < 5; action := x' = x + 1; }; }\n" +
			"strategy s { Region init := {x = 0}; Region bad := {x = 9}; " +
			"Transitions all := {t}; boolean ok := isEmpty(post*(init, all) && bad); " +
			"if ok then print(\"safe\"); endif }", File: "example.fst"},
	{Code: ThresholdUnchanged, Title: "A variable that a rule changes and lists as unchanged",
		Text: `
A warning: a rule of a threshold automaton gives a variable a new value, and also lists it under unchanged. It is changed. Read
as a formula, the rule would say both, and could never be taken.`,
		Example: "skel a { shared x; parameters N; assumptions (0) { N > 0; }\n" +
			"locations (0) { A: [0]; B: [1]; } inits (0) { A == N; B == 0; x == 0; }\n" +
			"rules (0) { 0: A -> B when (true) do { x' == x + 1; unchanged(x); }; }\n" +
			"specifications (0) { s: [](B <= N); } }", File: "example.ta"},
}
