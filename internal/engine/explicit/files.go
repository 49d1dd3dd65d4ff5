package explicit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"sync"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/result"
)

// files are the files of a search.
type files struct {
	temporary string          // a folder for states that do not fit into memory, removed at the end
	folder    *explore.Folder // of the checkpoint, nil for none
	memory    int64
}

func (f *files) close() error {
	if f.temporary == "" {
		return nil
	}
	return os.RemoveAll(f.temporary)
}

// bitstateBytes is the size of a bit array when no memory is given.
const bitstateBytes = 1 << 29

// wideError says that the states of an instance do not fit into a packed store.
type wideError struct{ bits int }

func (e *wideError) Error() string {
	return fmt.Sprintf("the store %s is for states of one word of 64 bits, and a state of this "+
		"instance has %d bits: choose the store %s", Packed, e.bits, Exact)
}

func newStore(sp *explore.Space, opts Options) (*store.Store, error) {
	p := sp.Program
	words := p.Words()
	switch opts.Store {
	case Hash:
		return store.NewCompact(words), nil
	case Bitstate:
		size := int64(bitstateBytes)
		if opts.Memory > 0 {
			size = opts.Memory / 2
		}
		return store.NewBitstate(words, size), nil
	case Packed:
		if words != 1 {
			return nil, engine.Unfit(&wideError{p.Bits()})
		}
		return store.NewPacked(usedBits(sp)), nil
	}
	return store.New(words), nil
}

// usedBits is the number of the lowest bits of a state of one word that can be set.
func usedBits(sp *explore.Space) int {
	l, used := program.LayoutOf(sp.Program), uint64(0)
	if l == nil {
		return 64
	}
	for slot := range sp.SlotSymbols() {
		_, field := l.Field(slot)
		used |= field
	}
	return bits.Len64(used)
}

// doubt says what a search without violations leaves open because of its store; empty for the exact
// store.
func (s *search) doubt() result.Reason {
	n := float64(s.Store.Len())
	switch s.opts.Store {
	case Hash:
		return result.Because(result.Bounded,
			fmt.Sprintf("the store %s kept 64 bits of each state: the odds that it missed one "+
				"are about %.1g", Hash, probabilityOfAny(n*(n-1)/2/math.Pow(2, 64))))
	case Bitstate:
		return result.Because(result.Bounded,
			fmt.Sprintf("the store %s kept a few bits of each state: the odds that it missed "+
				"one are about %.1g", Bitstate, probabilityOfAny(s.Store.Missed())))
	}
	return result.Reason{}
}

// probabilityOfAny is the probability of at least one event if the given number is expected.
func probabilityOfAny(expected float64) float64 { return -math.Expm1(-expected) }

// pathKeys is the number of states after which a bitstate store moves the data for traces to disk.
const pathKeys = 1 << 20

// housekeeping moves states to disk when memory is scarce, and writes checkpoints.
func (s *search) housekeeping(first bool) error {
	if err := s.keepWithinMemory(); err != nil {
		return err
	}
	if err := s.save(first); err != nil {
		return &explore.DiskError{Err: err}
	}
	return nil
}

func (s *search) keepWithinMemory() error {
	// The rest is for lookups on disk, the successors of a round, and garbage.
	tabled := s.Store.Tabled()
	full := s.Store.Bytes()-tabled > max(s.memory()/2-tabled, s.memory()/8) ||
		tabled > 0 && s.Store.Outgrows(forTables(s.memory()))
	if s.opts.Store == Bitstate {
		full = s.Store.InMemory() > pathKeys
	}
	if s.opts.Store == Packed {
		if s.Store.Bytes() > max(s.memory(), leastMemory) {
			return &explore.DiskError{Err: errPacked}
		}
		return nil
	}
	if full && s.Store.InMemory()+int(tabled) > 0 {
		if err := s.spill(); err != nil {
			return &explore.DiskError{Err: err}
		}
		runtime.GC() // free the moved states before memory fills again
	}
	if s.Store.Bytes()+s.bytesAhead > max(s.memory(), leastMemory) {
		return &explore.DiskError{Err: errMemory}
	}
	return nil
}

// leastMemory is the memory that a search may always use.
const leastMemory = 1 << 22

// errMemory says that data which cannot move to disk takes too much memory: states without keys
// that are not expanded yet, or the stack of a depth-first search.
var errMemory = errors.New("--memory does not suffice for the states that are still to be expanded")

var errPacked = fmt.Errorf("--memory does not suffice, and the store %s moves no states to disk",
	Packed)

// memory is the allowed memory in bytes.
func (s *search) memory() int64 {
	f := &s.files
	if f.memory == 0 {
		f.memory = cmp.Or(s.opts.Memory, MachineMemory()*3/4, math.MaxInt64)
	}
	return f.memory
}

func (s *search) spill() error {
	var dir string
	if f := s.files.folder; f != nil {
		dir = f.Dir
	} else {
		if s.files.temporary == "" {
			tmp, err := os.MkdirTemp(s.opts.SpillDir, "erelong-states-")
			if err != nil {
				return fmt.Errorf("making a folder for states: %w", err)
			}
			s.files.temporary = tmp
		}
		dir = s.files.temporary
	}
	return s.Store.Spill(dir, s.memory()/4, forTables(s.memory()))
}

// forTables is what tables whose states are on disk may take of the memory.
func forTables(memory int64) int64 { return memory / 8 * 5 }

// MachineMemory is the memory of the machine, or of the container, in bytes; 0 if unknown.
var MachineMemory = sync.OnceValue(func() int64 {
	total := int64(0)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		total = numberBehind(text, "MemTotal:") << 10
	}
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64); err == nil &&
			(total == 0 || n < total) {
			total = n
		}
	}
	return total
})

// peakBytes is the process's peak memory: from Linux, or else the memory that the runtime has from
// the system.
func peakBytes() int64 {
	if text, err := os.ReadFile("/proc/self/status"); err == nil {
		if n := numberBehind(text, "VmHWM:"); n > 0 {
			return n << 10
		}
	}
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(sample[0].Value.Uint64())
}

// numberBehind is the number after a word at the beginning of a line.
func numberBehind(text []byte, word string) int64 {
	for line := range bytes.Lines(text) {
		parts := bytes.Fields(line)
		if len(parts) > 1 && string(parts[0]) == word {
			n, err := strconv.ParseInt(string(parts[1]), 10, 64)
			if errors.Is(err, strconv.ErrRange) {
				return math.MaxInt64
			}
			return n
		}
	}
	return 0
}
