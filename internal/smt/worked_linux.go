package smt

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// worked gives the processor time of the process so far, and whether it is known.
func (p *process) worked() (time.Duration, bool) {
	// The clock of a process is the complement of its number, followed by the kind in three bits.
	const scheduled = 2
	var t unix.Timespec
	if err := unix.ClockGettime(^int32(p.cmd.Process.Pid)<<3|scheduled, &t); err != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}

// busy reports whether the process runs, or would run if it had a processor or its memory.
func (p *process) busy() bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	_, rest, ok := bytes.Cut(stat, []byte(") ")) // after its name
	return err == nil && ok && len(rest) > 0 && (rest[0] == 'R' || rest[0] == 'D')
}
