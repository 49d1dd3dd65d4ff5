package wasm

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

func TestLEB128(t *testing.T) {
	for _, c := range []struct {
		v    uint64
		want []byte
	}{
		{0, []byte{0}}, {127, []byte{0x7f}}, {128, []byte{0x80, 1}},
		{624485, []byte{0xe5, 0x8e, 0x26}},
		{math.MaxUint32, []byte{0xff, 0xff, 0xff, 0xff, 0x0f}},
		{math.MaxUint64, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}},
	} {
		if got := AppendUint(nil, c.v); !bytes.Equal(got, c.want) {
			t.Errorf("unsigned %d is %x; want %x", c.v, got, c.want)
		}
	}
	for _, c := range []struct {
		v    int64
		want []byte
	}{
		{0, []byte{0}}, {63, []byte{0x3f}}, {64, []byte{0xc0, 0}}, {-1, []byte{0x7f}},
		{-64, []byte{0x40}}, {-65, []byte{0xbf, 0x7f}},
		{-123456, []byte{0xc0, 0xbb, 0x78}},
		{math.MaxInt64, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0}},
		{math.MinInt64, []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f}},
	} {
		if got := AppendInt([]byte{9}, c.v); !bytes.Equal(got[1:], c.want) {
			t.Errorf("signed %d is %x; want %x", c.v, got[1:], c.want)
		}
	}
	// Against the decoder of the standard library, which has the unsigned code.
	for shift := range 64 {
		v := uint64(1)<<shift | 5
		if got, n := binary.Uvarint(AppendUint(nil, v)); got != v || n <= 0 {
			t.Errorf("%d is read back as %d", v, got)
		}
	}
}

// load instantiates a module.
func load(t *testing.T, m *Module, host map[string]func(uint64) uint64) api.Module {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	t.Cleanup(func() { r.Close(ctx) })
	if host != nil {
		b := r.NewHostModuleBuilder("host")
		for name, f := range host {
			b.NewFunctionBuilder().WithFunc(f).Export(name)
		}
		if _, err := b.Instantiate(ctx); err != nil {
			t.Fatal(err)
		}
	}
	instance, err := r.Instantiate(ctx, m.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return instance
}

func call(t *testing.T, instance api.Module, name string, args ...uint64) uint64 {
	t.Helper()
	out, err := instance.ExportedFunction(name).Call(context.Background(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

func TestConstantsReachTheRuntime(t *testing.T) {
	values := []int64{0, 1, -1, 63, 64, -64, -65, 8191, 8192, -8192, -8193, math.MaxInt32,
		math.MinInt32, math.MaxInt64, math.MinInt64}
	m := &Module{}
	for _, v := range values {
		f := m.Func(nil, []Type{I64})
		f.I64(v)
		m.Export("v"+string(rune('a'+len(m.funcs))), f)
	}
	small := m.Func(nil, []Type{I32})
	small.I32(math.MinInt32)
	m.Export("small", small)
	instance := load(t, m, nil)
	for i, v := range values {
		if got := int64(call(t, instance, "v"+string(rune('a'+i+1)))); got != v {
			t.Errorf("the constant %d arrives as %d", v, got)
		}
	}
	if got := int32(call(t, instance, "small")); got != math.MinInt32 {
		t.Errorf("the constant arrives as %d", got)
	}
}

// A function with a loop, a conditional, temporaries of both types and branches over several
// levels.
func TestStructuredControl(t *testing.T) {
	m := &Module{}
	// the sum of the odd numbers below the parameter, -1 when it exceeds 100
	f := m.Func([]Type{I64}, []Type{I64})
	sum, i := f.Local(I64), f.Local(I64)
	mark := f.Mark()
	spare := f.Temp(I32)
	f.Release(mark)
	if again := f.Temp(I32); again != spare {
		t.Errorf("the released temporary %d is not taken again, but %d", spare, again)
	}
	if other := f.Temp(I64); other == spare {
		t.Error("one temporary has two types")
	}
	done := f.Block()
	loop := f.Loop()
	f.Get(i)
	f.Get(0)
	f.Op(I64GeS)
	f.BrIf(done)
	code := f.Capture(func() {
		f.Get(i)
		f.I64(1)
		f.Op(I64And, I64Eqz)
		f.If()
		f.Else()
		f.Get(sum)
		f.Get(i)
		f.Op(I64Add)
		f.Tee(sum)
		f.I64(100)
		f.Op(I64GtS)
		f.If()
		f.I64(-1)
		f.Op(Return)
		f.End()
		f.End()
	})
	f.Raw(code)
	f.Get(i)
	f.I64(1)
	f.Op(I64Add)
	f.Set(i)
	f.Br(loop)
	f.End()
	f.End()
	f.Get(sum)
	m.Export("odd", f)
	instance := load(t, m, nil)
	for _, c := range [][2]int64{{0, 0}, {1, 0}, {2, 1}, {7, 9}, {20, 100}, {21, 100}, {23, -1}} {
		if got := int64(call(t, instance, "odd", uint64(c[0]))); got != c[1] {
			t.Errorf("odd(%d) = %d; want %d", c[0], got, c[1])
		}
	}
}

func TestImportsGlobalsDataAndMemory(t *testing.T) {
	m := &Module{}
	double := m.Import("host", "double", []Type{I64}, []Type{I64})
	counter := m.Global(I64)
	m.Memory(1)
	m.ExportMemory("memory")
	m.Data(200, []byte{1, 2, 3, 4, 5, 6, 7, 8})
	inner := m.Func([]Type{I64}, []Type{I64})
	inner.Get(0)
	inner.Call(double)
	outer := m.Func(nil, []Type{I64})
	outer.I32(1)
	outer.MemoryGrow()
	outer.Op(Drop)
	outer.I32(0)
	outer.I32(0)
	outer.I64Load(200)
	outer.I64Store(65536 + 8) // on the second page
	outer.GlobalGet(counter)
	outer.I64(21)
	outer.Op(I64Add)
	outer.GlobalSet(counter)
	outer.GlobalGet(counter)
	outer.Call(inner.Index)
	m.Export("outer", outer)
	instance := load(t, m, map[string]func(uint64) uint64{"double": func(v uint64) uint64 {
		return 2 * v
	}})
	if got := call(t, instance, "outer"); got != 42 {
		t.Errorf("outer() = %d; want 42", got)
	}
	if got := call(t, instance, "outer"); got != 84 {
		t.Errorf("the second outer() = %d; want 84", got)
	}
	if got, ok := instance.Memory().ReadUint64Le(65536 + 8); !ok || got != 0x0807060504030201 {
		t.Errorf("the memory holds %x", got)
	}
}
