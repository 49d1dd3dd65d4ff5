package smt

import "syscall"

// dieWithParent has the system end the process when the thread that started it ends, however that comes about: a program that is
// killed can end nothing any more.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
