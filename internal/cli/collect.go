package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"erelong.dev/erelong/internal/derive"
)

// collectRarely has the memory collected when three quarters of it are unused, until the function
// that is returned is called. An event leaves some kilobytes, and what is kept is small; with Go's
// half a fifth of the time goes into collections. GOGC decides where it is set.
func collectRarely() (restore func()) { return collect(300) }

// collectOften is for searches that keep nearly all that they make, with few pointers in it: a
// collection then costs less than the memory that it spares.
func collectOften() (restore func()) { return collect(40) }

func collect(percent int) (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(before) }
}

const (
	computedGarbage = 400 // in percent of what is in use
	mostComputed    = 512 << 20
)

// collectComputed is collectRarely for systems whose steps are computed: a step leaves garbage, and
// the values that are kept have many pointers, which each collection follows. It ends when the
// values take half a gigabyte, since the garbage would then take some.
func collectComputed(systems []*derive.Derived) (restore func()) {
	for _, d := range systems {
		if d.Spec.System.Computed == nil {
			return func() {}
		}
	}
	restore = collect(computedGarbage)
	var over atomic.Bool
	done := func() {
		if over.CompareAndSwap(false, true) {
			restore()
		}
	}
	var look func(int)
	look = func(int) { // after each collection
		var stats runtime.MemStats
		switch runtime.ReadMemStats(&stats); {
		case over.Load():
		case stats.HeapAlloc > mostComputed:
			done()
		default:
			afterCollection(look)
		}
	}
	afterCollection(look)
	return done
}

// afterCollection calls a function after the next collection.
func afterCollection(f func(int)) { runtime.AddCleanup(new([16]byte), f, 0) }
