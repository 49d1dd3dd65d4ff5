package ere

import (
	"math/big"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/check"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/system"
)

// maxSweep bounds the instances that one text may describe.
const maxSweep = 10_000

// Instances makes the instances of a system that a text such as `client = 3, last = 2..4`
// describes: one for each combination of the values of its sweeps. The last sweep varies fastest.
// The text may begin with an instance of the file, which the rest changes: `small, last = 5`.
// The error is a *diag.List.
func Instances(sys *system.System, text string) ([]*system.Instance, error) {
	errs := &diag.List{}
	d := syntax.ParseInstance(diag.NewSource("instance", text), errs)
	var all []*syntax.InstanceDecl
	if d != nil {
		all = sweep(d, errs)
	}
	var out []*system.Instance
	for _, d := range all {
		if errs.Err() == nil { // all of them would have the same errors
			out = append(out, check.Instance(sys, d, errs))
		}
	}
	if errs.Err() != nil {
		errs.Sort()
		return nil, errs
	}
	return out, nil
}

// sweep replaces each first..last by each of its values.
func sweep(d *syntax.InstanceDecl, errs *diag.List) []*syntax.InstanceDecl {
	out := []*syntax.InstanceDecl{{Name: d.Name, Base: d.Base, Span: d.Span}}
	swept := false
	for _, item := range d.Items {
		values := []syntax.InstanceItem{item}
		if item.Sweep != nil {
			swept = true
			values = values[:0]
			first, last := number(item.Sweep[0]), number(item.Sweep[1])
			if first == nil || last == nil || first.Cmp(last) > 0 {
				errs.Errorf(diag.BadValue, item.Span,
					"a sweep goes from a number to one that is not smaller").
					Suggest("Write %s = 2..5.", item.Name.Text)
				return nil
			}
			for n := first; n.Cmp(last) <= 0 &&
				len(values)*len(out) <= maxSweep; n = new(big.Int).Add(n, big.NewInt(1)) {
				v := item
				v.Sweep, v.Value = nil, literal(n, item.Span)
				values = append(values, v)
			}
		}
		if len(out)*len(values) > maxSweep {
			errs.Errorf(diag.BadValue, item.Span, "these are more than %d instances", maxSweep).
				Suggest("Sweep over fewer numbers.")
			return nil
		}
		var next []*syntax.InstanceDecl
		for _, d := range out {
			for _, v := range values {
				next = append(next,
					&syntax.InstanceDecl{Name: d.Name, Base: d.Base, Span: d.Span,
						Items: append(d.Items[:len(d.Items):len(d.Items)], v)})
			}
		}
		out = next
	}
	if swept {
		for _, d := range out {
			d.Name.Text = describe(d.Items)
			if d.Base.Text != "" {
				d.Name.Text = d.Base.Text + "," + d.Name.Text
			}
		}
	}
	return out
}

// number is the value of a number with its sign, nil for any other expression.
func number(x *syntax.Expr) *big.Int {
	switch {
	case x.Kind == syntax.ExprInt:
		return x.Int
	case x.Kind == syntax.ExprNeg && x.Args[0].Kind == syntax.ExprInt:
		return new(big.Int).Neg(x.Args[0].Int)
	}
	return nil
}

// literal is the expression of a number.
func literal(n *big.Int, at diag.Span) *syntax.Expr {
	x := &syntax.Expr{Kind: syntax.ExprInt, Span: at, Int: new(big.Int).Abs(n)}
	if n.Sign() < 0 {
		x = &syntax.Expr{Kind: syntax.ExprNeg, Span: at, Args: []*syntax.Expr{x}}
	}
	return x
}

// describe writes an instance of a sweep as a user does: name=value,name=value.
func describe(items []syntax.InstanceItem) string {
	parts := make([]string, len(items))
	for i, item := range items {
		value := strings.TrimSpace(item.Span.Text()[len(item.Name.Text):])
		if item.Value != nil {
			if n := number(item.Value); n != nil {
				value = "=" + n.String()
			}
		}
		parts[i] = item.Name.Text + value
	}
	return strings.Join(parts, ",")
}
