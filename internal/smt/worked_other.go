//go:build !linux

package smt

import "time"

func (p *process) worked() (time.Duration, bool) { return 0, false }

func (p *process) busy() bool { return false }
