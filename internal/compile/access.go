package compile

import (
	"math/bits"

	"erelong.dev/erelong/internal/wasm"
)

// element reads a point of an array with a dynamic index.
func (g *generator) element(e *expr) {
	f := g.f
	mark := f.Mark()
	a := e.array
	first := a.fields[0]
	g.value(e.args[0])
	if a.oneWord() {
		shift := g.dynamicShift(a)
		f.Get(e.locals[first.word])
		f.Get(shift)
	} else {
		which, shift := g.dynamicPlace(a)
		count := (a.points + a.perWord() - 1) / a.perWord()
		for j := count - 1; j >= 0; j-- {
			f.Get(e.locals[first.word+j])
		}
		for j := 1; j < count; j++ {
			f.Get(which)
			f.I64(int64(j))
			f.Op(wasm.I64Eq, wasm.Select)
		}
		f.Get(shift)
	}
	f.Op(wasm.I64ShrU)
	f.I64(int64(first.mask()))
	f.Op(wasm.I64And)
	g.addConst(first.Lo)
	f.Release(mark)
}

// dynamicShift turns the index on the stack into the bit position within the only word of an array.
func (g *generator) dynamicShift(a *array) (shift uint32) {
	shift = g.f.Temp(wasm.I64)
	g.timesWidth(a)
	g.addConst(int64(a.fields[0].shift))
	g.f.Set(shift)
	return shift
}

func (g *generator) timesWidth(a *array) {
	switch width := a.fields[0].width; {
	case width == 1:
	case bits.OnesCount(width) == 1:
		g.shiftLeft(uint(bits.TrailingZeros(width)))
	default:
		g.f.I64(int64(width))
		g.f.Op(wasm.I64Mul)
	}
}

// dynamicPlace turns the index on the stack into the number of the word, counted from the first
// word of the array, and the bit position within it. An array of several words begins at the start
// of a word.
func (g *generator) dynamicPlace(a *array) (which, shift uint32) {
	f := g.f
	which, shift = f.Temp(wasm.I64), f.Temp(wasm.I64)
	n := a.perWord()
	f.Tee(shift)
	if bits.OnesCount(uint(n)) == 1 {
		g.shiftRight(uint(bits.TrailingZeros(uint(n))))
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
	g.timesWidth(a)
	f.Set(shift)
	return which, shift
}
