package smt

import "syscall"

// dieWithParent makes the system end the process when the thread that started it ends for any
// reason: a program that is killed cannot end it itself.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
