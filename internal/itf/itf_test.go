package itf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"erelong.dev/erelong/internal/result"
)

func example() *result.Trace {
	c0, c1 := result.Atom("client", "client0"), result.Atom("client", "client1")
	set := func(keys ...result.Value) result.Value {
		v := result.Value{Kind: result.SetValue}
		for _, k := range keys {
			v.Rows = append(v.Rows, result.Row{Key: []result.Value{k}})
		}
		return v
	}
	return &result.Trace{
		Kind: result.Counterexample, Instance: "small", Violates: "mutex", Line: 12, Loop: 1,
		Universe: []result.Universe{{Sort: "client", Elements: []string{"client0", "client1"}},
			{Sort: "ticket", Elements: []string{"ticket0"}}},
		Params: []result.Binding{{Name: "M", Value: result.Int("-4")},
			{Name: "ticket", Value: result.Bool(true)}},
		Steps: []result.Step{
			{State: []result.Binding{
				{Name: "z", Value: set()},
				{Name: "phase", Value: result.Atom("phase", "RRcv")},
				{Name: "link",
					Value: result.Value{Kind: result.SetValue,
						Rows: []result.Row{{Key: []result.Value{c0, c1}},
							{Key: []result.Value{c1, c0}}}}},
				{Name: "sched",
					Value: result.Value{Kind: result.MapValue,
						Rows: []result.Row{{Key: []result.Value{c0}, Result: result.Int("18446744073709551616")}}}},
				{Name: "a", Value: result.Value{Kind: result.NoValue}},
			}},
			{Action: "enter",
				Args: []result.Binding{{Name: "c", Value: c0},
					{Name: "b", Value: result.Bool(false)}, {Name: "b", Value: result.Int("3")}},
				State: []result.Binding{
					{Name: "z", Value: set(c0, c1)},
					{Name: "phase", Value: result.Atom("stage", "RRcv")},
					{Name: "link", Value: result.Value{Kind: result.SetValue}},
					{Name: "sched",
						Value: result.Value{Kind: result.MapValue,
							Rows: []result.Row{{Key: []result.Value{c0, result.Int("2")},
								Result: c1}}}},
					{Name: "a", Value: result.Bool(true)},
				}},
		},
	}
}

func write(t testing.TB, trace *result.Trace) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, trace); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestITFText(t *testing.T) {
	want := `{
  "#meta": {"format":"ITF","format-description":"https://apalache-mc.org/docs/adr/015adr-trace.html","description":"A counterexample of erelong","kind":"counterexample","instance":"small","violates":"mutex","line":12,"universe":[{"sort":"client","param":"client","elements":["client0","client1"]},{"sort":"ticket","param":"universe_ticket","elements":["ticket0"]}],"varTypes":{"z":"Set(client)","phase":"Str","link":"Set(<<client, client>>)","sched":"client -> Int","a":"Bool"},"atoms":{"RRcv":{"sort":"phase","name":"RRcv"},"RRcv'":{"sort":"stage","name":"RRcv"}}},
  "params": ["M","ticket","client","universe_ticket"],
  "vars": ["z","phase","link","sched","a","mbt::actionTaken","mbt::nondetPicks"],
  "states": [
    {"#meta":{"index":0},"M":{"#bigint":"-4"},"ticket":true,"client":{"#set":["client0_OF_client","client1_OF_client"]},"universe_ticket":{"#set":["ticket0_OF_ticket"]},"z":{"#set":[]},"phase":"RRcv","link":{"#set":[{"#tup":["client0_OF_client","client1_OF_client"]},{"#tup":["client1_OF_client","client0_OF_client"]}]},"sched":{"#map":[["client0_OF_client",{"#bigint":"18446744073709551616"}]]},"a":{"#unserializable":"?"},"mbt::actionTaken":"init","mbt::nondetPicks":{}},
    {"#meta":{"index":1,"action":"enter","args":[{"name":"c","value":"client0_OF_client"},{"name":"b","value":false},{"name":"b","value":{"#bigint":"3"}}]},"z":{"#set":["client0_OF_client","client1_OF_client"]},"phase":"RRcv'","link":{"#set":[]},"sched":{"#map":[[{"#tup":["client0_OF_client",{"#bigint":"2"}]},"client1_OF_client"]]},"a":true,"mbt::actionTaken":"enter","mbt::nondetPicks":{"c":{"tag":"Some","value":"client0_OF_client"},"b":{"tag":"Some","value":false}}}
  ],
  "loop": 1
}
`
	got := write(t, example())
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Error(diff)
	}
	if !json.Valid([]byte(got)) {
		t.Error("not valid JSON")
	}
}

// same compares up to the difference between an empty slice and nil.
func same(t testing.TB, want, got *result.Trace) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatal(diff)
	}
}

func TestITFRoundTrip(t *testing.T) {
	traces := map[string]*result.Trace{
		"example": example(),
		"a loop of a fair run": {Kind: result.Counterexample, Loop: 1, Violates: "p",
			Universe: []result.Universe{{Sort: "s", Elements: []string{"s0"}}},
			Steps:    []result.Step{{}, {Action: "go"}},
			Back: result.Step{Action: "back",
				Args: []result.Binding{{Name: "x", Value: result.Atom("s", "s0")},
					{Name: "y", Value: result.Atom("t", "s0")}}},
			Fairness: []result.Fairness{
				{Action: "back", Args: []result.Binding{{Name: "x", Value: result.Atom("s", "s0")}},
					Why: result.Taken, At: 1},
				{Strong: true, Action: "go", Why: result.NeverEnabled},
				{Action: "stop", Why: result.Disabled, At: 1},
			}},
		"no steps": {Kind: result.Witness, Loop: -1,
			Params:   []result.Binding{{Name: "M", Value: result.Int("3")}},
			Universe: []result.Universe{{Sort: "s"}}},
		"one empty state": {Kind: result.ToInduction, Loop: -1, Steps: []result.Step{{}}},
		"an action without a name": {Kind: result.Witness, Loop: 0,
			Steps: []result.Step{{},
				{Args: []result.Binding{{Name: "x", Value: result.Bool(true)}}}}},
		"a first action": {Kind: result.Witness, Loop: -1, Steps: []result.Step{{Action: "start"}}},
		"atoms in disguise": {Kind: result.Witness, Loop: -1,
			Universe: []result.Universe{{Sort: "x_OF_y"}, {Sort: "y"}},
			Steps: []result.Step{{State: []result.Binding{
				{Name: "a", Value: result.Atom("x_OF_y", "e")},
				{Name: "b", Value: result.Atom("y", "e_OF_x")},
				{Name: "c", Value: result.Atom("", "e_OF_x_OF_y")}, {Name: "d", Value: result.Atom("", "plain")},
				{Name: "e", Value: result.Atom("y", "")},
				{Name: "f", Value: result.Atom("enum", "a_OF_y")}, {Name: "g", Value: result.Atom("", "")},
			}}}},
		"text to escape": {Kind: result.Witness, Loop: -1, Violates: "a\"<b>&\n\u2028",
			Steps: []result.Step{{Action: "é\\",
				State: []result.Binding{{Name: "<x>", Value: result.Atom("s", "\x00\x1b[31m")}}}}},
	}
	for name, trace := range traces {
		t.Run(name, func(t *testing.T) {
			got, err := Read(strings.NewReader(write(t, trace)))
			if err != nil {
				t.Fatal(err)
			}
			same(t, trace, got)
		})
	}
}

// A variable that a state lacks is unknown there.
func TestITFFillsIn(t *testing.T) {
	trace := &result.Trace{Kind: result.Witness, Loop: -1,
		Steps: []result.Step{{State: []result.Binding{{Name: "a", Value: result.Bool(true)}}},
			{State: []result.Binding{{Name: "b", Value: result.Bool(true)}}}}}
	got, err := Read(strings.NewReader(write(t, trace)))
	if err != nil {
		t.Fatal(err)
	}
	trace.Steps[0].State = []result.Binding{{Name: "a", Value: result.Bool(true)},
		{Name: "b", Value: result.Value{Kind: result.NoValue}}}
	trace.Steps[1].State = []result.Binding{{Name: "a", Value: result.Value{Kind: result.NoValue}},
		{Name: "b", Value: result.Bool(true)}}
	same(t, trace, got)
}

func TestITFRefusesToWrite(t *testing.T) {
	state := func(b ...result.Binding) *result.Trace {
		return &result.Trace{Loop: -1, Steps: []result.Step{{State: b}}}
	}
	tests := []struct {
		trace *result.Trace
		want  string
	}{
		{state(result.Binding{Name: "x", Value: result.Bool(true)},
			result.Binding{Name: "x", Value: result.Bool(true)}), "variable x has two values in state 0"},
		{state(result.Binding{Name: "#meta", Value: result.Bool(true)}), `variable "#meta": the name is reserved`},
		{state(result.Binding{Name: "x", Value: result.Int("1.5")}), `the value of x: "1.5" is not a decimal integer`},
		{state(result.Binding{Name: "x", Value: result.Int("007")}), `"007" is not a decimal integer`},
		{state(result.Binding{Name: "x", Value: result.Value{Kind: 17}}), "kind 17"},
		{state(result.Binding{Name: "x", Value: result.Atom("s", "\xff")}), "not valid UTF-8"},
		{state(result.Binding{Name: "x",
			Value: result.Value{Kind: result.SetValue,
				Rows: []result.Row{{Key: []result.Value{{Kind: result.SetValue}}}}}}), "the argument {} is a relation"},
		{&result.Trace{Loop: 1, Steps: []result.Step{{}}}, "the loop starts at state 1"},
		{&result.Trace{Loop: -1, Params: []result.Binding{{Name: "x", Value: result.Bool(true)}},
			Steps: []result.Step{{State: []result.Binding{{Name: "x", Value: result.Bool(true)}}}}},
			"x is both"},
	}
	for _, test := range tests {
		var b bytes.Buffer
		err := Write(&b, test.trace)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
		if b.Len() > 0 {
			t.Errorf("%s: something was written", test.want)
		}
	}
}

func TestITFOfOtherTools(t *testing.T) {
	tests := []struct {
		name, text string
		want       *result.Trace
	}{
		{"Apalache", `{"vars":["bank","who"],"states":[{"#meta":{"index":0},"bank":"E",
			"who":{"#map":[["W",{"#set":[]}],["E",{"#set":["m1_OF_PERSON","c1_OF_PERSON"]}]]}}]}`,
			&result.Trace{Kind: result.Witness, Loop: -1,
				Steps: []result.Step{{State: []result.Binding{
					{Name: "bank", Value: result.Atom("", "E")},
					{Name: "who", Value: result.Value{Kind: result.MapValue, Rows: []result.Row{
						{Key: []result.Value{result.Atom("", "E")},
							Result: result.Value{Kind: result.ElementsValue,
								Rows: []result.Row{{Key: []result.Value{result.Atom("PERSON",
									"c1")}}, {Key: []result.Value{result.Atom("PERSON", "m1")}}}}},
						{Key: []result.Value{result.Atom("", "W")},
							Result: result.Value{Kind: result.ElementsValue}},
					}}},
				}}}}},
		{"Quint", `{"#meta":{"format":"ITF","status":"violation","timestamp":1701944461444},
			"vars":["n","mbt::actionTaken","mbt::nondetPicks","mbt::actionTaken","mbt::nondetPicks"],"states":[
			{"#meta":{"index":0},"n":{"#bigint":"0"},"mbt::actionTaken":"init","mbt::nondetPicks":{"by":{"tag":"None","value":{"#tup":[]}}}},
			{"#meta":{"index":1},"n":-2,"mbt::actionTaken":"add","mbt::nondetPicks":{"by":{"tag":"Some","value":{"#bigint":"-02"}},"to":{"tag":"None","value":{}}}}]}`,
			&result.Trace{Kind: result.Counterexample, Loop: -1, Steps: []result.Step{
				{State: []result.Binding{{Name: "n", Value: result.Int("0")}}},
				{Action: "add", Args: []result.Binding{{Name: "by", Value: result.Int("-2")}},
					State: []result.Binding{{Name: "n", Value: result.Int("-2")}}},
			}}},
		{"plain numbers, a loop, repeated parameters", `{"params":["N"],"vars":["s"],"loop":0,"states":[
			{"N":3,"s":{"#set":[10,9,10,{"#bigint":"9"}]}},{"N":{"#bigint":"3"},"s":{"#set":[{"#tup":[1,true]},{"#tup":["x"]}]}}]}`,
			&result.Trace{Kind: result.Witness, Loop: 0,
				Params: []result.Binding{{Name: "N", Value: result.Int("3")}}, Steps: []result.Step{
					{State: []result.Binding{{Name: "s",
						Value: result.Value{Kind: result.SetValue,
							Rows: []result.Row{{Key: []result.Value{result.Int("9")}},
								{Key: []result.Value{result.Int("10")}}}}}}},
					{State: []result.Binding{{Name: "s",
						Value: result.Value{Kind: result.SetValue,
							Rows: []result.Row{{Key: []result.Value{result.Int("1"),
								result.Bool(true)}},
								{Key: []result.Value{result.Atom("", "x")}}}}}}},
				}}},
		{"no states", `{"vars":["s"],"states":[]}`, &result.Trace{Kind: result.Witness, Loop: -1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Read(strings.NewReader(test.text))
			if err != nil {
				t.Fatal(err)
			}
			same(t, test.want, got)
		})
	}
}

var malformed = []struct{ text, want string }{
	{"", "1:1: unexpected end of JSON input"},
	{"{\"vars\":\n  [\"x\",]}", "2:8: invalid character ']'"},
	{"{\"vars\":[],\n\"é\":x}", "2:5: invalid character 'x'"},
	{"{\"vars\":[\n", "2:1: unexpected end of JSON input"},
	{`{"vars":[],"states":[]} {}`, "1:25: invalid character '{' after top-level value"},
	{"{\n\"\xff\":1}", "2:2: the file is not valid UTF-8"},
	{`[]`, "1:1: a trace is a JSON object, not an array"},
	{`{"states":[]}`, `1:1: an object needs the field "vars"`},
	{`{"vars":[]}`, `1:1: a trace needs the field "states"`},
	{`{"vars":[],"vars":[]}`, `1:12: the field "vars" occurs twice`},
	{`{"vars":[1],"states":[]}`, "1:10: vars holds a number, not only strings"},
	{`{"vars":["x","x"],"states":[]}`, "1:14: x occurs twice in vars"},
	{`{"vars":["#x"],"states":[]}`, `1:10: "#x" in vars: the name is reserved`},
	{`{"params":["x"],"vars":["x"],"states":[]}`, "x is among params and vars"},
	{`{"params":["x"],"vars":[],"states":[{}]}`,
		"the first state has no value for the parameter x"},
	{`{"params":["x"],"vars":[],"states":[{"x":1},{"x":2}]}`, "1:50: the parameter x changes in state 1"},
	{`{"vars":[],"states":{}}`, "1:21: states is an object, not an array"},
	{`{"vars":[],"states":[1]}`, "1:22: state 0 is a number, not an object"},
	{"{\"vars\":[\"x\"],\"states\":[{\"x\":1},\n {}]}", "2:2: state 1 has no value for x"},
	{`{"vars":[],"states":[{"x":1}]}`,
		`1:27: state 0 has a value for "x", which is not among vars`},
	{`{"vars":["x"],"states":[{"x":null}]}`, "1:30: null does not fit"},
	{`{"vars":["x"],"states":[{"x":1.5}]}`, "1:30: the number 1.5 is not an integer"},
	{`{"vars":["x"],"states":[{"x":{"#bigint":5}}]}`, "1:41: a #bigint is a string of decimal digits"},
	{`{"vars":["x"],"states":[{"x":{"#bigint":"0x1"}}]}`,
		"a #bigint is a string of decimal digits"},
	{`{"vars":["x"],"states":[{"x":{"#set":{}}}]}`, "a #set is an array, not an object"},
	{`{"vars":["x"],"states":[{"x":{"#map":[[1]]}}]}`,
		"1:39: an entry of a #map is an array of two"},
	{`{"vars":["x"],"states":[{"x":{"#map":[[1,2],[1,3]]}}]}`, "a #map with two values for the key 1"},
	{`{"vars":["x"],"states":[{"x":{"#unserializable":1}}]}`, "an #unserializable is a string"},
	{`{"vars":[],"states":[{}],"loop":1}`, "1:33: the loop starts at state 1, but there are 1 states"},
	{`{"vars":[],"states":[{}],"loop":-1}`, "the loop starts at state -1"},
	{`{"vars":[],"states":[{}],"loop":"0"}`, "loop is a string, not a number"},
	{`{"vars":[],"states":[{}],"loop":0.5}`, "loop is 0.5, not a small integer"},
	{`{"#meta":1,"vars":[],"states":[]}`, "1:10: #meta is a number, not an object"},
	{`{"#meta":{"kind":"story"},"vars":[],"states":[]}`, `1:18: "story" is no kind of trace`},
	{`{"#meta":{"universe":[{"sort":"s"}]},"vars":[],"states":[]}`, `an object needs the field "elements"`},
	{`{"#meta":{"universe":[1]},"vars":[],"states":[]}`, `a number needs the field "sort"`},
	{`{"#meta":{"atoms":{"x":{"sort":"s"}}},"vars":[],"states":[]}`, `needs the field "name"`},
	{`{"#meta":{"params":[{"name":"x","value":1},{"name":"x","value":1}]},"vars":[],"states":[]}`, "reserved or has two values"},
	{`{"vars":[],"states":[{},{"mbt::actionTaken":1}]}`, "mbt::actionTaken is a number, not a string"},
	{`{"vars":[],"states":[{},{"mbt::nondetPicks":[]}]}`, "mbt::nondetPicks is an array, not an object"},
	{`{"vars":[],"states":[{},{"mbt::nondetPicks":{"x":{"tag":"Some"}}}]}`, "the pick x has no value"},
	{`{"vars":[],"states":[{"#meta":[]}]}`, "#meta is an array, not an object"},
	{`{"vars":[],"states":[{"#meta":{"args":[{"name":"x"}]}}]}`, "x in args has no value"},
	{strings.Repeat("[", 20000), "exceeded max depth"},
}

func TestITFRefusesToRead(t *testing.T) {
	for _, test := range malformed {
		trace, err := Read(strings.NewReader(test.text))
		var at *Error
		if !errors.As(err, &at) || !strings.Contains(err.Error(), test.want) || trace != nil {
			t.Errorf("%.80s\n  error %v\n  want  %s", test.text, err, test.want)
		}
	}
}

// data generates structured data.
func data(t *rapid.T, depth int) result.Value {
	kind := result.AtomValue
	if depth > 0 {
		kind = rapid.SampledFrom([]result.ValueKind{result.IntValue, result.AtomValue,
			result.NoValue, result.ElementsValue, result.EntriesValue, result.RecordValue,
			result.TupleValue, result.SequenceValue, result.VariantValue}).Draw(t, "kind")
	}
	v := result.Value{Kind: kind}
	names := []string{"value", "a", "tag"}
	switch kind {
	case result.IntValue:
		return result.Int(fmt.Sprint(rapid.IntRange(-2, 2).Draw(t, "int")))
	case result.AtomValue:
		return result.Atom("s0", rapid.SampledFrom([]string{"x", "some", "y_OF_"}).Draw(t, "atom"))
	case result.NoValue:
		return v
	case result.VariantValue:
		v.Text = rapid.SampledFrom([]string{"stop", "ask", "some"}).Draw(t, "tag")
		if v.Text == "some" {
			names = names[:1]
		}
	}
	least := 0
	if kind == result.TupleValue {
		least = 1
	}
	for i := range rapid.IntRange(least, len(names)).Draw(t, "rows") {
		key := data(t, depth-1)
		r := result.Row{Key: []result.Value{key}}
		switch kind {
		case result.RecordValue, result.VariantValue:
			r.Key[0] = result.Atom("", names[i])
			fallthrough
		case result.EntriesValue:
			r.Result = data(t, depth-1)
		}
		v.Rows = append(v.Rows, r)
	}
	if kind == result.ElementsValue || kind == result.EntriesValue {
		result.SortElements(v.Rows)
		v.Rows = slices.CompactFunc(v.Rows, func(a, b result.Row) bool {
			return a.KeyString() == b.KeyString()
		})
	}
	return v
}

// traces generates traces as engines make them: every state binds every variable, rows are sorted.
func traces() *rapid.Generator[*result.Trace] {
	word := rapid.SampledFrom([]string{"a", "b1", "b2", "b10", "é", "x_OF_s0", "_OF_", "", "s0", "RRcv", "<\"\\>"})
	return rapid.Custom(func(t *rapid.T) *result.Trace {
		trace := &result.Trace{
			Kind: rapid.SampledFrom([]result.TraceKind{result.Counterexample,
				result.ToInduction, result.Witness}).Draw(t, "kind"),
			Instance: word.Draw(t, "instance"), Violates: word.Draw(t, "violates"),
			Line: rapid.IntRange(0, 99).Draw(t, "line"), Loop: -1,
			Assuming: rapid.SliceOfN(word, 0, 2).Draw(t, "assuming"),
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "sorts") {
			trace.Universe = append(trace.Universe,
				result.Universe{Sort: fmt.Sprintf("s%d", i),
					Elements: rapid.SliceOfN(word, 0, 3).Draw(t, "elements")})
		}
		scalar := func(sort int) result.Value {
			switch sort {
			case 0:
				return result.Bool(rapid.Bool().Draw(t, "bool"))
			case 1:
				return result.Int(fmt.Sprint(rapid.Int64().Draw(t, "int")))
			}
			return result.Atom(fmt.Sprintf("s%d", sort-2), word.Draw(t, "atom"))
		}
		value := func() result.Value {
			sort := rapid.IntRange(0, 6).Draw(t, "sort")
			v := result.Value{Kind: rapid.SampledFrom([]result.ValueKind{result.BoolValue,
				result.NoValue, result.SetValue, result.MapValue}).Draw(t, "kind")}
			if v.Kind == result.BoolValue {
				return scalar(sort)
			}
			if v.Kind == result.NoValue {
				return v
			}
			arity := rapid.IntRange(0, 3).Draw(t, "arity")
			for range rapid.IntRange(0, 4).Draw(t, "rows") {
				var row result.Row
				for range arity {
					row.Key = append(row.Key, scalar(sort))
				}
				if v.Kind == result.MapValue {
					row.Result = scalar(rapid.IntRange(0, 6).Draw(t, "result"))
				}
				v.Rows = append(v.Rows, row)
			}
			result.SortRows(v.Rows)
			v.Rows = slices.CompactFunc(v.Rows, func(a, b result.Row) bool {
				return slices.EqualFunc(a.Key, b.Key, result.Value.Equal)
			})
			return v
		}
		bindings := func(names ...string) (list []result.Binding) {
			for _, n := range names {
				v := value()
				if n == "data" {
					v = data(t, 3)
				} else if v.Kind == result.MapValue && rapid.Bool().Draw(t, "structured") {
					for i := range v.Rows {
						v.Rows[i].Result = data(t, 2)
					}
				}
				list = append(list, result.Binding{Name: n, Value: v})
			}
			return list
		}
		trace.Params = bindings([]string{"p", "s0",
			"q"}[:rapid.IntRange(0, 3).Draw(t, "params")]...)
		vars := []string{"x", "data", "universe_s0", "s1"}[:rapid.IntRange(0, 4).Draw(t, "vars")]
		for range rapid.IntRange(0, 4).Draw(t, "steps") {
			trace.Steps = append(trace.Steps, result.Step{
				Action: word.Draw(t, "action"),
				Args:   bindings(rapid.SliceOfN(word, 0, 2).Draw(t, "args")...),
				State:  bindings(vars...),
			})
		}
		if n := len(trace.Steps); n > 0 {
			trace.Loop = rapid.IntRange(-1, n-1).Draw(t, "loop")
		}
		return trace
	})
}

func TestITFRoundTripOfGenerated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trace := traces().Draw(t, "trace")
		var b bytes.Buffer
		if err := Write(&b, trace); err != nil {
			t.Fatal(err)
		}
		got, err := Read(&b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(trace, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A trace that was read can be written, and read again unchanged.
func FuzzReadITF(f *testing.F) {
	f.Add(write(f, example()))
	for _, m := range malformed {
		if len(m.text) < 1000 {
			f.Add(m.text)
		}
	}
	f.Add(`{"#meta":{"status":"violation"},"params":["N"],"vars":["x","mbt::actionTaken"],"states":[{"N":1,"x":{"#map":[[{"#tup":[1,"a_OF_b"]},{"#set":[true]}]]},"mbt::actionTaken":"init"}],"loop":0}`)
	f.Fuzz(func(t *testing.T, text string) {
		trace, err := Read(strings.NewReader(text))
		if err != nil {
			var at *Error
			if !errors.As(err, &at) || at.Line < 1 || at.Column < 1 {
				t.Fatalf("%v has no position", err)
			}
			return
		}
		again, err := Read(strings.NewReader(write(t, trace)))
		if err != nil {
			t.Fatal(err)
		}
		same(t, trace, again)
	})
}

func TestCompareTellsTextsApart(t *testing.T) {
	if result.Atom("s", "n01").Compare(result.Atom("s", "n1")) == 0 {
		t.Error("n01 and n1 compare as equal")
	}
	if result.Atom("s", "n2").Compare(result.Atom("s", "n10")) >= 0 {
		t.Error("n2 is not before n10")
	}
}
