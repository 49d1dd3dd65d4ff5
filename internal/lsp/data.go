package lsp

import (
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/flat"
	"erelong.dev/erelong/internal/front/ere/names"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// enterFields adds the fields of records and constructors to the names, so that what is done with
// names is done with fields.
func (a *analysis) enterFields() {
	a.fieldTypes = map[int]string{}
	for _, f := range a.types.Fields() {
		at := f.Places[0]
		i := slices.IndexFunc(a.tree.Decls, func(d syntax.Decl) bool {
			return d.Pos().Start <= at.Start && at.End <= d.Pos().End
		})
		if i < 0 {
			continue
		}
		a.names.Add(a.tree.Decls[i], f.Places)
		a.fieldTypes[at.Start] = f.Type
	}
}

// fieldText is a field as its declaration has it.
func (a *analysis) fieldText(d *names.Declaration) string {
	return d.Name.Text + ": " + a.fieldTypes[d.Name.Span.Start]
}

// constructorFields are the fields of a constructor; ok is false for another declaration.
func constructorFields(d *names.Declaration) (fields []string, ok bool) {
	t, isType := d.Node.(*syntax.TypeDecl)
	if !isType || d.Kind != names.Member {
		return nil, false
	}
	for _, c := range t.Sort.Data.Cases {
		if c.Name == d.Name {
			for i, f := range c.Fields {
				fields = append(fields, f.Text+": "+c.Parts[i].Span.Text())
			}
		}
	}
	return fields, true
}

// constructor is the text of a constructor, empty for another declaration.
func constructor(d *names.Declaration) string {
	fields, ok := constructorFields(d)
	switch {
	case !ok:
		return ""
	case len(fields) == 0:
		return d.Name.Text
	}
	return d.Name.Text + "(" + strings.Join(fields, ", ") + ")"
}

// functionHelp says what a function of the language gives.
var functionHelp = map[string]string{
	"append": "the sequence s with e behind its elements", "concat": "the elements of s, then of t",
	"elements": "the set of what is in the sequence s", "first": "the element at position 1",
	"front": "the sequence without its last element", "keys": "the set of the keys of the map m",
	"last": "the element at position size(s)", "max": "the larger number",
	"min": "the smaller number", "positions": "the numbers from 1 to size(s)",
	"prefix": "the first n elements of s", "size": "how many elements s has",
	"slice":  "the elements at the positions from i to j",
	"suffix": "the elements from position i on", "tail": "the sequence without its first element",
}

// function finds a function of the language that the text does not declare.
func (a *analysis) function(name string) (flat.Function, bool) {
	if a.types == nil || a.global(name) {
		return flat.Function{}, false
	}
	all := flat.Functions()
	i := slices.IndexFunc(all, func(f flat.Function) bool { return f.Name == name })
	if i < 0 {
		return flat.Function{}, false
	}
	return all[i], true
}

// hoverFunction says what the function of the language at a position gives; nil if there is none.
func (a *analysis) hoverFunction(p position) any {
	if a.tree == nil {
		return nil
	}
	at := a.text.offset(p)
	for _, t := range a.tree.Tokens {
		if t.Kind != syntax.Ident || at < t.Start || t.End < at {
			continue
		}
		if f, ok := a.function(a.text.string[t.Start:t.End]); ok {
			place := a.text.spanRange(diag.Span{Source: a.tree.Source, Start: t.Start, End: t.End})
			return &hover{Contents: markdown(fenced(f.Name+"("+f.Args+")") + "\n\n" +
				functionHelp[f.Name] + "."), Range: &place}
		}
	}
	return nil
}

// functions offers the functions of the language, and the constructors of options.
func (c *completer) functions() {
	if c.types == nil {
		return
	}
	for _, f := range flat.Functions() {
		if !c.analysis.global(f.Name) {
			c.add(completionItem{Label: f.Name, Kind: completeFunction,
				Detail:   f.Name + "(" + f.Args + "): " + functionHelp[f.Name],
				SortText: "2" + f.Name})
		}
	}
	c.add(completionItem{Label: "some", Kind: completeEnumMember,
		Detail: "some(e): an option with a value", SortText: "2some"})
	c.add(completionItem{Label: "none", Kind: completeEnumMember,
		Detail: "an option without a value", SortText: "2none"})
	c.words("match", "is", "subset", "with", "without", "union", "intersect", "minus")
}

// afterPeriod reports whether the word at an offset is to be a field: it follows a period that
// follows a value, without a blank.
func (a *analysis) afterPeriod(offset int) (start int, ok bool) {
	for start = offset; start > 0 && isWordByte(a.text.string[start-1]); start-- {
	}
	text := a.text.string[:start]
	value, ok := strings.CutSuffix(text, ".")
	if !ok || value == "" || a.tree == nil {
		return 0, false
	}
	last := value[len(value)-1]
	return start, isWordByte(last) || strings.ContainsRune(")]}'", rune(last))
}

// fields are the fields that can stand at an offset. The text there is not finished: it is read
// with a field, and, where that is not enough, with what may close the expression and the
// statement around it.
func (a *analysis) fields(start int) []flat.Field {
	end := start
	for end < len(a.text.string) && isWordByte(a.text.string[end]) {
		end++
	}
	before, after := a.text.string[:start]+"field", a.text.string[end:]
	open := a.open(start)
	for _, rest := range []string{"", ";", open, open + ";", open + " := *;", open + " { }",
		open + " then true else true", open + " in true"} {
		text := before + rest + after
		tree := syntax.Parse(diag.NewSource(a.name, text), &diag.List{})
		if found := flat.TypesOf(tree).Before(start); len(found) > 0 {
			return found
		}
	}
	return nil
}

// open are the parentheses and brackets that close what is open before an offset, in its statement.
func (a *analysis) open(offset int) string {
	var closing []byte
	pairs := map[string]byte{"(": ')', "[": ']', "{": '}'}
	for _, t := range a.tree.Tokens {
		if t.End > offset {
			break
		}
		text := a.text.string[t.Start:t.End]
		switch {
		case pairs[text] != 0:
			closing = append(closing, pairs[text])
		case len(closing) > 0 && text == string(closing[len(closing)-1]):
			closing = closing[:len(closing)-1]
		}
	}
	if i := strings.LastIndex(string(closing), "}"); i >= 0 {
		closing = closing[i+1:] // what encloses the statement is closed by the text behind it
	}
	slices.Reverse(closing)
	return string(closing)
}
