package detector

import (
	"context"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"erelong.dev/erelong/trace"
)

// Scenario is a run of three processes: at first they pause now and then for longer than the
// timeout, so that some suspicions are wrong, and later one of them crashes.
type Scenario struct {
	Rounds int
	Period time.Duration
	Bug    Bug
	UDP    bool
	Seed   uint64
}

// Run runs a scenario and writes its log.
func (s Scenario) Run(w io.Writer) error {
	log := trace.New(w)
	ids := []string{"p0", "p1", "p2"}
	random := rand.New(rand.NewPCG(s.Seed, 0))
	var transport Transport = NewMemory(log, UpTo(2*s.Period, random))
	if s.UDP {
		udp, err := NewUDP(ids...)
		if err != nil {
			return err
		}
		defer udp.Close()
		transport = udp
	}
	var wg sync.WaitGroup
	for i, id := range ids {
		var peers []string
		for _, p := range ids {
			if p != id {
				peers = append(peers, p)
			}
		}
		d := New(id, peers, transport,
			Options{Period: s.Period, Timeout: 3, Log: log.Node(id), Bug: s.Bug})
		rounds := time.Duration(s.Rounds)
		if i == 2 {
			rounds = rounds * 2 / 3 // it crashes
		}
		wg.Go(func() { s.life(d, time.Duration(8+5*i)*s.Period, rounds*s.Period) })
		time.Sleep(s.Period / 10) // the rounds of processes are not in step
	}
	wg.Wait()
	time.Sleep(3 * s.Period) // what is under way arrives
	return log.Close()
}

// life runs a process that pauses twice at the beginning.
func (s Scenario) life(d *Detector, before, whole time.Duration) {
	ends := time.Now().Add(whole)
	for range 2 {
		run(d, before)
		time.Sleep(7 * s.Period)
	}
	run(d, time.Until(ends))
}

func run(d *Detector, time time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), time)
	defer cancel()
	d.Run(ctx)
}
