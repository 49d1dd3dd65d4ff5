package syntax

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
)

// dump is a tree as text without positions. Lists of bullets are the infix operators that they
// stand for.
func dump(x any) string {
	var b strings.Builder
	dumpValue(&b, reflect.ValueOf(x))
	return b.String()
}

func dumpValue(b *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			b.WriteString("nil")
			return
		}
		if j, ok := v.Interface().(*Junction); ok {
			dumpValue(b, reflect.ValueOf(asInfix(j)))
			return
		}
		dumpValue(b, v.Elem())
	case reflect.Struct:
		b.WriteString(v.Type().Name() + "(")
		for i := range v.NumField() {
			switch v.Field(i).Interface().(type) {
			case At, diag.Span:
			default:
				dumpValue(b, v.Field(i))
				b.WriteString(" ")
			}
		}
		b.WriteString(")")
	case reflect.Slice:
		b.WriteString("[")
		for i := range v.Len() {
			dumpValue(b, v.Index(i))
			b.WriteString(" ")
		}
		b.WriteString("]")
	default:
		fmt.Fprintf(b, "%#v", v.Interface())
	}
}

// asInfix is a list of bullets with infix operators.
func asInfix(j *Junction) Expr {
	out := j.Items[0]
	for _, x := range j.Items[1:] {
		out = &Apply{Name: Name{Text: string(bullet(j))}, Args: []Expr{out, x}}
	}
	return out
}

// exprs are the expressions of modules.
func exprs(modules []*Module) (out []Expr) {
	for _, m := range modules {
		for _, u := range m.Units {
			switch u := u.(type) {
			case *Definition:
				out = append(out, u.Body)
			case *FunctionDefinition:
				out = append(out, u.Body)
			case *Assume:
				out = append(out, u.Body)
			case *Theorem:
				if u.Body != nil {
					out = append(out, u.Body)
				}
			case *Inner:
				out = append(out, exprs([]*Module{u.Module})...)
			}
		}
	}
	return out
}

// printed checks that the text of each expression of a module is read as the same tree.
func printed(t *testing.T, modules []*Module) (n int) {
	t.Helper()
	all := exprs(modules)
	var b strings.Builder
	b.WriteString("---- MODULE M ----\n")
	for i, e := range all {
		fmt.Fprintf(&b, "X%d == %s\n", i, Text(e))
	}
	b.WriteString("====\n")
	errs := &diag.List{}
	again := Parse(diag.NewSource("printed.tla", b.String()), errs)
	if again == nil {
		t.Errorf("%v\n%s", errs, errs.All[0].Span.Source.Line(errs.All[0].Span.Line()))
		return
	}
	for i, e := range exprs(again) {
		if got, want := dump(e), dump(all[i]); got != want {
			t.Errorf("%s\nis read as\n%s\ninstead of\n%s", Text(all[i]), got, want)
		}
	}
	return len(all)
}

func TestTextOfAllConstructs(t *testing.T) {
	if n := printed(t, Parse(diag.NewSource("M.tla", everything), &diag.List{})); n != 14 {
		t.Errorf("%d expressions", n)
	}
}

// The text has parentheses only where they are needed.
func TestText(t *testing.T) {
	for _, text := range []string{
		"a /\\ b \\equiv ~c",
		"(a /\\ b) \\/ c",
		"a + b - (c - d)",
		"(a + b) - c",
		"[]<>P ~> Q'",
		"{x \\in S : x > 1..n}",
		"{(x \\in S) : x \\in T}",
		"F(+, a, LAMBDA x : x) = G( + )",
		"+(LAMBDA x : x, 2) + -(<, 3)",
		"[][A]_<<x, y>> /\\ WF_x(A) /\\ SF_(f(x))(A)",
		"(\\A x \\in S : p) => q",
		"a \\X (b \\X c) \\X d",
		"CASE a -> b [] OTHER -> (\\E x : p)",
		"-(-(x * y)) + (-z) * 2",
		"[f EXCEPT ![a, b].c = @ + 1, !.d = f[1].e']",
	} {
		errs := &diag.List{}
		m := Parse(diag.NewSource("M.tla", "---- MODULE M ----\nA == "+text+"\n===="), errs)
		if m == nil {
			t.Errorf("%s: %v", text, errs)
			continue
		}
		if got := Text(exprs(m)[0]); got != text {
			t.Errorf("%s is written as %s", text, got)
		}
		printed(t, m)
	}
}
