package work

import (
	"reflect"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/verify"
)

// Each setting of an engine is part of a job, or is known to have no effect on its findings.
func TestOptionsAreComplete(t *testing.T) {
	without := map[reflect.Type]string{
		// The run decides on methods, and guesses instances; the rest is about other processes.
		reflect.TypeFor[verify.Options](): "Explore Infer Live Rests Bound Zone GuessStates GuessTime GuessDepth Progress Elsewhere Explored Others Take methods Stop Swarm Of violated looked",
		// The task has limits of its own; Refused refuses checkpoints.
		reflect.TypeFor[explicit.Options]():  "Only Threads Sink Witnesses Division Checkpoint Work budget tuning",
		reflect.TypeFor[induction.Options](): "Only Satisfiable Raw Draft Memory Unaided",
		reflect.TypeFor[bmc.Options]():       "Options Only Budget Safe Sink Integers quantified",
		// Hooks of the run are made again by the worker. Engines choose Constants.
		reflect.TypeFor[discharge.Options](): "Drivers Lead Wall Rendering Jobs Slots LogDir Cores Constants Split Note Failed Each Begin Hard Suspect Violated Progress",
	}
	own := map[string]bool{"Options": true, "Induct": true, "Bmc": true, "Cache": true,
		"Solving": true}
	for _, x := range []reflect.Type{reflect.TypeFor[Options](), reflect.TypeFor[Explicit](),
		reflect.TypeFor[Solving]()} {
		for i := range x.NumField() {
			own[x.Field(i).Name] = true
		}
	}
	for x, list := range without {
		for i := range x.NumField() {
			name := x.Field(i).Name
			if !own[name] && !strings.Contains(" "+list+" ", " "+name+" ") {
				t.Errorf("%s.%s is not part of a job", x, name)
			}
		}
	}
}

// Settings come back as they were.
func TestOptionsComeBack(t *testing.T) {
	var o Options
	fill(reflect.ValueOf(&o).Elem())
	o.Instances = nil // they need a system
	back, err := o.options(&system.System{}, Here{})
	if err != nil {
		t.Fatal(err)
	}
	got := optionsOf(back)
	got.Solving.Cached = true // there is no cache here
	if !reflect.DeepEqual(got, o) {
		t.Errorf("%+v\nwant %+v", got, o)
	}
}

// fill gives every field a value that is not zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.String:
		v.SetString("x")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}
