//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// alone gives a command a process group of its own, which ends as a whole.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
