// Command erelong verifies distributed protocols.
package main

import (
	"context"
	"os"
	"os/signal"
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
	os.Exit(cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// oneInterrupt is the time in which several signals are one interrupt: timeout(1) and some
// terminals signal the process and then its group. What was finished is still printed.
const oneInterrupt = time.Second
