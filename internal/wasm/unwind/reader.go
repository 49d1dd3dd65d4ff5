package unwind

import (
	"fmt"
	"math"
)

// reader walks over a part of a module. The first error stays, and all that is read after it is
// zero.
type reader struct {
	b   []byte
	at  int
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("at byte %d: %w", r.at, fmt.Errorf(format, args...))
	}
	r.at = len(r.b)
}

func (r *reader) more() bool { return r.at < len(r.b) }

func (r *reader) byte() byte {
	if !r.more() {
		r.fail("the module ends too early")
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

// u32 reads an unsigned number in LEB128.
func (r *reader) u32() uint32 {
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		c := r.byte()
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			if v > math.MaxUint32 {
				break
			}
			return uint32(v)
		}
	}
	r.fail("a number is too large")
	return 0
}

// skipNumber passes over a number in LEB128 of any size and sign.
func (r *reader) skipNumber() {
	for r.byte() >= 0x80 {
	}
}

func (r *reader) bytes(n uint32) []byte {
	if uint64(n) > uint64(len(r.b)-r.at) {
		r.fail("the module ends too early")
		return nil
	}
	r.at += int(n)
	return r.b[r.at-int(n) : r.at]
}

func (r *reader) name() string { return string(r.bytes(r.u32())) }

// times calls f for each entry of a vector.
func (r *reader) times(f func(i uint32)) {
	n := r.u32()
	for i := uint32(0); i < n && r.err == nil; i++ {
		f(i)
	}
}

// Instructions with which something is done.
const (
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opEnd          = 0x0b
	opBrIf         = 0x0d
	opReturn       = 0x0f
	opCall         = 0x10
	opCallIndirect = 0x11
	opLocalGet     = 0x20
	opLocalSet     = 0x21
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opI32Eqz       = 0x45
	opI32Eq        = 0x46
	opI32Sub       = 0x6b
	opRefFunc      = 0xd2
)

// immediates skips the immediate arguments of an opcode. It supports the instructions of the
// WebAssembly Core Specification 2.0 without vectors, and of the proposal for threads.
func (r *reader) immediates(op byte) {
	switch {
	case op == opBlock || op == opLoop || op == opIf:
		r.skipNumber()
	case op == 0x0c || op == opBrIf || op == opCall || op >= opLocalGet && op <= 0x26 ||
		op == opRefFunc || op == 0xd0:
		r.skipNumber()
	case op == 0x0e: // br_table
		r.times(func(uint32) { r.u32() })
		r.u32()
	case op == opCallIndirect, op >= 0x28 && op <= 0x3e: // and loads and stores
		r.skipNumber()
		r.skipNumber()
	case op == 0x1c: // select with types
		r.bytes(r.u32())
	case op == 0x3f || op == 0x40: // memory.size, memory.grow
		r.byte()
	case op == opI32Const || op == opI64Const:
		r.skipNumber()
	case op == opF32Const:
		r.bytes(4)
	case op == opF64Const:
		r.bytes(8)
	case op == 0xfc:
		switch sub := r.u32(); {
		case sub <= 7: // trunc_sat
		case sub == 8, sub == 10, sub == 12, sub == 14: // init and copy of memory and table
			r.u32()
			r.u32()
		case sub <= 17:
			r.u32()
		default:
			r.fail("unknown instruction fc %d", sub)
		}
	case op == 0xfe:
		switch sub := r.u32(); {
		case sub == 3: // fence
			r.byte()
		case sub <= 0x4e:
			r.skipNumber()
			r.skipNumber()
		default:
			r.fail("unknown instruction fe %d", sub)
		}
	case op <= 0x01, op == 0x05, op == opEnd, op == opReturn, op == 0x1a, op == 0x1b,
		op >= 0x45 && op <= 0xc4, op == 0xd1:
	default:
		r.fail("unknown instruction %x", op)
	}
}
