package compile

import (
	"errors"
	"math"
	"math/big"
	"math/rand"
	"path/filepath"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

func TestGeneratedSystems(t *testing.T) {
	// All other limits are 0.
	loops := limits{unknown: defaultLimits.unknown, cachedReads: 1, wordBits: 3}
	mixed := limits{quantifier: 10, unknown: 40, code: 20, unknownCode: 60, points: 2, shifted: 5,
		update: 20, group: 1, wordBits: 7, cachedReads: 2}
	small := loops
	small.unknown = 0
	for i, c := range []struct {
		name   string
		limits limits
	}{{"written out", defaultLimits}, {"loops", loops}, {"smaller loops", small},
		{"mixed", mixed}} {
		t.Run(c.name, func(t *testing.T) {
			generated(t, int64(100*i), testkit.Size(80, 250), &c.limits)
		})
	}
}

func generated(t *testing.T, from, n int64, l *limits) {
	var total comparison
	loose := 0
	for seed := from; seed < from+n; seed++ {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)), systemtest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		imperative := slices.ContainsFunc(sys.Actions, func(a *system.Action) bool {
			return a.Imperative
		})
		if seed%2 == 0 && len(sys.Derived) > 0 && !imperative {
			sys.Derived[0].Body = nil // the values then follow from the axiom
			loose++
		}
		m := model(t, sys, sys.Instances[0])
		if err := m.Initial(t.Context(),
			func(interp.State) error { return errFound }); !errors.Is(err, errFound) {
			continue // no initial state
		}
		seen := compare(t, m, Options{limits: l}, 100)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		total.add(seen)
	}
	t.Logf("%+v, %d with a definition that gives no values", total, loose)
	if some := int(n); total.states < 20*some || total.successors < 40*some ||
		total.violations < 4*some || loose == 0 {
		t.Errorf("too little was compared: %+v", total)
	}
}

var errFound = errors.New("found")

func TestMypyvyModels(t *testing.T) {
	models := testkit.Shared(t, "models", "mypyvy")
	files, err := filepath.Glob(filepath.Join(models, "[eu]*", "*.pyv"))
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		if !testkit.One(i, 3) {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			sys, _, err := ere.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			inst := &system.Instance{Name: "test", Sizes: map[*logic.Sort]int{}}
			for _, s := range sys.Sorts {
				inst.Sizes[s] = 2
			}
			m := model(t, sys, inst)
			if err := m.Initial(t.Context(),
				func(interp.State) error { return errFound }); !errors.Is(err, errFound) {
				t.Skip("there is no initial state")
			}
			compare(t, m, Options{}, 300)
		})
	}
}

// TestFailures breaks generated systems, so that arguments leave their ranges and results overflow.
func TestFailures(t *testing.T) {
	loops := limits{wordBits: 5}
	var total comparison
	for seed := range testkit.Size(150, 500) {
		rng := rand.New(rand.NewSource(seed))
		sys, err := systemtest.Generate(rng, systemtest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		broken(rng, sys)
		m := model(t, sys, sys.Instances[0])
		if err := m.Initial(t.Context(),
			func(interp.State) error { return errFound }); !errors.Is(err, errFound) {
			continue
		}
		opts := Options{}
		if seed%2 == 0 {
			opts.limits = &loops
		}
		if _, err := build(t.Context(), m, nil, opts); errors.Is(err, ErrUnsupported) {
			total.unsupported++ // an integer is havocked
			continue
		}
		seen := compare(t, m, opts, 60)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		total.add(seen)
	}
	t.Logf("%+v", total)
	if total.failures < 1000 || total.states < 4*total.spurious || total.unsupported > 100 {
		t.Errorf("too little was compared: %+v", total)
	}
}

// broken changes random terms.
func broken(rng *rand.Rand, sys *system.System) {
	big := []*logic.Term{logic.IntLit(math.MaxInt64), logic.IntLit(math.MinInt64),
		logic.IntLit(1 << 62), logic.IntLit(-1),
		logic.BigLit(new(big.Int).Lsh(big.NewInt(1), 64))}
	change := func(t *logic.Term) *logic.Term {
		one := func(n int) bool { return rng.Intn(n) == 0 }
		c := *t
		c.Args = slices.Clone(t.Args)
		switch {
		case t.Op == logic.OpApp:
			for i, s := range t.Symbol.Args {
				if s.Kind == logic.KindRange && one(12) {
					c.Args[i] = []*logic.Term{logic.Add(c.Args[i], logic.IntLit(1)),
						logic.Sub(c.Args[i], logic.IntLit(1))}[rng.Intn(2)]
				}
			}
		case t.Op == logic.OpLe || t.Op == logic.OpLt ||
			t.Op == logic.OpEq && t.Args[0].Sort == logic.Int:
			for i, a := range t.Args {
				if one(14) {
					b := big[rng.Intn(len(big))]
					b = logic.Add(b, logic.IntLit(int64(rng.Intn(2))))
					c.Args[i] = []*logic.Term{logic.Add(a, b), logic.Sub(b, a), logic.Sub(a, b),
						logic.Mul(a, b), logic.Mul(b, a),
						logic.Neg(logic.Add(b, a)), logic.Mul(logic.Sub(a, b), a)}[rng.Intn(7)]
				}
			}
		case t.Op == logic.OpAnd && one(6):
			for i, a := range c.Args {
				c.Args[i] = logic.Not(a)
			}
		default:
			return t
		}
		return &c
	}
	var code func([]system.Stmt)
	code = func(stmts []system.Stmt) {
		for i, s := range stmts {
			switch s := s.(type) {
			case system.Require:
				s.Cond = logic.Map(s.Cond, change)
				stmts[i] = s
			case system.Assign:
				for j := range s.Updates {
					u := &s.Updates[j]
					u.Value = logic.Map(u.Value, change)
					for k, a := range u.Args {
						if a.Op != logic.OpVar && a.Sort == logic.Int && rng.Intn(4) == 0 {
							u.Args[k] = logic.Add(a, logic.IntLit(1))
						}
					}
				}
			case system.Havoc:
				for k, a := range s.Args {
					if a.Op != logic.OpVar && a.Sort == logic.Int && rng.Intn(2) == 0 {
						s.Args[k] = logic.Add(a, logic.IntLit(1))
					}
				}
			case system.Choose:
				s.Such = logic.Map(s.Such, change)
				stmts[i] = s
			case system.Let:
				s.Value = logic.Map(s.Value, change)
				stmts[i] = s
			case system.If:
				s.Cond = logic.Map(s.Cond, change)
				stmts[i] = s
				code(s.Then)
				code(s.Else)
			}
		}
	}
	for _, a := range sys.Actions {
		code(a.Code)
	}
	for _, s := range sys.Symbols {
		if s.Mutable && s.Result.Kind == logic.KindRange && rng.Intn(3) == 0 {
			s.Result = logic.Int
		}
	}
	for _, p := range sys.Properties {
		if p.Kind == system.Invariant && rng.Intn(3) == 0 {
			p.Kind = system.Trusted
		}
		if p.Kind != system.Range && p.Kind != system.Trusted {
			p.Term = logic.Map(p.Term, change)
		}
	}
}
