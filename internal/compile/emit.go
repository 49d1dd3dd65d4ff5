package compile

import (
	"erelong.dev/erelong/internal/wasm"
)

// The results of a function for one state.
const (
	statusDone   = 0
	statusFailed = 1 // an evaluation error, which the interpreter finds
	statusWidth  = 2 // a value does not fit: its slot and the value are in memory
	statusFull   = 3 // the buffer for successors is full
)

// leave ends the function for this state.
func (g *generator) leave(status int32) {
	if d := g.deferred; d != nil && status == statusFailed {
		g.f.I32(1)
		g.f.Set(d.failed)
		g.f.Br(d.end)
		return
	}
	g.f.I32(status)
	g.f.Op(wasm.Return)
}

// deferral is the computation of the value of a let that may fail. The evaluation fails only where
// the value is used.
type deferral struct {
	failed uint32
	end    wasm.Label
}

// cheap is the size up to which an expression is computed even if it may not be needed, to save a
// branch.
const cheap = 6

func isCheap(es ...*expr) bool {
	total := 0
	for _, e := range es {
		if e.fails {
			return false
		}
		total += e.size
	}
	return total <= cheap
}

// cachedIn reports whether a field is read from the source state and may be in a local variable.
func (g *generator) cachedIn(e *expr) (uint32, bool) {
	if g.pre.words[e.field.word] != e.local {
		return 0, false
	}
	g.reads[e.field.slot]++
	l, ok := g.cached[e.field.slot]
	return l, ok
}

// value leaves the value of an expression on the stack, as 64 bits.
func (g *generator) value(e *expr) {
	f := g.f
	switch e.op {
	case opConst:
		f.I64(e.Lo)
	case opVar:
		g.checkFailed(e)
		f.Get(e.v.local)
		if e.v.isBit {
			g.shiftRight(e.v.bit)
			f.I64(1)
			f.Op(wasm.I64And)
		}
	case opField:
		if !e.boolean {
			if l, ok := g.cachedIn(e); ok {
				f.Get(l)
				return
			}
		}
		f.Get(e.local)
		g.extract(e.field)
	case opElem:
		g.element(e)
	case opTable:
		g.value(e.args[0])
		f.Op(wasm.I32WrapI64)
		f.I32(3)
		f.Op(wasm.I32Shl)
		f.I64Load(e.array.table)
	case opFail:
		g.leave(statusFailed)
		f.I64(0)
	case opCheck:
		mark := f.Mark()
		t := f.Temp(wasm.I64)
		g.value(e.args[0])
		f.Tee(t)
		g.unlessWithin(e.want, func() { g.leave(statusFailed) })
		f.Get(t)
		f.Release(mark)
	case opAdd, opSub, opMul:
		g.arithmetic(e)
	case opDiv, opMod:
		g.divide(e)
	case opIte:
		if e.boolean {
			g.cond(e)
			f.Op(wasm.I64ExtendI32U)
			return
		}
		if isCheap(e.args[1], e.args[2]) {
			g.value(e.args[1])
			g.value(e.args[2])
			g.cond(e.args[0])
			f.Op(wasm.Select)
			return
		}
		g.cond(e.args[0])
		f.If(wasm.I64)
		g.value(e.args[1])
		f.Else()
		g.value(e.args[2])
		f.End()
	case opLet:
		g.bound(e, g.value)
	default:
		g.cond(e)
		f.Op(wasm.I64ExtendI32U)
	}
}

// cond leaves the value of a formula on the stack, as 32 bits.
func (g *generator) cond(e *expr) {
	f := g.f
	switch e.op {
	case opConst:
		f.I32(int32(e.Lo))
	case opVar:
		g.checkFailed(e)
		f.Get(e.v.local)
		if e.v.isBit {
			g.testMask(1 << e.v.bit)
			return
		}
		f.Op(wasm.I32WrapI64)
	case opField:
		f.Get(e.local)
		g.testMask(1 << e.field.shift)
	case opElem, opTable:
		g.value(e)
		f.Op(wasm.I32WrapI64)
	case opFail:
		g.leave(statusFailed)
		f.I32(0)
	case opNot:
		g.cond(e.args[0])
		f.Op(wasm.I32Eqz)
	case opAnd, opOr:
		g.junction(e)
	case opEq:
		g.equal(e.args[0], e.args[1])
	case opLt:
		g.ordered(e.args[0], e.args[1], wasm.I64LtS, wasm.I64GtS)
	case opLe:
		g.ordered(e.args[0], e.args[1], wasm.I64LeS, wasm.I64GeS)
	case opIte:
		if isCheap(e.args[1], e.args[2]) {
			g.cond(e.args[1])
			g.cond(e.args[2])
			g.cond(e.args[0])
			f.Op(wasm.Select)
			return
		}
		g.cond(e.args[0])
		f.If(wasm.I32)
		g.cond(e.args[1])
		f.Else()
		g.cond(e.args[2])
		f.End()
	case opLet:
		g.bound(e, g.cond)
	case opAll, opAny:
		g.loop(e)
	default:
		g.value(e)
		f.Op(wasm.I32WrapI64)
	}
}

// ordered compares two integers, with a constant on the right. The runtime (wazero 1.12.0, amd64
// and arm64, tryLowerBandToFlag) compiles a branch on `0 < x & m` as one on `x & m < 0`.
func (g *generator) ordered(a, b *expr, is, turned wasm.Op) {
	if a.isConst() {
		a, b, is = b, a, turned
	}
	g.value(a)
	g.value(b)
	g.f.Op(is)
}

// extract extracts a field from the word on the stack.
func (g *generator) extract(f field) {
	g.shiftRight(f.shift)
	if f.shift+f.width < 64 {
		g.f.I64(int64(f.mask()))
		g.f.Op(wasm.I64And)
	}
	g.addConst(f.Lo)
}

func (g *generator) shiftRight(n uint) {
	if n > 0 {
		g.f.I64(int64(n))
		g.f.Op(wasm.I64ShrU)
	}
}

func (g *generator) shiftLeft(n uint) {
	if n > 0 {
		g.f.I64(int64(n))
		g.f.Op(wasm.I64Shl)
	}
}

func (g *generator) addConst(v int64) {
	if v != 0 {
		g.f.I64(v)
		g.f.Op(wasm.I64Add)
	}
}

// testMask says whether the word on the stack has one of the bits.
func (g *generator) testMask(mask uint64) {
	g.f.I64(int64(mask))
	g.f.Op(wasm.I64And)
	g.f.I64(0)
	g.f.Op(wasm.I64Ne)
}

// unlessWithin runs code when the value on the stack is outside an interval. All comparisons are
// modulo 2^64.
func (g *generator) unlessWithin(i Interval, code func()) {
	g.addConst(-i.Lo)
	g.f.I64(i.Hi - i.Lo)
	g.f.Op(wasm.I64GtU)
	g.f.If()
	code()
	g.f.End()
}

// equal compares two values. A field is compared with a constant without a shift.
func (g *generator) equal(a, b *expr) {
	f := g.f
	if a.boolean {
		g.cond(a)
		g.cond(b)
		f.Op(wasm.I32Eq)
		return
	}
	if a.isConst() {
		a, b = b, a
	}
	if a.op == opField && b.isConst() && a.field.has(b.Lo) {
		if _, ok := g.cachedIn(a); !ok {
			f.Get(a.local)
			f.I64(int64(a.field.mask() << a.field.shift))
			f.Op(wasm.I64And)
			f.I64(int64((uint64(b.Lo) - uint64(a.field.Lo)) << a.field.shift))
			f.Op(wasm.I64Eq)
			return
		}
	}
	g.value(a)
	if b.is(0) {
		f.Op(wasm.I64Eqz)
		return
	}
	g.value(b)
	f.Op(wasm.I64Eq)
}

// bound computes an expression in which a variable stands for a value.
func (g *generator) bound(e *expr, body func(*expr)) {
	f := g.f
	mark := f.Mark()
	e.v.local = f.Temp(wasm.I64)
	if e.v.lazy {
		e.v.failed = f.Temp(wasm.I32)
		outer := g.deferred
		f.I32(0)
		f.Set(e.v.failed)
		g.deferred = &deferral{e.v.failed, f.Block()}
		g.value(e.args[0])
		f.Set(e.v.local)
		f.End()
		g.deferred = outer
	} else {
		g.value(e.args[0])
		f.Set(e.v.local)
	}
	body(e.args[1])
	f.Release(mark)
}

// checkFailed ends the evaluation if the value of a variable failed.
func (g *generator) checkFailed(e *expr) {
	if e.v.lazy {
		g.f.Get(e.v.failed)
		g.f.If()
		g.leave(statusFailed)
		g.f.End()
	}
}

// loop evaluates a quantifier until its result is known.
func (g *generator) loop(e *expr) {
	f := g.f
	mark := f.Mark()
	x, last := f.Temp(wasm.I64), f.Temp(wasm.I64)
	e.v.local = x
	g.value(e.args[0])
	f.Set(x)
	g.value(e.args[1])
	f.Set(last)
	done := f.Block(wasm.I32)
	again := f.Loop()
	f.I32(boolInt(e.op == opAll))
	f.Get(x)
	f.Get(last)
	f.Op(wasm.I64GtS)
	f.BrIf(done)
	f.Op(wasm.Drop)
	f.I32(boolInt(e.op == opAny))
	g.cond(e.args[2])
	if e.op == opAll {
		f.Op(wasm.I32Eqz)
	}
	f.BrIf(done)
	f.Op(wasm.Drop)
	f.Get(x)
	f.I64(1)
	f.Op(wasm.I64Add)
	f.Set(x)
	f.Br(again)
	f.End()
	f.Op(wasm.Unreachable)
	f.End()
	f.Release(mark)
}

func boolInt(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// arithmetic computes an operation, and fails when its result does not fit (Hacker's Delight,
// section 2-13).
func (g *generator) arithmetic(e *expr) {
	f := g.f
	plain := map[op]wasm.Op{opAdd: wasm.I64Add, opSub: wasm.I64Sub, opMul: wasm.I64Mul}[e.op]
	g.value(e.args[0])
	if !e.checked {
		g.value(e.args[1])
		f.Op(plain)
		return
	}
	mark := f.Mark()
	a, b, r := f.Temp(wasm.I64), f.Temp(wasm.I64), f.Temp(wasm.I64)
	f.Set(a)
	g.value(e.args[1])
	f.Set(b)
	f.Get(a)
	f.Get(b)
	f.Op(plain)
	f.Set(r)
	xor := func(x, y uint32) {
		f.Get(x)
		f.Get(y)
		f.Op(wasm.I64Xor)
	}
	switch e.op {
	case opAdd:
		xor(a, r)
		xor(b, r)
	case opSub:
		xor(a, b)
		xor(a, r)
	// a = 0, or dividing gives back b; the least integer by -1 is not divided, because that traps
	case opMul:
		f.Get(a)
		f.Op(wasm.I64Eqz)
		f.If(wasm.I32)
		f.I32(0)
		f.Else()
		f.Get(a)
		f.I64(-1)
		f.Op(wasm.I64Eq)
		f.If(wasm.I32)
		f.Get(b)
		f.I64(everything.Lo)
		f.Op(wasm.I64Eq)
		f.Else()
		f.Get(r)
		f.Get(a)
		f.Op(wasm.I64DivS)
		f.Get(b)
		f.Op(wasm.I64Ne)
		f.End()
		f.End()
	}
	if e.op != opMul {
		f.Op(wasm.I64And)
		f.I64(0)
		f.Op(wasm.I64LtS)
	}
	f.If()
	g.leave(statusFailed)
	f.End()
	f.Get(r)
	f.Release(mark)
}

// divide rounds down; the machine rounds towards 0. The divisor is a positive constant.
func (g *generator) divide(e *expr) {
	f := g.f
	mark := f.Mark()
	a, r := f.Temp(wasm.I64), f.Temp(wasm.I64)
	g.value(e.args[0])
	f.Tee(a)
	f.I64(e.args[1].Lo)
	f.Op(wasm.I64RemS)
	f.Set(r)
	negative := func() {
		f.Get(r)
		f.I64(0)
		f.Op(wasm.I64LtS)
	}
	if e.op == opDiv {
		f.Get(a)
		f.I64(e.args[1].Lo)
		f.Op(wasm.I64DivS)
		negative()
		f.Op(wasm.I64ExtendI32U)
		f.Op(wasm.I64Sub)
	} else {
		f.Get(r)
		f.I64(e.args[1].Lo)
		f.I64(0)
		negative()
		f.Op(wasm.Select)
		f.Op(wasm.I64Add)
	}
	f.Release(mark)
}

// junction computes a conjunction or disjunction.
func (g *generator) junction(e *expr) {
	f := g.f
	parts := g.parts(e.args)
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
			g.part(p, e.op)
			if i > 0 {
				f.Op(combine)
			}
		}
		return
	}
	end := f.Block(wasm.I32)
	for i, p := range parts {
		if i == len(parts)-1 {
			g.part(p, e.op)
			break
		}
		f.I32(zero)
		g.part(p, e.op)
		if e.op == opAnd {
			f.Op(wasm.I32Eqz)
		}
		f.BrIf(end)
		f.Op(wasm.Drop)
	}
	f.End()
}

// unless branches if a formula is false; when branches if it is true.
func (g *generator) unless(e *expr, target wasm.Label) {
	f := g.f
	switch e.op {
	case opConst:
		if e.Lo == 0 {
			f.Br(target)
		}
	case opNot:
		g.when(e.args[0], target)
	case opAnd:
		for _, p := range g.parts(e.args) {
			if p.positions == nil {
				g.unless(p.e, target)
				continue
			}
			g.part(p, e.op)
			f.Op(wasm.I32Eqz)
			f.BrIf(target)
		}
	default:
		g.cond(e)
		f.Op(wasm.I32Eqz)
		f.BrIf(target)
	}
}

func (g *generator) when(e *expr, target wasm.Label) {
	f := g.f
	switch e.op {
	case opConst:
		if e.Lo == 1 {
			f.Br(target)
		}
	case opNot:
		g.unless(e.args[0], target)
	case opOr:
		for _, p := range g.parts(e.args) {
			if p.positions == nil {
				g.when(p.e, target)
				continue
			}
			g.part(p, e.op)
			f.BrIf(target)
		}
	default:
		g.cond(e)
		f.BrIf(target)
	}
}
