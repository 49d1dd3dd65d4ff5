package tla

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/itf"
	"erelong.dev/erelong/internal/result"
)

// shownModel has constants that are sets of model values, and a model value that is in none.
const shownModel = `-- X.tla --
---- MODULE X ----
EXTENDS Integers, Sequences, TLC
CONSTANTS Proc, Server, Nobody
VARIABLE v
Init == v \in {0}
Next == v' = %
====
-- X.cfg --
CONSTANTS Proc = {p, q} Server <- Servers Nobody = Nobody
INIT Init NEXT Next
`

// valueOf is the value of an expression in the model, by its number.
func valueOf(t *testing.T, expression string) (*model, int64) {
	t.Helper()
	text := strings.Replace(shownModel, "%", expression, 1)
	text = strings.Replace(text, "VARIABLE v\n", "VARIABLE v\nServers == Proc \\cup {Nobody}\n", 1)
	spec, err := read(t, text)
	if err != nil {
		t.Fatal(err)
	}
	m := spec.System.Computed.Computed.(*model)
	next := int64(-1)
	c := m.Computer(t.Context())
	zero, _ := m.Read(nil, result.Int("0"))
	if err := c.Steps(context.Background(), []int64{zero},
		func(_ int, _, s []int64) error { next = s[0]; return nil }); err != nil {
		t.Fatal(err)
	}
	return m, next
}

// through writes and reads a value as a trace does, and gives the text, too.
func through(t *testing.T, m *model, v result.Value) (string, result.Value) {
	t.Helper()
	var b bytes.Buffer
	if err := itf.Write(&b, &result.Trace{Kind: result.Witness, Loop: -1,
		Universe: m.Universe(),
		Steps:    []result.Step{{State: []result.Binding{{Name: "v", Value: v}}}}}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	back, err := itf.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ = strings.Cut(text, `"states"`)
	_, text, _ = strings.Cut(text, `"v":`)
	text, _, _ = strings.Cut(text, `,"mbt::actionTaken"`)
	return text, back.Steps[0].State[0].Value
}

// A value is structured data in ITF, is written as in TLA+, and is read back as it was.
func TestShow(t *testing.T) {
	for _, x := range []struct{ expression, text, json string }{
		{`TRUE`, `TRUE`, `true`},
		{`-7`, `-7`, `{"#bigint":"-7"}`},
		{`"p"`, `"p"`, `"p"`},
		{`CHOOSE x \in Proc : TRUE`, `p`, `"p_OF_Proc"`},
		{`Nobody`, `Nobody`, `"Nobody_OF_Server"`},
		{`{2, 1}`, `{1, 2}`, `{"#set":[{"#bigint":"1"},{"#bigint":"2"}]}`},
		{`{}`, `{}`, `{"#set":[]}`},
		{`<<>>`, `<<>>`, `[]`},
		{`<<TRUE, FALSE>>`, `<<TRUE, FALSE>>`, `[true,false]`},
		{`<<"a", TRUE>>`, `<<"a", TRUE>>`, `{"#tup":["a",true]}`},
		{`<<Nobody, TRUE>>`, `<<Nobody, TRUE>>`, `["Nobody_OF_Server",true]`},
		{`[b |-> {}, a |-> "x"]`, `[a |-> "x", b |-> {}]`, `{"a":"x","b":{"#set":[]}}`},
		{`[tag |-> "x", value |-> TRUE]`, `[tag |-> "x", value |-> TRUE]`,
			`{"value":true,"tag":"x"}`},
		{`[x \in Proc |-> x = Nobody]`, `(p :> FALSE @@ q :> FALSE)`,
			`{"#map":[["p_OF_Proc",false],["q_OF_Proc",false]]}`},
		{`[x \in {5} |-> [y \in {7} |-> <<>>]]`, `(5 :> (7 :> <<>>))`,
			`{"#map":[[{"#bigint":"5"},{"#map":[[{"#bigint":"7"},[]]]}]]}`},
		{`("not a field" :> TRUE)`, `("not a field" :> TRUE)`, `{"#map":[["not a field",true]]}`},
		{`{{<<1, 2>>}}`, `{{<<1, 2>>}}`, `{"#set":[{"#set":[[{"#bigint":"1"},{"#bigint":"2"}]]}]}`},
		{`[Proc -> {TRUE}]`, `{(p :> TRUE @@ q :> TRUE)}`,
			`{"#set":[{"#map":[["p_OF_Proc",true],["q_OF_Proc",true]]}]}`},
	} {
		m, number := valueOf(t, x.expression)
		shown := m.Show(nil, number)
		json, back := through(t, m, shown)
		if shown.String() != x.text || json != x.json {
			t.Errorf("%s: %s, %s", x.expression, shown, json)
		}
		if again, ok := m.Read(nil, back); !ok || again != number || back.Notation != result.TLA {
			t.Errorf("%s: read back as %v %d instead of %d", x.expression, ok, again, number)
		}
	}
}

// What other programs write is read; what is no value is not.
func TestRead(t *testing.T) {
	m, pair := valueOf(t, `{<<1, 2>>}`)
	one, two := result.Int("1"), result.Int("2")
	if n, ok := m.Read(nil, result.Value{Kind: result.SetValue,
		Rows: []result.Row{{Key: []result.Value{one, two}}}}); !ok || n != pair {
		t.Errorf("a relation with two arguments is %v", m.Show(nil, n))
	}
	for _, v := range []result.Value{
		{Kind: result.NoValue}, result.Int("9 or 10"),
		{Kind: result.ElementsValue, Rows: []result.Row{{Key: []result.Value{one}},
			{Key: []result.Value{result.Bool(true)}}}},
	} {
		if _, ok := m.Read(nil, v); ok {
			t.Errorf("%v is read", v)
		}
	}
}

// Generated values are read back as they were.
func TestShowGenerated(t *testing.T) {
	expressions := generated(7, 200)
	m := &model{atoms: &atoms{}}
	m.atoms.once.Do(func() {})
	seen := 0
	for _, v := range evaluateIn(t, expressions, m) {
		if v.value == nil {
			continue
		}
		id, _ := v.value.ID()
		shown := m.Show(nil, int64(id))
		_, back := through(t, m, shown)
		if again, ok := m.Read(nil, back); !ok || again != int64(id) || shown.String() != v.text {
			t.Errorf("%s: shown %s, read back %v %d instead of %d", v.text, shown, ok, again, id)
		}
		seen++
	}
	if seen < 100 {
		t.Errorf("only %d values", seen)
	}
}
