package smt

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/logic"
)

// vocabulary has one of every printable construct.
type vocabulary struct {
	node, color, age, small     *logic.Sort
	max, f, seen, ages, odd, on *logic.Symbol
	x, y, a                     *logic.Var
}

func newVocabulary() vocabulary {
	v := vocabulary{
		node:  &logic.Sort{Kind: logic.KindUninterpreted, Name: "node"},
		color: &logic.Sort{Kind: logic.KindEnum, Name: "color", Members: []string{"red", "green"}},
		max:   &logic.Symbol{Name: "max", Kind: logic.Constant, Result: logic.Int},
	}
	v.age = &logic.Sort{Kind: logic.KindRange, Name: "0..max", Lo: logic.IntLit(0),
		Hi: logic.App(v.max, 0)}
	v.small = &logic.Sort{Kind: logic.KindRange, Name: "-1..3", Lo: logic.IntLit(-1),
		Hi: logic.IntLit(3)}
	v.f = &logic.Symbol{Name: "f", Kind: logic.Function, Args: []*logic.Sort{v.node},
		Result: v.color, Mutable: true}
	v.seen = &logic.Symbol{Name: "seen", Args: []*logic.Sort{v.node, logic.Bool},
		Result: logic.Bool, Mutable: true}
	v.ages = &logic.Symbol{Name: "ages", Args: []*logic.Sort{v.age}, Result: logic.Bool,
		Mutable: true}
	v.odd = &logic.Symbol{Name: "a|b\\ é", Kind: logic.Constant, Result: logic.Int}
	v.on = &logic.Symbol{Name: "and", Result: logic.Bool, Mutable: true}
	v.x = &logic.Var{Name: "X", Sort: v.node}
	v.y = &logic.Var{Name: "X", Sort: v.age}
	v.a = &logic.Var{Name: "A", Sort: v.small}
	return v
}

func TestTermText(t *testing.T) {
	v := newVocabulary()
	x, y := logic.Ref(v.x), logic.Ref(v.y)
	red := logic.Member(v.color, 0)
	shadow := &logic.Var{Name: "X", Sort: v.node}
	tests := []struct {
		name string
		term *logic.Term
		want string
	}{
		{"literals", logic.And(logic.True, logic.False), "false"},
		{"negative", logic.Lt(logic.IntLit(-5), logic.IntLit(7)), "(< (- 5) 7)"},
		{"arithmetic",
			logic.Eq(logic.Add(logic.App(v.max, 0), logic.IntLit(1), logic.Neg(logic.IntLit(2))),
				logic.Mul(logic.IntLit(2), logic.Sub(logic.IntLit(3), logic.IntLit(4)))), "(= (+ max@ 1 (- 2)) (* 2 (- 3 4)))"},
		{"states", logic.Iff(logic.App(v.on, 0), logic.App(v.on, 1)), "(= and@0 and@1)"},
		{"immutable has one state", logic.Le(logic.App(v.max, 1), logic.App(v.max, 0)), "(<= max@ max@)"},
		{"odd name", logic.Le(logic.App(v.odd, 0), logic.IntLit(0)), "(<= |a_7c_b_5c_ _e9_@| 0)"},
		{"empty junctions",
			&logic.Term{Op: logic.OpOr, Sort: logic.Bool,
				Args: []*logic.Term{{Op: logic.OpAnd, Sort: logic.Bool}}}, "true"},
		{"distinct of one", logic.Distinct(red), "true"},
		{"distinct", logic.Distinct(red, logic.Member(v.color, 1)), "(distinct red@color green@color)"},
		{"quantifier", logic.Forall([]*logic.Var{v.x}, logic.Eq(logic.App(v.f, 1, x), red)), "(forall ((X? node@sort)) (= (f@1 X?) red@color))"},
		{"shadowing",
			logic.Forall([]*logic.Var{v.x},
				logic.Exists([]*logic.Var{shadow}, logic.Not(logic.Eq(x, logic.Ref(shadow))))), "(forall ((X? node@sort)) (exists ((X?2 node@sort)) (not (= X? X?2))))"},
		{"range forall", logic.Forall([]*logic.Var{v.y}, logic.App(v.ages, 0, y)), "(forall ((X? Int)) (=> (and (<= 0 X?) (<= X? max@)) (ages@0 X?)))"},
		{"range exists",
			logic.Exists([]*logic.Var{v.x, v.a},
				logic.App(v.seen, 0, x, logic.Lt(logic.Ref(v.a), logic.IntLit(0)))), "(exists ((X? node@sort) (A? Int)) (and (and (<= (- 1) A?) (<= A? 3)) (seen@0 X? (< A? 0))))"},
		{"let", logic.Forall([]*logic.Var{v.x},
			logic.Let(shadow, x, logic.Eq(logic.Ref(shadow), x))), "(forall ((X? node@sort)) (let ((X?2 X?)) (= X?2 X?)))"},
		{"ite", logic.Ite(logic.App(v.on, 0), red, logic.Member(v.color, 1)), "(ite and@0 red@color green@color)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := NewScript().Term(tt.term)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestTermErrors(t *testing.T) {
	v := newVocabulary()
	empty := &logic.Sort{Kind: logic.KindEnum, Name: "void"}
	tests := []struct {
		name string
		term *logic.Term
		want string
	}{
		{"temporal", logic.Temporal(logic.OpAlways, logic.True), "always"},
		{"element", logic.Eq(logic.Member(v.node, 0), logic.Member(v.node, 1)), "node"},
		{"unbound", logic.Eq(logic.Ref(v.x), logic.Ref(v.x)), ""},
		{"unbound in a body",
			logic.Forall([]*logic.Var{v.a}, logic.Lt(logic.Ref(v.y), logic.Ref(v.a))), "variable X is not bound"},
		{"bad member", logic.Not(logic.Eq(logic.Member(v.color, 7), logic.Member(v.color, 0))), "no member number 7"},
		{"empty enum", logic.Exists([]*logic.Var{{Name: "V", Sort: empty}}, logic.True), "void"},
		{"arity", &logic.Term{Op: logic.OpApp, Sort: logic.Bool, Symbol: v.seen}, "seen has 0 arguments"},
		{"operands", &logic.Term{Op: logic.OpNot, Sort: logic.Bool}, "! has 0 arguments"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := NewScript().Term(tt.term)
			if err == nil {
				t.Fatalf("it was printed: %s", got)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q does not mention %q", err, tt.want)
			}
		})
	}
}

// A formula whose text doubles with each level is refused, not printed for ever.
func TestTermTooLong(t *testing.T) {
	v := newVocabulary()
	term := logic.App(v.max, 0)
	for range 40 {
		term = logic.Add(term, term)
	}
	if _, err := NewScript().Term(term); err == nil || !strings.Contains(err.Error(), "longer") {
		t.Errorf("error %v", err)
	}
}

func TestDefine(t *testing.T) {
	v := newVocabulary()
	s := NewScript()
	y := logic.Ref(v.y)
	if err := s.Define(v.ages, 1, []*logic.Var{v.y}, logic.App(v.ages, 0, y)); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"(declare-fun ages@0 (Int) Bool)",
		"(declare-fun max@ () Int)",
		"(declare-fun ages@1outside (Int) Bool)",
		"(define-fun ages@1 ((X? Int)) Bool (ite (and (<= 0 X?) (<= X? max@)) (ages@0 X?) (ages@1outside X?)))",
	}
	if got := strings.Join(s.Lines(), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s", got)
	}
	if err := s.Define(v.ages, 1, []*logic.Var{v.y}, logic.True); err == nil {
		t.Error("a second definition was accepted")
	}
	if err := s.Define(v.ages, 2, []*logic.Var{v.y}, logic.App(v.ages, 2, y)); err == nil {
		t.Error("a definition by itself was accepted")
	}
	if err := s.Define(v.ages, 3, nil, logic.True); err == nil {
		t.Error("a definition without variables was accepted")
	}
}

func TestForkKnowsNames(t *testing.T) {
	v := newVocabulary()
	base := NewScript()
	if err := base.DeclareVar(v.x); err != nil {
		t.Fatal(err)
	}
	fork := base.Fork()
	other := &logic.Var{Name: "X", Sort: v.node}
	for _, err := range []error{fork.DeclareVar(v.x), fork.DeclareVar(other),
		fork.Assert(logic.Eq(logic.Ref(v.x), logic.Ref(other)))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := "(declare-fun X@arg!2 () node@sort)\n(assert (= X@arg X@arg!2))"
	if got := strings.Join(fork.Lines(), "\n"); got != want {
		t.Errorf("got\n%s", got)
	}
}
