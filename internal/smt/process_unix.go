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

// niceness is the priority of a process that gives way.
const niceness = 10

// giveWay lowers the priority of the command. An error does not matter: it only goes on as it was.
func giveWay(cmd *exec.Cmd) {
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, cmd.Process.Pid, niceness)
}
