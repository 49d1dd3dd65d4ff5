package wasm

// Type is a value type.
type Type byte

const (
	I32 Type = 0x7f
	I64 Type = 0x7e
)

// Module is a module under construction. Imported functions come first in the numbering of
// functions, so imports must be declared before the first function.
type Module struct {
	types   [][]byte
	imports [][]byte
	funcs   []*Func
	globals [][]byte
	exports [][]byte
	data    [][]byte
	pages   uint32
	memory  bool
}

// Memory gives the module a memory, initially of the given number of pages of 64 KiB, which may
// grow without limit.
func (m *Module) Memory(pages uint32) { m.memory, m.pages = true, pages }

// Import declares a function of another module, and returns its number.
func (m *Module) Import(module, name string, params, results []Type) uint32 {
	entry := appendName(appendName(nil, module), name)
	entry = append(entry, 0)
	m.imports = append(m.imports, AppendUint(entry, uint64(m.typeOf(params, results))))
	return uint32(len(m.imports) - 1)
}

// Func adds a function. Its parameters are its first locals.
func (m *Module) Func(params, results []Type) *Func {
	f := &Func{
		Index:  uint32(len(m.imports) + len(m.funcs)),
		kind:   m.typeOf(params, results),
		params: len(params),
		free:   map[Type][]uint32{},
	}
	m.funcs = append(m.funcs, f)
	return f
}

// Global adds a variable that starts as 0, and returns its number.
func (m *Module) Global(t Type) uint32 {
	constant := byte(opI32Const)
	if t == I64 {
		constant = opI64Const
	}
	m.globals = append(m.globals, []byte{byte(t), 1, constant, 0, opEnd})
	return uint32(len(m.globals) - 1)
}

// Export makes a function callable from outside; ExportMemory does it for the memory.
func (m *Module) Export(name string, f *Func) { m.export(name, 0, f.Index) }
func (m *Module) ExportMemory(name string)    { m.export(name, 2, 0) }

func (m *Module) export(name string, kind byte, index uint32) {
	m.exports = append(m.exports, AppendUint(append(appendName(nil, name), kind), uint64(index)))
}

// Data sets bytes of the memory at the start.
func (m *Module) Data(offset uint32, bytes []byte) {
	entry := AppendInt([]byte{0, opI32Const}, int64(int32(offset)))
	entry = AppendUint(append(entry, opEnd), uint64(len(bytes)))
	m.data = append(m.data, append(entry, bytes...))
}

// typeOf numbers a function type.
func (m *Module) typeOf(params, results []Type) uint32 {
	t := []byte{0x60}
	for _, part := range [][]Type{params, results} {
		t = AppendUint(t, uint64(len(part)))
		for _, p := range part {
			t = append(t, byte(p))
		}
	}
	for i, have := range m.types {
		if string(have) == string(t) {
			return uint32(i)
		}
	}
	m.types = append(m.types, t)
	return uint32(len(m.types) - 1)
}

// Bytes encodes the module.
func (m *Module) Bytes() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	var kinds, codes, memory [][]byte
	for _, f := range m.funcs {
		kinds = append(kinds, AppendUint(nil, uint64(f.kind)))
		body := f.body()
		codes = append(codes, append(AppendUint(nil, uint64(len(body))), body...))
	}
	if m.memory {
		memory = [][]byte{AppendUint([]byte{0}, uint64(m.pages))}
	}
	for _, section := range []struct {
		id      byte
		entries [][]byte
	}{{1, m.types}, {2, m.imports}, {3, kinds}, {5, memory}, {6, m.globals}, {7, m.exports},
		{10, codes}, {11, m.data}} {
		if len(section.entries) == 0 {
			continue
		}
		content := AppendUint(nil, uint64(len(section.entries)))
		for _, e := range section.entries {
			content = append(content, e...)
		}
		out = append(out, section.id)
		out = AppendUint(out, uint64(len(content)))
		out = append(out, content...)
	}
	return out
}

func appendName(b []byte, name string) []byte {
	return append(AppendUint(b, uint64(len(name))), name...)
}
