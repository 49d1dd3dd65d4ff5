package compile

import (
	"math/bits"
	"slices"

	"erelong.dev/erelong/internal/wasm"
)

// element reads a point of an array with a dynamic index.
func (em *emitter) element(e *expr) {
	f := em.f
	mark := f.Mark()
	a := e.array
	first := a.fields[0]
	em.value(e.args[0])
	if a.oneWord() {
		shift := em.dynamicShift(a)
		f.Get(e.locals[first.word])
		f.Get(shift)
	} else {
		which, shift := em.dynamicPlace(a)
		em.selectWord(e.locals[first.word:][:a.words()], which)
		f.Get(shift)
	}
	f.Op(wasm.I64ShrU)
	f.I64(int64(first.mask()))
	f.Op(wasm.I64And)
	em.addConst(first.Lo)
	f.Release(mark)
}

// selectWord leaves on the stack the one of several local variables that has a number.
func (em *emitter) selectWord(locals []uint32, which uint32) {
	f := em.f
	for _, l := range slices.Backward(locals) {
		f.Get(l)
	}
	for j := range locals[1:] {
		f.Get(which)
		f.I64(int64(j + 1))
		f.Op(wasm.I64Eq, wasm.Select)
	}
}

// dynamicShift turns the index on the stack into the bit position within the only word of an array.
func (em *emitter) dynamicShift(a *array) (shift uint32) {
	shift = em.f.Temp(wasm.I64)
	em.timesWidth(a)
	em.addConst(int64(a.fields[0].shift))
	em.f.Set(shift)
	return shift
}

func (em *emitter) timesWidth(a *array) {
	switch width := a.fields[0].width; {
	case width == 1:
	case bits.OnesCount(width) == 1:
		em.shiftLeft(uint(bits.TrailingZeros(width)))
	default:
		em.f.I64(int64(width))
		em.f.Op(wasm.I64Mul)
	}
}

// dynamicPlace turns the index on the stack into the number of the word, counted from the first
// word of the array, and the bit position within it. An array of several words begins at the start
// of a word.
func (em *emitter) dynamicPlace(a *array) (which, shift uint32) {
	f := em.f
	which, shift = f.Temp(wasm.I64), f.Temp(wasm.I64)
	n := a.perWord()
	f.Tee(shift)
	if bits.OnesCount(uint(n)) == 1 {
		em.shiftRight(uint(bits.TrailingZeros(uint(n))))
		f.Set(which)
		f.Get(shift)
		f.I64(int64(n - 1))
		f.Op(wasm.I64And)
	} else {
		f.I64(int64(n))
		f.Op(wasm.I64DivU)
		f.Set(which)
		f.Get(shift)
		f.I64(int64(n))
		f.Op(wasm.I64RemU)
	}
	em.timesWidth(a)
	f.Set(shift)
	return which, shift
}
