package oracletest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Expressions, for algorithms that are written by hand.
func num(n int) Expr                 { return Expr{Op: Number, Value: n} }
func truth(b bool) Expr              { return Expr{Op: Truth, Value: bit(b)} }
func name(n string) Expr             { return Expr{Op: Name, Name: n} }
func received(m string) Expr         { return Expr{Op: Received, Name: m} }
func op(o Op, args ...Expr) Expr     { return Expr{Op: o, Args: args} }
func of(n string, i, j int) Expr     { return Expr{Op: Of, Name: n, I: i, J: j} }
func correct(i int) Expr             { return Expr{Op: Correct, I: i} }
func dead(i int) Expr                { return Expr{Op: Crashed, I: i} }
func differ() Expr                   { return op(Not, Expr{Op: Same, I: 0, J: 1}) }
func set(v string, x Expr) Stmt      { return Stmt{Var: v, Value: x} }
func when(c Expr, then ...Stmt) Stmt { return Stmt{Value: c, Then: then} }
func count(v string, below int) Stmt {
	return when(op(Less, name(v), num(below)), set(v, op(Plus, name(v), num(1))))
}

func (s Stmt) otherwise(body ...Stmt) Stmt {
	s.Else = body
	return s
}

func boolean(n string) Variable { return Variable{Name: n, Bool: true, Init: truth(false)} }
func upTo(n string, hi, init int) Variable {
	return Variable{Name: n, Hi: hi, Init: num(init)}
}

// cycle makes tasks, each followed by the next one unless it says otherwise.
func cycle(tasks ...Task) []Task {
	for i := range tasks {
		if tasks[i].Next == 0 {
			tasks[i].Next = (i + 1) % len(tasks)
		}
	}
	return tasks
}

// TestByHand decides algorithms whose verdicts are known from arguments on paper.
func TestByHand(t *testing.T) {
	phantom := &Algorithm{
		Messages: []string{"m", "k"}, Variables: []Variable{boolean("ok")},
		Tasks: []Task{
			{Kind: Send, Message: 0, Loc: "s", Next: 1},
			{Kind: Receive, Loc: "r", Next: 0,
				Body: []Stmt{when(received("k"), set("ok", truth(true)))}},
			{Kind: Send, Message: 1, Loc: "never", Next: 0},
		},
	}
	merged := &Algorithm{
		HasGst: true, Messages: []string{"m1", "m2"}, Variables: []Variable{boolean("seen"), upTo("k", 2, 0)},
		Tasks: []Task{
			{Kind: Send, Message: 0, Loc: "s1", Next: 1},
			{Kind: Send, Message: 0, Loc: "s2", Next: 2},
			{Kind: Send, Message: 1, Loc: "s3", Next: 3},
			{Kind: Receive, Loc: "r", Next: 3, Body: []Stmt{
				when(op(And, received("m1"), name("seen")), count("k", 2)),
				when(received("m2"), set("seen", truth(true))),
			}},
		},
	}
	twice := &Algorithm{
		HasGst: true, Messages: []string{"m"}, Variables: []Variable{upTo("n", 2, 0)},
		Tasks: []Task{
			{Kind: Send, Loc: "s1", Next: 1}, {Kind: Send, Loc: "s2", Next: 2},
			{Kind: Receive, Loc: "r", Next: 2, Body: []Stmt{when(received("m"), count("n", 2))}},
		},
	}
	heard := &Algorithm{
		Messages: []string{"m"}, Variables: []Variable{boolean("heard")},
		Tasks: cycle(Task{Kind: Send, Loc: "s"},
			Task{Kind: Receive, Loc: "r",
				Body: []Stmt{when(received("m"), set("heard", truth(true)))}}),
	}
	is := func(v string) Expr { return of(v, 0, 1) }
	atMostOne := func(v string) Expr { return op(AtMost, is(v), num(1)) }
	both := op(And, correct(0), correct(1))
	for _, tt := range []struct {
		what string
		a    *Algorithm
		p    Parameters
		f    Expr
		want bool
	}{
		{"a task that is not reached sends nothing", phantom, Parameters{N: 2, Phi: 2}, op(Not, is("ok")), true},
		{"so it is not received in the end", phantom, Parameters{N: 2, Phi: 1},
			op(Eventually, op(Always, op(Implies, both, is("ok")))), false},
		{"before the bounds hold, old messages come one by one", merged,
			Parameters{N: 2, Phi: 1, Gst: 5}, atMostOne("k"), false},
		{"it takes as many rounds", merged, Parameters{N: 2, Phi: 1, Gst: 4}, atMostOne("k"), true},
		{"they come together then", merged, Parameters{N: 2, Phi: 1}, atMostOne("k"), true},
		{"two messages, received one by one", twice, Parameters{N: 2, Phi: 1, Gst: 6},
			atMostOne("n"), false},
		{"two messages, delayed", twice, Parameters{N: 2, Phi: 1, Delta: 2}, atMostOne("n"), false},
		{"two messages, not delayed", twice, Parameters{N: 2, Phi: 1}, atMostOne("n"), true},
		{"both hear of each other", heard, Parameters{N: 2, Phi: 2, Delta: 1},
			op(Eventually, is("heard").or(dead(0)).or(dead(1))), true},
		{"heard of, too, after a crash", heard, Parameters{N: 2, Phi: 2, Delta: 1},
			op(Always, op(Implies, op(And, dead(1), op(Not, is("heard"))),
				op(Always, op(Not, is("heard"))))), false},
		{"also by both crashing together", heard, Parameters{N: 2, Phi: 2, Delta: 1},
			op(Implies, op(And, differ(), op(Eventually, op(And, dead(0), is("heard")))),
				op(Eventually,
					op(And, dead(0), correct(1))).or(op(Eventually,
					op(And, dead(1), correct(0)))).or(op(Always, correct(1)))), false},
		{"a process hears itself in the round in which it may", heard, Parameters{N: 1, Phi: 1},
			op(Eventually, op(Or, of("heard", 0, 0), dead(0))), true},
		{"without a bound nothing is said", twice, Parameters{N: 1, Phi: 1, Gst: 9},
			op(Eventually, op(Or, op(Less, num(0), of("n", 0, 0)), dead(0))), true},
	} {
		t.Run(tt.what, func(t *testing.T) {
			g, err := NewModel(tt.a, tt.p).Explore(400_000)
			if err != nil {
				t.Fatal(err)
			}
			if got := g.Holds(Property{Name: "p", Formula: tt.f}); got != tt.want {
				t.Errorf("%v holds: %v", tt.f, got)
			}
			// `eventually always` and safety have searches of their own, and the tableau must agree
			// with them.
			f := tt.f
			if !f.Temporal() {
				f = op(Always, f)
			}
			for _, who := range [][]int{{0, 0}, {0, tt.p.N - 1}} {
				if g.linear(f, who) != g.HoldsOf(tt.f, who) {
					t.Errorf("%v of %v: the tableau differs", f, who)
				}
			}
		})
	}
}

func (e Expr) or(f Expr) Expr { return op(Or, e, f) }

// detector is Algorithm 1 as the authors' models have it.
func detector(timeout int) *Algorithm {
	tick := count("waiting", 1)
	tick.Value = op(Less, name("waiting"), name("timeout"))
	const most = 60
	return &Algorithm{
		Messages: []string{"alive"},
		Variables: []Variable{boolean("suspected"), upTo("timeout", most, timeout),
			upTo("waiting", most, 0)},
		Tasks: cycle(
			Task{Kind: Send, Loc: "announce", Body: []Stmt{tick}},
			Task{Kind: Receive, Loc: "listen", Body: []Stmt{when(received("alive"),
				set("waiting", num(0)),
				when(name("suspected"), set("suspected", truth(false)),
					count("timeout", most))).otherwise(tick)}},
			Task{Kind: Compute, Loc: "judge",
				Body: []Stmt{{Value: tick.Value, Then: tick.Then,
					Else: []Stmt{set("suspected", truth(true))}}}},
		),
	}
}

// TestFigures compares the shortest violations of Strong Accuracy with the shortest ones in the
// authors' models, whose rounds have seven sub-rounds: process 1 is the sender, which starts at its
// receive, and process 0 the receiver.
func TestFigures(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "shared", "golden", "failure_detector.json"))
	if err != nil {
		t.Skip(err)
	}
	var figures struct {
		Rows []struct {
			Delta, Phi int
			States     int `json:"shortest_cex_states"`
		} `json:"strong_accuracy_violated_timeout_Delta_plus_1"`
	}
	if err := json.Unmarshal(text, &figures); err != nil {
		t.Fatal(err)
	}
	accuracy := op(Implies, op(And, correct(0), correct(1)), op(Not, of("suspected", 0, 1)))
	compared := 0
	for _, row := range figures.Rows {
		if row.Phi > 5 {
			continue // too many configurations
		}
		m := NewModel(detector(row.Delta+1),
			Parameters{N: 2, Delta: row.Delta, Phi: row.Phi, Starts: []int{0, 1}})
		got := m.shortest(accuracy, []int{0, 1})
		if want := (row.States - 1) / 7 * 4; got != want {
			t.Errorf("Delta %d, Phi %d: violated after %d sub-rounds, not %d", row.Delta, row.Phi,
				got, want)
		}
		compared++
	}
	if compared == 0 {
		t.Error("no figures")
	}
}

// shortest is the number of sub-rounds after which a formula can be false.
func (m *Model) shortest(f Expr, who []int) int {
	seen := map[Config]bool{m.initial(): true}
	level := []Config{m.initial()}
	for depth := 0; len(level) > 0; depth++ {
		var next []Config
		g := &Graph{Model: m, Configs: level}
		for c := range level {
			if g.value(f, c, who) == 0 {
				return depth
			}
			for _, d := range m.successors(level[c]) {
				if !seen[d] {
					seen[d] = true
					next = append(next, d)
				}
			}
		}
		level = next
	}
	return -1
}

// TestDetector decides the three properties of the failure detector where its timeout is large
// enough.
func TestDetector(t *testing.T) {
	accuracy := op(Implies, op(And, correct(0), correct(1)), op(Not, of("suspected", 0, 1)))
	completeness := op(Implies, op(And, correct(0), dead(1)), of("suspected", 0, 1))
	finally := func(f Expr) Expr { return op(Eventually, op(Always, f)) }
	for _, p := range []Parameters{{N: 2, Phi: 1}, {N: 2, Phi: 1, Delta: 1}} {
		g, err := NewModel(detector(6*p.Phi+p.Delta), p).Explore(400_000)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v: %d configurations", p, len(g.Configs))
		for _, f := range []Expr{accuracy, finally(accuracy), finally(completeness)} {
			if !g.Holds(Property{Name: "p", Formula: f}) {
				t.Errorf("%+v: %v is violated", p, f)
			}
		}
		for _, f := range []Expr{op(Not, of("suspected", 0, 1)), finally(of("suspected", 0, 1)),
			completeness} {
			if g.Holds(Property{Name: "p", Formula: f}) {
				t.Errorf("%+v: %v holds", p, f)
			}
		}
	}
}
