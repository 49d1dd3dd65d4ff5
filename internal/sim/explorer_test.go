package sim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/result"
)

func explorer(t testing.TB, trace *result.Trace) *Explorer {
	t.Helper()
	spec := read(t, counter)
	x, err := NewExplorer(t.Context(), spec, spec.System.Instances[0], trace, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// picture is a picture in a few words.
func words(p *View) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v:", p.Address)
	for _, s := range p.Run {
		fmt.Fprintf(&b, " %s%v", s.Call, s.Violated)
	}
	for _, v := range p.State {
		fmt.Fprintf(&b, " %s=%s<%s", v.Name, v.Value, v.Was)
	}
	for _, c := range p.Choices {
		fmt.Fprintf(&b, " %d:%s%v", c.Number, c.Call, c.Changes)
	}
	return b.String()
}

// The picture of an address does not depend on what was asked before: an explorer that is asked for
// random addresses answers as a new one does.
func TestAddressesAreIndependent(t *testing.T) {
	old := explorer(t, nil)
	random := rand.New(rand.NewPCG(1, 2))
	a := Address{First: 1}
	refused, taken := 0, 0
	for range 300 {
		switch random.IntN(5) {
		case 0:
			a = Address{First: 1 + random.IntN(3), At: 0}
		case 1:
			a.Steps = slices.Clone(a.Steps[:random.IntN(len(a.Steps)+1)])
			a.At = -1
		case 2:
			a.At = random.IntN(len(a.Steps) + 1)
		default:
			a.Steps = append(slices.Clone(a.Steps), 1+random.IntN(4))
			a.At = random.IntN(len(a.Steps) + 1)
		}
		got, err := old.View(t.Context(), a)
		want, wantErr := explorer(t, nil).View(t.Context(), a)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%+v: %v and %v", a, err, wantErr)
		}
		if err != nil {
			refused++
			a = Address{First: 1}
			continue
		}
		taken++
		if words(got) != words(want) {
			t.Fatalf("%+v:\n%s\n%s", a, words(got), words(want))
		}
	}
	if refused < 10 || taken < 100 {
		t.Errorf("%d addresses were refused, and %d pictures compared", refused, taken)
	}
}

// The steps of an explorer are the steps of a session.
func TestExplorerStepsLikeASession(t *testing.T) {
	spec := read(t, counter)
	s := start(t, spec, Options{})
	x := explorer(t, nil)
	a := Address{First: 1}
	for _, k := range []int{3, 1, 2} {
		if _, err := s.Do(t.Context(), fmt.Sprint(k)); err != nil {
			t.Fatal(err)
		}
		var err error
		if a, err = x.Take(t.Context(), a, k); err != nil {
			t.Fatal(err)
		}
	}
	trace, err := x.Trace(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(trace.Steps), fmt.Sprint(s.trace().Steps); got != want {
		t.Errorf("the explorer is at\n%s, and the session at\n%s", got, want)
	}
	if _, err := x.Take(t.Context(), a, 99); err == nil {
		t.Error("a step that does not exist is taken")
	}
}

func TestExplorerAnswers(t *testing.T) {
	ctx := context.Background()
	x := explorer(t, nil)
	a, err := x.Until(ctx, Address{First: 1}, "n = 4")
	if err != nil || len(a.Steps) == 0 {
		t.Fatalf("n = 4 is found at %+v, %v", a, err)
	}
	values, err := x.Evaluate(ctx, a, "n")
	if err != nil || values[0] != "0" || values[len(values)-1] != "4" ||
		len(values) != len(a.Steps)+1 {
		t.Errorf("the values of n are %v, %v", values, err)
	}
	if _, err := x.Evaluate(ctx, a, "m"); err == nil {
		t.Error("an unknown name has values")
	}
	why, err := x.Why(ctx, a, "forall X. r(X)")
	if err != nil || why.Value.String() != "false" || len(why.Witness) != 1 {
		t.Errorf("the reason is %+v, %v", why, err)
	}
	if _, err := x.Why(ctx, a, "live"); err == nil || !strings.Contains(err.Error(), "about runs") {
		t.Errorf("a property of runs is explained: %v", err)
	}
	if _, err := x.Until(ctx, a, "n = 4"); err == nil {
		t.Error("the present state is looked for")
	}
	if _, err := x.View(ctx, Address{First: 1, At: 7}); err == nil {
		t.Error("a state that does not exist is shown")
	}
	// Back in the run, another step cuts the later ones off, and the same one does not.
	b := a
	b.At = 0
	same, err := x.Take(ctx, b, a.Steps[0])
	if err != nil || same.At != 1 || len(same.Steps) != len(a.Steps) {
		t.Errorf("the same step leads to %+v, %v", same, err)
	}
	other, err := x.Take(ctx, b, a.Steps[0]%3+1)
	if err != nil || other.At != 1 || len(other.Steps) != 1 {
		t.Errorf("another step leads to %+v, %v", other, err)
	}
}

// A value is a tree by its arguments, and knows what changed.
func TestParts(t *testing.T) {
	row := func(value string, key ...string) result.Row {
		r := result.Row{Result: result.Int(value)}
		for _, k := range key {
			r.Key = append(r.Key, result.Atom("s", k))
		}
		return r
	}
	function := func(rows ...result.Row) result.Value {
		return result.Value{Kind: result.MapValue, Rows: rows}
	}
	before := function(row("1", "a", "x"), row("2", "a", "y"), row("3", "b", "x"))
	after := function(row("1", "a", "x"), row("5", "a", "y"), row("4", "c", "x"))
	var show func(ps []*ValueTree) string
	show = func(ps []*ValueTree) string {
		var out []string
		for _, p := range ps {
			text := p.Name
			if p.Children == nil {
				text += "=" + p.Value
			}
			if p.Changed {
				text += "*" + p.Was
			}
			if p.Children != nil {
				text += "(" + show(p.Children) + ")"
			}
			out = append(out, text)
		}
		return strings.Join(out, " ")
	}
	if got, want := show(part("f", before, after).Children),
		"a*(x=1 y=5*2) b*(x=?*3) c*(x=4*?)"; got != want {
		t.Errorf("the tree is %s and not %s", got, want)
	}
}

// A claim about all integers has no value in an instance, and is not false.
func TestNoValueIsNoViolation(t *testing.T) {
	spec := read(t, "mutable constant n: 0..1\ninit n = 0\naction a() { n := 1 - n; }\n"+
		"invariant [every] forall N: int. N > n | N <= n\nsafety [none] n = 0\ninstance i { }\n")
	x, err := NewExplorer(t.Context(), spec, spec.System.Instances[0], nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := x.View(t.Context(), Address{First: 1, Steps: []int{1}, At: -1})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Run) != 2 || len(p.Run[0].Violated) != 0 ||
		!slices.Equal(p.Run[1].Violated, []string{"none"}) {
		t.Errorf("%+v", p.Run)
	}
}
