package compile

import (
	"fmt"

	"erelong.dev/erelong/internal/wasm"
)

// Formulas that differ only in the bits that they read are computed together, one bit of a word for
// each. So "every message is old" is one test of a word, and a relation that moves by one position
// is one shift.

// shape describes a formula over single bits of local variables, with the positions of the bits
// relative to the first bit that is read. Formulas of the same shape differ only in the position of
// that bit.
func shape(e *expr) (key string, first uint, ok bool) {
	if e.size > 24 || !e.boolean {
		return "", 0, false
	}
	begun := false
	var text []byte
	var walk func(e *expr) bool
	walk = func(e *expr) bool {
		local, bit := uint32(0), uint(0)
		switch e.op {
		case opField:
			local, bit = e.local, e.field.shift
		case opVar:
			if e.v.unknown || e.fails {
				return false
			}
			local = e.v.local
			if e.v.isBit {
				bit = e.v.bit
			}
		case opNot, opAnd, opOr, opEq:
			text = fmt.Appendf(text, "(%d", e.op)
			for _, a := range e.args {
				if !a.boolean || !walk(a) {
					return false
				}
			}
			text = append(text, ')')
			return true
		default:
			return false
		}
		if !begun {
			begun, first = true, bit
		}
		text = fmt.Appendf(text, " %d:%d", local, int(bit)-int(first))
		return true
	}
	if !walk(e) || !begun {
		return "", 0, false
	}
	return string(text), first, true
}

// vector computes a formula for all positions at once: bit p of the result is the value of the
// formula of the same shape that reads p first. Bits without such a formula are meaningless.
func (em *emitter) vector(e *expr, first uint) {
	f := em.f
	leaf := func(local uint32, bit uint) {
		f.Get(local)
		if bit > first {
			em.shiftRight(bit - first)
		} else {
			em.shiftLeft(first - bit)
		}
	}
	switch e.op {
	case opField:
		leaf(e.local, e.field.shift)
		return
	case opVar:
		bit := uint(0)
		if e.v.isBit {
			bit = e.v.bit
		}
		leaf(e.v.local, bit)
		return
	}
	for i, a := range e.args {
		em.vector(a, first)
		if i > 0 {
			f.Op(map[op]wasm.Op{opAnd: wasm.I64And, opOr: wasm.I64Or, opEq: wasm.I64Xor}[e.op])
		}
	}
	if e.op == opNot || e.op == opEq {
		f.I64(-1)
		f.Op(wasm.I64Xor)
	}
}

// part is an operand of a conjunction or disjunction: a formula, or several of one shape with e as
// the first.
type part struct {
	e         *expr
	positions []uint // the first position that each formula reads
}

// parts groups operands of one shape, as long as none may fail.
func (em *emitter) parts(args []*expr) []part {
	var out []part
	groups := map[string]int{}
	for _, a := range args {
		if a.fails {
			clear(groups) // so that no later operand is evaluated before it
			out = append(out, part{e: a})
			continue
		}
		key, first, ok := shape(a)
		if i, seen := groups[key]; ok && seen {
			if out[i].positions == nil {
				_, place, _ := shape(out[i].e)
				out[i].positions = []uint{place}
			}
			out[i].positions = append(out[i].positions, first)
			continue
		}
		if ok {
			groups[key] = len(out)
		}
		out = append(out, part{e: a})
	}
	return out
}

// part computes an operand of a conjunction or disjunction.
func (em *emitter) part(p part, o op) {
	if p.positions == nil {
		em.cond(p.e)
		return
	}
	var mask uint64
	for _, place := range p.positions {
		mask |= 1 << place
	}
	em.vector(p.e, p.positions[0])
	if o == opOr {
		em.testMask(mask)
		return
	}
	em.f.I64(int64(mask))
	em.f.Op(wasm.I64And)
	em.f.I64(int64(mask))
	em.f.Op(wasm.I64Eq)
}

// bitAt is a formula whose value becomes one bit of a word.
type bitAt struct {
	e     *expr
	place uint
}

// bits computes a word of bits, combined with constant bits; all others are 0.
func (em *emitter) bits(list []bitAt, constant uint64) {
	f := em.f
	type run struct {
		e          *expr
		first      uint
		shift      int
		mask       uint64
		place      uint
		vectorised bool
	}
	var runs []*run
	known := map[string]*run{}
	for _, b := range list {
		if b.e.isConst() {
			constant |= uint64(b.e.Lo) << b.place
			continue
		}
		key, first, ok := shape(b.e)
		if !ok {
			runs = append(runs, &run{e: b.e, place: b.place})
			continue
		}
		key = fmt.Sprint(key, int(b.place)-int(first))
		r := known[key]
		if r == nil {
			r = &run{e: b.e, first: first, shift: int(b.place) - int(first), vectorised: true}
			known[key] = r
			runs = append(runs, r)
		}
		r.mask |= 1 << first
	}
	begun := false
	or := func() {
		if begun {
			f.Op(wasm.I64Or)
		}
		begun = true
	}
	for _, r := range runs {
		if r.vectorised {
			em.vector(r.e, r.first)
			f.I64(int64(r.mask))
			f.Op(wasm.I64And)
			if r.shift > 0 {
				em.shiftLeft(uint(r.shift))
			} else {
				em.shiftRight(uint(-r.shift))
			}
		} else {
			em.value(r.e)
			em.shiftLeft(r.place)
		}
		or()
	}
	if constant != 0 || !begun {
		f.I64(int64(constant))
		or()
	}
}

// junction computes a conjunction or disjunction.
func (em *emitter) junction(e *expr) {
	f := em.f
	parts := em.parts(e.args)
	combine, zero := wasm.I32And, int32(0)
	if e.op == opOr {
		combine, zero = wasm.I32Or, 1
	}
	flat := 0
	for _, p := range parts {
		if p.e.fails {
			flat = cheap + 1
		}
		flat += p.e.size
	}
	if flat <= cheap {
		for i, p := range parts {
			em.part(p, e.op)
			if i > 0 {
				f.Op(combine)
			}
		}
		return
	}
	end := f.Block(wasm.I32)
	for i, p := range parts {
		if i == len(parts)-1 {
			em.part(p, e.op)
			break
		}
		f.I32(zero)
		em.part(p, e.op)
		if e.op == opAnd {
			f.Op(wasm.I32Eqz)
		}
		f.BrIf(end)
		f.Op(wasm.Drop)
	}
	f.End()
}

// unless branches if a formula is false; when branches if it is true.
func (em *emitter) unless(e *expr, target wasm.Label) {
	f := em.f
	switch e.op {
	case opConst:
		if e.Lo == 0 {
			f.Br(target)
		}
	case opNot:
		em.when(e.args[0], target)
	case opAnd:
		for _, p := range em.parts(e.args) {
			if p.positions == nil {
				em.unless(p.e, target)
				continue
			}
			em.part(p, e.op)
			f.Op(wasm.I32Eqz)
			f.BrIf(target)
		}
	default:
		em.cond(e)
		f.Op(wasm.I32Eqz)
		f.BrIf(target)
	}
}

func (em *emitter) when(e *expr, target wasm.Label) {
	f := em.f
	switch e.op {
	case opConst:
		if e.Lo == 1 {
			f.Br(target)
		}
	case opNot:
		em.unless(e.args[0], target)
	case opOr:
		for _, p := range em.parts(e.args) {
			if p.positions == nil {
				em.when(p.e, target)
				continue
			}
			em.part(p, e.op)
			f.BrIf(target)
		}
	default:
		em.cond(e)
		f.BrIf(target)
	}
}
