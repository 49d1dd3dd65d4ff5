// Package lint finds constructs in a specification that are allowed and rarely meant.
//
// In: a syntax.File that compiles. Out: warnings, each with a code and with the way to state the
// intention: another spelling, or the comment `# meant: CODE` on the line or in the comment above
// it. Nothing else depends on a warning, so a warning cannot change a verdict. Names are counted as
// tokens: any token with the name of a declaration counts as a use of it, so that a wrong warning
// is rarer than a missing one.
package lint

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// File adds the warnings about a file without errors to errs.
func File(file *syntax.File, errs *diag.List) {
	l := &linter{file: file, found: &diag.List{}, values: map[string]bool{},
		names: map[string]bool{}, idents: map[*diag.Source][]syntax.Token{}}
	for _, f := range l.parts() {
		for _, t := range f.Tokens {
			if t.Kind == syntax.Ident {
				l.idents[f.Source] = append(l.idents[f.Source], t)
			}
		}
	}
	l.collect(file.Decls)
	unused := l.unused(file.Decls)
	l.uninitialised(unused)
	for _, d := range l.decls {
		if l.own(d.Pos()) {
			l.declaration(d)
		}
	}
	errs.All = append(errs.All, l.meant()...)
}

type linter struct {
	file   *syntax.File
	found  *diag.List
	idents map[*diag.Source][]syntax.Token // all names of the texts, in order
	decls  []syntax.Decl                   // with the declarations within `about`
	names  map[string]bool
	// Names that are used without arguments: a name in a formula may be one of them.
	values map[string]bool
	bound  []string // variables in scope
}

// parts are the file and what it includes. There are warnings about the file itself alone.
func (l *linter) parts() []*syntax.File {
	return append([]*syntax.File{l.file}, l.file.Parts...)
}

func (l *linter) own(s diag.Span) bool { return s.Source == l.file.Source }

func (l *linter) warn(code diag.Code, span diag.Span, format string, args ...any) *diag.Diagnostic {
	return l.found.Warnf(code, span, format, args...)
}

// collect notes the declarations, and the names that they declare.
func (l *linter) collect(decls []syntax.Decl) {
	value := func(n syntax.Name, isValue bool) {
		l.names[n.Text] = true
		l.values[n.Text] = l.values[n.Text] || isValue
	}
	for _, d := range decls {
		l.decls = append(l.decls, d)
		switch d := d.(type) {
		case *syntax.SymbolDecl:
			value(d.Name, len(d.Args) == 0)
		case *syntax.EnumDecl:
			for _, m := range d.Members {
				value(m, true)
			}
		case *syntax.TypeDecl:
			if d.Sort.Data != nil {
				for _, c := range d.Sort.Data.Cases {
					value(c.Name, len(c.Parts) == 0)
				}
			}
		case *syntax.DefinitionDecl:
			value(d.Name, len(d.Params) == 0 && !d.Transition)
		case *syntax.ActionDecl:
			value(d.Name, false)
		case *syntax.FormulaDecl:
			if d.Name.Text != "" {
				value(d.Name, false)
			}
		case *syntax.AlgorithmDecl:
			for _, v := range d.Vars {
				value(v.Name, false)
			}
		case *syntax.ProtocolDecl:
			for _, m := range d.Messages {
				value(m.Name, false)
			}
			for _, v := range d.Variables() {
				value(v.Name, false)
			}
		case *syntax.AboutDecl:
			l.collect(d.Decls)
		}
	}
}

// within gives the names in a part of the text.
func (l *linter) within(s diag.Span) []syntax.Token {
	in := l.idents[s.Source]
	from := sort.Search(len(in), func(i int) bool { return in[i].Start >= s.Start })
	to := sort.Search(len(in), func(i int) bool { return in[i].Start >= s.End })
	return in[from:max(from, to)]
}

func textOf(src *diag.Source, t syntax.Token) string { return src.Text[t.Start:t.End] }

// uses counts the names of a part of the text.
func (l *linter) uses(s diag.Span) map[string]int {
	out := map[string]int{}
	for _, t := range l.within(s) {
		out[textOf(s.Source, t)]++
	}
	return out
}

// unused looks for declarations and parameters that nothing mentions, and gives their names. An
// instance that gives a size or a value is no mention.
func (l *linter) unused(decls []syntax.Decl) map[string]bool {
	unused := map[string]bool{}
	uses := map[string]int{}
	for _, f := range l.parts() {
		for name, n := range l.uses(diag.Span{Source: f.Source, End: len(f.Source.Text)}) {
			uses[name] += n
		}
	}
	for _, d := range decls {
		if in, ok := d.(*syntax.InstanceDecl); ok {
			for _, item := range in.Items {
				uses[item.Name.Text]--
			}
		}
	}
	report := func(n syntax.Name, what string) {
		if l.own(n.Span) && uses[n.Text] <= 1 && !strings.HasPrefix(n.Text, "_") {
			unused[n.Text] = true
			l.warn(diag.UnusedDeclaration, n.Span, "the %s '%s' is not used", what, n.Text).
				Suggest("Delete it; if it is meant, write # meant: %s after it.",
					diag.UnusedDeclaration)
		}
	}
	for _, d := range l.decls {
		switch d := d.(type) {
		case *syntax.SortDecl:
			report(d.Name, "sort")
		case *syntax.TypeDecl:
			report(d.Name, "type")
		case *syntax.SymbolDecl:
			report(d.Name, d.Word)
		case *syntax.DefinitionDecl:
			if !d.Transition {
				report(d.Name, "definition")
			}
			l.unusedParams(d.Span, d.Name, d.Params)
		case *syntax.ActionDecl:
			l.unusedParams(d.Span, d.Name, d.Params)
		case *syntax.AlgorithmDecl:
			for _, v := range d.Vars {
				report(v.Name, "variable")
			}
		case *syntax.ProtocolDecl:
			for _, v := range d.Variables() {
				report(v.Name, "variable")
			}
		}
	}
	return unused
}

func (l *linter) unusedParams(span diag.Span, owner syntax.Name, params []*syntax.Binder) {
	if len(params) == 0 || !l.own(span) {
		return
	}
	uses := l.uses(span)
	for _, p := range params {
		if n := p.Name; uses[n.Text] <= 1 && !strings.HasPrefix(n.Text, "_") {
			l.warn(diag.UnusedParameter, n.Span, "'%s' does not use its parameter '%s'", owner.Text,
				n.Text).
				Suggest("Delete it; if it is meant, call it '_%s'.", n.Text).Replace(n.Span,
				"_"+n.Text)
		}
	}
}

// uninitialised looks for mutable symbols that no initial condition constrains, directly or through
// definitions. It skips values of uninterpreted sorts, which usually cannot be named.
func (l *linter) uninitialised(unused map[string]bool) {
	bodies := map[string]diag.Span{}
	steps := false
	var todo []diag.Span
	var symbols []*syntax.SymbolDecl
	opaque := map[string]bool{}
	for _, d := range l.decls {
		switch d := d.(type) {
		case *syntax.SortDecl:
			opaque[d.Name.Text] = true
		case *syntax.FormulaDecl:
			if d.Word == "init" {
				todo = append(todo, d.Expr.Span)
			} else if d.Name.Text != "" {
				bodies[d.Name.Text] = d.Expr.Span
			}
		case *syntax.DefinitionDecl:
			bodies[d.Name.Text] = d.Span
			steps = steps || d.Transition
		case *syntax.ActionDecl:
			steps = true
		case *syntax.SymbolDecl:
			switch {
			case d.Derived != nil:
				bodies[d.Name.Text] = d.Derived.Span
			case d.Mutable:
				symbols = append(symbols, d)
			}
		}
	}
	if !steps {
		return
	}
	none := len(todo) == 0
	mentioned := map[string]bool{}
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		for _, t := range l.within(s) {
			name := textOf(s.Source, t)
			if body, ok := bodies[name]; ok && !mentioned[name] {
				todo = append(todo, body)
			}
			mentioned[name] = true
		}
	}
	for _, d := range symbols {
		if mentioned[d.Name.Text] || unused[d.Name.Text] || !l.own(d.Span) ||
			d.Result != nil && opaque[d.Result.Name] {
			continue
		}
		if none {
			l.warn(diag.NoInit, d.Name.Span,
				"the file has no initial condition, so a run can start in any state").
				Suggest("Declare one with init; if every state is meant, write # meant: %s.",
					diag.NoInit)
			return
		}
		l.warn(diag.NoInit, d.Name.Span,
			"no initial condition speaks of '%s', so a run can start with any value of it",
			d.Name.Text).
			Suggest("Say with init how it starts; if any value is meant, write # meant: %s.",
				diag.NoInit)
	}
}

// meant removes the warnings that a comment calls meant, and adds a warning for each such comment
// without one.
func (l *linter) meant() []*diag.Diagnostic {
	type mark struct {
		code diag.Code
		span diag.Span
		used bool
	}
	marks := map[int][]*mark{} // by the line that they apply to
	var order []*mark
	src := l.file.Source
	above := []*mark{} // of comments that have lines of their own
	last := 0
	for i, t := range l.file.Tokens {
		line := src.LineOf(t.Start)
		if t.Kind != syntax.Comment {
			if len(above) > 0 {
				marks[line] = append(marks[line], above...)
				above = nil
			}
			last = line
			continue
		}
		said := strings.TrimSpace(strings.TrimLeft(textOf(src, t), "#"))
		text, ok := strings.CutPrefix(said, "meant:")
		if !ok {
			continue
		}
		for _, word := range strings.FieldsFunc(text, func(r rune) bool {
			return r == ',' || r == ' ' || r == '\t'
		}) {
			if !isCode(word) {
				break // the reason
			}
			m := &mark{code: diag.Code(word),
				span: diag.Span{Source: src, Start: t.Start, End: t.End}}
			order = append(order, m)
			if i > 0 && last == line {
				marks[line] = append(marks[line], m)
			} else {
				above = append(above, m)
			}
		}
	}
	out := slices.DeleteFunc(l.found.All, func(d *diag.Diagnostic) bool {
		meant := false
		for _, m := range marks[d.Span.Line()] {
			if m.code == d.Code {
				m.used, meant = true, true
			}
		}
		return meant
	})
	for _, m := range order {
		if !m.used {
			d := &diag.Diagnostic{Severity: diag.Warning, Code: diag.MeantNothing, Span: m.span,
				Message: fmt.Sprintf("there is no warning %s here that this comment could be about",
					m.code)}
			out = append(out,
				d.Suggest("Delete it, or put it on the line of the warning, or in the comment "+
					"above that line."))
		}
	}
	return out
}

// isCode reports whether a word has the form of a warning's code.
func isCode(word string) bool {
	return len(word) == 5 && word[0] == 'W' && strings.Trim(word[1:], "0123456789") == ""
}
