package wasmz3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"erelong.dev/erelong/internal/wasm/unwind"
)

// Params are the settings of an instance.
type Params struct {
	Set    []string // parameters of z3, as name=value
	Memory int      // megabytes that z3 may use; 0 means DefaultMemory
}

// DefaultMemory leaves room below the 2 GiB that a module has.
const DefaultMemory = 1500

// ErrTrap says that the module trapped and cannot go on.
var ErrTrap = errors.New("z3 trapped")

type instanceKey struct{}

// Instance is one z3 with its assertions. Only one goroutine at a time may use it.
type Instance struct {
	ctx     context.Context // carries the instance to the host's functions
	module  api.Module
	memory  api.Memory
	flag    api.MutableGlobal // see package unwind
	eval    api.Function
	malloc  api.Function
	free    api.Function
	context uint64          // of z3
	asker   context.Context // of the run

	most       uint32 // bytes of memory
	last       uint32 // the last exception thrown, 0 for none
	caught     []uint32
	uncaught   uint64
	complaints bytes.Buffer // z3's standard error
}

// Start makes an instance.
func (e *Engine) Start(ctx context.Context, p Params) (_ *Instance, err error) {
	if p.Memory <= 0 {
		p.Memory = DefaultMemory
	}
	z := &Instance{most: 2047 << 20}
	z.ctx = context.WithValue(context.WithoutCancel(ctx), instanceKey{}, z)
	z.module, err = e.runtime.InstantiateModule(z.ctx, e.module,
		wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, fmt.Errorf("%w at its start: %w", ErrTrap, err)
	}
	defer func() {
		if err != nil {
			z.Close()
		}
	}()
	var ok bool
	z.memory = z.module.ExportedMemory(unwind.Memory)
	if z.flag, ok = z.module.ExportedGlobal(unwind.Flag).(api.MutableGlobal); !ok ||
		z.memory == nil {
		return nil, errors.New("the module was not rewritten")
	}
	z.asker = z.ctx
	for name, f := range map[string]*api.Function{"Z3_eval_smtlib2_string": &z.eval,
		"malloc": &z.malloc, "free": &z.free} {
		if *f = z.module.ExportedFunction(name); *f == nil {
			return nil, fmt.Errorf("the module has no function %s", name)
		}
	}
	for _, name := range []string{"emscripten_stack_init", "_emscripten_tls_init",
		"__wasm_call_ctors"} {
		if _, err := z.call(name); err != nil {
			return nil, err
		}
	}
	for _, s := range append([]string{"memory_max_size=" + strconv.Itoa(p.Memory)}, p.Set...) {
		name, value, _ := strings.Cut(s, "=")
		if err := z.set(name, value); err != nil {
			return nil, err
		}
	}
	config, err := z.call("Z3_mk_config")
	if err != nil {
		return nil, err
	}
	if z.context, err = z.call("Z3_mk_context", config); err != nil {
		return nil, err
	}
	// z3's default error handler ends the program.
	if _, err := z.call("set_noop_error_handler", z.context); err != nil {
		return nil, err
	}
	return z, nil
}

// set gives a parameter of z3 a value.
func (z *Instance) set(name, value string) error {
	n, err := z.text(name)
	if err != nil {
		return err
	}
	v, err := z.text(value)
	if err != nil {
		return err
	}
	if _, err = z.call("Z3_global_param_set", n, v); err != nil {
		return err
	}
	return errors.Join(z.release(n), z.release(v))
}

// Close frees the memory.
func (z *Instance) Close() { _ = z.module.Close(context.Background()) }

// Memory is the size of the memory in bytes.
func (z *Instance) Memory() int { return int(z.memory.Size()) }

// Eval runs commands and gives z3's output. When ctx is done, it ends within milliseconds. After an
// error the instance is unusable.
func (z *Instance) Eval(ctx context.Context, commands string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	in, err := z.text(commands)
	if err != nil {
		return "", err
	}
	z.asker = ctx
	out, err := z.run(z.eval, z.context, in)
	z.asker = z.ctx
	if z.flag.Get() == unwind.Stopped {
		return "", ctx.Err()
	}
	if err != nil {
		return "", err
	}
	text, err := z.string(uint32(out))
	if err != nil {
		return "", err
	}
	return text, z.release(in)
}

// pause stops the run when its context is done.
func (z *Instance) pause([]uint64) {
	if z.asker.Err() != nil {
		z.flag.Set(unwind.Stopped)
	}
}

// call runs a function of the module. A new api.Function has a stack of its own, so calls may be
// nested.
func (z *Instance) call(name string, args ...uint64) (uint64, error) {
	f := z.module.ExportedFunction(name)
	if f == nil {
		return 0, fmt.Errorf("the module has no function %s", name)
	}
	return z.run(f, args...)
}

func (z *Instance) run(f api.Function, args ...uint64) (uint64, error) {
	out, err := f.Call(z.ctx, args...)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n") // a list of calls by number follows
		if said := strings.Join(strings.Fields(z.complaints.String()), " "); said != "" {
			first += ", and wrote: " + said
		}
		return 0, fmt.Errorf("%w: %s", ErrTrap, first)
	}
	if z.flag.Get() != 0 {
		return 0, fmt.Errorf("%w: nothing caught an exception", ErrTrap)
	}
	if len(out) == 0 {
		return 0, nil
	}
	return out[0], nil
}

// text copies a string into the memory, to be freed later.
func (z *Instance) text(s string) (uint64, error) {
	p, err := z.run(z.malloc, uint64(len(s)+1))
	if err != nil {
		return 0, err
	}
	if p == 0 || !z.memory.WriteString(uint32(p), s) ||
		!z.memory.WriteByte(uint32(p)+uint32(len(s)), 0) {
		return 0, fmt.Errorf("%w: there is no memory for a query of %d bytes", ErrTrap, len(s))
	}
	return p, nil
}

func (z *Instance) release(p uint64) error {
	_, err := z.run(z.free, p)
	return err
}

// string reads a string up to its zero byte.
func (z *Instance) string(p uint32) (string, error) {
	rest, ok := z.memory.Read(p, z.memory.Size()-p)
	if p == 0 || !ok {
		return "", fmt.Errorf("%w: its answer lies outside of the memory", ErrTrap)
	}
	n := bytes.IndexByte(rest, 0)
	if n < 0 {
		return "", fmt.Errorf("%w: its answer has no end", ErrTrap)
	}
	return string(rest[:n]), nil
}
