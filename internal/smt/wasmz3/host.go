package wasmz3

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/tetratelabs/wazero/api"

	"erelong.dev/erelong/internal/wasm/unwind"
)

// hostFunctions are the imports of the module, by name. Each takes its arguments from the stack and
// leaves its result there. There are no files, no environment and no threads. They follow
// Emscripten's JavaScript: library_exceptions.js, library_pthread.js.
var hostFunctions map[string]func(*Instance, []uint64)

func init() {
	nothing := func(*Instance, []uint64) {}
	now := func(_ *Instance, s []uint64) {
		s[0] = api.EncodeF64(float64(time.Now().UnixMicro()) / 1e3)
	}
	one := func(_ *Instance, s []uint64) { s[0] = 1 }
	end := func(what string) func(*Instance, []uint64) {
		return func(*Instance, []uint64) { panic(errors.New(what)) }
	}
	hostFunctions = map[string]func(*Instance, []uint64){
		unwind.Pause: (*Instance).pause,

		"__cxa_throw":               (*Instance).throw,
		"__cxa_rethrow":             (*Instance).rethrow,
		"__resumeException":         (*Instance).resume,
		"__cxa_begin_catch":         (*Instance).beginCatch,
		"__cxa_end_catch":           (*Instance).endCatch,
		"__cxa_uncaught_exceptions": func(z *Instance, s []uint64) { s[0] = z.uncaught },
		"llvm_eh_typeid_for":        nothing, // the type is its own number

		"emscripten_get_now":               now,
		"emscripten_date_now":              now,
		"_emscripten_get_now_is_monotonic": one,
		"_tzset_js":                        (*Instance).timeZone,

		"_emscripten_init_main_thread_js": func(z *Instance, s []uint64) {
			z.nested("_emscripten_thread_init", s[0], 1, 1, 1, threadStack, 0)
		},
		"emscripten_check_blocking_allowed": nothing,
		"_emscripten_thread_mailbox_await":  nothing,
		"_emscripten_thread_set_strongref":  nothing,
		"__pthread_create_js":               func(_ *Instance, s []uint64) { s[0] = tryAgain },
		"emscripten_resize_heap":            (*Instance).resize,
		"environ_sizes_get": func(z *Instance, s []uint64) {
			z.put(s[0], 0)
			z.put(s[1], 0)
			s[0] = 0
		},
		"environ_get":                       func(_ *Instance, s []uint64) { s[0] = 0 },
		"fd_write":                          (*Instance).write,
		"__assert_fail":                     (*Instance).assertFailed,
		"_abort_js":                         end("it aborted"),
		"exit":                              end("it called exit"),
		"proc_exit":                         end("it called exit"),
		"emscripten_exit_with_live_runtime": end("it called exit"),
	}
}

const (
	threadStack = 20 << 20
	tryAgain    = 6                            // EAGAIN of WASI: no thread could be made
	badFile     = 8                            // EBADF
	findCatch   = "__cxa_find_matching_catch_" // with the number of arguments and 2
)

// nested calls back into the module from a function of the host.
func (z *Instance) nested(name string, args ...uint64) uint64 {
	out, err := z.module.ExportedFunction(name).Call(z.ctx, args...)
	if err != nil {
		panic(err)
	}
	if len(out) == 0 {
		return 0
	}
	return out[0]
}

// get and put access a word; an address outside of the memory ends the run.
func (z *Instance) get(p uint64) uint32 { return binary.LittleEndian.Uint32(z.view(p, 4)) }

func (z *Instance) put(p uint64, v uint32) { binary.LittleEndian.PutUint32(z.view(p, 4), v) }

func (z *Instance) view(p uint64, n uint32) []byte {
	b, ok := z.memory.Read(uint32(p), n)
	if !ok {
		panic(fmt.Errorf("it used the address %#x", uint32(p)))
	}
	return b
}

// resize makes the memory at least as large as asked, and a quarter larger, because growing may
// copy it.
func (z *Instance) resize(s []uint64) {
	want, have := uint64(uint32(s[0])), uint64(z.memory.Size())
	s[0] = 0
	if want > uint64(z.most) {
		return
	}
	want = min(max(want, have+have/4), uint64(z.most))
	if _, ok := z.memory.Grow(uint32((want - have + 0xffff) >> 16)); ok {
		s[0] = 1
	}
}

// write keeps the text on standard error and output: warnings, and the last words.
func (z *Instance) write(s []uint64) {
	if fd := uint32(s[0]); fd != 1 && fd != 2 {
		s[0] = badFile
		return
	}
	vectors, n, written := s[1], uint32(s[2]), s[3]
	total := uint32(0)
	for i := range uint64(n) {
		b := z.view(uint64(z.get(vectors+8*i)), z.get(vectors+8*i+4))
		total += uint32(len(b))
		if z.complaints.Len() < 4096 {
			z.complaints.Write(b)
		}
	}
	z.put(written, total)
	s[0] = 0
}

func (z *Instance) assertFailed(s []uint64) {
	text, err := z.string(uint32(s[0]))
	if err != nil {
		panic(err)
	}
	panic(fmt.Errorf("the assertion %s failed", text))
}

// timeZone sets the time zone to UTC: timezone, daylight, and two names of at most 16 bytes.
func (z *Instance) timeZone(s []uint64) {
	z.put(s[0], 0)
	z.put(s[1], 0)
	copy(z.view(s[2], 4), "UTC\x00")
	copy(z.view(s[3], 4), "UTC\x00")
}

// Words and bytes of the header of an exception, before the object itself: type, destructor,
// whether it was caught and whether it was rethrown, and a pointer to the object as the type that
// catches it.
const (
	exceptionHeader = 24
	headerType      = 4
	headerDestroy   = 8
	headerCaught    = 12
	headerRethrown  = 13
	headerAdjusted  = 16
)

func header(object uint32) uint64 { return uint64(object - exceptionHeader) }

// raise starts unwinding, unless the run is stopped.
func (z *Instance) raise(object uint32) {
	z.last = object
	if z.flag.Get() == 0 {
		z.flag.Set(unwind.Raised)
	}
}

func (z *Instance) throw(s []uint64) {
	object := uint32(s[0])
	h := header(object)
	z.put(h+headerAdjusted, 0)
	z.put(h+headerType, uint32(s[1]))
	z.put(h+headerDestroy, uint32(s[2]))
	z.uncaught++
	z.raise(object)
}

func (z *Instance) resume(s []uint64) {
	if z.last == 0 {
		z.last = uint32(s[0])
	}
	z.raise(z.last)
}

func (z *Instance) rethrow([]uint64) {
	if len(z.caught) == 0 {
		panic(errors.New("it threw again what it had not caught"))
	}
	object := z.caught[len(z.caught)-1]
	if again := z.view(header(object)+headerRethrown, 1); again[0] == 0 {
		again[0] = 1
		z.view(header(object)+headerCaught, 1)[0] = 0
		z.uncaught++
	} else {
		z.caught = z.caught[:len(z.caught)-1]
	}
	z.raise(object)
}

func (z *Instance) beginCatch(s []uint64) {
	object := uint32(s[0])
	if caught := z.view(header(object)+headerCaught, 1); caught[0] == 0 {
		caught[0] = 1
		z.uncaught--
	}
	z.view(header(object)+headerRethrown, 1)[0] = 0
	z.caught = append(z.caught, object)
	z.nested("__cxa_increment_exception_refcount", uint64(object))
	s[0] = z.nested("__cxa_get_exception_ptr", uint64(object))
}

func (z *Instance) endCatch([]uint64) {
	z.nested("setThrew", 0, 0)
	if len(z.caught) == 0 {
		panic(errors.New("it ended a catch that had not begun"))
	}
	object := z.caught[len(z.caught)-1]
	z.caught = z.caught[:len(z.caught)-1]
	z.nested("__cxa_decrement_exception_refcount", uint64(object))
	z.last = 0
}

// findMatchingCatch gives the last exception, and as its second result the first of the given types
// that catches it. Type 0 catches all.
func (z *Instance) findMatchingCatch(types []uint64) uint64 {
	thrown := z.last
	if thrown == 0 {
		z.nested("_emscripten_tempret_set", 0)
		return 0
	}
	h := header(thrown)
	z.put(h+headerAdjusted, thrown)
	kind := uint64(z.get(h + headerType))
	found := kind
	for _, t := range types {
		if t = uint64(uint32(t)); kind == 0 || t == 0 || t == kind {
			break
		}
		if z.nested("__cxa_can_catch", t, kind, h+headerAdjusted) != 0 {
			found = t
			break
		}
	}
	z.nested("_emscripten_tempret_set", found)
	return uint64(thrown)
}
