package accel

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/front/fast"
	"erelong.dev/erelong/internal/presburger"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// The oracle of strategies computes with regions within a box of two numbers and two places. Steps
// begin at small numbers and add little, so what is reachable within the box is so by runs within
// it; and the numbers in formulas are so small that a region is empty if it is so within the box.
const (
	boxSide  = 14
	boxSteps = 4 // numbers that a step may begin with
)

// boxed is a region: for each state whether it belongs to it.
type boxed [2 * boxSide * boxSide]bool

func (b *boxed) each(f func(at, x, y int) bool) {
	for i := range b {
		b[i] = f(i/(boxSide*boxSide), i/boxSide%boxSide, i%boxSide)
	}
}

// move is a transition with its meaning.
type move struct {
	from, to int
	guard    func(x, y int) bool
	next     func(x, y int) (int, int)
}

// script is a strategy that is being written, with what it does.
type script struct {
	*rand.Rand
	moves   []move
	text    strings.Builder
	regions []string
	sets    []string
	truths  []string
	count   int
}

// memory is what a strategy computes.
type memory struct {
	regions map[string]boxed
	sets    map[string][]int
	truths  map[string]bool
	prints  []string
}

func (s *script) pick(options ...string) string { return options[s.Intn(len(options))] }

func (s *script) fresh(prefix string) string {
	s.count++
	return fmt.Sprintf("%s%d", prefix, s.count)
}

// condition writes a formula about numbers, and with located about the place.
func (s *script) condition(depth int, located bool) (string, func(at, x, y int) bool) {
	if depth > 0 {
		a, f := s.condition(depth-1, located)
		b, g := s.condition(depth-1, located)
		switch s.Intn(3) {
		case 0:
			return "!(" + a + ")", func(at, x, y int) bool { return !f(at, x, y) }
		case 1:
			return "(" + a + ") && (" + b + ")",
				func(at, x, y int) bool { return f(at, x, y) && g(at, x, y) }
		}
		return "((" + a + ") || " + b + ")",
			func(at, x, y int) bool { return f(at, x, y) || g(at, x, y) }
	}
	n := s.Intn(4)
	kind := s.Intn(9)
	if !located {
		kind = s.Intn(7)
	}
	switch kind {
	case 0:
		return fmt.Sprintf("x >= %d", n), func(_, x, _ int) bool { return x >= n }
	case 1:
		return fmt.Sprintf("%d != y", n), func(_, _, y int) bool { return y != n }
	case 2:
		return fmt.Sprintf("x <= y + %d", n), func(_, x, y int) bool { return x <= y+n }
	case 3:
		return fmt.Sprintf("y < %d", n+1), func(_, _, y int) bool { return y < n+1 }
	case 4:
		return "x = y", func(_, x, y int) bool { return x == y }
	case 5:
		return "true", func(_, _, _ int) bool { return true }
	case 6:
		return "x > 2*y", func(_, x, y int) bool { return x > 2*y }
	case 7:
		return "state = b.0", func(at, _, _ int) bool { return at == 1 }
	}
	return "state != b.0", func(at, _, _ int) bool { return at == 0 }
}

func (s *script) transitions() {
	for i := range 3 + s.Intn(3) {
		m := move{from: s.Intn(2), to: s.Intn(2)}
		guard, g := s.condition(1, false)
		m.guard = func(x, y int) bool { return x <= boxSteps && y <= boxSteps && g(0, x, y) }
		a, b, action := s.Intn(4)-1, s.Intn(4)-1, ""
		switch s.Intn(4) {
		case 0:
			m.next = func(x, y int) (int, int) { return y, x }
			action = "x' = y, y' = x"
		case 1:
			m.next = func(x, y int) (int, int) { return x, x + b }
			action = fmt.Sprintf("y' = x + %d - 1", b+1)
		case 2:
			m.next = func(x, y int) (int, int) { return a + 1, y + b }
			action = fmt.Sprintf("x' = %d, y' = y - %d", a+1, -b)
			if b >= 0 {
				action = fmt.Sprintf("x' = %d, y' = y + %d", a+1, b)
			}
		default:
			m.next = func(x, y int) (int, int) { return x + 1, y }
			action = "x' = x + 1"
		}
		s.moves = append(s.moves, m)
		place := []string{"a", "b.0"}
		fmt.Fprintf(&s.text, " transition t%d := { from := %s; to := %s; guard := %s && x <= %d && y <= %d; action := %s; };\n",
			i, place[m.from], place[m.to], guard, boxSteps, boxSteps, action)
	}
}

// closed are the states that some lead to by moves, or backwards.
func (s *script) closed(r boxed, moves []int, backwards bool) boxed {
	for again := true; again; {
		again = false
		for i := range r {
			at, x, y := i/(boxSide*boxSide), i/boxSide%boxSide, i%boxSide
			for _, k := range moves {
				m := s.moves[k]
				if m.from != at || !m.guard(x, y) {
					continue
				}
				u, v := m.next(x, y)
				if u < 0 || v < 0 {
					continue
				}
				j := m.to*boxSide*boxSide + u*boxSide + v
				if backwards && r[j] && !r[i] {
					r[i], again = true, true
				} else if !backwards && r[i] && !r[j] {
					r[j], again = true, true
				}
			}
		}
	}
	return r
}

func (s *script) set(depth int) (string, func(m *memory) []int) {
	switch {
	case depth > 0 && s.Intn(3) == 0:
		a, f := s.set(depth - 1)
		b, g := s.set(depth - 1)
		return a + " || " + b, func(m *memory) []int { return slices.Concat(f(m), g(m)) }
	case len(s.sets) > 0 && s.Intn(2) == 0:
		n := s.sets[s.Intn(len(s.sets))]
		return n, func(m *memory) []int { return m.sets[n] }
	}
	var out []int
	var names []string
	for i := range s.moves {
		if s.Intn(3) > 0 {
			out, names = append(out, i), append(names, fmt.Sprintf("t%d", i))
		}
	}
	return "{" + strings.Join(names, ", ") + "}", func(*memory) []int { return out }
}

func (s *script) region(depth int) (string, func(m *memory) boxed) {
	if depth > 0 {
		a, f := s.region(depth - 1)
		switch s.Intn(5) {
		case 0:
			return "!(" + a + ")", func(m *memory) boxed {
				r := f(m)
				for i := range r {
					r[i] = !r[i]
				}
				return r
			}
		case 1, 2:
			b, g := s.region(depth - 1)
			op := s.pick("&&", "||")
			return "(" + a + ") " + op + " (" + b + ")", func(m *memory) boxed {
				r, other := f(m), g(m)
				for i := range r {
					r[i] = op == "&&" && r[i] && other[i] || op == "||" && (r[i] || other[i])
				}
				return r
			}
		}
		b, g := s.set(1)
		op := s.pick("post*", "post*", "pre*")
		return op + "(" + a + ", " + b + s.pick("", ", 2") + ")", func(m *memory) boxed {
			return s.closed(f(m), g(m), op == "pre*")
		}
	}
	if len(s.regions) > 0 && s.Intn(2) == 0 {
		n := s.regions[s.Intn(len(s.regions))]
		return n, func(m *memory) boxed { return m.regions[n] }
	}
	text, f := s.condition(1, true)
	return "{" + text + "}", func(*memory) (r boxed) {
		r.each(f)
		return r
	}
}

func (s *script) test(depth int) (string, func(m *memory) bool) {
	if depth > 0 {
		a, f := s.test(depth - 1)
		switch s.Intn(3) {
		case 0:
			return "!(" + a + ")", func(m *memory) bool { return !f(m) }
		case 1:
			b, g := s.test(depth - 1)
			op := s.pick("&&", "||")
			return "(" + a + ") " + op + " (" + b + ")", func(m *memory) bool {
				return op == "&&" && f(m) && g(m) || op == "||" && (f(m) || g(m))
			}
		}
		return a, f
	}
	switch s.Intn(9) {
	case 0:
		is := s.Intn(2) == 0
		return fmt.Sprint(is), func(*memory) bool { return is }
	case 1, 2:
		if len(s.truths) > 0 {
			n := s.truths[s.Intn(len(s.truths))]
			return n, func(m *memory) bool { return m.truths[n] }
		}
	}
	a, f := s.region(1)
	if s.Intn(3) == 0 {
		return "isEmpty(" + a + ")", func(m *memory) bool { return f(m) == boxed{} }
	}
	b, g := s.region(1)
	op := s.pick("subSet", "subSet", "equal")
	return op + "(" + a + ", " + b + ")", func(m *memory) bool {
		r, other := f(m), g(m)
		for i := range r {
			if r[i] && !other[i] || op == "equal" && r[i] != other[i] {
				return false
			}
		}
		return true
	}
}

// statement writes a statement. Declarations are made outside of conditions only.
func (s *script) statement(depth int) func(m *memory) {
	kind := s.Intn(10)
	if depth > 0 && kind < 5 {
		kind += 5
	}
	switch {
	case kind < 2:
		a, f := s.region(2)
		n := s.fresh("r")
		fmt.Fprintf(&s.text, "Region %s := %s;\n", n, a)
		s.regions = append(s.regions, n)
		return func(m *memory) { m.regions[n] = f(m) }
	case kind < 3:
		a, f := s.set(1)
		n := s.fresh("u")
		fmt.Fprintf(&s.text, "Transitions %s := %s;\n", n, a)
		s.sets = append(s.sets, n)
		return func(m *memory) { m.sets[n] = f(m) }
	case kind < 5:
		a, f := s.test(1)
		n := s.fresh("q")
		fmt.Fprintf(&s.text, "boolean %s := %s;\n", n, a)
		s.truths = append(s.truths, n)
		fmt.Fprintf(&s.text, "print(%s);\n", n)
		return func(m *memory) {
			m.truths[n] = f(m)
			m.prints = append(m.prints, fmt.Sprint(m.truths[n]))
		}
	case kind == 5 && len(s.regions) > 0:
		a, f := s.region(1)
		n := s.regions[s.Intn(len(s.regions))]
		fmt.Fprintf(&s.text, "%s := %s;\n", n, a)
		return func(m *memory) { m.regions[n] = f(m) }
	case kind == 6 && len(s.truths) > 0:
		n := s.truths[s.Intn(len(s.truths))]
		fmt.Fprintf(&s.text, "print(%s);\n", n)
		return func(m *memory) { m.prints = append(m.prints, fmt.Sprint(m.truths[n])) }
	case kind == 7 && depth < 2:
		a, f := s.test(1)
		fmt.Fprintf(&s.text, "if %s then\n", a)
		then := s.block(depth + 1)
		rest := func(*memory) {}
		if s.Intn(2) == 0 {
			s.text.WriteString("else\n")
			rest = s.block(depth + 1)
		}
		s.text.WriteString("endif\n")
		return func(m *memory) {
			if f(m) {
				then(m)
			} else {
				rest(m)
			}
		}
	case kind == 8 && depth < 2 && len(s.regions) > 0 && s.Intn(3) == 0:
		// A loop that ends: nothing is added to what is closed.
		n := s.regions[s.Intn(len(s.regions))]
		b, g := s.set(1)
		fmt.Fprintf(&s.text, "while !subSet(post*(%s, %s), %s) do\n%s := post*(%s, %s);\n", n, b, n,
			n, n, b)
		inner := s.block(2)
		fmt.Fprintf(&s.text, "%s := post*(%s, %s);\nendwhile\n", n, n, b)
		return func(m *memory) {
			for range 50 {
				if s.closed(m.regions[n], g(m), false) == m.regions[n] {
					return
				}
				m.regions[n] = s.closed(m.regions[n], g(m), false)
				inner(m)
				m.regions[n] = s.closed(m.regions[n], g(m), false)
			}
			m.prints = append(m.prints, "no end")
		}
	}
	text := s.fresh("text ")
	fmt.Fprintf(&s.text, "print(\"%s\");\n", text)
	return func(m *memory) { m.prints = append(m.prints, text) }
}

func (s *script) block(depth int) func(m *memory) {
	var all []func(m *memory)
	for range 1 + s.Intn(2) {
		all = append(all, s.statement(depth))
	}
	return func(m *memory) {
		for _, f := range all {
			f(m)
		}
	}
}

// prints gives what the strategies of a file print: carried out, or by the verdicts of the claims
// that decide it.
func prints(t *testing.T, text string) (lines []string, carried bool) {
	t.Helper()
	f, list, err := fast.Read(t.Context(), "generated.fst", text)
	if err != nil {
		t.Fatalf("%v\n%s", list, text)
	}
	if f.Program != nil {
		got, err := Strategies(t.Context(), f.Program, Effort{})
		if err != nil || !got.Whole {
			t.Fatalf("%v, %+v\n%s", err, got, text)
		}
		return got.Notes, true
	}
	outcomes := map[string]fast.Outcome{}
	for _, s := range f.Systems {
		var claims []engine.Claim
		for _, name := range s.Claims {
			claims = append(claims, engine.Claim{Property: s.Spec.System.Property(name)})
		}
		if len(claims) == 0 {
			continue
		}
		found, err := (&Engine{}).Run(t.Context(), &engine.Task{Method: engine.Accelerate,
			System: s.Spec.System, Claims: claims}, engine.Sink{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for _, r := range found.Results {
			outcomes[r.Property] = fast.False
			if r.Verdict == result.Holds {
				outcomes[r.Property] = fast.True
			}
		}
		store := presburger.NewStore(t.Context(), Default.Nodes)
		_, init, err := newMachine(store, s.Spec.System)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range s.Claims {
			if init.empty() { // it holds in no run, and the engine leaves that to others
				outcomes[name] = fast.True
			}
			if outcomes[name] == fast.Open {
				t.Fatalf("%s is not decided: %q\n%s", name, found.Notes, text)
			}
		}
	}
	return f.Says(func(claim string) fast.Outcome { return outcomes[claim] }), false
}

// Strategies print what an oracle prints that computes with all states of a box.
func TestCarriedOut(t *testing.T) {
	carried, decided, truths := 0, 0, 0
	for seed := range testkit.Size(300, 4000) {
		s := &script{Rand: rand.New(rand.NewSource(seed))}
		s.text.WriteString("model m {\n var x, y;\n states a, b.0;\n")
		s.transitions()
		s.text.WriteString("}\nstrategy s {\nsetMaxState(0);\n")
		var all []func(m *memory)
		for range 3 + s.Intn(4) {
			all = append(all, s.statement(0))
		}
		s.text.WriteString("}\n")
		m := &memory{regions: map[string]boxed{}, sets: map[string][]int{},
			truths: map[string]bool{}}
		for _, f := range all {
			f(m)
		}
		var want []string
		for _, line := range m.prints {
			want = append(want, "strategy s prints: "+line)
			if line == "true" || line == "false" {
				truths++
			}
		}
		got, whole := prints(t, s.text.String())
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %q, want %q\n%s", seed, got, want, s.text.String())
		}
		if whole {
			carried++
		} else {
			decided++
		}
	}
	t.Logf("%d carried out, %d decided by claims, %d truth values printed", carried, decided, truths)
	if carried < 100 || decided < 100 || truths < 200 {
		t.Errorf("too little was compared: %d carried out, %d decided by claims, %d truth values",
			carried, decided, truths)
	}
}
