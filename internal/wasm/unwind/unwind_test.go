package unwind

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"pgregory.net/rapid"

	"erelong.dev/erelong/internal/wasm"
)

// A program is a list of functions that log numbers, throw, and call later functions in every
// possible way. run interprets it with exceptions of Go; encode makes the module as Emscripten
// would.
type program []function

type function struct {
	result bool
	code   []op
}

type op struct {
	kind string
	n    int // a number to log, or a function
	body []op
}

// depth of the stack that each function takes, and where it begins.
const frame, top = 16, 1000

type thrown struct{}

// run gives the logged numbers, and whether an exception escapes.
func (p program) run() (log []int, escaped bool) {
	sp := top
	var call func(int) int
	var exec func([]op)
	attempt := func(f int) (result int, caught bool) {
		saved := sp
		defer func() {
			switch e := recover(); e.(type) {
			case nil:
			case thrown:
				caught = true
				sp = saved
			default:
				panic(e)
			}
		}()
		return call(f), false
	}
	call = func(f int) int {
		sp -= frame
		exec(p[f].code)
		sp += frame
		return f
	}
	exec = func(code []op) {
		for _, o := range code {
			switch o.kind {
			case "log":
				log = append(log, o.n)
			case "throw":
				panic(thrown{})
			case "call", "indirect":
				if call(o.n); p[o.n].result {
					log = append(log, o.n)
				}
			case "invoke":
				result, caught := attempt(o.n)
				switch {
				case caught:
					log = append(log, -1)
				case p[o.n].result:
					log = append(log, result)
				}
				log = append(log, sp)
			default:
				exec(o.body)
			}
		}
	}
	_, escaped = attempt(0)
	return log, escaped
}

// The types of functions, and the functions before the program's own.
var types = []signature{{}, {nil, []byte{0x7f}}, {[]byte{0x7f}, nil}, {[]byte{0x7f}, []byte{0x7f}},
	{[]byte{0x7f, 0x7f}, nil}, {[]byte{0x7f, 0x7f, 0x7f}, nil}}

const (
	funcLog = iota
	funcInvokeV
	funcInvokeI
	funcThrow
	funcStack
	funcSetThrew
	funcFirst

	globalStack = 1
)

func number(v int) []byte { return wasm.AppendInt([]byte{opI32Const}, int64(v)) }

func (p program) code(ops []op) (b []byte) {
	logResult := func(f int) {
		if p[f].result {
			b = emit(b, opCall, funcLog)
		}
	}
	for _, o := range ops {
		switch o.kind {
		case "log":
			b = emit(append(b, number(o.n)...), opCall, funcLog)
		case "throw":
			b = append(append(append(b, number(64)...), number(1)...), number(0)...)
			b = append(emit(b, opCall, funcThrow), 0x00) // unreachable
		case "call":
			b = emit(b, opCall, uint64(funcFirst+o.n))
			logResult(o.n)
		case "indirect":
			kind := 0
			if p[o.n].result {
				kind = 1
			}
			b = emit(append(b, number(o.n)...), opCallIndirect, uint64(kind), 0)
			logResult(o.n)
		case "invoke":
			b = append(b, number(o.n)...)
			if p[o.n].result {
				b = emit(emit(b, opCall, funcInvokeI), opLocalSet, 0)
			} else {
				b = emit(b, opCall, funcInvokeV)
			}
			// The result of setThrew.
			b = append(append(b, number(0)...), 0x28, 2, 0, opIf, noResult)
			b = append(append(append(b, number(0)...), number(0)...), 0x36, 2, 0)
			b = append(emit(append(b, number(-1)...), opCall, funcLog), 0x05)
			if p[o.n].result {
				b = emit(emit(b, opLocalGet, 0), opCall, funcLog)
			}
			b = emit(emit(append(b, opEnd), opGlobalGet, globalStack), opCall, funcLog)
		case "block":
			b = append(append(append(b, opBlock, noResult), p.code(o.body)...), opEnd)
		case "loop":
			b = append(append(append(b, opLoop, noResult), p.code(o.body)...), opEnd)
		case "if": // the first branch is taken; the second must be skipped, and leaves the function
			b = append(append(append(b, number(1)...), opIf, noResult), p.code(o.body)...)
			b = append(b, 0x05, 0x00, opEnd)
		case "value": // a block that leaves a value, with another one below it
			b = append(append(append(append(b, number(5)...), opBlock, 0x7f), p.code(o.body)...),
				number(6)...)
			b = append(b, opEnd, 0x1a, 0x1a)
		}
	}
	return b
}

func (p program) encode() []byte {
	out := []byte(header)
	add := func(id byte, entries ...[]byte) {
		content := vector(entries)
		out = append(wasm.AppendUint(append(out, id), uint64(len(content))), content...)
	}
	var kinds [][]byte
	for _, s := range types {
		kinds = append(kinds,
			slices.Concat([]byte{0x60, byte(len(s.params))}, s.params, []byte{byte(len(s.results))},
				s.results))
	}
	add(sectionType, kinds...)
	imported := func(name string, kind ...byte) []byte {
		return append(text(text(nil, "env"), name), kind...)
	}
	add(sectionImport, imported("log", 0, 2), imported("memory", 2, 3, 1, 1),
		imported("invoke_v", 0, 2), imported("invoke_i", 0, 3), imported("__cxa_throw", 0, 5))
	body := func(code ...[]byte) []byte {
		b := append(slices.Concat(code...), opEnd)
		return append(wasm.AppendUint(nil, uint64(len(b))), b...)
	}
	functions := [][]byte{{1}, {4}}
	codes := [][]byte{
		body([]byte{0, opGlobalGet, globalStack}),
		body([]byte{0, opI32Const, 0, opLocalGet, 0, 0x36, 2, 0}),
	}
	var elements [][]byte
	for i, f := range p {
		kind, result := byte(0), []byte(nil)
		if f.result {
			kind, result = 1, number(i)
		}
		functions = append(functions, []byte{kind})
		codes = append(codes,
			body([]byte{1, 1, 0x7f, opGlobalGet, globalStack, opI32Const, frame, opI32Sub,
				opGlobalSet, globalStack}, p.code(f.code),
				[]byte{opGlobalGet, globalStack, opI32Const, frame, 0x6a, opGlobalSet, globalStack},
				result))
		elements = append(elements, wasm.AppendUint(nil, uint64(funcFirst+i)))
	}
	add(sectionFunction, functions...)
	add(sectionTable, append([]byte{0x70, 0}, wasm.AppendUint(nil, uint64(len(p)))...))
	add(sectionGlobal, []byte{0x7f, 0, opI32Const, 7, opEnd},
		append(append([]byte{0x7f, 1}, number(top)...), opEnd))
	add(sectionExport, export("emscripten_stack_get_current", 0, funcStack),
		export("setThrew", 0, funcSetThrew), export("main", 0, funcFirst))
	add(sectionElement, append([]byte{0, opI32Const, 0, opEnd}, vector(elements)...))
	add(sectionCode, codes...)
	return out
}

// execute runs the rewritten module.
func execute(ctx context.Context, p program) (log []int, escaped bool, err error) {
	code, err := Rewrite(p.encode(), 1)
	if err != nil {
		return nil, false, err
	}
	r := wazero.NewRuntimeWithConfig(ctx,
		wazero.NewRuntimeConfig().
			WithCoreFeatures(api.CoreFeaturesV2|experimental.CoreFeaturesThreads))
	defer r.Close(ctx)
	var flag api.MutableGlobal
	raise := func(context.Context, uint32, uint32, uint32) { flag.Set(Raised) }
	_, err = r.NewHostModuleBuilder("env").
		NewFunctionBuilder().WithFunc(func(_ context.Context, n int32) {
		log = append(log, int(n))
	}).Export("log").
		NewFunctionBuilder().WithFunc(raise).Export("__cxa_throw").
		NewFunctionBuilder().WithFunc(func(context.Context) {}).Export(Pause).
		NewFunctionBuilder().WithFunc(func(context.Context, int32) int32 { panic("invoke_i is called") }).Export("invoke_i").
		Instantiate(ctx)
	if err != nil {
		return nil, false, err
	}
	m, err := r.Instantiate(ctx, code)
	if err != nil {
		return nil, false, err
	}
	var ok bool
	if flag, ok = m.ExportedGlobal(Flag).(api.MutableGlobal); !ok ||
		m.ExportedMemory(Memory) == nil {
		return nil, false, errors.New("an export is missing")
	}
	_, err = m.ExportedFunction("main").Call(ctx)
	return log, flag.Get() == Raised, err
}

// some draws code of the function f of n.
func some(t *rapid.T, f, n, depth int) (out []op) {
	for range rapid.IntRange(0, 4).Draw(t, "length") {
		kinds := []string{"log", "throw"}
		if f+1 < n {
			kinds = append(kinds, "call", "call", "indirect", "indirect", "invoke", "invoke")
		}
		if depth > 0 {
			kinds = append(kinds, "block", "loop", "if", "value")
		}
		o := op{kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
		switch o.kind {
		case "log":
			o.n = rapid.IntRange(0, 300).Draw(t, "number")
		case "call", "indirect", "invoke":
			o.n = rapid.IntRange(f+1, n-1).Draw(t, "function")
		case "throw":
		default:
			o.body = some(t, f, n, depth-1)
		}
		out = append(out, o)
	}
	return out
}

func TestAsWithExceptionsOfTheHost(t *testing.T) {
	seen := map[string]int{}
	property := func(rt *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(rt, "functions")
		p := make(program, n)
		for i := range p {
			p[i] = function{rapid.Bool().Draw(rt, "result"), some(rt, i, n, 2)}
		}
		log, escaped := p.run()
		got, gotEscaped, err := execute(t.Context(), p)
		if err != nil || escaped != gotEscaped || !slices.Equal(log, got) {
			rt.Fatalf("%v: logged %v, escaped %v, %v; want %v, %v", p, got, gotEscaped, err, log,
				escaped)
		}
		seen[fmt.Sprintf("escaped %v, caught %v", escaped, slices.Contains(log, -1))]++
	}
	for range 10 { // with another seed each time
		rapid.Check(t, property)
	}
	if len(seen) != 4 {
		t.Errorf("not every case occurred: %v", seen)
	}
}

// A broken or truncated module is an error and no panic.
func TestBroken(t *testing.T) {
	whole := program{{true, []op{{kind: "invoke", n: 1}}}, {false, []op{{kind: "throw"}}}}.encode()
	for n := range whole {
		if _, err := Rewrite(whole[:n], 1); err == nil {
			t.Errorf("the first %d bytes of %d were accepted", n, len(whole))
		}
	}
}
