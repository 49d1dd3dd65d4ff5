package printer

import (
	"strings"

	"erelong.dev/erelong/internal/front/ere/syntax"
)

// data writes a type of structured data.
func (p *printer) data(d *syntax.DataType) string {
	var parts []string
	for _, s := range d.Parts {
		parts = append(parts, p.sort(s))
	}
	list := strings.Join(parts, ", ")
	switch d.Form {
	case syntax.RecordType:
		return "{ " + p.fields(d.Fields, parts) + " }"
	case syntax.TupleType:
		return "(" + list + ")"
	case syntax.VariantType:
		var cases []string
		for _, c := range d.Cases {
			text := p.name(c.Name.Text)
			if len(c.Fields) > 0 {
				var sorts []string
				for _, s := range c.Parts {
					sorts = append(sorts, p.sort(s))
				}
				text += "(" + p.fields(c.Fields, sorts) + ")"
			}
			cases = append(cases, text)
		}
		return strings.Join(cases, " | ")
	case syntax.SeqType:
		if d.Bound != nil {
			list += ", " + p.expr(d.Bound, levelSums)
		}
	}
	return dataWords[d.Form] + "[" + list + "]"
}

var dataWords = map[syntax.DataForm]string{syntax.OptionType: "option", syntax.SetType: "set",
	syntax.SeqType: "seq", syntax.MapType: "map"}

// instance writes an instance.
func (p *printer) instance(d *syntax.InstanceDecl) {
	var items []string
	for _, it := range d.Items {
		text := p.name(it.Name.Text) + " = "
		if it.Table == nil {
			items = append(items, text+p.expr(it.Value, 0))
			continue
		}
		var rows []string
		for _, r := range it.Table.Rows {
			row := p.list(r.Args)
			if len(r.Args) == 1 {
				row = p.expr(r.Args[0], 0)
			}
			if r.Value != nil {
				row += ": " + p.expr(r.Value, 0)
			}
			rows = append(rows, row)
		}
		items = append(items, text+"{"+strings.Join(rows, ", ")+"}")
	}
	p.line("\ninstance %s { %s }", p.name(d.Name.Text), strings.Join(items, ", "))
}

// fields writes names with something behind each.
func (p *printer) fields(names []syntax.Name, texts []string) string {
	var out []string
	for i, n := range names {
		out = append(out, p.name(n.Text)+": "+texts[i])
	}
	return strings.Join(out, ", ")
}

// structure writes an expression of structured data.
func (p *printer) structure(x *syntax.Expr) (string, int) {
	var args []string
	for _, a := range x.Args {
		args = append(args, p.expr(a, 0))
	}
	list := strings.Join(args, ", ")
	switch x.Kind {
	case syntax.ExprField:
		name := x.Name.Text
		if name == "" || !digit(name[0]) { // of a tuple, it is a number
			name = p.name(name)
		}
		return p.expr(x.Args[0], levelPrimary) + "." + name, levelPrimary
	case syntax.ExprAt:
		return p.expr(x.Args[0], levelPrimary) + "[" + args[1] + "]", levelPrimary
	case syntax.ExprIs:
		return p.expr(x.Args[0], levelData) + " is " + p.name(x.Name.Text), levelCompares
	case syntax.ExprRecord:
		return "{ " + p.fields(x.Fields, args) + " }", levelPrimary
	case syntax.ExprTuple:
		return "(" + list + ")", levelPrimary
	case syntax.ExprSet:
		return "{" + list + "}", levelPrimary
	case syntax.ExprSeq:
		return "[" + list + "]", levelPrimary
	case syntax.ExprMap:
		var entries []string
		for i := 0; i+1 < len(args); i += 2 {
			entries = append(entries, args[i]+": "+args[i+1])
		}
		if len(entries) == 0 {
			return "[:]", levelPrimary
		}
		return "[" + strings.Join(entries, ", ") + "]", levelPrimary
	case syntax.ExprEach:
		return "{" + p.each(x, args) + "}", levelPrimary
	case syntax.ExprMapEach:
		entry := append([]string{args[0] + ": " + args[1]}, args[2:]...)
		return "[" + p.each(x, entry) + "]", levelPrimary
	case syntax.ExprMany: // it stands alone between the parentheses of its function
		return p.each(x, args), levelPrimary
	}
	panic("printer: no text for this kind of expression")
}

// each is a value for each element, as it stands between brackets.
func (p *printer) each(x *syntax.Expr, args []string) string {
	var binders []string
	for _, b := range x.Binders {
		binders = append(binders, p.binder(b))
	}
	text := args[0] + " for " + strings.Join(binders, ", ")
	if len(args) > 1 {
		text += " if " + args[1]
	}
	return text
}
