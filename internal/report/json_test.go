package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"erelong.dev/erelong/internal/itf"
	"erelong.dev/erelong/internal/result"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("result.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("result.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func jsonText(t *testing.T, r *Report) string {
	t.Helper()
	var b strings.Builder
	if err := WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func validate(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

func oddTrace() *result.Trace {
	return &result.Trace{Kind: result.Witness, Loop: 0, Steps: []result.Step{
		{State: []result.Binding{
			{Name: "long", Value: result.Int("-" + strings.Repeat("7", 5000))},
			{Name: "unknown", Value: result.Value{Kind: result.NoValue}},
			{Name: "<script>", Value: result.Atom("colour", "red\x00")},
			{Name: "f", Value: function(result.Bool(true), result.Bool(false))},
			{Name: "r", Value: result.Value{Kind: result.SetValue,
				Rows: []result.Row{{Key: []result.Value{result.Int("0"), result.Int("1")}}}}},
		}},
	}}
}

func reports() map[string]*Report {
	return map[string]*Report{
		"example": exampleReport(),
		"empty":   {},
		"diagnosed": {Results: []result.Result{
			{Property: "mutex", Verdict: result.NotInductive, Trace: diagnosed()},
			{Property: "p", Verdict: result.NotInductive,
				Trace: &result.Trace{Kind: result.ToInduction, Loop: -1,
					Diagnosis: &result.Diagnosis{Finding: result.NotExplored, Reason: "too big"}}},
		}},
		"live": {Command: "live", Results: []result.Result{liveResult()}},
		"odd traces": {Results: []result.Result{
			{Property: "a", Verdict: result.Unknown, Trace: oddTrace()},
			{Property: "b", Verdict: result.Holds,
				Trace: &result.Trace{Kind: result.Witness,
					Params: []result.Binding{{Name: "M", Value: result.Int("1")}}}},
			{Property: "c", Verdict: result.Violated, Evidence: &result.Evidence{}},
		}},
	}
}

func TestJSONFitsSchema(t *testing.T) {
	s := compiled(t)
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			text := jsonText(t, r)
			if err := validate(t, s, text); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
			if strings.Count(text, "\n") != 1 || strings.Contains(text, "null") {
				t.Errorf("not one line, or with null: %s", text)
			}
		})
	}
}

// The schema is strict: it rejects every removal or change of a field.
func TestSchemaIsStrict(t *testing.T) {
	s := compiled(t)
	text := jsonText(t, exampleReport())
	for _, change := range [][2]string{
		{`"schema":"erelong/result/2"`, `"schema":"erelong/result/1"`},
		{`"states":10158,`, ``},
		{`"depth":5,`, `"depth":"5",`},
		{`"verdict":"violated"`, `"verdict":"broken"`},
		{`"transitions":12194`, `"transitions":-1`},
		{`"queries":7`, `"queries":7,"extra":1`},
		{`{"#bigint":"4"}`, `{"#bigint":"four"}`},
		{`{"#bigint":"4"}`, `4`},
		{`"kind":"counterexample to induction"`, `"kind":"story"`},
		{`"#meta":{"index":1,`, `"#meta":{`},
		{`"loop":1`, `"loop":"1"`},
		{`"trusted":["fair"],`, ``},
		{`"rlimit":12345`, `"rlimit":1.5`},
		{`"met":true`, `"met":1`},
		{`"coverage":"all"`, `"coverage":"some"`},
		{`"assumptions":[{"name":"fair",`, `"assumptions":[{`},
		{`"assumptions":["fair",`, `"assumptions":[1,`},
		{`"2026-11-21T01:02:03Z"`, `"yesterday"`},
		{`"code":"W0704"`, `"code":7`},
		{`"notes":[`, `"notes":[1,`},
	} {
		spoilt := strings.Replace(text, change[0], change[1], 1)
		if spoilt == text {
			t.Errorf("%s does not occur", change[0])
		} else if validate(t, s, spoilt) == nil {
			t.Errorf("%s in place of %s is not noticed", change[1], change[0])
		}
	}
}

func TestJSONText(t *testing.T) {
	text := jsonText(t, exampleReport())
	for _, want := range []string{
		`{"schema":"erelong/result/2",`,
		`"warnings":[{"code":"W0704","line":2,"column":2,"message":"no start","fix":"Say it."},{"code":"W0603","line":0,"column":0,"message":"more"}]`,
		`"results":[{"property":"mutex","verdict":"violated","states":10158,"depth":5,"kind":"safety","scope":"small","engine":"explicit","line":12,"transitions":12194,"seconds":1.234,"queries":0,"trace":{"#meta":{`,
		`"evidence":{"invariant":["mutex"],"trusted":["fair"],"obligations":[{"name":"initiation of mutex","action":"",`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	if !strings.HasPrefix(text, `{"schema":`) {
		t.Errorf("the schema is not the first field: %.80s", text)
	}
}

// The traces in the JSON are ITF, in full length.
func TestJSONTraceIsITF(t *testing.T) {
	for _, trace := range []*result.Trace{lockTrace(), lasso(), induction(), oddTrace()} {
		var out struct {
			Results []struct{ Trace json.RawMessage }
		}
		text := jsonText(t,
			&Report{Results: []result.Result{{Property: "p", Verdict: result.Violated,
				Trace: trace}}})
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			t.Fatal(err)
		}
		got, err := itf.Read(bytes.NewReader(out.Results[0].Trace))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(trace, got, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestJSONRefusesBadTrace(t *testing.T) {
	bad := &result.Trace{Loop: 3, Steps: []result.Step{{}}}
	err := WriteJSON(&strings.Builder{},
		&Report{Results: []result.Result{{Property: "p", Trace: bad}}})
	if err == nil || !strings.Contains(err.Error(), "the trace of p") {
		t.Errorf("error %v", err)
	}
}
