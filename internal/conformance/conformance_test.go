package conformance

import (
	"bytes"
	"context"
	"errors"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/testkit"
)

const lease = "../../examples/lease.ere"

// leaseLog is a log of examples/lease.ere.
const leaseLog = `{"node":"client0","event":"request","args":{"c":"client0"},"obs":{"requested":true}}
{"event":"grant","args":{"c":"client0"},"obs":{"reserved":3}}
{"event":"tick","obs":{"waited":{"client0":1,"client1":1}}}
{"node":"client0","event":"receive","args":{"c":"client0"},"obs":{"left":2,"granted":[]}}
{"node":"client1","event":"request","args":{"c":"client1"}}
{"event":"tick","obs":{"reserved":1}}
`

func open(t testing.TB, path string) *ere.Specification {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	spec, _, err := ere.Read(path, string(text))
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// check compares a log with declarations.
func check(
	t testing.TB, spec *ere.Specification, declarations, log string, o Options,
) (*Result, error) {
	t.Helper()
	return checkUnder(context.Background(), t, spec, declarations, log, o)
}

func checkUnder(
	ctx context.Context, t testing.TB, spec *ere.Specification, declarations, log string, o Options,
) (*Result, error) {
	t.Helper()
	file := observe.Default()
	if declarations != "" {
		var err error
		if file, err = observe.Parse("spec.observe", declarations); err != nil {
			return nil, err
		}
	}
	events, err := runlog.Read("log", strings.NewReader(log), file.Shape)
	if err != nil {
		return nil, err
	}
	c, err := New(spec, spec.System.Instances[0], file, o)
	if err != nil {
		return nil, err
	}
	return c.Check(ctx, "log", events)
}

// Whatever a file holds, the answer is a result, or an error with a position.
func TestDamagedLogs(t *testing.T) {
	spec := open(t, lease)
	r := rand.New(rand.NewSource(1))
	answers := map[Answer]int{}
	c, err := New(spec, spec.System.Instances[0], observe.Default(), Options{Mutants: -1})
	if err != nil {
		t.Fatal(err)
	}
	for range 10_000 {
		log := []byte(leaseLog)
		for range 1 + r.Intn(3) {
			if len(log) == 0 {
				break
			}
			i, n := r.Intn(len(log)), r.Intn(20)
			switch r.Intn(9) {
			case 0, 1, 2, 3:
				if log[i] >= '0' && log[i] <= '9' {
					log[i] = byte('0' + r.Intn(4))
				}
			case 4:
				log[i] = byte(r.Intn(256))
			case 5:
				log = append(log[:i:i], log[min(i+n, len(log)):]...)
			case 6:
				log = append(log[:i:i],
					append([]byte(`{}[]",:\0x-1e9`)[n%10:n%10+3:n%10+3], log[i:]...)...)
			case 7:
				j := r.Intn(len(log))
				log = append(log[:i:i],
					append(bytes.Clone(log[j:min(j+n, len(log))]), log[i:]...)...)
			default:
				log = log[:i+1]
			}
		}
		var got *Result
		events, err := runlog.Read("log", bytes.NewReader(log), runlog.Standard())
		if err == nil {
			got, err = c.Check(context.Background(), "log", events)
		}
		var at *runlog.Error
		switch {
		case err == nil:
			answers[got.Answer]++
		case ErrNothing(err):
		case !errors.As(err, &at) || at.File != "log" || at.Line < 1 || at.Column < 1 ||
			at.Message == "":
			t.Fatalf("%q: no position: %v", log, err)
		default:
			answers["error"]++
		}
	}
	if answers["error"] < 5000 || answers[Accepted] < 100 || answers[NotAccepted] < 40 {
		t.Errorf("the logs are too much alike: %v", answers)
	}
}

func TestRefusals(t *testing.T) {
	spec := open(t, lease)
	for _, c := range []struct{ declarations, log, want string }{
		{"", `{"event":"requst"}`, `log:1:1: the event "requst" is not declared: the specification has no action "requst"; is request meant?`},
		{"", `{"event":"request","args":{"c":"alice"}}`, "declaration `names client = alice, ...`"},
		{"", `{"event":"request","args":{"d":"client0"}}`, `request has no parameter "d"`},
		{"", `{"event":"tick","obs":{"reservd":1}}`, "observation reservd"},
		{"", `{"event":"tick","obs":{"left":1}}`, "has an argument that is neither given nor the node"},
		{"", `{"event":"tick","obs":{"reserved":"much"}}`, `"much" is not a value of`},
		{"", `{"event":"tick","obs":{"reserved":true}}`, "true is not a value of"},
		{"silent tock", `{"event":"tick"}`, `spec.observe:1:1: the specification has no action "tock"; is tick meant?`},
		{"event go is tick(x = 1)", `{"event":"go"}`, `tick has no parameter "x"`},
		{"event go is request(c = {who})", `{"event":"go"}`, "has {who}"},
		{"event go if {x} is tick()", `{"event":"go"}`, "no declaration of event go applies"},
		{"names clint = a", `{"event":"tick"}`, `no sort "clint"`},
		{"names client = a, b, c", `{"event":"request","args":{"c":"c"}}`, `"c" is not a value of client; the names of its elements in this instance are a, b`},
		{"observe reserved + 1", `{"event":"tick"}`, "is no formula"},
		{"observe reserved = {left}", `{"event":"tick","lft":1}`, "has {left}"},
		{"order file\nfield obs = stat", `{"event":"tick","state":{"reserved":1}}`, "spec.observe:2:1: no event of log has the field stat"},
		{"order node", `{"event":"tick"}`, "the event has no node"},
		{"order time", `{"event":"tick","node":"x"}`, "the event has no time"},
		{
			"", `{"event":"tick","node":"x","seq":1,"t":[90,100]}` + "\n" + `{"event":"tick","node":"x","seq":2,"t":[50,89]}`,
			"log:1:1: a later event of node x ends before this one begins",
		},
	} {
		_, err := check(t, spec, c.declarations, c.log, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v instead of %s", c.declarations, c.log, err, c.want)
		}
	}
}

// What is written as JSON fits the schema.
func TestSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("trace.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("trace.json")
	if err != nil {
		t.Fatal(err)
	}
	spec := open(t, lease)
	for _, c := range []struct{ declarations, log string }{
		{"", leaseLog},
		{"silent lose", leaseLog + `{"event":"grant","args":{"c":"client1"}}` + "\n"},
		{"observe reserved = {r}", `{"event":"tick","r":7}`},
	} {
		got, err := check(t, spec, c.declarations, c.log, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := WriteJSON(&b, got, Context{Spec: "s", Log: "l", Instance: "i"}); err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Error(err)
		}
	}
}

// A changed log that is a run from another initial state counts as accepted.
func TestMutantsFromOtherInitialStates(t *testing.T) {
	spec, _, err := ere.Read("free.ere", "mutable constant x: bool\naction a() { require x | !x; }\ninstance only { }\n")
	if err != nil {
		t.Fatal(err)
	}
	got, err := check(t, spec, "", `{"event":"a","obs":{"x":false}}`+"\n"+`{"event":"a"}`+"\n",
		Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Answer != Accepted || got.Mutants.Tried == 0 || got.Mutants.Rejected > 0 {
		t.Errorf("%s, %+v", got.Answer, got.Mutants)
	}
}

// A run that violates a property is accepted, with a note.
func TestViolationIsNoted(t *testing.T) {
	spec, _, err := ere.Read("count.ere", "mutable constant n: 0..5\ninit n = 0\naction up() { n := n + 1; }\nsafety [low] n < 2\ninstance only { }\n")
	if err != nil {
		t.Fatal(err)
	}
	got, err := check(t, spec, "", strings.Repeat(`{"event":"up"}`+"\n", 3), Options{Mutants: -1})
	if err != nil {
		t.Fatal(err)
	}
	if got.Answer != Accepted || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "low is violated after line 2") {
		t.Errorf("%s, %q", got.Answer, got.Notes)
	}
}

// A log of a specification without variables has an end of its run, too.
func TestRunWithoutVariables(t *testing.T) {
	spec, _, err := ere.Read("empty.ere", "action a() { require true; }\naction b() { require false; }\ninstance only { }\n")
	if err != nil {
		t.Fatal(err)
	}
	got, err := check(t, spec, "", `{"event":"a"}`+"\n"+`{"event":"b"}`+"\n", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteText(&b, got, Context{Spec: "empty.ere", Log: "log", Instance: "only"}); err !=
		nil {
		t.Fatal(err)
	}
	if want := "line 1: a\n"; !strings.Contains(b.String(), want) {
		t.Errorf("%s is missing in\n%s", want, b.String())
	}
}

// An enum has the same members in every instance, so that a name too many is a mistake.
func TestNamesOfMembers(t *testing.T) {
	spec, _, err := ere.Read("lamp.ere", "enum color { red, green }\nmutable constant lamp: color\ninit lamp = red\naction turn(c: color) { lamp := c; }\ninstance only { }\n")
	if err != nil {
		t.Fatal(err)
	}
	log := `{"event":"turn","args":{"c":"g"}}` + "\n"
	if got, err := check(t, spec, "names color = r, g", log, Options{Mutants: -1}); err != nil ||
		got.Answer != Accepted {
		t.Errorf("%v %v", got, err)
	}
	if _, err := check(t, spec, "names color = r, g, b", log, Options{}); err == nil ||
		!strings.Contains(err.Error(), "color has 2 members, and 3 names") {
		t.Errorf("%v", err)
	}
}

// Where a limit ends the search within an event of several steps, the longest run ends before it.
func TestLimitWithinEvent(t *testing.T) {
	spec, _, err := ere.Read("wide.ere", "type size = 0..20000\nmutable constant on: bool\nmutable constant n: size\ninit !on & n = 0\n"+
		"action start() { require !on; on := true; }\naction pick(x: size) { n := x; }\ninstance only { }\n")
	if err != nil {
		t.Fatal(err)
	}
	got, err := check(t, spec, "event go is start() then pick()", `{"event":"go"}`+"\n", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Answer != Unknown || !strings.Contains(got.Reason, "pick has more than 10000 steps") {
		t.Errorf("%s: %s", got.Answer, got.Reason)
	}
	if len(got.DeadEnds) != 1 || len(got.Run.Steps) != 0 ||
		!slices.Equal(got.DeadEnds[0].State, got.Run.First) {
		t.Errorf("the run ends in another state: %+v", got.DeadEnds)
	}
}

// How many arguments a value has does not depend on the order in which an object is read.
func TestDepth(t *testing.T) {
	pair := []any{[]any{"x", "y"}}
	for range 50 {
		if d := depth(runlog.NewObject(runlog.Field{Name: "b", Value: pair},
			runlog.Field{Name: "a", Value: []any{}})); d != 3 {
			t.Fatalf("%d arguments", d)
		}
	}
}

// The first state of a trace is an initial state, and none that silent steps lead to.
func TestFirstStateIsInitial(t *testing.T) {
	spec, _, err := ere.Read("count.ere", "mutable constant n: 0..5\ninit n = 0\naction up() { n := n + 1; }\ninstance only { }\n")
	if err != nil {
		t.Fatal(err)
	}
	for first, want := range map[string]Answer{"0": Accepted, "1": NotAccepted} {
		log := `{"event":"#first","obs":{"n":` + first + `}}` + "\n" + `{"event":"up","obs":{"n":2}}` + "\n"
		got, err := check(t, spec, "silent up", log, Options{SilentMost: -1, Mutants: -1})
		if err != nil {
			t.Fatal(err)
		}
		if got.Answer != want {
			t.Errorf("n = %s: %s", first, got.Answer)
		}
		if want == NotAccepted && got.Prefix != 0 {
			t.Errorf("%d events", got.Prefix)
		}
	}
}

// wideSpec has a property and a requirement that range over 10^11 combinations, none of which can
// be left out early.
const wideSpec = `immutable constant N: int
type number = 1..N
mutable function f(number): number
init f(I) = 1
action go() { f(1) := 2; }
action search() { require exists I: number, J: number, K: number. I + J + f(K) < 0; }
safety [none] forall I: number, J: number, K: number. I + J + f(K) > 0
instance wide { N = 5000 }
`

// An interrupt ends a check in a requirement, and while properties are evaluated along the run.
func TestCheckEndsWithItsContext(t *testing.T) {
	spec, _, err := ere.Read("wide.ere", wideSpec)
	if err != nil {
		t.Fatal(err)
	}
	ctx := &testkit.Late{Context: context.Background(), Left: 100}
	_, err = checkUnder(ctx, t, spec, "", `{"event":"search"}`, Options{})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	model, err := interp.NewModel(spec.System, spec.System.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	ctx.Left = 10
	model = model.Under(ctx)
	run := Run{Model: model, First: slices.Repeat(interp.State{1}, 5001)}
	run.First[0] = 5000
	if _, err := run.violations(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Properties that range over many values are evaluated at the beginning of a run only, and the
// result says so.
func TestPropertiesOfManyValues(t *testing.T) {
	text := strings.ReplaceAll(strings.ReplaceAll(wideSpec, "5000", "120"), "f(1) := 2",
		"f(1) := if f(1) = 2 then 1 else 2")
	spec, _, err := ere.Read("wide.ere", text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := check(t, spec, "", strings.Repeat("{\"event\":\"go\"}\n", 9), Options{Mutants: -1})
	if err != nil || r.Answer != Accepted {
		t.Fatal(r, err)
	}
	if !slices.Contains(r.Notes, "the properties are evaluated in the first 2 of 10 states only: "+
		"they range over many values") {
		t.Errorf("notes: %q", r.Notes)
	}
}
