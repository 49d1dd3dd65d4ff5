package tla

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/eval"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/value"
)

var update = flag.Bool("update", false, "write the values that TLC gives (ERELONG_TLC) to testdata")

// tlc is the class path of TLC and of the community modules.
func tlc(t *testing.T) string {
	t.Helper()
	path := os.Getenv("ERELONG_TLC")
	if path == "" {
		t.Skip("TLC is not there: ERELONG_TLC is its class path, with the community modules")
	}
	return path
}

// extended are the modules that a module of expressions extends.
const extended = "Integers, Sequences, FiniteSets, Bags, TLC, SequencesExt, FiniteSetsExt, Functions"

// moduleOf is a module with a definition for each expression, and an action that computes it.
func moduleOf(expressions []string) string {
	var b, next strings.Builder
	fmt.Fprintf(&b, "---- MODULE E ----\nEXTENDS %s\nVARIABLE x\nInit == x = 0\n", extended)
	for i, e := range expressions {
		fmt.Fprintf(&b, "e%d ==\n %s\na%d == x = %d /\\ x' = e%d\n", i+1, e, i+1, i+1, i+1)
		fmt.Fprintf(&next, " \\/ a%d", i+1)
	}
	fmt.Fprintf(&b, "Next == %s\n====\n", next.String())
	return b.String()
}

// judged is what an expression gives.
type judged struct {
	value *value.Value
	text  string // of the value, or of the error
}

// evaluate computes expressions. The values are of one space.
func evaluate(t *testing.T, expressions []string) []judged {
	t.Helper()
	return evaluateIn(t, expressions, &model{})
}

// evaluateIn is evaluate, and gives a model the program that computes the values.
func evaluateIn(t *testing.T, expressions []string, in *model) []judged {
	t.Helper()
	errs := &diag.List{}
	p := compileModel(t.Context(), diag.NewSource("E.tla", moduleOf(expressions)),
		diag.NewSource("E.cfg", "INIT Init\nNEXT Next\n"),
		func(string) ([]byte, error) { return nil, os.ErrNotExist }, errs)
	if p == nil {
		t.Fatal(errs)
	}
	in.program = p
	m := p.Machine()
	out := make([]judged, len(expressions))
	for i := range out {
		out[i] = step(p, m, int64(i+1))
	}
	return out
}

// step takes the step from the state in which one of the actions is possible.
func step(p *eval.Program, m *eval.Machine, state int64) (out judged) {
	id, _ := p.Space.Intern(p.Space.Int(state)).ID()
	err := m.Steps([]int64{int64(id)}, func(_, next []int64) bool {
		out.value = p.Space.Of(uint32(next[0]))
		return true
	})
	if err != nil {
		return judged{nil, err.Error()}
	}
	out.text = out.value.String()
	return out
}

// judge runs TLC on expressions: for each the word value or error, and the text.
func judge(t *testing.T, classpath string, expressions []string) [][2]string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"E.tla": moduleOf(expressions),
		"E.cfg": "INIT Init\nNEXT Next\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program, err := filepath.Abs("testdata/Evaluate.java")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "java", "-XX:+UseSerialGC", "-Xss8m", "-cp", classpath,
		program, dir, "E")
	cmd.Dir = dir
	var trouble bytes.Buffer
	cmd.Stderr = &trouble
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %.2000s %.2000s", err, trouble.String(), text)
	}
	var out [][2]string
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		if word == "value" || word == "error" {
			out = append(out, [2]string{word, rest})
		}
	}
	if len(out) != len(expressions) {
		t.Fatalf("TLC gives %d values of %d expressions: %.2000s", len(out), len(expressions), text)
	}
	return out
}

// generated are expressions of a seed.
func generated(seed uint64, n int) (out []string) {
	g := newGenerator(seed)
	for i := range n {
		if g.wrong = 0; i%4 == 0 {
			g.wrong = 12
		}
		out = append(out, g.expr(g.anySort(2), 2+g.IntN(3)))
	}
	return out
}

// compare reports where TLC gives another value, or an error where there is a value. Values are
// read from their texts, so that the order of elements in a text does not matter.
func compare(t *testing.T, expressions []string, theirs [][2]string) {
	t.Helper()
	values := evaluate(t, expressions)
	var texts []string
	for i, r := range theirs {
		for _, text := range []string{values[i].text, r[1]} {
			if values[i].value == nil || r[0] == "error" {
				text = "0"
			}
			texts = append(texts, text)
		}
	}
	read := evaluate(t, texts)
	for i, x := range expressions {
		ours, a, b := values[i], read[2*i], read[2*i+1]
		switch {
		case tolerated(x, ours, theirs[i]):
		case theirs[i][0] == "error":
			if ours.value != nil {
				t.Errorf("%s\n is %s\n TLC has an error: %s", x, ours.text, theirs[i][1])
			}
		case ours.value == nil:
			t.Errorf("%s\n has an error: %s\n TLC: %s", x, ours.text, theirs[i][1])
		case a.value == nil || b.value == nil || !value.Equal(a.value, b.value):
			t.Errorf("%s\n is %s\n TLC: %s", x, ours.text, theirs[i][1])
		}
	}
}

// tolerated reports whether TLC is known to differ in an error.
func tolerated(x string, ours judged, theirs [2]string) bool {
	var known []string
	text := theirs[1]
	switch {
	case theirs[0] == "error" && ours.value != nil:
		known = []string{
			// The elements of sets are found by hashes: only some pairs are compared.
			"Attempted to compare", "Attempted to check equality",
			// A value of another kind is in no set of records.
			"Attempted to check if non-",
			// TLC applies no LAMBDA whose body is a constant in operators that are written in Java.
			"Cannot cast tlc2.value",
			// What is added to nothing, or taken from it, is not looked at.
			"should be a bag", "is not in its domain", "Attempted to apply the operator overridden",
			"no element of S satisfied P",
		}
	case theirs[0] == "value" && ours.value == nil:
		text = ours.text
		known = []string{
			// Values are computed where TLC does not need them, and sets checked as they are made.
			" is not a set", "cannot be elements of one set", "is not an integer",
		}
	case theirs[0] == "value":
		// It counts elements of a union twice.
		return strings.Contains(x, "SumSet") || strings.Contains(x, "ProductSet")
	}
	return slices.ContainsFunc(known, func(k string) bool { return strings.Contains(text, k) })
}

// TestExpressionsOfTLC compares the values of generated expressions with the ones that TLC gives.
func TestExpressionsOfTLC(t *testing.T) {
	classpath := tlc(t)
	const batch = 400
	for seed := range uint64(testkit.Size(2, 26)) {
		expressions := generated(1000+seed, batch)
		compare(t, expressions, judge(t, classpath, expressions))
	}
}

// particular are expressions that were evaluated otherwise than by TLC.
var particular = []string{
	"0^0", `SubSeq("abc", 2, 5)`, `SubSeq("abc", 2, 3)`, "UNION {}", "UNION {5}",
	"{y \\in <<1>> : TRUE}",
	"[<<1, 2>> EXCEPT !.f = 3]", "[[f |-> 1] EXCEPT ![1] = 3]", `[("p" :> 1) EXCEPT ![2] = 3]`,
	`BagCardinality("p" :> 0)`, `("p" :> 1) (+) ("p" :> 0)`,
	`FoldLeft(LAMBDA a, b : a + b, 0, <<1, 2, 3>>)`, `("not a field" :> 1 @@ "f" :> 2)`,
}

// TestExpressionsAsTLC compares values with the ones that TLC gave once.
func TestExpressionsAsTLC(t *testing.T) {
	const file = "testdata/expressions.txt"
	if *update {
		expressions := append(slices.Clone(particular), generated(1, 150)...)
		var b strings.Builder
		for i, r := range judge(t, tlc(t), expressions) {
			fmt.Fprintf(&b, "%s\t%s\t%s\n", expressions[i], r[0], r[1])
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var expressions []string
	var theirs [][2]string
	for line := range strings.Lines(string(text)) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		expressions = append(expressions, parts[0])
		theirs = append(theirs, [2]string{parts[1], parts[2]})
	}
	compare(t, expressions, theirs)
}
