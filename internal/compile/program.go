package compile

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/wasm"
)

// Compile makes a program of a model that evaluates the claims, which are closed formulas over one
// state. The error wraps ErrUnsupported when the system or a claim cannot be compiled.
func Compile(
	ctx context.Context, m *interp.Model, claims []*logic.Term, opts Options,
) (Program, error) {
	p, err := build(ctx, m, claims, opts)
	if err != nil {
		return nil, fmt.Errorf("compiling the system: %w", err)
	}
	p.audit = newAudit(ctx, m, claims)
	return p, p.load(ctx, opts.Cache)
}

// load gives the module to a runtime.
func (p *program) load(ctx context.Context, cache wazero.CompilationCache) (err error) {
	config := wazero.NewRuntimeConfig()
	if cache != nil {
		config = config.WithCompilationCache(cache)
	}
	p.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if p.module, err = p.runtime.CompileModule(ctx, p.code); err != nil {
		_ = p.runtime.Close(ctx)
		return fmt.Errorf("compiling the system: loading the WebAssembly module: %w", err)
	}
	return nil
}

// program is a Program in WebAssembly.
type program struct {
	*layout
	claimWords   int
	bindings     bool
	code         []byte
	instructions int
	free         uint32 // the address after the tables
	runtime      wazero.Runtime
	module       wazero.CompiledModule
	audit        *audit // nil for a program of initial states
}

// build makes the module.
func build(
	ctx context.Context, m *interp.Model, claims []*logic.Term, opts Options,
) (*program, error) {
	geometry, err := measure(ctx, m, opts.Initial)
	if err != nil {
		return nil, err
	}
	l, err := layOut(ctx, geometry, opts)
	if err != nil {
		return nil, err
	}
	return assemble(l, addrTables, claims, opts.Bindings, func(g *generator) []*wasm.Func {
		return g.actions(m.System.Actions)
	})
}

// assemble makes a module for a layout, whose tables begin at an address. Steps makes the functions
// that write successors.
func assemble(
	l *layout, tables uint32, claims []*logic.Term, bindings bool, steps func(
		*generator,
	) []*wasm.Func,
) (*program, error) {
	g := &generator{translator: translator{layout: l, tables: tables}, bindings: bindings,
		mod: &wasm.Module{}}
	g.mod.Memory(1)
	g.mod.ExportMemory("memory")
	g.out, g.limit = g.mod.Global(wasm.I32), g.mod.Global(wasm.I32)
	p := &program{layout: l, claimWords: (len(claims) + 63) / 64, bindings: bindings}
	var claimed *wasm.Func
	if len(claims) > 0 {
		claimed = g.claims(claims)
		if g.err != nil {
			return nil, fmt.Errorf("properties: %w", g.err)
		}
	}
	functions := steps(g)
	if g.err != nil {
		return nil, g.err
	}
	expand := g.expand(claimed, functions, p.claimWords)
	g.mod.Export("expand", expand)
	for _, a := range l.order {
		if a.tabled {
			var table []byte
			for _, v := range a.values {
				table = binary.LittleEndian.AppendUint64(table, uint64(v))
			}
			g.mod.Data(a.table, table)
		}
	}
	// The tables are loaded at the start, so the memory must have room for them.
	g.mod.Memory(g.tables>>16 + 1)
	p.free = g.tables
	p.code = g.mod.Bytes()
	for _, f := range append(functions, expand, claimed) {
		if f != nil {
			p.instructions += f.Instructions
		}
	}
	return p, nil
}

// Parameters of the function expand.
const (
	paramStates   = iota // address of the states
	paramCount           // the number of states
	paramClaims          // address for the bits of the claims
	paramFailures        // address for the indices of failed states
	paramOut             // address for the successors
	paramLimit           // the first address where a successor no longer fits
	paramFlags           // bit 0: take actions
	expandParams
)

// expand makes the function that processes a batch. It returns the number of finished states in its
// low 32 bits, and the reason why it stopped above them.
func (g *generator) expand(claims *wasm.Func, steps []*wasm.Func, claimWords int) *wasm.Func {
	params := make([]wasm.Type, expandParams)
	for i := range params {
		params[i] = wasm.I32
	}
	f := g.mod.Func(params, []wasm.Type{wasm.I64})
	i, mark, status := f.Local(wasm.I32), f.Local(wasm.I32), f.Local(wasm.I32)
	advance := func(local uint32, by int) {
		if by > 0 {
			f.Get(local)
			f.I32(int32(by))
			f.Op(wasm.I32Add)
			f.Set(local)
		}
	}
	f.Get(paramOut)
	f.GlobalSet(g.out)
	f.Get(paramLimit)
	f.GlobalSet(g.limit)
	stop := f.Block()
	again := f.Loop()
	f.I32(statusDone)
	f.Set(status)
	f.Get(i)
	f.Get(paramCount)
	f.Op(wasm.I32GeU)
	f.BrIf(stop)
	f.GlobalGet(g.out)
	f.Set(mark)
	done := f.Block()
	failed := f.Block()
	call := func(function *wasm.Func, second uint32) {
		f.Get(paramStates)
		f.Get(second)
		f.Call(function.Index)
		f.Tee(status)
		f.BrIf(failed)
	}
	if claims != nil {
		call(claims, paramClaims)
	}
	f.Get(paramFlags)
	f.Op(wasm.I32Eqz)
	f.BrIf(done)
	for _, s := range steps {
		call(s, i)
	}
	f.Br(done)
	f.End()
	f.Get(mark)
	f.GlobalSet(g.out)
	f.Get(status)
	f.I32(statusFailed)
	f.Op(wasm.I32Ne)
	f.BrIf(stop)
	f.Get(paramFailures)
	f.Get(i)
	f.I32Store(0)
	advance(paramFailures, 4)
	f.End()
	advance(i, 1)
	advance(paramStates, 8*g.layout.words)
	advance(paramClaims, 8*claimWords)
	f.Br(again)
	f.End()
	f.End()
	f.I32(0)
	f.GlobalGet(g.out)
	f.I32Store(addrOut)
	f.I32(0)
	f.Get(paramFailures)
	f.I32Store(addrFailed)
	f.Get(status)
	f.Op(wasm.I64ExtendI32U)
	f.I64(32)
	f.Op(wasm.I64Shl)
	f.Get(i)
	f.Op(wasm.I64ExtendI32U, wasm.I64Or)
	return f
}

func (p *program) Words() int                            { return p.words }
func (p *program) Bits() int                             { return p.bits }
func (p *program) Pack(s interp.State) ([]uint64, error) { return p.pack(s) }
func (p *program) Unpack(packed []uint64) interp.State   { return p.unpack(packed) }
func (p *program) Close() error {
	return p.runtime.Close(context.Background())
}
func (p *program) instantiate(ctx context.Context) (api.Module, error) {
	return p.runtime.InstantiateModule(ctx, p.module, wazero.NewModuleConfig().WithName(""))
}

// Field gives the place of a slot in a packed state: a word, and the bits of it; none if the slot
// never changes.
func (p *program) Field(slot int) (word int, bits uint64) {
	for _, a := range p.order {
		if !a.constant && a.offset <= slot && slot < a.offset+a.points {
			f := a.fields[slot-a.offset]
			return f.word, f.mask() << f.shift
		}
	}
	return 0, 0
}
