package unwind

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"erelong.dev/erelong/internal/wasm"
)

// zero appends the constant 0 for each result.
func zero(b, results []byte) ([]byte, error) {
	for _, t := range results {
		switch t {
		case 0x7f:
			b = append(b, opI32Const, 0)
		case 0x7e:
			b = append(b, opI64Const, 0)
		case 0x7d:
			b = append(append(b, opF32Const), make([]byte, 4)...)
		case 0x7c:
			b = append(append(b, opF64Const), make([]byte, 8)...)
		default:
			return nil, fmt.Errorf("a result of type %x", t)
		}
	}
	return b, nil
}

// blockType is the type of a block without parameters.
func blockType(results []byte) (byte, error) {
	switch len(results) {
	case 0:
		return noResult, nil
	case 1:
		return results[0], nil
	}
	return 0, errors.New("a function has several results")
}

func (m *module) rewriteCode() error {
	codes := make([][]byte, 0, len(m.bodies)+len(m.invokes)+1)
	m.tick = uint32(len(m.kinds) + len(m.invokes))
	for i, body := range m.bodies {
		f := len(m.imports) + i
		code, err := m.body(body, m.types[m.kinds[f]].results)
		if err != nil {
			return fmt.Errorf("function %d: %w", f, err)
		}
		codes = append(codes, code)
	}
	for i, name := range m.imports {
		if _, ok := m.invokes[uint32(i)]; !ok {
			continue
		}
		code, err := m.invoke(m.types[m.kinds[i]])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		codes = append(codes, code)
		m.kinds = append(m.kinds, m.kinds[i])
	}
	codes = append(codes, m.tickCode())
	m.kinds = append(m.kinds, m.typeOf(signature{}))
	for i, c := range codes {
		codes[i] = append(wasm.AppendUint(nil, uint64(len(c))), c...)
	}
	m.sections[sectionCode] = vector(codes)

	var kinds, types [][]byte
	for _, k := range m.kinds[len(m.imports):] {
		kinds = append(kinds, wasm.AppendUint(nil, uint64(k)))
	}
	m.sections[sectionFunction] = vector(kinds)
	for _, t := range m.types {
		b := append(wasm.AppendUint([]byte{0x60}, uint64(len(t.params))), t.params...)
		types = append(types, append(wasm.AppendUint(b, uint64(len(t.results))), t.results...))
	}
	m.sections[sectionType] = vector(types)
	if uint64(len(m.sections[sectionCode])) > math.MaxUint32 {
		return errors.New("the code is too long")
	}
	return nil
}

// body adds the tests. The code becomes
//
//	count; block; block (results); the code; end; return; end; zeros
//
// so that its own branches keep their targets, and a test leaves the outer block. A function
// without tests does not count: it only calls functions like itself.
func (m *module) body(in, results []byte) ([]byte, error) {
	r := &reader{b: in}
	r.locals()
	locals := r.at
	kind, err := blockType(results)
	if err != nil {
		return nil, err
	}
	out := append(m.count(slices.Clone(in[:locals])), opBlock, noResult, opBlock, kind)
	wrapped := len(out)
	copied := locals // the input up to here is written
	tested := false
	for depth := 0; r.more(); {
		from := r.at
		op := r.byte()
		raises := false
		switch op {
		case opBlock, opLoop, opIf:
			r.immediates(op)
			depth++
		case opEnd:
			depth--
		case opCall, opRefFunc:
			f := r.u32()
			out = append(append(out, in[copied:from]...), op)
			out = wasm.AppendUint(out, uint64(m.target(f)))
			copied = r.at
			raises = op == opCall && m.raises[f]
		case opCallIndirect:
			r.immediates(op)
			raises = true
		default:
			r.immediates(op)
		}
		// Before the end of the function a test has no effect.
		if raises && r.more() && in[r.at] != opReturn && !(in[r.at] == opEnd && depth == 0) {
			out = emit(append(out, in[copied:r.at]...), opGlobalGet, m.flag())
			out = emit(out, opBrIf, uint64(depth+1))
			copied = r.at
			tested = true
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	out = append(out, in[copied:]...)
	if !tested {
		return slices.Delete(out, locals, wrapped), nil
	}
	out = append(out, opReturn, opEnd)
	if out, err = zero(out, results); err != nil {
		return nil, err
	}
	return append(out, opEnd), nil
}

// invoke is the function invoke_* of a type: it calls the table element given by its first argument
// with the other arguments. If the call raises an exception, it restores the stack and tells the
// caller with setThrew.
func (m *module) invoke(s signature) ([]byte, error) {
	threw, ok := m.exports["setThrew"]
	if !ok || len(s.params) == 0 {
		return nil, errors.New("it cannot be replaced")
	}
	kind := m.typeOf(signature{s.params[1:], s.results})
	saved := uint64(len(s.params))
	stack := uint64(m.stack)
	b := []byte{1, 1, byte(wasm.I32)}
	b = emit(b, opGlobalGet, stack)
	b = emit(b, opLocalSet, saved)
	for i := range s.params[1:] {
		b = emit(b, opLocalGet, uint64(i+1))
	}
	b = emit(b, opLocalGet, 0)
	b = emit(b, opCallIndirect, uint64(kind), 0)
	b = emit(b, opGlobalGet, m.flag())
	b = append(b, opI32Const, Raised, opI32Eq, opIf, noResult)
	b = append(b, opI32Const, 0)
	b = emit(b, opGlobalSet, m.flag())
	b = emit(b, opLocalGet, saved)
	b = emit(b, opGlobalSet, stack)
	b = append(b, opI32Const, 1, opI32Const, 0)
	b = emit(b, opCall, uint64(threw))
	return append(b, opEnd, opEnd), nil
}

// count takes one from the budget, and calls tick when the budget is empty.
func (m *module) count(b []byte) []byte {
	b = append(emit(b, opGlobalGet, m.budget()), opI32Const, 1, opI32Sub)
	b = emit(b, opGlobalSet, m.budget())
	b = append(emit(b, opGlobalGet, m.budget()), opI32Eqz, opIf, noResult)
	return append(emit(b, opCall, uint64(m.tick)), opEnd)
}

// tickCode is the code of the function that calls Pause and gives a new budget.
func (m *module) tickCode() []byte {
	b := emit([]byte{0}, opCall, uint64(m.pause))
	b = wasm.AppendInt(append(b, opI32Const), interval)
	return append(emit(b, opGlobalSet, m.budget()), opEnd)
}

// emit appends an instruction.
func emit(b []byte, op byte, immediates ...uint64) []byte {
	b = append(b, op)
	for _, v := range immediates {
		b = wasm.AppendUint(b, v)
	}
	return b
}
