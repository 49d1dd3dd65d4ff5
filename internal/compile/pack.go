package compile

import (
	"slices"

	"erelong.dev/erelong/internal/wasm"
)

// emit writes a successor: its words, and a word with the numbers of the source, of the action, and
// of its binding.
func (g *generator) emit(v *version) {
	f := g.f
	if g.tooLong() {
		return
	}
	mark := f.Mark()
	out := f.Temp(wasm.I32)
	f.GlobalGet(g.out)
	f.Tee(out)
	f.GlobalGet(g.limit)
	f.Op(wasm.I32GeU)
	f.If()
	g.leave(statusFull)
	f.End()
	words := g.pack(v)
	for w, l := range words {
		f.Get(out)
		f.Get(l)
		f.I64Store(uint32(8 * w))
	}
	f.Get(out)
	f.Get(paramSource)
	f.Op(wasm.I64ExtendI32U)
	if g.action > 0 {
		f.I64(int64(g.action) << 32)
		f.Op(wasm.I64Or)
	}
	if g.binding != nil {
		g.value(g.binding)
		g.shiftLeft(48)
		f.Op(wasm.I64Or)
	}
	f.I64Store(uint32(8 * len(v.words)))
	f.Get(out)
	if g.idle == nil {
		f.I32(int32(g.layout.record()))
	} else {
		g.unlessIdle(words)
	}
	f.Op(wasm.I32Add)
	f.GlobalSet(g.out)
	f.Release(mark)
}

// pack computes the words of a state from its version. A word without newer values is the local
// variable of the version.
func (g *generator) pack(v *version) []uint32 {
	words := slices.Clone(v.words)
	for w := range words {
		if g.changes(v, w) {
			words[w] = g.f.Temp(wasm.I64)
			g.packWord(v, w)
			g.f.Set(words[w])
		}
	}
	return words
}

// unlessIdle leaves the size of a successor on the stack, or 0 if it is the source and the action
// has had this step. So it is overwritten then; nothing foretells that, so no branch depends on it.
func (g *generator) unlessIdle(words []uint32) {
	f := g.f
	terms := 0
	for w, l := range words {
		if l == g.pre.words[w] {
			continue
		}
		f.Get(l)
		f.Get(g.pre.words[w])
		f.Op(wasm.I64Xor)
		if terms++; terms > 1 {
			f.Op(wasm.I64Or)
		}
	}
	if terms == 0 {
		f.I64(0)
	}
	mark := f.Mark()
	same := f.Temp(wasm.I32)
	f.Op(wasm.I64Eqz)
	f.Set(same)
	f.I32(0)
	f.I32(int32(g.layout.record()))
	f.Get(same)
	f.Get(*g.idle)
	f.Op(wasm.I32And)
	f.Op(wasm.Select)
	f.Get(same)
	f.Get(*g.idle)
	f.Op(wasm.I32Or)
	f.Set(*g.idle)
	f.Release(mark)
}

// changes reports whether a version has newer values for a word.
func (g *generator) changes(v *version, w int) bool {
	for _, a := range g.layout.order {
		for _, fd := range a.fields {
			if fd.word == w && v.changes(fd) {
				return true
			}
		}
	}
	return false
}

// changes reports whether a version has a newer value for a field than its word.
func (v *version) changes(fd field) bool {
	e := v.unpacked[fd.slot]
	return e != nil && (e.op != opField || e.field.slot != fd.slot || e.local != v.words[fd.word])
}

// packWord computes a word of a state from its version, with newer values in place.
func (g *generator) packWord(v *version, w int) {
	f := g.f
	var clear, constant uint64
	var bits []bitAt
	var rest []field
	for _, a := range g.layout.order {
		for _, fd := range a.fields {
			if fd.word != w || !v.changes(fd) {
				continue
			}
			e := v.unpacked[fd.slot]
			clear |= fd.mask() << fd.shift
			switch {
			case e.isConst() && fd.has(e.Lo):
				constant |= (uint64(e.Lo) - uint64(fd.Lo)) << fd.shift
			case e.boolean:
				bits = append(bits, bitAt{e, fd.shift})
			default:
				rest = append(rest, fd)
			}
		}
	}
	terms := 0
	or := func() {
		if terms > 0 {
			f.Op(wasm.I64Or)
		}
		terms++
	}
	if keep := g.layout.used[w] &^ clear; keep != 0 {
		f.Get(v.words[w])
		if clear != 0 {
			f.I64(int64(^clear))
			f.Op(wasm.I64And)
		}
		or()
	}
	if len(bits) > 0 || constant != 0 {
		g.bits(bits, constant)
		or()
	}
	for _, fd := range rest {
		g.coded(v.unpacked[fd.slot], fd)
		g.shiftLeft(fd.shift)
		or()
	}
	if terms == 0 {
		f.I64(0)
	}
}

// coded leaves the bits of a value in a field on the stack, after a check that the value fits.
func (em *emitter) coded(e *expr, fd field) {
	f := em.f
	em.value(e)
	if !fd.holds(e.Interval) {
		mark := f.Mark()
		t := f.Temp(wasm.I64)
		f.Tee(t)
		em.unlessWithin(fd.Interval, func() {
			if fd.ranged {
				em.leave(statusFailed)
				return
			}
			f.I32(0)
			f.I64(int64(fd.slot))
			f.I64Store(addrSlot)
			f.I32(0)
			f.Get(t)
			f.I64Store(addrValue)
			em.leave(statusWidth)
		})
		f.Get(t)
		f.Release(mark)
	}
	em.addConst(-fd.Lo)
}

// flush packs the newer values of an array. The returned version has fresh words where the array
// has bits, so that they can be changed.
func (g *generator) flush(a *array, v *version) *version {
	f := g.f
	out := v.clone()
	out.words = slices.Clone(v.words)
	for _, fd := range a.fields {
		if out.words[fd.word] == v.words[fd.word] {
			l := f.Temp(wasm.I64)
			f.Get(v.words[fd.word])
			f.Set(l)
			out.words[fd.word] = l
		}
	}
	for _, fd := range a.fields {
		e := v.unpacked[fd.slot]
		if e == nil {
			continue
		}
		delete(out.unpacked, fd.slot)
		if fd.width == 0 {
			if !fd.holds(e.Interval) {
				g.coded(e, fd)
				f.Op(wasm.Drop)
			}
			continue
		}
		f.Get(out.words[fd.word])
		f.I64(int64(^(fd.mask() << fd.shift)))
		f.Op(wasm.I64And)
		g.coded(e, fd)
		g.shiftLeft(fd.shift)
		f.Op(wasm.I64Or)
		f.Set(out.words[fd.word])
	}
	return out
}

// store changes a point of an array with a dynamic index, in words that may be changed.
func (g *generator) store(a *array, words []uint32, index, value *expr) {
	f := g.f
	fd := a.fields[0]
	mark := f.Mark()
	defer f.Release(mark)
	code := f.Temp(wasm.I64)
	g.coded(value, fd)
	f.Set(code)
	if fd.width == 0 {
		return
	}
	replace := func(word, shift uint32) {
		f.Get(word)
		f.I64(int64(fd.mask()))
		f.Get(shift)
		f.Op(wasm.I64Shl)
		f.I64(-1)
		f.Op(wasm.I64Xor, wasm.I64And)
		f.Get(code)
		f.Get(shift)
		f.Op(wasm.I64Shl, wasm.I64Or)
	}
	g.value(index)
	if a.oneWord() {
		replace(words[fd.word], g.dynamicShift(a))
		f.Set(words[fd.word])
		return
	}
	which, shift := g.dynamicPlace(a)
	for j := 0; j*a.perWord() < a.points; j++ {
		word := words[fd.word+j]
		replace(word, shift)
		f.Get(word)
		f.Get(which)
		f.I64(int64(j))
		f.Op(wasm.I64Eq, wasm.Select)
		f.Set(word)
	}
}
