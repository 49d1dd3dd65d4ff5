package explicit

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// detector is the failure detector of examples/failure_detector/strong_accuracy.ere, written by
// hand: a program that costs next to nothing, so that the search itself is measured.
type detector struct {
	compile.Program
	delta, phi uint64
}

// The fields of a packed state, from the lowest bit on.
const (
	epcAt, rpcAt, senderAt, receiverAt, waitingAt, suspectedAt, messagesAt = 0, 3, 5, 15, 25, 35, 36
)

func (d *detector) Words() int                      { return 1 }
func (d *detector) Bits() int                       { return 64 }
func (d *detector) Worker() (compile.Worker, error) { return &detectorWorker{detector: d}, nil }
func (d *detector) Close() error                    { return nil }
func (d *detector) Pack(interp.State) ([]uint64, error) {
	return []uint64{2 << rpcAt}, nil
}

type detectorWorker struct {
	*detector
	batch compile.Batch
}

func (w *detectorWorker) Close() error { return nil }

func (w *detectorWorker) Expand(states []uint64) (*compile.Batch, error) {
	b := &w.batch
	b.States, b.Source, b.Action = b.States[:0], b.Source[:0], b.Action[:0]
	b.Violated = make([]uint64, len(states))
	for i, s := range states {
		add := func(action int, next uint64) {
			b.States, b.Source, b.Action = append(b.States, next), append(b.Source, uint32(i)),
				append(b.Action, uint16(action))
		}
		get := func(at, width int) uint64 { return s >> at & (1<<width - 1) }
		sender, receiver, rpc, waiting, messages := get(senderAt, 10), get(receiverAt, 10),
			get(rpcAt, 2), get(waitingAt, 10), s>>messagesAt
		timeout, next := 6*w.phi+w.delta, s+1<<epcAt
		switch get(epcAt, 3) {
		case 0:
			if sender >= 2 {
				add(0, next-sender<<senderAt)
			}
			if sender < 3*w.phi-1 {
				add(1, next+1<<senderAt)
			}
		case 1:
			add(2, next-receiver<<receiverAt-rpc<<rpcAt+(rpc+1)%3<<rpcAt)
			if receiver < w.phi-1 {
				add(3, next+1<<receiverAt)
			}
		case 2:
			aged := messages<<1&(1<<(w.delta+1)-1) | messages&(1<<w.delta)
			add(4, next-messages<<messagesAt+aged<<messagesAt)
		case 3:
			if sender == 0 {
				next |= 1 << messagesAt
			}
			add(5, next)
		case 4:
			if receiver == 0 && rpc == 0 && waiting < timeout {
				next += 1 << waitingAt
			}
			add(6, next)
		case 5:
			if receiver != 0 || rpc != 1 {
				add(9, next)
				break
			}
			oldest := messages & (1 << w.delta)
			if messages != 0 {
				rest := messages &^ (1 << w.delta)
				for kept := rest; ; kept = (kept - 1) & rest {
					if kept != messages {
						add(7, next-messages<<messagesAt+kept<<messagesAt-waiting<<waitingAt)
					}
					if kept == 0 {
						break
					}
				}
			}
			if oldest == 0 {
				if waiting < timeout {
					next += 1 << waitingAt
				}
				add(8, next)
			}
		case 6:
			next = s &^ 7
			if receiver == 0 && rpc == 2 {
				if waiting < timeout {
					next += 1 << waitingAt
				} else {
					next |= 1 << suspectedAt
				}
			}
			add(10, next)
		}
	}
	return b, nil
}

func detectorInstance(t testing.TB, delta, phi int64) (*system.System, *system.Instance) {
	t.Helper()
	sys, _, err := ere.Load(filepath.Join("..", "..", "..", "examples", "failure_detector", "strong_accuracy.ere"))
	if err != nil {
		t.Fatal(err)
	}
	inst := &system.Instance{Name: "test", Values: map[*logic.Symbol]*logic.Term{}}
	for _, s := range sys.Symbols {
		switch s.Name {
		case "Delta":
			inst.Values[s] = logic.IntLit(delta)
		case "Phi":
			inst.Values[s] = logic.IntLit(phi)
		}
	}
	return sys, inst
}

// detectorProgram makes the program by hand of an instance. It does not say where it has slots.
func detectorProgram(size int64) program.Make {
	return func(
		context.Context, *interp.Model, []*logic.Term, map[int]compile.Interval,
	) (compile.Program, error) {
		return &detector{delta: uint64(size), phi: uint64(size)}, nil
	}
}

// The search on the failure detector. The last two sizes take minutes under the race detector.
func BenchmarkSearch(b *testing.B) {
	for _, size := range []int64{4, 10, 16} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("size %d threads %d", size, threads), func(b *testing.B) {
				for range b.N {
					sys, inst := detectorInstance(b, size, size)
					begin := time.Now()
					_, stats, err := checkStats(context.Background(), sys, inst,
						Options{
							Threads: threads,
							Only:    []string{"strong_accuracy"},
							tuning:  tuning{program: detectorProgram(size)},
						})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(stats.States)/time.Since(begin).Seconds(), "states/s")
					b.ReportMetric(float64(stats.States), "states")
					b.ReportMetric(float64(stats.Transitions), "transitions")
					b.ReportMetric(float64(stats.PeakBytes)/float64(stats.States), "bytes/state")
				}
			})
		}
	}
}
