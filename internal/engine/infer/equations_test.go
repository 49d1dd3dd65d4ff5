package infer

import (
	"math/big"
	"math/rand"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// Resources that move between three or more places are counted by an equation.
func TestEquations(t *testing.T) {
	tests := []struct{ name, text, lemma string }{
		{"flow control", `
immutable constant window: int
axiom window >= 1
mutable constant credits: int
mutable constant inflight: int
mutable constant queued: int
mutable constant returning: int
init credits = window & inflight = 0 & queued = 0 & returning = 0
action send() { require credits > 0; credits := credits - 1; inflight := inflight + 1; }
action arrive() { require inflight > 0; inflight := inflight - 1; queued := queued + 1; }
action consume() { require queued > 0; queued := queued - 1; returning := returning + 1; }
action credit() { require returning > 0; returning := returning - 1; credits := credits + 1; }
safety [fits] queued <= window
`, "credits + inflight + queued + returning = window"},
		{"a pool of workers", `
sort worker
immutable constant most: int
axiom most >= 1
mutable relation busy(worker)
mutable constant submitted: int
mutable constant done: int
mutable constant waiting: int
mutable constant running: int
init submitted = 0 & done = 0 & waiting = 0 & running = 0 & !busy(W)
action submit() {
  require submitted < done + most;
  submitted := submitted + 1;
  waiting := waiting + 1;
}
action start(w: worker) {
  require !busy(w) & waiting > 0;
  waiting := waiting - 1;
  running := running + 1;
  busy(w) := true;
}
action finish(w: worker) {
  require busy(w) & running > 0;
  busy(w) := false;
  running := running - 1;
  done := done + 1;
}
safety [few] waiting + running <= most
safety [all] waiting = 0 & running = 0 -> done = submitted
`, "done + waiting + running = submitted"},
		{"in steps of two", `
immutable constant all: int
axiom all >= 2
mutable constant clean: int
mutable constant dirty: int
mutable constant pairs: int
init clean = all & dirty = 0 & pairs = 0
action touch() { require clean > 0; clean := clean - 1; dirty := dirty + 1; }
action flush() { require dirty > 1; dirty := dirty - 2; pairs := pairs + 1; }
action flushed() { require pairs > 0; pairs := pairs - 1; clean := clean + 2; }
safety [few] clean + dirty <= all
`, "2 * pairs"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name != "flow control" {
				testkit.InCI(t)
			}
			out, err := Find(testkit.Solving(t), testkit.Compile(t, tt.text), options(t))
			if err != nil || !out.Proved {
				t.Fatalf("%v, %+v", err, out)
			}
			for _, l := range out.Lemmas {
				if strings.Contains(l.Term.String(), tt.lemma) {
					return
				}
			}
			t.Errorf("no lemma %s: %v", tt.lemma, out.Lemmas)
		})
	}
}

// The equations of a hull are true of its rows, and as many as it lacks dimensions.
func TestHull(t *testing.T) {
	for seed := range int64(300) {
		r := rand.New(rand.NewSource(seed))
		columns := 1 + r.Intn(5)
		var h hull
		var all [][]int64
		for range r.Intn(7) {
			row := make([]int64, columns)
			for k := range row {
				row[k] = int64(r.Intn(5) - 2)
			}
			if len(all) > 0 && r.Intn(2) == 0 { // a combination of others
				for k := range row {
					row[k] = 2*all[0][k] - all[len(all)-1][k]
				}
			}
			all = append(all, row)
			h.add(row)
		}
		es := h.equations(columns)
		if len(es)+len(h.rows) != columns {
			t.Errorf("seed %d: %d equations of %d rows in %d columns", seed, len(es), len(h.rows),
				columns)
		}
		for _, e := range es {
			for _, row := range all {
				sum := new(big.Int)
				for k, x := range row {
					sum.Add(sum, new(big.Int).Mul(e[k], big.NewInt(x)))
				}
				if sum.Sign() != 0 {
					t.Errorf("seed %d: %v is not true of %v", seed, e, row)
				}
			}
		}
	}
}
