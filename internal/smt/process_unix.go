//go:build unix

package smt

import (
	"os/exec"
	"syscall"
)

// isolate puts the command into its own process group: a Ctrl-C at the terminal reaches erelong
// only, which then ends the solver and all processes that the solver has started.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// killGroup ends the command's process group. Errors do not matter: the group may have ended by
// itself.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
