package syntax

import (
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

// prover reads over proofs: it finds where they end, and keeps nothing of them.
type prover struct {
	parser
	levels []int // of the steps of the proofs around the next token; unknown before the first step
}

// The levels of steps without a number.
const (
	unknown = -1
	same    = -1 // <*>
	further = -2 // <+>
)

// level is the level of a step.
func (p *prover) level(t parse.Token) int {
	switch text := p.Text(t)[1:]; text[0] {
	case '*':
		return same
	case '+':
		return further
	default:
		n, err := strconv.Atoi(text[:strings.IndexByte(text, '>')])
		if err != nil {
			p.Fail(p.Span(t), diag.Syntax, "a level of steps that is too large")
		}
		return n
	}
}

// beginsProof reports whether a proof begins at the next token.
func (p *prover) beginsProof() bool {
	switch t := p.Peek(); t.Kind {
	case "BY", "PROOF", "OBVIOUS", "OMITTED":
		return true
	case step:
		level, n := p.level(t), len(p.levels)
		return level == further || n == 0 ||
			level >= 0 && p.levels[n-1] != unknown && level > p.levels[n-1]
	}
	return false
}

// fits reports whether a step of a level belongs to the innermost proof. The first one fixes the
// level of the proof.
func (p *prover) fits(level int) bool {
	n, above := len(p.levels)-1, -1
	if n > 0 {
		above = p.levels[n-1]
	}
	first := p.levels[n] == unknown
	switch {
	case first && level < 0:
		p.levels[n] = above + 1
	case first:
		p.levels[n] = level
		return level > above
	}
	return first || level == same || level == p.levels[n]
}

// proof reads over a proof.
func (p *prover) proof() {
	p.Enter()
	p.levels, p.proofs = append(p.levels, unknown), true
	p.Accept("PROOF")
	switch p.Peek().Kind {
	case "BY":
		p.facts()
	case "OBVIOUS", "OMITTED":
		p.Next()
	default:
		for !p.step() {
		}
	}
	p.levels = p.levels[:len(p.levels)-1]
	p.proofs = len(p.levels) > 0
	p.Leave()
}

// step reads over a step with its proof, and reports whether it is the last one.
func (p *prover) step() (last bool) {
	t := p.expect(step)
	if !p.fits(p.level(t)) {
		p.Fail(p.Span(t), diag.Syntax, "this step has not the level of its proof")
	}
	proved := false
	switch p.Peek().Kind {
	case "USE", "HIDE":
		p.facts()
	case "INSTANCE":
		p.instance()
	case "DEFINE":
		p.Next()
		p.definition(false, p.Peek())
		p.definitions()
	case "HAVE":
		p.Next()
		p.expr()
	case "WITNESS":
		p.Next()
		p.Commas(func() { p.expr() })
	case "TAKE", "PICK":
		proved = p.picks()
	case "CASE":
		p.Next()
		p.expr()
		proved = true
	case "QED":
		p.Next()
		proved, last = true, true
	default:
		proved = p.claim()
	}
	if p.beginsProof() {
		if !proved {
			p.Fail(p.Span(p.Peek()), diag.Syntax, "a step of this kind takes no proof")
		}
		p.proof()
	}
	return last
}

// picks reads over TAKE x \in S, or PICK x \in S : p, and reports whether it takes a proof.
func (p *prover) picks() bool {
	pick := p.Next().Kind == "PICK"
	if p.bounded() {
		p.bounds()
	} else if p.variables().Tuple {
		p.expected("'\\in'")
	}
	if pick {
		p.expect(":")
		p.expr()
	}
	return pick
}

// claim reads over a step that claims something, or defines something, and reports whether it takes
// a proof.
func (p *prover) claim() bool {
	if p.definitionAt(0) {
		p.definitions()
		return false
	}
	p.Accept("SUFFICES")
	if p.atSequent() {
		p.sequent()
	} else {
		p.expr()
	}
	return true
}

// definitions reads over definitions as long as they follow each other.
func (p *prover) definitions() {
	for p.definitionAt(0) {
		p.definition(false, p.Peek())
	}
}

// atSequent reports whether ASSUME .. PROVE .. begins at the next token, perhaps with a label.
func (p *prover) atSequent() bool {
	n := 0
	if p.At(parse.Word) && p.Ahead(1).Kind == "::" {
		n = 2
	}
	k := p.Ahead(n).Kind
	return k == "ASSUME" || k == "[]ASSUME"
}

// sequent reads over ASSUME .. PROVE ...
func (p *prover) sequent() {
	p.Enter()
	if p.Accept(parse.Word) {
		p.expect("::")
	}
	p.Next()
	p.Commas(p.assumption)
	if !p.Accept("[]PROVE") {
		p.expect("PROVE")
	}
	p.expr()
	p.Leave()
}

// assumption reads over an assumption of a sequent.
func (p *prover) assumption() {
	if p.atSequent() {
		p.sequent()
		return
	}
	renewed := p.Accept("NEW")
	switch p.Peek().Kind {
	case "STATE", "ACTION", "TEMPORAL":
		p.Next()
		p.decl()
	case "VARIABLE":
		p.Next()
		p.name("the name of a variable")
	case "CONSTANT":
		p.Next()
		p.constant()
	default:
		if renewed {
			p.constant()
		} else {
			p.expr()
		}
	}
}

// constant reads over a constant with its set.
func (p *prover) constant() {
	if p.decl().Arity == 0 && p.Accept("\\in") {
		p.expr()
	}
}

// facts reads over BY, USE or HIDE with facts and definitions.
func (p *prover) facts() {
	hide := p.Next().Kind == "HIDE"
	if !hide {
		p.Accept("ONLY")
	}
	if k := p.Peek().Kind; k != "DEF" && k != "DEFS" {
		p.Commas(p.fact)
	}
	if p.Accept("DEF") || p.Accept("DEFS") {
		p.Commas(p.fact)
	}
}

// fact reads over a fact.
func (p *prover) fact() {
	if p.Accept("MODULE") {
		p.field("the name of a module")
		return
	}
	p.argument()
}
