package erelong_test

import (
	"math/big"
	"strings"
	"testing"

	"erelong.dev/erelong"
)

// everything has a symbol of each kind.
const everything = `
sort node
enum color { red, green }
mutable relation on
mutable constant big: int
mutable constant hue: color
mutable function owner(color): node
mutable function weight(node): 0..9
mutable relation link(node, node)
init !on & big = 0 & hue = red & weight(N) = 3 & !link(M, N) & distinct(owner(red), owner(green))
action paint(n: node, c: color) {
  require n = owner(c);
  on := true;
  big := 0 - 123456789012;
  hue := green;
  link(n, n) := true;
}
safety [never] !on
instance two { node = 2 }
`

// The values of a run have the kinds of their symbols.
func TestValues(t *testing.T) {
	report := verified("everything.ere", everything, erelong.Options{NoProof: true})
	trace := report.Violations()[0].Trace
	if trace.Kind != erelong.Counterexample || trace.Instance != "two" || trace.Loop != -1 ||
		trace.Back != nil || len(trace.Sorts["node"]) != 2 {
		t.Errorf("the trace is %+v", trace)
	}
	step := trace.Steps[1]
	n, c := step.Argument("n"), step.Argument("c")
	for name, want := range map[string]struct {
		kind erelong.Kind
		sort string
		text string
	}{
		"on": {erelong.KindBool, "", "true"}, "big": {erelong.KindInteger, "", "-123456789012"},
		"hue":   {erelong.KindMember, "color", "green"},
		"owner": {erelong.KindFunction, "", ""}, "weight": {erelong.KindFunction, "", ""},
		"link": {erelong.KindRelation, "", "{(" + n.String() + ", " + n.String() + ")}"},
		"none": {erelong.KindUnknown, "", "?"},
	} {
		v := step.Get(name)
		if v.Kind() != want.kind || v.Sort() != want.sort ||
			want.text != "" && v.String() != want.text {
			t.Errorf("%s = %s is of kind %s and sort %q", name, v, v.Kind(), v.Sort())
		}
	}
	if n.Kind() != erelong.KindElement || n.Sort() != "node" || c.Kind() != erelong.KindMember {
		t.Errorf("the arguments are %s and %s", n.Kind(), c.Kind())
	}
	if !step.Get("on").Bool() || trace.Steps[0].Get("on").Bool() {
		t.Error("truth values are wrong")
	}
	if i, exact := step.Get("big").Int64(); !exact || i != -123456789012 ||
		step.Get("big").Int().Cmp(big.NewInt(i)) != 0 || step.Get("big").Rat().Num().Int64() != i {
		t.Errorf("the integer is %d", i)
	}
	if !step.Get("owner").At(c).Equal(n) {
		t.Errorf("the owner of %s is %s", c, step.Get("owner").At(c))
	}
	if w, _ := step.Get("weight").At(n).Int64(); w != 3 {
		t.Errorf("the weights are %s", step.Get("weight"))
	}
	if v := step.Get("weight").At(c); v.Kind() != erelong.KindUnknown || v.Equal(v) {
		t.Errorf("a function has a value for an argument of another sort: %s", v)
	}
	link := step.Get("link")
	if !link.At(n, n).Bool() || link.At(n, c).Bool() || len(link.Entries()) != 1 ||
		!link.Entries()[0].Value.Bool() || !link.Entries()[0].Arguments[1].Equal(n) {
		t.Errorf("the relation is %v", link.Entries())
	}
	for _, name := range []string{"on", "big", "hue", "owner", "weight", "link"} {
		before, after := trace.Steps[0].Get(name), step.Get(name)
		changed := name != "owner" && name != "weight"
		if before.Equal(after) == changed || !after.Equal(after) {
			t.Errorf("%s = %s before and %s after", name, before, after)
		}
	}
}

// An accessor of another kind panics, and names the kind.
func TestAccessorsOfOtherKinds(t *testing.T) {
	report := verified("everything.ere", everything, erelong.Options{NoProof: true})
	step := report.Violations()[0].Trace.Steps[1]
	for name, access := range map[string]func(){
		"Bool of a value of kind integer":    func() { step.Get("big").Bool() },
		"Int of a value of kind bool":        func() { step.Get("on").Int() },
		"Int64 of a value of kind member":    func() { step.Get("hue").Int64() },
		"Rat of a value of kind relation":    func() { step.Get("link").Rat() },
		"Entries of a value of kind unknown": func() { new(erelong.Value).Entries() },
		"At of a value of kind element":      func() { step.Argument("n").At() },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, name) {
					t.Errorf("%s: the panic is %q", name, text)
				}
			}()
			access()
		}()
	}
}

// A lasso has the step that closes it.
func TestLoop(t *testing.T) {
	report := verified("loop.ere", `mutable constant n: 0..1
init n = 0
fair action turn(k: 0..1) { require k != n; n := k; }
temporal [rests] eventually always (n = 0)
instance i {}
`, erelong.Options{NoProof: true})
	trace := report.Violations()[0].Trace
	if trace.Loop < 0 || trace.Back == nil || trace.Back.Action != "turn" {
		t.Fatalf("the trace is %s", trace)
	}
	if k, _ := trace.Back.Argument("k").Int64(); !trace.Steps[trace.Loop].Get("n").Equal(
		trace.Back.Argument("k")) {
		t.Errorf("the loop is closed by turn(%d):\n%s", k, trace)
	}
}

// Clocks and delays of timed automata are exact numbers, locations are members.
func TestTimedValues(t *testing.T) {
	loader := erelong.Loader{ReadFile: read}
	spec, err := loader.Load(t.Context(), "timer.xta")
	if err != nil {
		t.Fatal(err)
	}
	report, err := spec.Verify(t.Context(), erelong.Options{Instances: []string{"N=6"}})
	if err != nil {
		t.Fatal(err)
	}
	steps := report.Violations()[0].Trace.Steps
	last := steps[len(steps)-1]
	if v := last.Get("timer"); v.Kind() != erelong.KindMember || v.String() != "on" {
		t.Errorf("the location is %s of kind %s", v, v.Kind())
	}
	if x := last.Get("x"); x.Kind() != erelong.KindTime || x.Rat().Cmp(big.NewRat(5, 1)) <= 0 {
		t.Errorf("the clock is %s of kind %s", x, x.Kind())
	}
	sum := new(big.Rat)
	for _, s := range steps[1:] {
		sum.Add(sum, s.Argument("delay").Rat())
		if s.Time.Cmp(sum) != 0 {
			t.Errorf("%s is at %s, after delays of %s", s.Action, s.Time, sum)
		}
	}
}

// Every kind has a name.
func TestKinds(t *testing.T) {
	for k := erelong.KindUnknown; k <= erelong.KindFunction; k++ {
		if k.String() == "" || strings.HasPrefix(k.String(), "Kind(") {
			t.Errorf("the kind %d has the name %q", int(k), k)
		}
	}
	if name := erelong.Kind(99).String(); name != "Kind(99)" {
		t.Errorf("an unknown kind is %q", name)
	}
}

// Structured data has values with parts.
func TestStructuredValues(t *testing.T) {
	report := verified("data.ere", `
sort node
type message = ask(from: node, term: 0..2) | stop
mutable constant line: seq[message]
mutable constant known: map[node, (0..2, bool)]
mutable constant seen: set[node]
init line = [] & known = [:] & seen = {}
action send(n: node) {
  line := [ask(n, 2), stop];
  known[n] := (2, true);
  seen := {n};
}
safety [empty] line = []
instance one { node = 1 }
`, erelong.Options{NoProof: true})
	step := report.Violations()[0].Trace.Steps[1]
	node := step.Argument("n")
	line, known, seen := step.Get("line"), step.Get("known"), step.Get("seen")
	if line.Kind() != erelong.KindSequence || known.Kind() != erelong.KindMap ||
		seen.Kind() != erelong.KindSet || len(line.Entries()) != 2 ||
		line.String() != "[ask(node0, 2), stop]" {
		t.Fatalf("line = %s, known = %s, seen = %s", line, known, seen)
	}
	first := line.Entries()[0].Value
	if first.Kind() != erelong.KindVariant || first.Constructor() != "ask" ||
		!first.Field("from").Equal(node) || first.Field("value").Kind() != erelong.KindUnknown ||
		line.At(line.Entries()[1].Arguments[0]).Constructor() != "stop" {
		t.Errorf("the first element is %s", first)
	}
	if pair := known.At(node); pair.Kind() != erelong.KindTuple ||
		!pair.Entries()[1].Value.Bool() || pair.Equal(first) || !pair.Equal(known.At(node)) {
		t.Errorf("known = %s", known)
	}
	if !seen.At(node).Bool() || seen.At(first).Bool() {
		t.Errorf("seen = %s", seen)
	}
}
