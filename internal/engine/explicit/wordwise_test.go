package explicit

import (
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/por"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// at evaluates a formula in one state of a word.
func (f *formula) at(code uint64, state int) bool {
	switch f.op {
	case negation:
		return !f.args[0].at(code, state)
	case conjunction, disjunction:
		for _, a := range f.args {
			if a.at(code, state) == (f.op == disjunction) {
				return f.op == disjunction
			}
		}
		return f.op == conjunction
	case equivalence:
		return f.args[0].at(code, state) == f.args[1].at(code, state)
	case conditional:
		if f.args[0].at(code, state) {
			return f.args[1].at(code, state)
		}
		return f.args[2].at(code, state)
	}
	return f.atom.rule(code).value>>state&1 == 1
}

// Formulas over atoms with random values: the value in a word, and the values in its states.
func TestFormulasOfWords(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 2000 {
		x := &wordwise{current: current{serial: 1, code: 64 * uint64(random.Intn(64))}}
		var atoms []*formula
		for range 4 {
			f := &formula{op: atom, atom: newPattern(random.Uint64()&0xffff, new(int64))}
			*f.atom.rule(x.code) = rule{known: ^uint64(0), value: random.Uint64()}
			atoms = append(atoms, f)
		}
		var grow func(depth int) *formula
		grow = func(depth int) *formula {
			if depth == 0 || random.Intn(5) == 0 {
				return atoms[random.Intn(len(atoms))]
			}
			f := &formula{op: formulaOp(1 + random.Intn(int(conditional)))}
			n := map[formulaOp]int{negation: 1, equivalence: 2, conditional: 3}[f.op]
			if n == 0 {
				n = random.Intn(4)
			}
			for range n {
				f.args = append(f.args, grow(depth-1))
			}
			return f
		}
		f := grow(4)
		for range 2 { // the second time, values are remembered
			among, want := random.Uint64(), uint64(0)
			for s := range 64 {
				if among>>s&1 == 1 && f.at(x.code, s) {
					want |= 1 << s
				}
			}
			if got := x.holds(f, among); got != want {
				t.Fatalf("got %x, want %x", got, want)
			}
		}
	}
}

// What a pattern learns of one state holds for the states with the same bits, and a step goes to
// the same place relative to each.
func TestPatterns(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 500 {
		mask := random.Uint64() & random.Uint64() & (1<<20 - 1)
		p := newPattern(mask, new(int64))
		for range 20 {
			code, state := uint64(random.Intn(1<<14)*64), random.Intn(64)
			to := (code+uint64(state))&^mask | random.Uint64()&mask
			r := &rule{}
			if !p.step(r, code, state, to) {
				t.Fatal("a step within the bits is refused")
			}
			if other := ^mask & (1<<20 - 1); other != 0 && p.step(r, code, state, to^other&-other) {
				t.Fatal("a step beyond the bits is accepted")
			}
			for s := range 64 {
				from := code + uint64(s)
				same := (from^(code+uint64(state)))&mask == 0
				if (r.moves[0].from>>s&1 == 1) != same {
					t.Fatalf("mask %x: states %d and %d", mask, state, s)
				}
				if !same {
					continue
				}
				word := r.moves[0].apply(1 << s)
				got := code&^p.above | r.moves[0].to
				if want := from&^mask | to&mask; got != want&^63 || word != 1<<(want%64) {
					t.Fatalf("mask %x: from %x to %x and %x, want %x", mask, from, got, word, want)
				}
			}
			other := code ^ random.Uint64()&(1<<20-64)
			if same := (code^other)&mask&^63 == 0; (p.rule(code) == p.rule(other)) != same {
				t.Fatalf("mask %x: the rules of %x and %x", mask, code, other)
			}
		}
	}
}

// Claims of generated systems, divided as far as possible: the parts, each by the interpreter, say
// together what the whole says, in all states with few changed values.
func TestPartsAgree(t *testing.T) {
	divided := 0
	for seed := range testkit.Size(20, 300) {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)), systemtest.Options{Bits: 8})
		if err != nil {
			t.Fatal(err)
		}
		m, err := interp.NewModel(sys, sys.Instances[0])
		if err != nil {
			t.Fatal(err)
		}
		compiled, err := compile.Compile(t.Context(), m, nil, compile.Options{})
		if err != nil {
			continue
		}
		defer func() { _ = compiled.Close() }()
		ground, err := por.New(m, nil)
		if err != nil {
			continue
		}
		var order []int
		for i := range compiled.Bits() {
			order = append(order, i)
		}
		set, err := store.NewBits(order)
		if err != nil || compiled.Words() != 1 {
			continue
		}
		b := &inBits{set: set,
			search: &search{Search: &explore.Search{Space: &explore.Space{Model: m}},
				opts: Options{tuning: tuning{atomBits: 1}}}}
		d := &divider{plan: &plan{ground: ground}, inBits: b, main: compiled.(fields),
			known: map[*logic.Term]*part{}}
		var claims []*part
		for _, p := range sys.Properties {
			claims = append(claims, d.part(p.Term))
		}
		var eval func(p *part, s interp.State) (bool, error)
		eval = func(p *part, s interp.State) (bool, error) {
			if p.op == atom {
				return m.Holds(d.terms[p.term], s)
			}
			divided++
			f := &formula{op: p.op}
			for i, a := range p.args {
				v, err := eval(a, s)
				if err != nil {
					return false, err
				}
				known := &formula{op: atom, atom: newPattern(0, new(int64))}
				if known.atom.rule(0); v {
					known.atom.rule(0).value = ^uint64(0)
				}
				f.args = append(f.args, known)
				if (p.op == conjunction && !v) || (p.op == disjunction && v) {
					for range p.args[i+1:] {
						f.args = append(f.args, known)
					}
					break
				}
			}
			return f.at(0, 0), nil
		}
		random := rand.New(rand.NewSource(seed))
		for range 40 {
			s := compiled.Unpack([]uint64{random.Uint64() & (1<<compiled.Bits() - 1)})
			if _, err := compiled.Pack(s); err != nil {
				continue
			}
			for i, p := range sys.Properties {
				want, err := m.Holds(p.Term, s)
				got, gotErr := eval(claims[i], s)
				if err == nil && gotErr == nil && want != got {
					t.Fatalf("seed %d: %s: %v, in parts %v\n%s", seed, p.Name, want, got, sys)
				}
				if err != nil && gotErr == nil {
					t.Fatalf("seed %d: %s fails, but not its parts: %v\n%s", seed, p.Name, err, sys)
				}
			}
		}
	}
	if divided < 500 {
		t.Errorf("%d parts were divided", divided)
	}
}
