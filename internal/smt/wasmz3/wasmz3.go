// Package wasmz3 is the SMT solver z3 inside the program: WebAssembly that wazero compiles and
// runs.
//
// In: SMT-LIB 2 commands as text. Out: z3's output. The module comes from the npm package
// z3-solver, which Emscripten made from C++; tools/embedz3 fetches it, and package unwind rewrites
// it so that exceptions, and the end of a run, need nothing from the host. A program built with the
// tag embedz3 contains it.
//
// An Engine is the compiled module. Its instances have a memory of their own each, and run in
// parallel. An instance that traps, or whose run is stopped, is unusable; starting another one
// takes milliseconds.
package wasmz3

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// Version is the version of the npm package, and Solver the version that its z3 reports.
const (
	Version = "5.2.0"
	Solver  = "5.1.0"
)

// ErrNotEmbedded says that the program was built without z3.
var ErrNotEmbedded = errors.New("this program was built without z3 inside")

// Embedded gives the packed module in the program, nil when there is none.
func Embedded() []byte { return packed }

// Engine is z3 as machine code. It is safe for concurrent use.
type Engine struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
	cache   wazero.CompilationCache
}

// long is the time that a start may take without a notice.
const long = time.Second

// Options of Open.
type Options struct {
	Packed []byte       // the module; Embedded when nil
	Cache  string       // folder for machine code; empty for none
	Notice func(string) // called when the start takes long; may be nil
}

// Open compiles the module, or reads the machine code from the cache. An unreadable entry is
// compiled again.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if o.Packed == nil {
		o.Packed = packed
	}
	if o.Packed == nil {
		return nil, ErrNotEmbedded
	}
	e, err := open(ctx, o)
	if err != nil && o.Cache != "" && ctx.Err() == nil {
		o.Cache = ""
		e, err = open(ctx, o)
	}
	if err != nil {
		return nil, fmt.Errorf("starting z3 in WebAssembly: %w", err)
	}
	return e, nil
}

func open(ctx context.Context, o Options) (_ *Engine, err error) {
	code, err := unpack(o.Packed)
	if err != nil {
		return nil, err
	}
	config := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesThreads)
	e := &Engine{}
	if o.Cache != "" {
		if e.cache, err = wazero.NewCompilationCacheWithDir(filepath.Join(o.Cache,
			"z3-"+Version)); err != nil {
			return nil, fmt.Errorf("opening the cache: %w", err)
		}
		config = config.WithCompilationCache(e.cache)
	}
	if o.Notice != nil {
		notice := time.AfterFunc(long, func() {
			o.Notice("starting z3; the first time it is compiled, which takes a while")
		})
		defer notice.Stop()
	}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	defer func() {
		if err != nil {
			e.Close()
		}
	}()
	if e.module, err = e.runtime.CompileModule(experimental.WithCompilationWorkers(ctx,
		runtime.NumCPU()), code); err != nil {
		return nil, fmt.Errorf("compiling: %w", err)
	}
	if err = e.offer(ctx); err != nil {
		return nil, err
	}
	return e, nil
}

func unpack(packed []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpacking: %w", err)
	}
	// The last four bytes are the size.
	size := binary.LittleEndian.Uint32(packed[len(packed)-4:])
	code := bytes.NewBuffer(make([]byte, 0, min(size, 1<<28)+bytes.MinRead))
	if _, err := code.ReadFrom(z); err != nil {
		return nil, fmt.Errorf("unpacking: %w", err)
	}
	return code.Bytes(), nil
}

// Close frees the machine code and ends all instances. None may be running.
func (e *Engine) Close() {
	ctx := context.Background()
	_ = e.runtime.Close(ctx)
	if e.cache != nil {
		_ = e.cache.Close(ctx)
	}
}

// offer gives the host's functions to the module.
func (e *Engine) offer(ctx context.Context) error {
	builders := map[string]wazero.HostModuleBuilder{}
	for _, f := range e.module.ImportedFunctions() {
		module, name, _ := f.Import()
		b, ok := builders[module]
		if !ok {
			b = e.runtime.NewHostModuleBuilder(module)
			builders[module] = b
		}
		b.NewFunctionBuilder().WithGoModuleFunction(hostFunction(name, len(f.ParamTypes())),
			f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	for name, b := range builders {
		if _, err := b.Instantiate(ctx); err != nil {
			return fmt.Errorf("offering the functions of %s: %w", name, err)
		}
	}
	return nil
}

// hostFunction finds the function of the instance that a run belongs to. A missing function ends
// the run: z3 must not go on with an invented result.
func hostFunction(name string, params int) api.GoModuleFunc {
	f, ok := hostFunctions[name]
	if strings.HasPrefix(name, findCatch) {
		f, ok = func(z *Instance, s []uint64) { s[0] = z.findMatchingCatch(s[:params]) }, true
	}
	if !ok {
		return func(context.Context, api.Module, []uint64) {
			panic(fmt.Errorf("z3 called %s, which is not offered", name))
		}
	}
	return func(ctx context.Context, _ api.Module, stack []uint64) {
		f(ctx.Value(instanceKey{}).(*Instance), stack)
	}
}
