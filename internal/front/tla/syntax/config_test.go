package syntax

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
)

// configuration has each part of a configuration.
const configuration = `\* a comment
SPECIFICATION Spec (* another
one *)
CONSTANTS
  N = 3  Min = -1 Name = "a b" Flag = TRUE
  a = a
  Procs = {p1, p2, {1, "x"}, {}}
  Value(1, 2) = 5
  Seq <- BoundedSeq
  + <- [Other] Plus
  None = [Other] none
  A!B <- C
INVARIANT TypeOK
INVARIANTS Inv1 Inv2
PROPERTY Live
PROPERTIES P Q
CONSTRAINT Small
ACTION_CONSTRAINTS Step
SYMMETRY Perms
VIEW view
ALIAS alias
POSTCONDITION Post
_POSSIBLE Goal
CHECK_DEADLOCK FALSE
`

func TestConfig(t *testing.T) {
	errs := &diag.List{}
	c := ParseConfig(diag.NewSource("M.cfg", configuration), errs)
	if c == nil {
		t.Fatal(errs)
	}
	got := c.Specification.Text + c.Init.Text
	for _, a := range c.Assignments {
		got += " " + a.Name.Text + argumentsText(a.Params) + "=" + a.Module.Text + Text(a.Value)
	}
	for _, r := range c.Replacements {
		got += " " + r.Name.Text + "<-" + r.Module.Text + "!" + r.By.Text
	}
	for _, names := range [][]Name{c.Invariants, c.Properties, c.Constraints, c.ActionConstraints,
		c.Symmetry, {c.View, c.Alias}, c.Postconditions, c.Possible} {
		got += " [" + namesText(names) + "]"
	}
	want := `Spec N=3 Min=-1 Name="a b" Flag=TRUE a=a Procs={p1, p2, {1, "x"}, {}} Value(1, 2)=5 ` +
		`None=Othernone Seq<-!BoundedSeq +<-Other!Plus A!B<-!C [TypeOK, Inv1, Inv2] [Live, P, Q] ` +
		`[Small] [Step] [Perms] [view, alias] [Post] [Goal]`
	if got != want || c.CheckDeadlock == nil || *c.CheckDeadlock {
		t.Errorf("%s\ninstead of\n%s", got, want)
	}
}

func TestConfigErrors(t *testing.T) {
	for text, want := range map[string]string{
		"INIT A\nINIT B":                 "2:1: error E0103: INIT is given twice",
		"INIT":                           "1:5: error E0003: expected a name, found the end of the file",
		"INIT NEXT":                      "1:6: error E0003: expected a name, found 'NEXT'",
		"SYMMETRY A SYMMETRY B":          "1:12: error E0103: SYMMETRY is given twice",
		"CONSTANT N":                     "1:11: error E0003: expected '=', found the end of the file",
		"CONSTANT N == 3":                "1:12: error E0003: expected '=', found '=='",
		"CONSTANT N = {1, 2":             "1:19: error E0003: expected '}', found the end of the file",
		"CONSTANT N = 1..3":              "1:15: error E0003: a value in a configuration is no expression",
		"CONSTANT N = 1 + <- Plus\nINIT": "2:5: error E0003: expected a name",
		"CHECK_DEADLOCK true":            "1:16: error E0003: expected TRUE or FALSE, found 'true'",
		"INVARIANT A, B":                 "1:12: error E0003: expected a name, found ','",
		"CONSTANT N = 1, M = 2":          "1:15: error E0003: expected a name, found ','",
		"TYPE T":                         "1:1: error E0006: TYPE is not supported",
		"VARIABLES x":                    "1:1: error E0003: expected a word such as CONSTANT",
		"CONSTANT N = \"x":               "1:14: error E0003: a string without its end",
		"\x01":                           "1:1: error E0002: unexpected character",
		"CHECK_DEADLOCK TRUE\nx = 1":     "2:1: error E0003: expected a word such as CONSTANT",
		"CONSTANT N = " + strings.Repeat("{", 2000): "1:1015: error E0005",
	} {
		errs := &diag.List{}
		if ParseConfig(diag.NewSource("M.cfg", text), errs) != nil || len(errs.All) != 1 ||
			!strings.HasPrefix(errs.All[0].Error(), "M.cfg:"+want) {
			t.Errorf("%.60q: %v", text, errs)
		}
	}
}
