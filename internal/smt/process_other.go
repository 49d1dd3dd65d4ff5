//go:build !unix

package smt

import "os/exec"

// isolate does nothing where there are no process groups.
func isolate(*exec.Cmd) {}

// killGroup ends the process. Errors do not matter: the process may have ended by itself.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// giveWay does nothing: the priority stays as it is.
func giveWay(*exec.Cmd) {}
