package tla

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// TestInterrupted ends computations that take long, each in another place of a module.
func TestInterrupted(t *testing.T) {
	const head = "---- MODULE M ----\nEXTENDS Naturals, FiniteSets, TLC\nVARIABLE x\n"
	for _, c := range []struct{ name, text string }{
		{"assumption", "ASSUME Cardinality(Long) = 0\nInit == x = 0\nNext == x' = x"},
		{"assumption, quantified", "ASSUME \\A i, j \\in 1..1000000 : i + j > 1\n" +
			"Init == x = 0\nNext == x' = x"},
		{"initial states", "Init == x = Cardinality(Long)\nNext == x' = x"},
		{"step", "Init == x = 0\nNext == x' = x + Cardinality(Long)"},
		{"invariant", "Init == x = 0\nNext == x' = x\nInv == x \\notin Long"},
		{"invariant, of a set", "Init == x = [i \\in 1..9 |-> i]\nNext == x' = x\n" +
			"Inv == \\A i \\in {f[1] : f \\in Long} : x[i] = i"},
		{"part of a later state", "Init == x = {}\nAdd == x' = x \\union {Cardinality(x)}\n" +
			"Next == Add \\/ \\E k \\in {k \\in x : k < 2 \\/ " +
			"\\A i, j \\in 1..1000000 : i + j + k > 0} : x' = x"},
		{"invariant, of a state", "Init == x = 0\nNext == x' = x\n" +
			"Inv == \\A i, j \\in 1..1000000 : i + j > x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			start := time.Now()
			text := head + "Long == {f \\in [1..9 -> 1..9] : f[1] > f[2] /\\ f[2] > 9}\n" + c.text
			config := "INIT Init\nNEXT Next\n"
			if strings.HasPrefix(c.name, "invariant") {
				config += "INVARIANT Inv\n"
			}
			spec, list, err := Read(ctx, "M.tla", text+"\n====\n", func(path string) ([]byte, error) {
				if path == "M.cfg" {
					return []byte(config), nil
				}
				return nil, os.ErrNotExist
			})
			if err != nil {
				t.Fatal(err, list.All)
			}
			m := spec.System.Computed
			computer := m.Computer(ctx)
			var states [][]int64
			err = computer.Initial(ctx, func(s []int64) error {
				states = append(states, append([]int64(nil), s...))
				return nil
			})
			for n := 0; n < min(len(states), 20); n++ {
				s := states[n]
				if err == nil {
					err = computer.Steps(ctx, s, func(_ int, _, next []int64) error {
						states = append(states, append([]int64(nil), next...))
						return nil
					})
				}
				for i := range spec.System.Properties {
					if err == nil {
						_, err = computer.Holds(i, s, nil)
					}
				}
			}
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			if !strings.HasPrefix(c.name, "assumption") {
				return
			}
			// A model whose assumptions were not evaluated gives no answer in another context.
			later := m.Plain()
			err = later.Initial(t.Context(), func([]int64) error { return nil })
			_, said := later.Holds(0, []int64{0}, nil)
			if !errors.Is(err, errUnassumed) || !errors.Is(said, errUnassumed) {
				t.Errorf("got %v and %v", err, said)
			}
		})
	}
}

// TestOpenInterrupted has a constant whose value takes long. The module is opened without it.
func TestOpenInterrupted(t *testing.T) {
	within, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	spec, list, err := Open(t.Context(), within, "M.tla", `---- MODULE M ----
EXTENDS Naturals
CONSTANTS S, n
Long == {f \in [1..9 -> 1..9] : f[1] > f[2] /\ f[2] > 9}
VARIABLE x
Init == x \in S
Next == x' \in S
Inv == x \in S
====
`, func(path string) ([]byte, error) {
		if path == "M.cfg" {
			return []byte("CONSTANTS n = 3 S <- Long INIT Init NEXT Next INVARIANT Inv"), nil
		}
		return nil, os.ErrNotExist
	})
	if err != nil || len(spec.System.Properties) != 1 {
		t.Fatal(err, list.All)
	}
}

// countdown is a context that ends after some questions whether it has.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestTranslationInterrupted ends a translation at each question: nothing is said of the module
// then, and what is said otherwise is always the same.
func TestTranslationInterrupted(t *testing.T) {
	const text = `---- MODULE M ----
EXTENDS Naturals, Sequences
CONSTANT S
VARIABLES log, sent
Init == log = [s \in S |-> <<>>] /\ sent = {}
Send(s) == sent' = sent \union {[from |-> s, n |-> Len(log[s])]} /\ UNCHANGED log
Take(m) == log' = [log EXCEPT ![m.from] = Append(@, m.n)] /\ sent' = sent \ {m}
Next == \/ \E s \in S : Send(s)
        \/ \E m \in sent : Take(m)
        \/ \E m \in sent : m = <<1, 2>> /\ UNCHANGED <<log, sent>>
Inv == \A m \in sent : m.n <= Len(log[m.from]) \/ m.n = 0
====
`
	for _, types := range []string{"without sums", "with sums"} {
		text := text
		if types == "without sums" {
			text = strings.Replace(text, "m = <<1, 2>>", "m.n = 2", 1)
		}
		files := func(path string) ([]byte, error) {
			if path == "M.cfg" {
				return []byte("CONSTANT S = {a, b} INIT Init NEXT Next INVARIANT Inv"), nil
			}
			return nil, os.ErrNotExist
		}
		whole, err := Text(t.Context(), "M.tla", text, files)
		if err != nil {
			t.Fatal(err)
		}
		stopped := 0
		for k := 0; ; k++ {
			out, err := Text(&countdown{t.Context(), k}, "M.tla", text, files)
			if err == nil {
				if out != whole {
					t.Errorf("%s, %d: another text", types, k)
				}
				break
			}
			if !errors.Is(err, context.Canceled) || out != "" {
				t.Fatalf("%s, %d: %v", types, k, err)
			}
			if strings.Contains(err.Error(), "its formulas are translated") {
				stopped++
			}
		}
		if stopped < 10 {
			t.Errorf("%s: stopped at %d places", types, stopped)
		}
	}
}
