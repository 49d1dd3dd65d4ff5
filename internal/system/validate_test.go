package system_test

import (
	"math/big"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// complete is a system that uses every part of the IR.
func complete() *bakery {
	b := newBakery()
	c, x, k := b.v("c"), b.v("X"), &logic.Var{Name: "k", Sort: b.upTo}
	enter, err := b.code(vars{c},
		system.Require{Cond: b.app(b.waiting, 1, c)},
		system.Choose{Var: k, Such: logic.Lt(logic.Ref(k), logic.App(b.turn, 1))},
		system.If{Cond: logic.App(b.served, 1), Then: []system.Stmt{system.Havoc{Symbol: b.turn}}},
		system.Assign{Updates: []system.Update{{Symbol: b.myt, Vars: vars{x},
			Args: logic.Refs(vars{x}), Value: logic.App(b.turn, 0)}}},
	)
	if err != nil {
		panic(err)
	}
	enter.Name, enter.Fairness = "enter", system.Strong
	leave := b.formula(vars{c}, syms{b.waiting},
		logic.Forall(vars{x}, logic.Iff(b.app(b.waiting, 1, x), logic.Not(b.app(b.waiting, 0, x)))))
	leave.Name, leave.Fairness = "leave", system.Weak
	b.sys.Actions = []*system.Action{enter, leave}

	hungry := logic.Exists(vars{x}, b.app(b.waiting, 0, x))
	b.sys.Axioms = []*system.Formula{{Name: "positive",
		Term: logic.Lt(logic.IntLit(0), logic.App(b.limit, 0))}}
	b.sys.Inits = []*system.Formula{{Term: logic.Not(logic.App(b.served, 0))}}
	b.sys.Properties = []*system.Property{
		{Name: "safety:12", Kind: system.Safety, Term: logic.Not(hungry)},
		{Name: "range:turn", Kind: system.Range, Term: logic.InSort(b.upTo, logic.App(b.turn, 0))},
		{Name: "fair", Kind: system.Trusted, Term: hungry},
		{Name: "two", Kind: system.Theorem, States: 2,
			Term: logic.Iff(logic.App(b.served, 0), logic.App(b.served, 1))},
		{Name: "live", Kind: system.Liveness,
			Term: logic.Forall(vars{x},
				logic.Temporal(logic.OpLeadsTo, b.app(b.waiting, 0, x), logic.App(b.served, 0)))},
	}
	b.sys.Scenarios = []*system.Scenario{{Name: "sat trace:30", Sat: true,
		Components: []system.ScenarioComponent{
			{Assert: hungry}, {Any: true},
			{Calls: []system.ActionCall{{Action: leave},
				{Action: enter, Args: []*logic.Term{nil}}}}}}}
	b.sys.Expectations = []*system.Expectation{
		{Property: "fair", Verdict: "holds", Instance: b.sys.Instances[0], States: big.NewInt(7),
			Depth: big.NewInt(3)},
		{Property: "safety:12", Verdict: "not inductive"}}
	return b
}

func TestValidateAccepts(t *testing.T) {
	if err := system.Validate(complete().sys); err != nil {
		t.Error(err)
	}
}

func TestValidateRefuses(t *testing.T) {
	one, other := logic.IntLit(1), &logic.Sort{Kind: logic.KindUninterpreted, Name: "other"}
	stranger := &logic.Symbol{Name: "stranger", Kind: logic.Relation, Result: logic.Bool,
		Mutable: true}
	type change = func(b *bakery, s *system.System)
	inv := func(f func(b *bakery) *logic.Term) change {
		return func(b *bakery, s *system.System) { s.Properties[0].Term = f(b) }
	}
	for _, test := range []struct {
		name   string
		change change
		want   string
	}{
		{"missing term", inv(func(*bakery) *logic.Term { return nil }), "safety safety:12: a term is missing"},
		{"not a formula", inv(func(*bakery) *logic.Term { return one }), "a formula of sort int"},
		{"operand", inv(func(b *bakery) *logic.Term {
			return logic.Not(logic.Le(one, logic.True))
		}), "<= with an argument of sort bool: 1 <= true"},
		{"sorts of =", inv(func(b *bakery) *logic.Term {
			return logic.Eq(one, logic.Member(b.colour, 0))
		}), "= with an argument of sort colour"},
		{"number of operands", inv(func(b *bakery) *logic.Term {
			return &logic.Term{Op: logic.OpNot, Sort: logic.Bool}
		}), "! with 0 arguments"},
		{"sort of the result", inv(func(b *bakery) *logic.Term {
			return &logic.Term{Op: logic.OpTrue, Sort: logic.Int}
		}), "true has the wrong sort"},
		{"branches", inv(func(b *bakery) *logic.Term {
			return logic.Ite(logic.App(b.served, 0), logic.True, one)
		}), "if with branches of sorts bool and int"},
		{"condition", inv(func(b *bakery) *logic.Term {
			return logic.Ite(one, logic.True, logic.App(b.served, 0))
		}), "if with a condition of sort int"},
		{"arguments", inv(func(b *bakery) *logic.Term { return logic.App(b.waiting, 0) }), "waiting with 0 arguments instead of 1"},
		{"sort of an argument", inv(func(b *bakery) *logic.Term {
			return logic.App(b.waiting, 0, one)
		}), "argument 1 of waiting has sort int"},
		{"unknown symbol", inv(func(b *bakery) *logic.Term { return logic.App(stranger, 0) }), "a symbol that is not one of the system"},
		{"post-state", inv(func(b *bakery) *logic.Term { return logic.App(b.served, 1) }), "served is read in state 1"},
		{"state of an immutable", inv(func(b *bakery) *logic.Term {
			t := *logic.App(b.limit, 0)
			t.Step = 1
			return logic.Le(&t, &t)
		}), "the immutable limit is read in state 1"},
		{"open", inv(func(b *bakery) *logic.Term { return b.app(b.waiting, 0, b.v("X")) }), "variable X is not in scope"},
		{"bound within its scope", inv(func(b *bakery) *logic.Term {
			x := b.v("X")
			return logic.Forall(vars{x}, logic.Exists(vars{x}, b.app(b.waiting, 0, x)))
		}), "variable X is bound within its own scope"},
		{"quantifier without variables", inv(func(b *bakery) *logic.Term {
			return &logic.Term{Op: logic.OpForall, Sort: logic.Bool,
				Args: []*logic.Term{logic.True}}
		}), "a quantifier without variables"},
		{"sort of a variable", inv(func(b *bakery) *logic.Term {
			x := &logic.Var{Name: "X", Sort: other}
			return logic.Forall(vars{x}, logic.Distinct(logic.Ref(x), logic.Ref(x)))
		}), "sort other is not one of the system"},
		{"let", inv(func(b *bakery) *logic.Term { return logic.Let(b.v("X"), one, logic.True) }), "let: X has sort client, its value int"},
		{"member", inv(func(b *bakery) *logic.Term {
			return logic.Distinct(logic.Member(b.colour, 2), logic.Member(b.colour, 0))
		}), "member 2 of the enum colour, which has 2"},
		{"element", inv(func(b *bakery) *logic.Term {
			return logic.Distinct(logic.Member(b.client, 0))
		}), "an element of client"},
		{"unknown operator", inv(func(b *bakery) *logic.Term {
			return &logic.Term{Op: 99, Sort: logic.Bool}
		}), "unknown operator 99"},
		{"temporal", inv(func(b *bakery) *logic.Term {
			return logic.Temporal(logic.OpAlways, logic.App(b.served, 0))
		}), "a temporal operator: always served"},
		{"nil inside", inv(func(b *bakery) *logic.Term {
			return &logic.Term{Op: logic.OpAnd, Sort: logic.Bool, Args: []*logic.Term{nil}}
		}), "a term is missing"},

		{"axiom over the state", func(b *bakery, s *system.System) {
			s.Axioms[0].Term = logic.App(b.served, 0)
		}, "axiom 1 [positive]: served is read in state 0"},
		{"init over two states", func(b *bakery, s *system.System) {
			s.Inits[0].Term = logic.App(b.served, 1)
		}, "init 1: served is read in state 1"},
		{"theorem of one state", func(b *bakery, s *system.System) { s.Properties[3].States = 1 }, "theorem two: served is read in state 1"},
		{"theorem of three states", func(b *bakery, s *system.System) {
			s.Properties[3].States = 3
		}, "theorem of 3 states"},
		{"liveness", func(b *bakery, s *system.System) { s.Properties[4].Term = logic.True }, "not of the form trigger ~> good"},
		{"kind", func(b *bakery, s *system.System) { s.Properties[0].Kind = "lemma" }, "unknown kind"},
		{"names", func(b *bakery, s *system.System) { s.Properties[0].Name = "sat trace:30" }, "sat trace:30 declared twice"},
		{"no name", func(b *bakery, s *system.System) { s.Properties[0].Name = "" }, "property or scenario without a name"},
		{"symbols of one name", func(b *bakery, s *system.System) { b.served.Name = "turn" }, "symbol turn declared twice"},
		{"relation to int", func(b *bakery, s *system.System) { b.served.Result = logic.Int }, "relation with a result that is not bool"},
		{"no sort", func(b *bakery, s *system.System) { b.served.Result = nil }, "symbol served: no sort"},
		{"range over the state", func(b *bakery, s *system.System) {
			b.upTo.Lo = logic.App(b.turn, 0)
		}, "turn is read in state 0"},
		{"empty enum", func(b *bakery, s *system.System) { b.colour.Members = nil }, "enum without members"},
		{"derived without definition", func(b *bakery, s *system.System) { s.Derived = nil }, "symbol busy: derived without a definition"},
		{"circular definition", func(b *bakery, s *system.System) {
			s.Derived[0].Body = logic.Not(logic.App(b.busy, 0))
		}, "derived busy: the definition needs its own value"},
		{"variables of a definition", func(b *bakery, s *system.System) {
			s.Derived[0].Vars = vars{b.v("X")}
		}, "1 variables for the 0 arguments of busy"},
		{"sort of a definition", func(b *bakery, s *system.System) { s.Derived[0].Body = one }, "the definition has sort int"},

		{"modifies derived", func(b *bakery, s *system.System) {
			s.Actions[1].Modifies = syms{b.waiting, b.busy}
		}, "modifies busy, which is immutable or derived"},
		{"modifies twice", func(b *bakery, s *system.System) {
			s.Actions[1].Modifies = syms{b.waiting, b.waiting}
		}, "modifies waiting twice"},
		{"update of another", func(b *bakery, s *system.System) { s.Actions[1].Modifies = nil }, "action leave, update 1: writes a symbol that is not among the modified ones"},
		{"two updates", func(b *bakery, s *system.System) {
			r := s.Actions[1].Relation
			r.Updates = append(r.Updates, r.Updates[0])
		}, "a second update of waiting"},
		{"update of a point", func(b *bakery, s *system.System) {
			a := s.Actions[1]
			a.Relation.Updates[0].Vars, a.Relation.Updates[0].Args = nil, logic.Refs(a.Params)
			a.Relation.Updates[0].Value = logic.True
		}, "the arguments of waiting are not exactly the update's variables"},
		{"value of the new state", func(b *bakery, s *system.System) {
			s.Actions[1].Relation.Updates[0].Value = logic.App(b.served, 1)
		}, "the value reads the new value of served, which no earlier update gives"},
		{"value of the wrong sort", func(b *bakery, s *system.System) {
			s.Actions[1].Relation.Updates[0].Value = one
		}, "the value of waiting has sort int, not bool"},
		{"guard after the next state", func(b *bakery, s *system.System) {
			s.Actions[1].Relation.Guard = []*logic.Term{logic.App(b.served, 2)}
		}, "action leave, guard 1: served is read in state 2"},
		{"mutable input", func(b *bakery, s *system.System) {
			s.Actions[0].Relation.Inputs[0].Mutable = true
		}, "the input act_any_turn is mutable or derived"},
		{"input of a known name", func(b *bakery, s *system.System) {
			s.Actions[0].Relation.Inputs[0].Name = "turn"
		}, "the input turn has the name of another symbol"},
		{"foreign input", func(b *bakery, s *system.System) { s.Actions[0].Relation.Inputs = nil },
			"a symbol that is not one of the system"},
		{"no relation", func(b *bakery, s *system.System) { s.Actions[1].Relation = nil }, "written as a formula, but has no relation"},
		{"parameter twice", func(b *bakery, s *system.System) {
			s.Actions[1].Params = append(s.Actions[1].Params, s.Actions[1].Params...)
		}, "variable c is declared twice"},
		{"fairness", func(b *bakery, s *system.System) { s.Actions[1].Fairness = 3 }, "unknown fairness 3"},
		{"scope of a choice", func(b *bakery, s *system.System) {
			s.Actions[0].Code[0], s.Actions[0].Code[1] = s.Actions[0].Code[1],
				system.Require{Cond: logic.True}
			s.Actions[0].Code = append([]system.Stmt{s.Actions[0].Code[0]}, s.Actions[0].Code...)
		}, "variable k is bound within its own scope"},
		{"choice out of scope", func(b *bakery, s *system.System) {
			k := s.Actions[0].Code[1].(system.Choose).Var
			s.Actions[0].Code[0] = system.Require{Cond: logic.Eq(logic.Ref(k), one)}
		}, "action enter, require: variable k is not in scope"},
		{"variable that is no argument", func(b *bakery, s *system.System) {
			s.Actions[0].Code = append(s.Actions[0].Code,
				system.Havoc{Symbol: b.turn, Vars: vars{b.v("X")}})
		}, "the variable X is not an argument of turn"},
		{"written at too few arguments", func(b *bakery, s *system.System) {
			s.Actions[0].Code = append(s.Actions[0].Code, system.Havoc{Symbol: b.myt})
		}, "myt is written at 0 arguments instead of 1"},
		{"let in code", func(b *bakery, s *system.System) {
			s.Actions[0].Code = append(s.Actions[0].Code, system.Let{Var: b.v("l"), Value: one})
		}, "l has sort client, its value int"},
		{"nil statement", func(b *bakery, s *system.System) {
			s.Actions[0].Code = []system.Stmt{nil}
		}, "unknown statement"},
		{"empty assignment", func(b *bakery, s *system.System) {
			s.Actions[0].Code = []system.Stmt{system.Assign{}}
		}, "assigns nothing"},

		{"call", func(b *bakery, s *system.System) {
			s.Scenarios[0].Components[2].Calls[0].Args = []*logic.Term{one}
		}, "call of leave: argument 1 has sort int"},
		{"call with too many arguments", func(b *bakery, s *system.System) {
			s.Scenarios[0].Components[2].Calls[0].Args = []*logic.Term{nil, nil}
		}, "call of leave with 2 arguments instead of 1"},
		{"part of two kinds", func(b *bakery, s *system.System) {
			s.Scenarios[0].Components[0].Any = true
		}, "part 1: must be one of"},
		{"expectation of nothing", func(b *bakery, s *system.System) {
			s.Expectations[0].Property = "x"
		}, "expectation 1: no property or scenario is called x"},
		{"verdict", func(b *bakery, s *system.System) { s.Expectations[0].Verdict = "maybe" }, `"maybe" is not a verdict`},
		{"foreign instance", func(b *bakery, s *system.System) { s.Instances = nil }, "instance small is not one of the system"},
		{"size", func(b *bakery, s *system.System) { s.Instances[0].Sizes[b.client] = 0 }, "instance small: sort client has size 0"},
		{"size of an enum", func(b *bakery, s *system.System) {
			s.Instances[0].Sizes[b.colour] = 2
		}, "size of colour"},
		{"value of the state", func(b *bakery, s *system.System) {
			s.Instances[0].Values[b.turn] = one
		}, "value of turn, which is not an immutable constant"},
		{"value that is no literal", func(b *bakery, s *system.System) {
			s.Instances[0].Values[b.limit] = logic.Add(one, one)
		}, "the value of limit is not a literal"},
		{"value of the wrong sort", func(b *bakery, s *system.System) {
			s.Instances[0].Values[b.limit] = logic.True
		}, "the value of limit has sort bool"},
		{"nil property", func(b *bakery, s *system.System) { s.Properties[0] = nil }, "malformed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := complete()
			test.change(b, b.sys)
			if err := system.Validate(b.sys); err == nil ||
				!strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v\nwant an error with %q", err, test.want)
			}
		})
	}
}

// TestDump prints a system; the same system from a text with other line numbers must print the
// same.
func TestDump(t *testing.T) {
	want := `sort client
enum colour { red, green }

immutable constant limit: int
mutable relation waiting(client)
mutable relation before(client, client)
mutable relation served
derived relation busy: busy <-> exists X:client. waiting(X)
  # evaluated as busy = exists X:client. waiting(X)
mutable function myt(client): 0..limit
mutable function hue(0..limit): colour
mutable constant turn: 0..limit

axiom [positive] 0 < limit
init !served

strong fair action enter(c:client)
  modifies turn, myt
  # relation
  exists k:0..limit
  any constant act_any_turn: 0..limit
  waiting(c)
  k < turn
  served -> 0 <= act_any_turn
  served -> act_any_turn <= limit
  turn' = if served then act_any_turn else turn
  forall X:client. myt'(X) = turn
  # code, as written
  require waiting(c);
  choose k:0..limit with k < turn;
  if served {
    turn := *;
  }
  myt(X) := old(turn);

fair action leave(c:client)
  modifies waiting
  # relation, as written
  forall X:client. waiting'(X) <-> !waiting(X)
  # code
  waiting(X) := !waiting(X);

safety [safety:#] !exists X:client. waiting(X)
range [range:turn] 0 <= turn & turn <= limit
trusted invariant [fair] exists X:client. waiting(X)
twostate theorem [two] served <-> served'
liveness [live] forall X:client. waiting(X) ~> served

# sat trace:#
sat trace {
  assert exists X:client. waiting(X)
  any transition
  leave(*) | enter(*)
}

instance small { client = 2, limit = 1 }
expect [fair] holds in small states 7 depth 3
expect [safety:#] not inductive
`
	s := complete().sys
	if got := s.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s.Properties[0].Name, s.Expectations[1].Property = "safety:14", "safety:14"
	s.Scenarios[0].Name = "sat trace:33"
	if got := s.String(); got != want {
		t.Errorf("the dump depends on line numbers:\n%s", got)
	}
}

// TestDumpNames has variables of one name that the dump must distinguish.
func TestDumpNames(t *testing.T) {
	b := newBakery()
	c, inner, turn := b.v("c"), b.v("c"), &logic.Var{Name: "turn", Sort: b.upTo}
	if _, err := b.code(vars{c},
		system.Choose{Var: inner, Such: b.app(b.before, 1, c, inner)},
		system.Choose{Var: turn, Such: logic.Lt(logic.Ref(turn), logic.App(b.turn, 1))},
	); err != nil {
		t.Fatal(err)
	}
	checkAction(t, b.sys, `
		# relation
		exists c1:client, turn1:0..limit
		before(c, c1)
		turn1 < turn
		# code, as written
		choose c1:client with before(c, c1);
		choose turn1:0..limit with turn1 < turn;`)
}
