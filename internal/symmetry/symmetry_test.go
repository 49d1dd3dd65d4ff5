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
		form := leastName(m, s)
		representative := fmt.Sprint(r.Canonical(d.pack(m, s)))
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

// Eleven elements are too many where a symbol relates them to elements, and not where each has
// values of its own.
func TestTooManyPermutations(t *testing.T) {
	for text, refused := range map[string]bool{
		"mutable relation r(n, n)\ninit !r(X, Y)":   true,
		"mutable relation r(n, m)\ninit !r(X, Y)":   true,
		"mutable function f(n): m":                  true,
		"mutable constant c: n":                     true,
		"mutable relation r(n)\ninit !r(X)":         false,
		"mutable function f(n): 0..3\ninit f(X)=0":  false,
		"mutable relation r(n, 0..1)\ninit !r(X,K)": false,
		"mutable relation r(m, m)\ninit !r(X, Y)":   false,
	} {
		m := model(t, "sort n\nsort m\n"+text+"\ninstance i { n = 11, m = 2 }")
		_, err := symmetry.New(m, dense{len(m.SlotSymbols())})
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "sort n") {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// shapes are models with elements in every kind of place.
var shapes = map[string]string{
	"graphs": `sort n
mutable relation r(n, n)
init !r(X, Y)
instance i { n = 5 }`,
	"votes": `sort n
enum role { a, b, c }
mutable function at(n): role
mutable function term(n): 0..2
mutable relation vote(n, 0..2, n), asked(n, 0..2)
init at(N) = a & term(N) = 0 & !vote(N, T, C) & !asked(C, T)
instance i { n = 4 }`,
	"columns": `sort n
enum role { a, b, c }
mutable function at(n): role
mutable relation heard(n), sent(n)
mutable constant tm: 0..2
init at(N) = a & !heard(N) & !sent(N) & tm = 0
instance i { n = 6 }`,
	"pairs of two sorts": `sort n
sort m
mutable function own(n): m
mutable relation q(n, m), t(m)
mutable constant head: n
init !q(X, Y) & !t(Y)
instance i { n = 4, m = 4 }`,
	"a named element": `sort n
immutable constant first: n
mutable relation r(n, n)
mutable function next(n): n
init !r(X, Y) & next(X) = X
instance i { n = 4, first = n2 }`,
}

// TestImages: every image of a state under a permutation that keeps what is named has the
// representative of the state, and the representative is an image. The states have few facts, or
// are put together from images of each other, so that many elements are alike.
func TestImages(t *testing.T) {
	for name, text := range shapes {
		t.Run(name, func(t *testing.T) {
			m := model(t, text)
			d := dense{len(m.SlotSymbols())}
			r, err := symmetry.New(m, d)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewSource(1))
			for range 100 {
				s := randomState(m, rng)
				want, isImage := slices.Clone(r.Canonical(d.pack(m, s))), false
				for _, image := range images(m, s) {
					packed := d.pack(m, image)
					if got := r.Canonical(packed); !slices.Equal(got, want) {
						t.Fatalf("%v has the representative %x, its image %v has %x", s, want,
							image, got)
					}
					isImage = isImage || slices.Equal(want, packed)
				}
				if !isImage {
					t.Errorf("the representative of %v is no image of it", s)
				}
			}
		})
	}
}

// randomState gives a state whose values are mostly zero, in some states all of them of pairs with
// equal numbers, so that permutations keep it.
func randomState(m *interp.Model, rng *rand.Rand) interp.State {
	args, symbols := m.SlotArguments(), m.SlotSymbols()
	s := make(interp.State, len(symbols))
	kind, few := rng.Intn(3), 1+rng.Intn(6)
	step := 1 + int64(rng.Intn(3))
	for i, sym := range symbols {
		n := 3
		switch sym.Result.Kind {
		case logic.KindBool:
			n = 2
		case logic.KindUninterpreted:
			n = m.Instance.Sizes[sym.Result]
		}
		a := args[i]
		switch {
		case !sym.Mutable:
			s[i] = 2 // as the instance says
		case kind == 0 && len(a) > 1: // a cycle, or one element each
			if a[len(a)-1] == (a[0]+step)%int64(m.Instance.Sizes[sym.Args[0]]) {
				s[i] = int64(n - 1)
			}
		case kind == 0 && len(a) == 1 && sym.Result.Kind == logic.KindUninterpreted:
			s[i] = (a[0] + step) % int64(n)
		case kind != 0 && rng.Intn(few) == 0:
			s[i] = int64(rng.Intn(n))
		}
	}
	return s
}

// exchange maps a state to its image when two elements of a sort are exchanged.
type exchange struct {
	from  []int // for each slot, where its value comes from
	moves []bool
	x, y  int64
}

func (e *exchange) element(v int64) int64 {
	switch v {
	case e.x:
		return e.y
	case e.y:
		return e.x
	}
	return v
}

// exchanges lists enough of them to make all permutations. The instances name elements n2 only.
func exchanges(m *interp.Model) (out []*exchange) {
	args, symbols := m.SlotArguments(), m.SlotSymbols()
	at := func(sym *logic.Symbol, a []int64) string { return fmt.Sprint(sym.Name, a) }
	slots := map[string]int{}
	for i, sym := range symbols {
		slots[at(sym, args[i])] = i
	}
	named := len(m.Instance.Facts)+len(m.Instance.Values) > 0
	for _, sort := range m.System.Sorts {
		for y := range int64(m.Instance.Sizes[sort]) {
			if y == 0 || named && y == 2 {
				continue
			}
			e := &exchange{y: y}
			for i, sym := range symbols {
				to := slices.Clone(args[i])
				for k, a := range sym.Args {
					if a == sort {
						to[k] = e.element(to[k])
					}
				}
				e.from = append(e.from, slots[at(symbols[i], to)])
				e.moves = append(e.moves, sym.Result == sort)
			}
			out = append(out, e)
		}
	}
	return out
}

// images lists all images of a state.
func images(m *interp.Model, s interp.State) []interp.State {
	all, seen := []interp.State{s}, map[string]bool{m.Key(s): true}
	exchanges := exchanges(m)
	for i := 0; i < len(all); i++ {
		for _, e := range exchanges {
			image := make(interp.State, len(s))
			for slot, from := range e.from {
				image[slot] = all[i][from]
				if e.moves[slot] {
					image[slot] = e.element(image[slot])
				}
			}
			if k := m.Key(image); !seen[k] {
				seen[k] = true
				all = append(all, image)
			}
		}
	}
	return all
}
