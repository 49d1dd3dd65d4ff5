//go:build unix && !linux

package smt

import "syscall"

// dieWithParent does nothing where the system has no such signal: a solver without its parent ends
// at its own limit.
func dieWithParent(*syscall.SysProcAttr) {}
