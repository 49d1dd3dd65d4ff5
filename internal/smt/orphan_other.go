//go:build unix && !linux

package smt

import "syscall"

// dieWithParent does nothing where the system knows no such signal: a solver whose parent is gone ends at its own limit.
func dieWithParent(*syscall.SysProcAttr) {}
