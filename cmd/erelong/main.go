// Command erelong verifies distributed protocols.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"erelong.dev/erelong/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		time.Sleep(oneInterrupt)
		stop() // a second signal ends the program at once
	})
	// Signals stay caught until the exit, or the second of two would still be what ends the
	// program.
	floor := make([]byte, heapFloor)
	code := cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	runtime.KeepAlive(floor)
	os.Exit(code)
}

// heapFloor counts as heap in use, so that the collector leaves a small heap alone. Otherwise it
// takes a tenth of the time of a short proof. Nobody writes to it, so it takes no memory.
const heapFloor = 16 << 20

// oneInterrupt is the time in which several signals are one interrupt: timeout(1) and some
// terminals signal the process and then its group. What was finished is still printed.
const oneInterrupt = time.Second
