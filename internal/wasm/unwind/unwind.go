// Package unwind rewrites a module that Emscripten made from C++, so that its exceptions need no
// help from the host.
//
// In: a module that makes calls which may be caught through imported functions invoke_*, for a host
// with exceptions of its own (Emscripten, "Exceptions: JavaScript-based"). Out: the same module
// with the exceptions as a second result of each call: a global variable says that a function has
// ended early, and every call that could set it is followed by a test. This is the lowering of
// exceptions to return codes. Zakai, "Emscripten: An LLVM-to-JavaScript Compiler", describes the
// other side.
//
// The module calls the new import Pause about every millisecond, so that the host can stop the run
// by setting the same variable: the functions then end one after the other, and nothing catches it.
// A host in Go needs this call in any case, because its garbage collector waits for each goroutine
// to reach a safe point.
//
// The memory becomes the module's own and may grow; names and other custom sections are dropped.
package unwind

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/wasm"
)

// Flag is the export through which the host reads and sets the variable: Raised in its functions
// that throw, Stopped in Pause.
const (
	Flag   = "unwinding"
	Memory = "memory"
	Pause  = "pause" // in the same module as the other imports of Emscripten

	// interval is the number of function entries between calls of Pause.
	interval = 1 << 15

	Raised  = 1 // a C++ exception is on its way to the innermost invoke_*
	Stopped = 2 // the run is over
)

// raising are the imports that throw.
var raising = []string{"__cxa_throw", "__cxa_rethrow", "__resumeException", "__cxa_end_catch"}

// Sections of a module.
const (
	sectionType = iota + 1
	sectionImport
	sectionFunction
	sectionTable
	sectionMemory
	sectionGlobal
	sectionExport
	sectionStart
	sectionElement
	sectionCode
	sectionData
	sectionDataCount
)

// order is the order of sections in the output.
var order = []int{sectionType, sectionImport, sectionFunction, sectionTable, sectionMemory,
	sectionGlobal, sectionExport,
	sectionStart, sectionElement, sectionDataCount, sectionCode, sectionData}

const (
	noResult     = 0x40
	none         = math.MaxUint32
	invokePrefix = "invoke_"
)

// signature is a function type, in bytes of the encoding.
type signature struct{ params, results []byte }

// module is the needed information on the input, and the sections of the output.
type module struct {
	sections [sectionDataCount + 1][]byte
	types    []signature
	imports  []string // names of functions
	kinds    []uint32 // types of functions, the imported ones first
	bodies   [][]byte // of the functions that are not imported
	exports  map[string]uint32
	globals  uint32

	invokes map[uint32]uint32 // from an import to the function that replaces it
	raises  []bool            // functions that may return with the flag set
	stack   uint32            // the global that is the stack pointer
	pause   uint32            // the import
	tick    uint32            // the function that calls it
}

// The added globals.
func (m *module) flag() uint64   { return uint64(m.globals) }
func (m *module) budget() uint64 { return uint64(m.globals + 1) }

// Rewrite makes the module. Its memory initially has the given number of pages of 64 KiB.
func Rewrite(in []byte, pages uint32) ([]byte, error) {
	m := &module{exports: map[string]uint32{}, invokes: map[uint32]uint32{}, pause: none}
	if err := m.rewrite(in, pages); err != nil {
		return nil, fmt.Errorf("rewriting a WebAssembly module: %w", err)
	}
	out := []byte(header)
	for _, id := range order {
		if s := m.sections[id]; len(s) > 0 {
			out = wasm.AppendUint(append(out, byte(id)), uint64(len(s)))
			out = append(out, s...)
		}
	}
	return out, nil
}

const header = "\x00asm\x01\x00\x00\x00"

func (m *module) rewrite(in []byte, pages uint32) error {
	if err := m.split(in); err != nil {
		return err
	}
	for _, step := range []func() error{
		m.readTypes, func() error { return m.readImports(pages) }, m.readFunctions, m.readExports,
		m.findStack,
		m.findRaises, m.addGlobals, m.mapElements, m.rewriteCode,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (m *module) split(in []byte) error {
	if !bytes.HasPrefix(in, []byte(header)) {
		return errors.New("it does not begin as one")
	}
	r := &reader{b: in, at: len(header)}
	for r.more() {
		id := int(r.byte())
		content := r.bytes(r.u32())
		switch {
		case id >= len(m.sections):
			return fmt.Errorf("it has an unknown section %d", id)
		case id != 0:
			m.sections[id] = content
		}
	}
	return r.err
}

func (m *module) readTypes() error {
	r := &reader{b: m.sections[sectionType]}
	r.times(func(uint32) {
		if r.byte() != 0x60 {
			r.fail("a type is not that of a function")
		}
		m.types = append(m.types, signature{r.bytes(r.u32()), r.bytes(r.u32())})
	})
	return r.err
}

// readImports moves the memory from the imports to a section of its own. Pause replaces the first
// invoke_*, which is not called any more, so that no function gets another number.
func (m *module) readImports(pages uint32) error {
	r := &reader{b: m.sections[sectionImport]}
	var kept [][]byte
	var most uint32
	r.times(func(uint32) {
		from := r.at
		module, name := r.name(), r.name()
		switch kind := r.byte(); kind {
		case 0:
			m.imports = append(m.imports, name)
			m.kinds = append(m.kinds, r.u32())
			entry := r.b[from:r.at]
			if m.pause == none && strings.HasPrefix(name, invokePrefix) {
				m.pause = uint32(len(m.imports) - 1)
				entry = text(text(nil, module), Pause)
				entry = wasm.AppendUint(append(entry, 0), uint64(m.typeOf(signature{})))
			}
			kept = append(kept, entry)
		case 2:
			if flags := r.byte(); flags&1 == 0 {
				r.fail("the memory has no maximum")
			}
			r.u32()
			most = r.u32()
		default:
			r.fail("an import of kind %d", kind)
		}
	})
	if r.err == nil && m.pause == none {
		r.fail("nothing is called that may throw")
	}
	if r.err == nil && (most == 0 || len(m.sections[sectionMemory]) > 0) {
		r.fail("the memory is not imported")
	}
	m.sections[sectionImport] = vector(kept)
	m.sections[sectionMemory] = wasm.AppendUint(wasm.AppendUint([]byte{1, 1},
		uint64(min(pages, most))), uint64(most))
	return r.err
}

func (m *module) readFunctions() error {
	r := &reader{b: m.sections[sectionFunction]}
	r.times(func(uint32) { m.kinds = append(m.kinds, r.u32()) })
	for _, k := range m.kinds {
		if int(k) >= len(m.types) {
			r.fail("there is no type %d", k)
		}
	}
	code := &reader{b: m.sections[sectionCode]}
	code.times(func(uint32) { m.bodies = append(m.bodies, code.bytes(code.u32())) })
	if len(m.imports)+len(m.bodies) != len(m.kinds) {
		r.fail("%d functions have %d bodies", len(m.kinds)-len(m.imports), len(m.bodies))
	}
	return errors.Join(r.err, code.err)
}

// readExports adds the flag, which is the next global, and the memory.
func (m *module) readExports() error {
	globals := &reader{b: m.sections[sectionGlobal]}
	m.globals = globals.u32()
	r := &reader{b: m.sections[sectionExport]}
	n := 0
	var entries [][]byte
	r.times(func(uint32) {
		from := r.at
		name, kind, index := r.name(), r.byte(), r.u32()
		if kind == 0 {
			m.exports[name] = index
		}
		entries = append(entries, r.b[from:r.at])
		n++
	})
	entries = append(entries, export(Flag, 3, m.globals), export(Memory, 2, 0))
	m.sections[sectionExport] = vector(entries)
	return errors.Join(globals.err, r.err)
}

func export(name string, kind byte, index uint32) []byte {
	return wasm.AppendUint(append(text(nil, name), kind), uint64(index))
}

func text(b []byte, s string) []byte { return append(wasm.AppendUint(b, uint64(len(s))), s...) }

// findStack reads the number of the stack pointer's global from a function that returns it.
func (m *module) findStack() error {
	const getter = "emscripten_stack_get_current"
	i, ok := m.exports[getter]
	if !ok || int(i) < len(m.imports) || int(i) >= len(m.kinds) {
		return fmt.Errorf("it does not export the function %s", getter)
	}
	r := &reader{b: m.bodies[int(i)-len(m.imports)]}
	if r.byte() != 0 || r.byte() != opGlobalGet {
		return fmt.Errorf("%s is not just a global variable", getter)
	}
	m.stack = r.u32()
	if r.byte() != opEnd || r.err != nil {
		return fmt.Errorf("%s is not just a global variable", getter)
	}
	return nil
}

// findRaises finds the functions that may return with the flag set: they reach a throw, an indirect
// call, or an invoke_*, which does not stop the unwinding of a stopped run.
func (m *module) findRaises() error {
	m.raises = make([]bool, len(m.kinds))
	callers := make([][]uint32, len(m.kinds))
	var work []uint32
	mark := func(f uint32) {
		if !m.raises[f] {
			m.raises[f] = true
			work = append(work, f)
		}
	}
	for i, name := range m.imports {
		invoke := strings.HasPrefix(name, invokePrefix)
		if invoke {
			m.invokes[uint32(i)] = uint32(len(m.kinds) + len(m.invokes))
		}
		if invoke || slices.Contains(raising, name) {
			mark(uint32(i))
		}
	}
	for i, body := range m.bodies {
		f := uint32(len(m.imports) + i)
		r := &reader{b: body}
		r.locals()
		for r.more() {
			switch op := r.byte(); op {
			case opCall:
				callee := r.u32()
				if int(callee) >= len(m.kinds) {
					return fmt.Errorf("function %d calls function %d, which is not there", f,
						callee)
				}
				callers[callee] = append(callers[callee], f)
			case opCallIndirect:
				r.immediates(op)
				mark(f)
			default:
				r.immediates(op)
			}
		}
		if r.err != nil {
			return fmt.Errorf("function %d: %w", f, r.err)
		}
	}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		for _, c := range callers[f] {
			mark(c)
		}
	}
	return nil
}

// locals skips the declarations of local variables.
func (r *reader) locals() {
	r.times(func(uint32) {
		r.u32()
		r.byte()
	})
}

func (m *module) addGlobals() error {
	old := m.sections[sectionGlobal]
	r := &reader{b: old}
	r.u32()
	out := wasm.AppendUint(nil, uint64(m.globals+2))
	out = append(out, old[r.at:]...)
	out = append(out, byte(wasm.I32), 1, opI32Const, 0, opEnd)
	out = append(out, byte(wasm.I32), 1, opI32Const)
	m.sections[sectionGlobal] = append(wasm.AppendInt(out, interval), opEnd)
	return r.err
}

// target is the function to call in place of f.
func (m *module) target(f uint32) uint32 {
	if t, ok := m.invokes[f]; ok {
		return t
	}
	return f
}

// mapElements puts the new functions into the tables. It supports the only form of segment that
// Emscripten writes.
func (m *module) mapElements() error {
	r := &reader{b: m.sections[sectionElement]}
	if len(r.b) == 0 {
		return nil
	}
	var segments [][]byte
	r.times(func(uint32) {
		from := r.at
		if r.u32() != 0 || r.byte() != opI32Const {
			r.fail("a segment of elements has an unknown form")
			return
		}
		r.skipNumber()
		if r.byte() != opEnd {
			r.fail("a segment of elements has an unknown form")
			return
		}
		segment := slices.Clone(r.b[from:r.at])
		var functions [][]byte
		r.times(func(uint32) {
			functions = append(functions, wasm.AppendUint(nil, uint64(m.target(r.u32()))))
		})
		segments = append(segments, append(segment, vector(functions)...))
	})
	m.sections[sectionElement] = vector(segments)
	return r.err
}

func vector(entries [][]byte) []byte {
	return append(wasm.AppendUint(nil, uint64(len(entries))), bytes.Join(entries, nil)...)
}

// typeOf numbers a function type, adding it if necessary.
func (m *module) typeOf(s signature) uint32 {
	for i, t := range m.types {
		if bytes.Equal(t.params, s.params) && bytes.Equal(t.results, s.results) {
			return uint32(i)
		}
	}
	m.types = append(m.types, s)
	return uint32(len(m.types) - 1)
}
