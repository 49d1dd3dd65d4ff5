package runlog

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
	}{
		{"no JSON", `{"event":"a"}` + "\nhello\n", "log:2:1: this is not JSON"},
		{"no object", `["event"]`, "log:1:1: the line is not a JSON object"},
		{"cut off", `{"event":"a","args":{"x":1`, "log:1:27: the line ends within the event"},
		{"two objects", `{"event":"a"} {"event":"b"}`, "log:1:15: there is text after the event"},
		{"no event", `{"node":"n1"}`, `the field "event" is missing`},
		{"event is a list", `{"event":["a"]}`, `log:1:2: "event" must be a string or a number`},
		{"name twice", `{"event":"a","event":"b"}`, `the name "event" occurs twice`},
		{"inner name twice", `{"event":"a","obs":{"x":1,"x":2}}`, `the name "x" occurs twice`},
		{"unknown field", `{"event":"a","arg":{}}`, `log:1:14: nothing reads the field "arg"`},
		{"seq is a text", `{"event":"a","seq":"1"}`, `"seq" must be an integer`},
		{"seq is a fraction", `{"event":"a","seq":1.5}`, `"seq" must be an integer`},
		{"time backwards", `{"event":"a","t":[2,1]}`, "ends before it begins"},
		{"time of three", `{"event":"a","t":[1,2,3]}`, "two times"},
		{"fraction of time", `{"event":"a","t":1.5}`, "use a smaller unit"},
		{"text as time", `{"event":"a","t":"noon"}`, "neither an integer nor of the form"},
		{"args is a list", `{"event":"a","args":[1]}`, `"args" must be an object`},
		{"not UTF-8", "{\"event\":\"\xff\"}", "log:1:11: the line is not UTF-8"},
		{"deep", `{"event":"a","obs":` + strings.Repeat("[", 200) + "}", "nested more than"},
		{"long", strings.Repeat(" ", MaxLine+1), "longer than"},
	} {
		_, err := Read("log", strings.NewReader(c.text), Standard())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v instead of %s", c.name, err, c.want)
		}
	}
}

func TestRead(t *testing.T) {
	const text = `{"node":"n1","seq":3,"t":[5,7],"event":"send","args":{"x":1},"obs":{"y":true},"send":"m"}

{"event":"get","node":2,"t":"1970-01-01T00:00:00.000000009Z","receive":"m"}`
	got, err := Read("log", strings.NewReader(text), Standard())
	if err != nil || len(got) != 2 {
		t.Fatal(got, err)
	}
	a, b := got[0], got[1]
	if a.Node != "n1" || a.Seq != 3 || a.Since != 5 || a.Until != 7 || a.Name != "send" ||
		!reflect.DeepEqual(a.Args, Object{{"x", json.Number("1")}}) ||
		!reflect.DeepEqual(a.Obs, Object{{"y", true}}) || a.Send != "m" {
		t.Errorf("first event: %+v", a)
	}
	if b.Line != 3 || b.Node != "2" || b.HasSeq || b.Since != 9 || b.Until != 9 ||
		b.Receive != "m" {
		t.Errorf("second event: %+v", b)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"node":"n1","seq":3,"t":[5,7],"event":"send","args":{"x":1},"obs":{"y":true}}`)
	f.Add("{\"event\":\"\xff\"}\n[]")
	f.Fuzz(func(t *testing.T, text string) {
		events, err := Read("log", strings.NewReader(text), Standard())
		var at *Error
		if err != nil &&
			(!errors.As(err, &at) || at.Line < 1 || at.Column < 1 || at.File != "log") {
			t.Errorf("no position: %v", err)
		}
		for _, e := range events {
			if e.Name == "" || e.Line < 1 {
				t.Errorf("%+v", e)
			}
		}
	})
}
