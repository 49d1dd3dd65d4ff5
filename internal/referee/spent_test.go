package referee

import (
	"syscall"
	"time"
)

// spent is the processor time of this process and of its children that have ended.
func spent() (d time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		_ = syscall.Getrusage(who, &u)
		d += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return d
}
