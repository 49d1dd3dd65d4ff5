// Command detector runs three failure detectors and writes the log of their run.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"erelong.dev/erelong/examples/real/detector"
)

func main() {
	var s detector.Scenario
	flag.IntVar(&s.Rounds, "rounds", 60, "rounds of a process")
	flag.DurationVar(&s.Period, "period", 10*time.Millisecond, "of a round")
	flag.StringVar((*string)(&s.Bug), "bug", "", "fixed, twice or wakerace")
	flag.BoolVar(&s.UDP, "udp", false, "over UDP on the loopback interface instead of in memory")
	flag.Uint64Var(&s.Seed, "seed", 1, "of the delays")
	flag.Parse()
	if err := s.Run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "detector:", err)
		os.Exit(1)
	}
}
