// Command lease runs a lease server and two clients, and writes the log of their run.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"erelong.dev/erelong/examples/real/lease"
)

func main() {
	o := lease.Default()
	flag.IntVar(&o.Rounds, "rounds", o.Rounds, "of 10 ms that the run takes")
	flag.IntVar(&o.Bounds.Delta, "delta", o.Bounds.Delta, "rounds until a message has arrived")
	flag.IntVar(&o.Bounds.Phi, "phi", o.Bounds.Phi, "rounds until a process takes its next step")
	flag.StringVar((*string)(&o.Bug), "bug", "", "hasty, long or forget")
	flag.Uint64Var(&o.Seed, "seed", o.Seed, "of delays, rests and asks")
	flag.Parse()
	if err := o.Run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "lease:", err)
		os.Exit(1)
	}
}
