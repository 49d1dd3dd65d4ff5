// Package logic holds sorted first-order terms and formulas: how they are built, simplified,
// substituted, visited and printed.
//
// In: sorts, symbols and sub-terms. Out: terms, which are immutable and may share sub-terms. A
// formula is a term of sort Bool. The same terms serve one state, two states and runs of k states:
// each application of a mutable symbol carries the number of the state that it speaks of (Step).
// Temporal operators are terms too, so that a property is one tree.
//
// There are thirty kinds of terms (Op), and five ways to work on them:
//
//   - What has to say something about every term is a Visitor: evaluators, compilers, and the
//     printer for solvers. It has a method for each shape of terms, such as an application or a
//     quantifier. The operators on integers, to which more will come, are one shape, and Arithmetic
//     has a method for each of them. So Go's compiler names the packages that have nothing to say
//     about a new shape or a new operator. Where a shape has two operators, as Junction, the method
//     reads Op.
//   - What depends on arguments and variables only needs no operator: Map, Walk, Subst, FreeVars,
//     Share. Simplified computes what a rewriting has determined.
//   - What depends on the sorts of an operator, or on its text, reads its Signature: validation,
//     printing, generated tests. Calculate computes the value of an operator on integers.
//   - What reads a sum uses Summands, and what follows from a formula Entailed. A term with any
//     other operator is a part of the sum, or a formula that is not taken apart.
//   - What looks for a pattern compares Op. Nothing follows from a term that does not match, so a
//     new operator changes nothing there.
package logic
