package wasm

// Func is a function under construction: each method appends an instruction.
type Func struct {
	Index        uint32
	Instructions int // appended so far

	kind   uint32
	params int
	locals []Type // besides the parameters
	free   map[Type][]uint32
	used   []uint32 // temporaries in use, in the order of taking
	code   []byte
	depth  int
}

// Label is the target of a branch: the end of a block, or the start of a loop.
type Label struct{ depth int }

// Op is an instruction without an immediate argument.
type Op byte

// The instructions in use.
const (
	Unreachable Op = 0x00
	Return      Op = 0x0f
	Drop        Op = 0x1a
	Select      Op = 0x1b

	I32Eqz Op = 0x45
	I32Eq  Op = 0x46
	I32Ne  Op = 0x47
	I32LtS Op = 0x48
	I32LtU Op = 0x49
	I32GtU Op = 0x4b
	I32GeU Op = 0x4f

	I64Eqz Op = 0x50
	I64Eq  Op = 0x51
	I64Ne  Op = 0x52
	I64LtS Op = 0x53
	I64LtU Op = 0x54
	I64GtS Op = 0x55
	I64GtU Op = 0x56
	I64LeS Op = 0x57
	I64GeS Op = 0x59
	I64GeU Op = 0x5a

	I32Add Op = 0x6a
	I32Sub Op = 0x6b
	I32Mul Op = 0x6c
	I32And Op = 0x71
	I32Or  Op = 0x72
	I32Xor Op = 0x73
	I32Shl Op = 0x74

	I64Add  Op = 0x7c
	I64Sub  Op = 0x7d
	I64Mul  Op = 0x7e
	I64DivS Op = 0x7f
	I64Ctz  Op = 0x7a
	I64DivU Op = 0x80
	I64RemS Op = 0x81
	I64RemU Op = 0x82
	I64And  Op = 0x83
	I64Or   Op = 0x84
	I64Xor  Op = 0x85
	I64Shl  Op = 0x86
	I64ShrS Op = 0x87
	I64ShrU Op = 0x88

	I32WrapI64    Op = 0xa7
	I64ExtendI32S Op = 0xac
	I64ExtendI32U Op = 0xad
)

const (
	opBlock     = 0x02
	opLoop      = 0x03
	opIf        = 0x04
	opElse      = 0x05
	opEnd       = 0x0b
	opBr        = 0x0c
	opBrIf      = 0x0d
	opCall      = 0x10
	opLocalGet  = 0x20
	opLocalSet  = 0x21
	opLocalTee  = 0x22
	opGlobalGet = 0x23
	opGlobalSet = 0x24
	opI32Load   = 0x28
	opI64Load   = 0x29
	opI32Store  = 0x36
	opI64Store  = 0x37
	opMemGrow   = 0x40
	opI32Const  = 0x41
	opI64Const  = 0x42

	noResult = 0x40
)

// Copy makes a function of the same type and number without code.
func (f *Func) Copy() *Func {
	return &Func{Index: f.Index, kind: f.kind, params: f.params, free: map[Type][]uint32{}}
}

// Local adds a local variable, which starts as 0.
func (f *Func) Local(t Type) uint32 {
	f.locals = append(f.locals, t)
	return uint32(f.params + len(f.locals) - 1)
}

// Temp takes a free local variable; its value is undefined.
func (f *Func) Temp(t Type) uint32 {
	var l uint32
	if n := len(f.free[t]); n > 0 {
		l = f.free[t][n-1]
		f.free[t] = f.free[t][:n-1]
	} else {
		l = f.Local(t)
	}
	f.used = append(f.used, l)
	return l
}

// Mark remembers the temporaries in use; Release frees the temporaries taken since.
func (f *Func) Mark() int { return len(f.used) }

func (f *Func) Release(mark int) {
	for i := len(f.used) - 1; i >= mark; i-- {
		t := f.locals[int(f.used[i])-f.params]
		f.free[t] = append(f.free[t], f.used[i])
	}
	f.used = f.used[:mark]
}

func (f *Func) instr(op byte, immediates ...uint64) {
	f.Instructions++
	f.code = append(f.code, op)
	for _, v := range immediates {
		f.code = AppendUint(f.code, v)
	}
}

// Op appends plain instructions.
func (f *Func) Op(ops ...Op) {
	for _, op := range ops {
		f.instr(byte(op))
	}
}

func (f *Func) I32(v int32) {
	f.instr(opI32Const)
	f.code = AppendInt(f.code, int64(v))
}

func (f *Func) I64(v int64) {
	f.instr(opI64Const)
	f.code = AppendInt(f.code, v)
}

func (f *Func) Get(local uint32)        { f.instr(opLocalGet, uint64(local)) }
func (f *Func) Set(local uint32)        { f.instr(opLocalSet, uint64(local)) }
func (f *Func) Tee(local uint32)        { f.instr(opLocalTee, uint64(local)) }
func (f *Func) GlobalGet(global uint32) { f.instr(opGlobalGet, uint64(global)) }
func (f *Func) GlobalSet(global uint32) { f.instr(opGlobalSet, uint64(global)) }
func (f *Func) Call(function uint32)    { f.instr(opCall, uint64(function)) }

// Loads and stores have an offset that is added to the address on the stack. Addresses are aligned.
func (f *Func) I32Load(offset uint32)  { f.instr(opI32Load, 2, uint64(offset)) }
func (f *Func) I64Load(offset uint32)  { f.instr(opI64Load, 3, uint64(offset)) }
func (f *Func) I32Store(offset uint32) { f.instr(opI32Store, 2, uint64(offset)) }
func (f *Func) I64Store(offset uint32) { f.instr(opI64Store, 3, uint64(offset)) }

// MemoryGrow takes a number of pages, and leaves the old size, or -1.
func (f *Func) MemoryGrow() { f.instr(opMemGrow, 0) }

// Block, Loop and If open a structure, which ends at End. A branch to the label of a loop goes to
// its start; a branch to another label goes to the end. If takes its condition from the stack.
func (f *Func) Block(results ...Type) Label { return f.open(opBlock, results) }
func (f *Func) Loop(results ...Type) Label  { return f.open(opLoop, results) }
func (f *Func) If(results ...Type) Label    { return f.open(opIf, results) }

func (f *Func) open(op byte, results []Type) Label {
	f.instr(op)
	result := byte(noResult)
	if len(results) > 0 {
		result = byte(results[0])
	}
	f.code = append(f.code, result)
	f.depth++
	return Label{f.depth}
}

func (f *Func) Else() { f.instr(opElse) }

func (f *Func) End() {
	f.instr(opEnd)
	f.depth--
}

func (f *Func) Br(l Label)   { f.instr(opBr, uint64(f.depth-l.depth)) }
func (f *Func) BrIf(l Label) { f.instr(opBrIf, uint64(f.depth-l.depth)) }

// Capture returns the code that build appends, instead of appending it. Raw appends it later, at
// the same depth.
func (f *Func) Capture(build func()) []byte {
	code := f.code
	f.code = nil
	build()
	out := f.code
	f.code = code
	return out
}

// Abandon closes the innermost open structure without an instruction, after its captured code has
// been dropped.
func (f *Func) Abandon() { f.depth-- }

func (f *Func) Raw(code []byte) { f.code = append(f.code, code...) }

// Size is the length of the code so far.
func (f *Func) Size() int { return len(f.code) }

// body encodes the locals, in runs of one type, and the code.
func (f *Func) body() []byte {
	var runs [][]byte
	for i := 0; i < len(f.locals); {
		j := i
		for j < len(f.locals) && f.locals[j] == f.locals[i] {
			j++
		}
		runs = append(runs, append(AppendUint(nil, uint64(j-i)), byte(f.locals[i])))
		i = j
	}
	out := AppendUint(nil, uint64(len(runs)))
	for _, r := range runs {
		out = append(out, r...)
	}
	return append(append(out, f.code...), opEnd)
}
