package diag

import "strings"

// Code names a kind of error. Codes are stable: they never get another meaning, and new ones are
// appended. Each has an entry in the catalogue (catalogue.go), with an example that a test
// compiles.
type Code string

// Text and grammar.
const (
	NotText        Code = "E0001"
	BadCharacter   Code = "E0002"
	Syntax         Code = "E0003"
	NonAssociative Code = "E0004"
	TooDeep        Code = "E0005"
	Unsupported    Code = "E0006"
	MixedDialects  Code = "E0007"
)

// Names.
const (
	UnresolvedName Code = "E0101"
	UnresolvedSort Code = "E0102"
	Duplicate      Code = "E0103"
	Shadowing      Code = "E0104"
	WrongArguments Code = "E0105"
	NotCallable    Code = "E0106"
	Cyclic         Code = "E0107"
	UnknownTarget  Code = "E0108"
	Include        Code = "E0109"
)

// Sorts.
const (
	SortMismatch   Code = "E0201"
	NoSort         Code = "E0202"
	TwoRanges      Code = "E0203"
	MypyvyArgument Code = "E0204"
	RangeEnds      Code = "E0205"
	Divisor        Code = "E0206"
)

// States.
const (
	MutableHere     Code = "E0301"
	NewHere         Code = "E0302"
	DefinitionHere  Code = "E0303"
	NotModified     Code = "E0304"
	Unconstrained   Code = "E0305"
	ImmutableTarget Code = "E0306"
	DerivedTarget   Code = "E0307"
	NoMutable       Code = "W0308"
	TemporalHere    Code = "E0309"
	LivenessForm    Code = "E0310"
)

// Actions.
const (
	PointVariable Code = "E0401"
	NotATarget    Code = "E0402"
	GhostFlow     Code = "E0403"
)

// Instances and expectations.
const (
	InstanceItem Code = "E0501"
	MissingSize  Code = "E0502"
	BadValue     Code = "E0503"
	VerdictWord  Code = "E0504"
	MissingValue Code = "E0505"
	TooMany      Code = "E0506"
	Infinite     Code = "E0507"
)

// Algorithms.
const (
	OutsideClass  Code = "E0601"
	AlgorithmForm Code = "E0602"
	NotReduced    Code = "W0603"
	NoEffect      Code = "W0604"
)

// What is allowed and is rarely meant.
const (
	CapitalOnce        Code = "W0701"
	UnusedParameter    Code = "W0702"
	UnusedDeclaration  Code = "W0703"
	NoInit             Code = "W0704"
	FreeInCondition    Code = "W0705"
	ImplicationReading Code = "W0706"
	MeantNothing       Code = "W0707"
	DerivedFree        Code = "W0708"
)

// Ivy files.
const (
	IvyConstruct Code = "E0801"
	IvyReadOver  Code = "W0802"
	IvyFragment  Code = "W0803"
)

// FAST files.
const (
	FastConstruct Code = "E0901"
	FastReadOver  Code = "W0902"
	// FastPrecedence is about operators whose order of binding FAST's documents leave open.
	FastPrecedence Code = "W0903"
)

// Threshold automata.
const ThresholdUnchanged Code = "W1202"

// IsLint reports whether a code is of what is allowed and is rarely meant.
func IsLint(c Code) bool { return strings.HasPrefix(string(c), "W07") }
