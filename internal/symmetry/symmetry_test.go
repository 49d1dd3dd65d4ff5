package symmetry_test

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/symmetry"
	"erelong.dev/erelong/internal/system/systemtest"
)

func model(t *testing.T, text string) *interp.Model {
	t.Helper()
	sys, _, err := ere.Compile("x.ere", text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.NewModel(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// reach lists the reachable states.
func reach(t *testing.T, m *interp.Model, limit int) (states []interp.State) {
	t.Helper()
	seen := map[string]bool{}
	visit := func(s interp.State) error {
		if k := m.Key(s); !seen[k] {
			seen[k] = true
			states = append(states, s.Clone())
		}
		return nil
	}
	if err := m.Initial(context.Background(), visit); err != nil {
		t.Skip("initial states: ", err)
	}
	for i := 0; i < len(states) && len(states) < limit; i++ {
		for _, a := range m.System.Actions {
			if err := m.Steps(context.Background(), states[i], a, func(s interp.Step) error {
				return visit(s.State)
			}); err != nil {
				t.Skip("steps: ", err)
			}
		}
	}
	return states
}

// dense packs a state, four bits a slot. The values of generated systems are small.
type dense struct{ slots int }

const denseBits = 4

func (d dense) Words() int { return (d.slots*denseBits + 63) / 64 }

func (d dense) Field(slot int) (word int, bits uint64) {
	return slot * denseBits / 64, (1<<denseBits - 1) << (slot * denseBits % 64)
}

// pack packs values from -1 on; elements as they are.
func (d dense) pack(m *interp.Model, s interp.State) []uint64 {
	out := make([]uint64, d.Words())
	for slot, sym := range m.SlotSymbols() {
		v := s[slot]
		if sym.Result.Kind == logic.KindRange || sym.Result.Kind == logic.KindInt {
			v++
		}
		if v < 0 || v >= 1<<denseBits {
			panic("a value is too large")
		}
		out[slot*denseBits/64] |= uint64(v) << (slot * denseBits % 64)
	}
	return out
}

// Two states have the same representative exactly if a permutation of elements turns one into the
// other. The test finds the orbits independently, by renaming the elements of a trace in all
// possible ways.
func checkOrbits(t *testing.T, m *interp.Model, states []interp.State) {
	t.Helper()
	d := dense{len(m.SlotSymbols())}
	r, err := symmetry.New(m, d)
	if err != nil {
		t.Fatal(err)
	}
	if r.Trivial() {
		return
	}
	byForm := map[string]string{}
	for _, s := range states {
		form, representative := leastName(m, s), fmt.Sprint(r.Canonical(d.pack(m, s)))
		if before, ok := byForm[form]; ok && before != representative {
			t.Fatalf("two representatives for %s", form)
		}
		byForm[form] = representative
	}
	forms := map[string]bool{}
	for form, representative := range byForm {
		if forms[representative] {
			t.Fatalf("one representative for two orbits, one of them %s", form)
		}
		forms[representative] = true
	}
}

// leastName prints a state under every renaming of its elements and takes the least text.
func leastName(m *interp.Model, s interp.State) string {
	text := []string{""}
	print := func(state interp.State) string {
		var b strings.Builder
		for _, x := range append(m.Bindings(state, false), m.Bindings(state, true)...) {
			b.WriteString(x.Name + "=" + x.Value.String() + ";")
		}
		return b.String()
	}
	text[0] = print(s)
	for _, sort := range m.System.Sorts {
		n := m.Instance.Sizes[sort]
		if n < 2 {
			continue
		}
		var next []string
		for _, base := range text {
			for _, p := range permutations(n) {
				next = append(next, rename(base, sort.Name, p))
			}
		}
		text = next
	}
	return slices.Min(text)
}

// rename replaces element i of a sort by element p[i], and sorts the rows of every set and map
// again.
func rename(text, sort string, p []int) string {
	pairs := []string{}
	for i, to := range p {
		pairs = append(pairs, sort+string(rune('0'+i)), sort+string(rune('0'+to)))
	}
	parts := strings.Split(strings.NewReplacer(pairs...).Replace(text), ";")
	for i, part := range parts {
		name, value, _ := strings.Cut(part, "=")
		if rows, ok := strings.CutPrefix(value, "{"); ok {
			list := splitRows(strings.TrimSuffix(rows, "}"))
			slices.Sort(list)
			parts[i] = name + "={" + strings.Join(list, ", ") + "}"
		}
	}
	return strings.Join(parts, ";")
}

func splitRows(text string) (rows []string) {
	depth, start := 0, 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				rows = append(rows, strings.TrimSpace(text[start:i]))
				start = i + 1
			}
		}
	}
	return append(rows, strings.TrimSpace(text[start:]))
}

func permutations(n int) (out [][]int) {
	if n == 0 {
		return [][]int{{}}
	}
	for _, p := range permutations(n - 1) {
		for at := 0; at <= len(p); at++ {
			out = append(out, slices.Insert(slices.Clone(p), at, n-1))
		}
	}
	return out
}

func TestOrbits(t *testing.T) {
	for name, text := range map[string]string{
		"columns": `sort n
mutable relation a(n), b(n)
mutable function f(n): 0..2
init !a(X) & !b(X) & f(X) = 0
action s(x: n) { a(x) := !a(x); f(x) := if f(x) = 2 then 0 else f(x) + 1; }
action t(x: n) { require a(x); b(X) := X = x; }
instance i { n = 3 }`,
		"an element as a value": `sort n
mutable constant c: n
mutable relation a(n)
init !a(X)
action s(x: n) { c := x; a(x) := !a(x); }
instance i { n = 3 }`,
		"pairs and two sorts": `sort n
sort m
mutable relation r(n, n), q(n, m)
init !r(X, Y) & !q(X, Z)
action s(x: n, y: n, z: m) { r(x, y) := true; q(x, z) := !q(x, z); }
instance i { n = 2, m = 2 }`,
	} {
		t.Run(name, func(t *testing.T) {
			m := model(t, text)
			checkOrbits(t, m, reach(t, m, 400))
		})
	}
}

func TestOrbitsOfGeneratedSystems(t *testing.T) {
	for seed := range int64(60) {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)), systemtest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := interp.NewModel(sys, systemtest.Unnamed(sys))
		if err != nil {
			t.Fatal(err)
		}
		t.Run("", func(t *testing.T) { checkOrbits(t, m, reach(t, m, 60)) })
	}
}

func TestTooManyPermutations(t *testing.T) {
	m := model(t, "sort n\nmutable relation r(n, n)\ninit !r(X, Y)\ninstance i { n = 11 }")
	if _, err := symmetry.New(m, dense{len(m.SlotSymbols())}); err == nil || !strings.Contains(err.Error(), "sort n") {
		t.Errorf("error: %v", err)
	}
}
