package syntax

import (
	"slices"
	"strings"

	"erelong.dev/erelong/internal/front/parse"
)

// Text is an expression as TLA+ in one line. A list of bullets is written with infix operators.
func Text(e Expr) string {
	switch e := e.(type) {
	case *Apply:
		return applied(e)
	case *Junction:
		return joined(operators[bullet(e)], e.Items)
	case *Times:
		return joined(times, e.Sets)
	case *Number:
		return e.Text
	case *String:
		return `"` + escaper.Replace(e.Value) + `"`
	case *Old:
		return "@"
	case *Tuple:
		return "<<" + list(e.Elems) + ">>"
	case *SetOf:
		return "{" + list(e.Elems) + "}"
	case *Index:
		return under(e.Function, index) + "[" + list(e.Args) + "]"
	case *Select:
		return under(e.Record, index) + "." + e.Field.Text
	case *Action:
		if e.Angle {
			return "<<" + Text(e.Body) + ">>_" + below(e.Vars)
		}
		return "[" + Text(e.Body) + "]_" + below(e.Vars)
	case *Fair:
		word := "WF_"
		if e.Strong {
			word = "SF_"
		}
		return word + below(e.Vars) + enclosed(Text(e.Body))
	}
	return textOfBinder(e)
}

// textOfBinder is Text of what binds names, and of what is written with words.
func textOfBinder(e Expr) string {
	switch e := e.(type) {
	case *Filter:
		return "{" + boundText(e.Bound) + " : " + Text(e.Body) + "}"
	case *Image:
		body := Text(e.Body)
		if a, ok := e.Body.(*Apply); ok && rootOf(a) == operators["\\in"] {
			body = enclosed(body)
		}
		return "{" + body + " : " + boundsText(e.Bounds) + "}"
	case *Function:
		return "[" + boundsText(e.Bounds) + " |-> " + Text(e.Body) + "]"
	case *FunctionSet:
		return "[" + right(e.Domain, operators["\\in"]) + " -> " + Text(e.Range) + "]"
	case *Record:
		return "[" + fieldsText(e.Fields, " |-> ") + "]"
	case *RecordSet:
		return "[" + fieldsText(e.Fields, ": ") + "]"
	case *Except:
		var updates []string
		for _, u := range e.Updates {
			updates = append(updates, updateText(u))
		}
		function := right(e.Function, operators["\\in"])
		return "[" + function + " EXCEPT " + strings.Join(updates, ", ") + "]"
	case *Quantified:
		word := [...]string{Forall: "\\A ", Exists: "\\E ", ForallRuns: "\\AA ",
			ExistsRuns: "\\EE "}[e.Quantifier]
		return word + boundsText(e.Bounds) + " : " + Text(e.Body)
	case *Choose:
		return "CHOOSE " + boundText(e.Bound) + " : " + Text(e.Body)
	case *If:
		return "IF " + Text(e.Cond) + " THEN " + Text(e.Then) + " ELSE " + Text(e.Else)
	case *Case:
		return caseText(e)
	case *Let:
		return "LET " + unitsText(e.Units) + " IN " + Text(e.Body)
	case *Lambda:
		return "LAMBDA " + namesText(e.Params) + " : " + Text(e.Body)
	case *Label:
		params := ""
		if e.Params != nil {
			params = "(" + namesText(e.Params) + ")"
		}
		return e.Name.Text + params + " :: " + Text(e.Body)
	}
	return ""
}

// index has a higher precedence than all operators but the postfix ones, as f[x] has.
var index = &operator{low: 145, high: 145, fix: postfix}

// escaper writes a string within quotes.
var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\f", `\f`, "\r",
	`\r`)

// bullet is the bullet of a list.
func bullet(j *Junction) parse.Kind {
	if j.And {
		return "/\\"
	}
	return "\\/"
}

// rootOf is the operator of an expression that is written with it; nil where there is none.
func rootOf(e Expr) *operator {
	switch e := e.(type) {
	case *Times:
		return times
	case *Index: // f'[x] is like f'
		return rootBefore(e.Function)
	case *Select:
		return rootBefore(e.Record)
	case *Junction:
		if len(e.Items) == 1 {
			return rootOf(e.Items[0])
		}
		return operators[bullet(e)]
	case *Apply:
		o := operators[parse.Kind(e.Name.Text)]
		if o == nil || e.Path != nil || slices.ContainsFunc(e.Args, argumentOnly) {
			return nil
		}
		if n := len(e.Args); n == 2 && o.fix == infix || n == 1 && o.fix != infix {
			return o
		}
	}
	return nil
}

// rootBefore is the postfix operator of an expression before an index or a field.
func rootBefore(e Expr) *operator {
	if o := rootOf(e); o != nil && o.fix == postfix {
		return o
	}
	return nil
}

// argumentOnly reports whether an expression can be an argument and no operand.
func argumentOnly(e Expr) bool {
	switch e := e.(type) {
	case *Lambda:
		return true
	case *Apply:
		return e.Path == nil && e.Args == nil && operators[parse.Kind(e.Name.Text)] != nil
	}
	return false
}

// open reports whether an expression goes on as far as it can.
func open(e Expr) bool {
	switch e := e.(type) {
	case *Quantified, *Choose, *If, *Case, *Let, *Lambda, *Label:
		return true
	case *Junction:
		return len(e.Items) == 1 && open(e.Items[0])
	}
	return false
}

// applied is the text of an operator with its operands, of a name with its arguments, or of a path.
func applied(e *Apply) string {
	o := rootOf(e)
	switch {
	case o == nil:
		var b strings.Builder
		for _, q := range e.Path {
			b.WriteString(spaced(q.Name.Text) + argumentsText(q.Args) + "!")
		}
		return b.String() + spaced(e.Name.Text) + argumentsText(e.Args)
	case o.fix == infix:
		return joined(o, e.Args)
	case o.fix == postfix:
		return under(e.Args[0], o) + o.name
	case o == negative:
		return "-" + under(e.Args[0], o)
	}
	operand := under(e.Args[0], o)
	if reserved[o.name] {
		return o.name + " " + operand
	}
	sign := o.name
	if o.name == "\\lnot" {
		sign = "~"
	}
	return sign + operand
}

// spaced is a name in a path. After some, another sign would be read together with them.
func spaced(name string) string {
	if name == "!!" || name == ":" {
		return " " + name + " "
	}
	return name
}

// joined is the text of operands with an operator between them.
func joined(o *operator, operands []Expr) string {
	if len(operands) == 1 {
		return Text(operands[0])
	}
	between := " " + o.name + " "
	if o.name == ".." && short(operands[0]) && short(operands[1]) {
		between = o.name
	}
	out := left(operands[0], o)
	for _, x := range operands[1:] {
		out += between + right(x, o)
	}
	return out
}

// short reports whether an expression is a name or a number.
func short(e Expr) bool {
	switch e := e.(type) {
	case *Apply:
		return e.Args == nil && e.Path == nil
	case *Number:
		return true
	}
	return false
}

// left is the text of the left operand of an infix operator.
func left(e Expr, o *operator) string {
	root := rootOf(e)
	again := root == o && o.associative && o != times
	if open(e) || root != nil && !root.above(o) && !again {
		return enclosed(Text(e))
	}
	return Text(e)
}

// right is the text of the right operand of an infix operator.
func right(e Expr, o *operator) string {
	if root := rootOf(e); open(e) || root != nil && !root.above(o) {
		return enclosed(Text(e))
	}
	return Text(e)
}

// under is the text of the operand of a prefix or postfix operator. Only another one goes without
// parentheses, and only one that takes no more than the operator itself.
func under(e Expr, o *operator) string {
	root := rootOf(e)
	_, digits := e.(*Number)
	again := root == nil || root.fix == o.fix && root.low >= o.low && root != negative ||
		root.fix == postfix && o.fix == prefix && root.above(o)
	if !open(e) && again && !(digits && o == index) {
		return Text(e)
	}
	return enclosed(Text(e))
}

// below is the text of what stands behind an underscore.
func below(e Expr) string {
	switch e := e.(type) {
	case *Apply:
		if e.Args == nil {
			return Text(e)
		}
	case *Tuple, *SetOf, *Filter, *Image, *Function, *FunctionSet, *Record, *RecordSet, *Except,
		*Old:
		return Text(e)
	}
	return enclosed(Text(e))
}

// closed is the text of an expression, in parentheses if it goes on as far as it can.
func closed(e Expr) string {
	if open(e) {
		return enclosed(Text(e))
	}
	return Text(e)
}

// enclosed is a text in parentheses. An operator alone in them, as in F( + ), would be read as
// another one, and (* as a comment.
func enclosed(text string) string {
	if k := parse.Kind(text); operators[k] != nil || strings.HasPrefix(text, "*") {
		return "( " + text + " )"
	}
	return "(" + text + ")"
}

func argumentsText(args []Expr) string {
	if args == nil {
		return ""
	}
	return enclosed(list(args))
}

func list(es []Expr) string {
	texts := make([]string, len(es))
	for i, e := range es {
		texts[i] = Text(e)
	}
	return strings.Join(texts, ", ")
}

func namesText(names []Name) string {
	texts := make([]string, len(names))
	for i, n := range names {
		texts[i] = n.Text
	}
	return strings.Join(texts, ", ")
}

func boundsText(bounds []Bound) string {
	texts := make([]string, len(bounds))
	for i, b := range bounds {
		texts[i] = boundText(b)
	}
	return strings.Join(texts, ", ")
}

func boundText(b Bound) string {
	names := namesText(b.Names)
	if b.Tuple {
		names = "<<" + names + ">>"
	}
	if b.Set == nil {
		return names
	}
	return names + " \\in " + right(b.Set, operators["\\in"])
}

func fieldsText(fields []Field, between string) string {
	texts := make([]string, len(fields))
	for i, f := range fields {
		texts[i] = f.Name.Text + between + Text(f.Value)
	}
	return strings.Join(texts, ", ")
}

func updateText(u Update) string {
	out := "!"
	for _, a := range u.Path {
		if a.Args != nil {
			out += "[" + list(a.Args) + "]"
		} else {
			out += "." + a.Field.Text
		}
	}
	return out + " = " + Text(u.Value)
}

func caseText(c *Case) string {
	var arms []string
	for _, a := range c.Arms {
		arms = append(arms, closed(a.Cond)+" -> "+closed(a.Value))
	}
	if c.Other != nil {
		arms = append(arms, "OTHER -> "+closed(c.Other))
	}
	return "CASE " + strings.Join(arms, " [] ")
}

// unitsText is the text of the definitions of a LET.
func unitsText(units []Unit) string {
	texts := make([]string, len(units))
	for i, u := range units {
		switch u := u.(type) {
		case *Recursive:
			texts[i] = "RECURSIVE " + declsText(u.Decls)
		case *Definition:
			texts[i] = headText(u.Name, u.Params) + " == " + Text(u.Body)
		case *FunctionDefinition:
			texts[i] = u.Name.Text + "[" + boundsText(u.Bounds) + "] == " + Text(u.Body)
		case *InstanceDefinition:
			texts[i] = headText(u.Name, u.Params) + " == " + instanceText(u)
		}
	}
	return strings.Join(texts, " ")
}

func instanceText(i *InstanceDefinition) string {
	var with []string
	for _, s := range i.With {
		with = append(with, s.Name.Text+" <- "+Text(s.Value))
	}
	out := "INSTANCE " + i.Module.Text
	if with != nil {
		out += " WITH " + strings.Join(with, ", ")
	}
	return out
}

// headText is what stands left of the == of a definition.
func headText(name Name, params []Decl) string {
	switch o := operators[parse.Kind(name.Text)]; {
	case params == nil:
		return name.Text
	case o == nil:
		return name.Text + "(" + declsText(params) + ")"
	case o.fix == infix:
		return params[0].Name.Text + " " + name.Text + " " + params[1].Name.Text
	case o.fix == postfix:
		return params[0].Name.Text + " " + name.Text
	default:
		return name.Text + " " + params[0].Name.Text
	}
}

func declsText(decls []Decl) string {
	texts := make([]string, len(decls))
	for i, d := range decls {
		name := d.Name.Text
		switch o := operators[parse.Kind(name)]; {
		case o == nil && d.Arity == 0:
			texts[i] = name
		case o == nil:
			texts[i] = name + "(_" + strings.Repeat(", _", d.Arity-1) + ")"
		case o.fix == infix:
			texts[i] = "_ " + name + " _"
		case o.fix == postfix:
			texts[i] = "_ " + name
		default:
			texts[i] = name + " _"
		}
	}
	return strings.Join(texts, ", ")
}
