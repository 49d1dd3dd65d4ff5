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

// emitter makes the code of expressions, in one function after the other.
type emitter struct {
	f        *wasm.Func     // under construction
	pre      *version       // the source state
	reads    map[int]int    // how often a slot of it is read
	cached   map[int]uint32 // the local variables that hold slots of it
	deferred *deferral      // the value of a let under construction, if it may fail
	stepEnd  *wasm.Label    // the end of the code of one step; nil outside of it
}

// leave ends the function for this state.
func (em *emitter) leave(status int32) {
	if d := em.deferred; d != nil && status == statusFailed {
		em.f.I32(1)
		em.f.Set(d.failed)
		em.f.Br(d.end)
		return
	}
	em.f.I32(status)
	em.f.Op(wasm.Return)
}

// fail ends the function for this state, or the step, as an expression has no value.
func (em *emitter) fail(e *expr) {
	if e.outside && em.stepEnd != nil && em.deferred == nil {
		em.f.Br(*em.stepEnd)
		return
	}
	em.leave(statusFailed)
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
func (em *emitter) cachedIn(e *expr) (uint32, bool) {
	if em.pre.words[e.field.word] != e.local {
		return 0, false
	}
	em.reads[e.field.slot]++
	l, ok := em.cached[e.field.slot]
	return l, ok
}

// value leaves the value of an expression on the stack, as 64 bits.
func (em *emitter) value(e *expr) {
	f := em.f
	switch e.op {
	case opConst:
		f.I64(e.Lo)
	case opVar:
		em.checkFailed(e)
		f.Get(e.v.local)
		if e.v.isBit {
			em.shiftRight(e.v.bit)
			f.I64(1)
			f.Op(wasm.I64And)
		}
	case opField:
		if !e.boolean {
			if l, ok := em.cachedIn(e); ok {
				f.Get(l)
				return
			}
		}
		f.Get(e.local)
		em.extract(e.field)
	case opElem:
		em.element(e)
	case opTable:
		em.value(e.args[0])
		f.Op(wasm.I32WrapI64)
		f.I32(3)
		f.Op(wasm.I32Shl)
		f.I64Load(e.array.table)
	case opFail:
		em.fail(e)
		f.I64(0)
	case opCheck:
		mark := f.Mark()
		t := f.Temp(wasm.I64)
		em.value(e.args[0])
		f.Tee(t)
		em.unlessWithin(e.want, func() { em.fail(e) })
		f.Get(t)
		f.Release(mark)
	case opAdd, opSub, opMul:
		em.arithmetic(e)
	case opDiv, opMod:
		em.divide(e)
	case opIte:
		if e.boolean {
			em.cond(e)
			f.Op(wasm.I64ExtendI32U)
			return
		}
		if isCheap(e.args[1], e.args[2]) {
			em.value(e.args[1])
			em.value(e.args[2])
			em.cond(e.args[0])
			f.Op(wasm.Select)
			return
		}
		em.cond(e.args[0])
		f.If(wasm.I64)
		em.value(e.args[1])
		f.Else()
		em.value(e.args[2])
		f.End()
	case opLet:
		em.bound(e, em.value)
	default:
		em.cond(e)
		f.Op(wasm.I64ExtendI32U)
	}
}

// cond leaves the value of a formula on the stack, as 32 bits.
func (em *emitter) cond(e *expr) {
	f := em.f
	switch e.op {
	case opConst:
		f.I32(int32(e.Lo))
	case opVar:
		em.checkFailed(e)
		f.Get(e.v.local)
		if e.v.isBit {
			em.testMask(1 << e.v.bit)
			return
		}
		f.Op(wasm.I32WrapI64)
	case opField:
		f.Get(e.local)
		em.testMask(1 << e.field.shift)
	case opElem, opTable:
		em.value(e)
		f.Op(wasm.I32WrapI64)
	case opFail:
		em.fail(e)
		f.I32(0)
	case opNot:
		em.cond(e.args[0])
		f.Op(wasm.I32Eqz)
	case opAnd, opOr:
		em.junction(e)
	case opEq:
		em.equal(e.args[0], e.args[1])
	case opLt:
		em.ordered(e.args[0], e.args[1], wasm.I64LtS, wasm.I64GtS)
	case opLe:
		em.ordered(e.args[0], e.args[1], wasm.I64LeS, wasm.I64GeS)
	case opIte:
		if isCheap(e.args[1], e.args[2]) {
			em.cond(e.args[1])
			em.cond(e.args[2])
			em.cond(e.args[0])
			f.Op(wasm.Select)
			return
		}
		em.cond(e.args[0])
		f.If(wasm.I32)
		em.cond(e.args[1])
		f.Else()
		em.cond(e.args[2])
		f.End()
	case opLet:
		em.bound(e, em.cond)
	case opAll, opAny:
		em.loop(e)
	default:
		em.value(e)
		f.Op(wasm.I32WrapI64)
	}
}

// ordered compares two integers, with a constant on the right. The runtime (wazero 1.12.0, amd64
// and arm64, tryLowerBandToFlag) compiles a branch on `0 < x & m` as one on `x & m < 0`.
func (em *emitter) ordered(a, b *expr, is, turned wasm.Op) {
	if a.isConst() {
		a, b, is = b, a, turned
	}
	em.value(a)
	em.value(b)
	em.f.Op(is)
}

// extract extracts a field from the word on the stack.
func (em *emitter) extract(f field) {
	em.shiftRight(f.shift)
	if f.shift+f.width < 64 {
		em.f.I64(int64(f.mask()))
		em.f.Op(wasm.I64And)
	}
	em.addConst(f.Lo)
}

func (em *emitter) shiftRight(n uint) {
	if n > 0 {
		em.f.I64(int64(n))
		em.f.Op(wasm.I64ShrU)
	}
}

func (em *emitter) shiftLeft(n uint) {
	if n > 0 {
		em.f.I64(int64(n))
		em.f.Op(wasm.I64Shl)
	}
}

func (em *emitter) addConst(v int64) {
	if v != 0 {
		em.f.I64(v)
		em.f.Op(wasm.I64Add)
	}
}

// testMask says whether the word on the stack has one of the bits.
func (em *emitter) testMask(mask uint64) {
	em.f.I64(int64(mask))
	em.f.Op(wasm.I64And)
	em.f.I64(0)
	em.f.Op(wasm.I64Ne)
}

// unlessWithin runs code when the value on the stack is outside an interval. All comparisons are
// modulo 2^64.
func (em *emitter) unlessWithin(i Interval, code func()) {
	em.addConst(-i.Lo)
	em.f.I64(i.Hi - i.Lo)
	em.f.Op(wasm.I64GtU)
	em.f.If()
	code()
	em.f.End()
}

// equal compares two values. A field is compared with a constant without a shift.
func (em *emitter) equal(a, b *expr) {
	f := em.f
	if a.boolean {
		em.cond(a)
		em.cond(b)
		f.Op(wasm.I32Eq)
		return
	}
	if a.isConst() {
		a, b = b, a
	}
	if a.op == opField && b.isConst() && a.field.has(b.Lo) {
		if _, ok := em.cachedIn(a); !ok {
			f.Get(a.local)
			f.I64(int64(a.field.mask() << a.field.shift))
			f.Op(wasm.I64And)
			f.I64(int64((uint64(b.Lo) - uint64(a.field.Lo)) << a.field.shift))
			f.Op(wasm.I64Eq)
			return
		}
	}
	em.value(a)
	if b.is(0) {
		f.Op(wasm.I64Eqz)
		return
	}
	em.value(b)
	f.Op(wasm.I64Eq)
}

// bound computes an expression in which a variable stands for a value.
func (em *emitter) bound(e *expr, body func(*expr)) {
	f := em.f
	mark := f.Mark()
	e.v.local = f.Temp(wasm.I64)
	if e.v.lazy {
		e.v.failed = f.Temp(wasm.I32)
		outer := em.deferred
		f.I32(0)
		f.Set(e.v.failed)
		em.deferred = &deferral{e.v.failed, f.Block()}
		em.value(e.args[0])
		f.Set(e.v.local)
		f.End()
		em.deferred = outer
	} else {
		em.value(e.args[0])
		f.Set(e.v.local)
	}
	body(e.args[1])
	f.Release(mark)
}

// checkFailed ends the evaluation if the value of a variable failed.
func (em *emitter) checkFailed(e *expr) {
	if e.v.lazy {
		em.f.Get(e.v.failed)
		em.f.If()
		em.leave(statusFailed)
		em.f.End()
	}
}

// loop evaluates a quantifier until its result is known.
func (em *emitter) loop(e *expr) {
	f := em.f
	mark := f.Mark()
	x, last := f.Temp(wasm.I64), f.Temp(wasm.I64)
	e.v.local = x
	em.value(e.args[0])
	f.Set(x)
	em.value(e.args[1])
	f.Set(last)
	done := f.Block(wasm.I32)
	again := f.Loop()
	f.I32(boolInt(e.op == opAll))
	f.Get(x)
	f.Get(last)
	f.Op(wasm.I64GtS)
	f.BrIf(done)
	f.Op(wasm.Drop)
	if guard := sparse(e); guard != nil {
		em.skip(guard, x, again)
	}
	f.I32(boolInt(e.op == opAny))
	em.cond(e.args[2])
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

// keep computes an expression now, so that it can be used often. Expressions that are available
// anyway stay, as do short formulas over bits, which may be computed together later.
func (em *emitter) keep(e *expr) *expr {
	if e.isSimple() {
		return e
	}
	if _, _, ok := shape(e); ok && !e.fails {
		return e
	}
	v := &variable{local: em.f.Temp(wasm.I64)}
	em.value(e)
	em.f.Set(v.local)
	return ref(v, e.boolean, e.Interval)
}

// arithmetic computes an operation, and fails when its result does not fit (Hacker's Delight,
// section 2-13).
func (em *emitter) arithmetic(e *expr) {
	f := em.f
	plain := map[op]wasm.Op{opAdd: wasm.I64Add, opSub: wasm.I64Sub, opMul: wasm.I64Mul}[e.op]
	em.value(e.args[0])
	if !e.checked {
		em.value(e.args[1])
		f.Op(plain)
		return
	}
	mark := f.Mark()
	a, b, r := f.Temp(wasm.I64), f.Temp(wasm.I64), f.Temp(wasm.I64)
	f.Set(a)
	em.value(e.args[1])
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
	em.leave(statusFailed)
	f.End()
	f.Get(r)
	f.Release(mark)
}

// divide rounds down; the machine rounds towards 0. The divisor is a positive constant.
func (em *emitter) divide(e *expr) {
	f := em.f
	mark := f.Mark()
	a, r := f.Temp(wasm.I64), f.Temp(wasm.I64)
	em.value(e.args[0])
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
