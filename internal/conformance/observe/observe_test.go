package observe

import (
	"errors"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/conformance/runlog"
)

func TestParse(t *testing.T) {
	f, err := Parse("o", `# a comment
instance node = 3, N = 4   # another
field event = event.name
order time
names node = n1, "n 2"
name StateLeader = leader
ignore Ready, Heartbeat if {msg.type} = "Msg # 1"
silent lose, tick
silent at most 2
event Become if {role} = Leader & {x} != 1 & !{y} is
  lead(n = {node}, t = {len entries} + 1) then send({node})
event Look is nothing
observe term({node}) = {state.term}
observe after Become if {z}: commit({node}) <= {state.commit}
ignore Send if {msg.to} = {node} & {msg.from} != {node}
observe ready({node}) -> term({node}) = {state.term}
`)
	if err != nil {
		t.Fatal(err)
	}
	if f.Instance != "node = 3, N = 4" || f.Shape.Event.String() != "event.name" ||
		f.Order != ByTime || f.SilentMost != 2 || len(f.Silent) != 2 {
		t.Errorf("%+v", f)
	}
	if len(f.Names) != 2 || f.Names[0].Log[1] != "n 2" || f.Names[1].Values[0] != "leader" {
		t.Errorf("names: %+v", f.Names)
	}
	if own := f.Ignored[1].If; own[0].Other == nil || own[0].Not ||
		own[1].Other.Path.String() != "node" || !own[1].Not {
		t.Errorf("condition: %+v", own)
	}
	if len(f.Ignored) != 2 || len(f.Ignored[0].Events) != 2 ||
		f.Ignored[0].If[0].Value != "Msg # 1" {
		t.Errorf("ignored: %+v", f.Ignored)
	}
	become := f.Events[0]
	if become.Line != 10 || len(become.If) != 3 || !become.If[1].Not || become.If[2].Compare ||
		len(become.Calls) != 2 {
		t.Errorf("event: %+v", become)
	}
	if a := become.Calls[0].Args[1]; a.Name != "t" || len(a.Value.Segments) != 2 ||
		!a.Value.Segments[0].Field.Len || a.Value.Segments[1].Text != " + 1" {
		t.Errorf("argument: %+v", a)
	}
	if len(f.Events[1].Calls) != 0 {
		t.Errorf("event without a step: %+v", f.Events[1])
	}
	o := f.Observations
	if o[0].Right == nil || o[0].Left.Text != "term({node})" || o[1].Right != nil ||
		o[1].After[0] != "Become" || len(o[1].If) != 1 || o[2].Right != nil {
		t.Errorf("observations: %+v %+v %+v", o[0], o[1], o[2])
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"frob x", `o:1:1: "frob" begins no declaration`},
		{"\nevent A lead()", "o:2:15: `is` is expected"},
		{"event is nothing", "`is` is expected"},
		{"event A when x is b()", "`if` or `is` is expected"},
		{"event A is b(x = {y)", "not closed"},
		{"event A is b(x = ", "is not closed"},
		{"event A is b(x =)", "is missing"},
		{"event A is b c", "a step such as"},
		{"event A if x = 1 is b()", "a condition such as"},
		{"event A if {x} < 1 is b()", "a condition such as"},
		{"order sideways", "file, node or time"},
		{"field color = x", "a field is"},
		{"field node x", "`=` is expected"},
		{"silent at most many", "a number is expected"},
		{"names node", "`=` is expected"},
		{"name a = b c", `"c" is not expected here`},
		{"observe", "an expression is expected"},
		{"observe after A term", "`:` is expected"},
		{"instance", "needs a name"},
		{"  silent", "a name is expected"},
		{"names = a, b", "o:1:7: the name of a sort is expected"},
		{"name x =", "a name and a value are expected"},
		{"name = x", "a name and a value are expected"},
		{"order node\norder file", "o:2:11: the order is declared in line 1 already"},
		{"instance a\n\ninstance b", "the instance is declared in line 1 already"},
		{"field obs = a\nfield obs = b", "the field obs is declared in line 1 already"},
		{"silent at most 1\nsilent a\nsilent at most 2", "o:3:17: the number of silent actions is declared in line 1 already"},
		{"round 1\nround 2", "the length of a round is declared in line 1 already"},
		{"theorem 1 >= Phi\ntheorem 2 >= Phi", "the theorem is declared in line 1 already"},
		{"send a = {x}\nreceive a = {x}\nsend a = {y}", "o:3:13: the message that a sends is declared in line 1 already"},
	} {
		_, err := Parse("o", c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v instead of %s", c.text, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("event Become if {role} = Leader is lead(n = {node}) then send({node})\nobserve term({node}) = {state.term}\n")
	f.Add("observe after A, B if !{x}: f({len y}) <= {z}\nnames node = a, b\nsilent at most 3")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := Parse("o", text)
		var at *runlog.Error
		if err != nil && (!errors.As(err, &at) || at.Line < 1 || at.Column < 1) {
			t.Errorf("no position: %v", err)
		}
	})
}
