package store

import (
	"syscall"
	"unsafe"
)

// arenaBytes is the size of the regions that Go's heap takes from the system.
const arenaBytes = 64 << 20

// onLargePages asks the system to serve the part of the heap around a large list with large pages:
// each access to a random place of a large table needs an address translation of its own, and with
// pages of two megabytes most of them are at hand. It is advice, so an error means nothing.
func onLargePages[T any](list []T) {
	p := uintptr(unsafe.Pointer(unsafe.SliceData(list)))
	size := uintptr(len(list)) * unsafe.Sizeof(*new(T))
	if size < 1<<15 {
		return
	}
	from := p &^ (arenaBytes - 1)
	to := (p + size + arenaBytes - 1) &^ (arenaBytes - 1)
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_HUGEPAGE)
}
