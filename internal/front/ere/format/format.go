// Package format lays out the text of a specification.
//
// In: a text without syntax errors. Out: the same tokens and comments, with the spaces, the
// indentation and the blank lines that erelong writes. Line breaks inside a declaration are the
// writer's, and stay. The tokens are the same, so the meaning is. The result depends only on the
// tokens and on which of them begin a line, so formatting twice changes nothing.
package format

import (
	"strings"
	"unicode/utf8"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// Source formats a text. It refuses a text with syntax errors.
func Source(name, text string) (string, error) {
	errs := &diag.List{}
	src := diag.NewSource(name, text)
	file := syntax.Parse(src, errs)
	if err := errs.Err(); err != nil {
		errs.Sort()
		return "", err
	}
	starts := map[int]bool{}
	for _, d := range file.Decls {
		if syntax.IsOfStrings(d) {
			continue
		}
		starts[d.Pos().Start] = true
	}
	p := &printer{src: src, starts: starts, tight: file.Tight}
	for _, t := range file.Tokens {
		p.token(t)
	}
	return align(p.out.String()), nil
}

const indent = "  "

// tab stands between code and the comment at the end of its line until align replaces it. Apart
// from comments, no token contains it, and only the first one on a line counts.
const tab = "\t"

// align puts the comments of neighbouring lines into one column. Lines longer than farRight do not
// move the others.
func align(text string) string {
	const farRight = 90
	lines := strings.Split(text, "\n")
	code := func(i int) (int, bool) {
		c, _, ok := strings.Cut(lines[i], tab)
		return utf8.RuneCountInString(c), ok && !strings.HasPrefix(strings.TrimLeft(c, " "), "#")
	}
	for i := 0; i < len(lines); {
		column, end := 0, i
		for ; end < len(lines); end++ {
			n, ok := code(end)
			if !ok {
				break
			}
			if n <= farRight {
				column = max(column, n)
			}
		}
		for ; i < end; i++ {
			n, _ := code(i)
			lines[i] = strings.Replace(lines[i], tab, strings.Repeat(" ", max(column-n, 0)+2), 1)
		}
		i++
	}
	return strings.Join(lines, "\n")
}

// words begin an expression without being reserved.
var words = map[string]bool{
	"require": true, "assume": true, "with": true, "always": true, "eventually": true,
	"until": true, "temporal": true,
	"liveness": true,
}

type printer struct {
	src    *diag.Source
	starts map[int]bool // offsets at which declarations begin
	tight  map[int]bool // offsets of tokens without blanks around them
	out    strings.Builder
	last   syntax.Token  // the last token printed; its Kind is empty at the start
	end    int           // where the last token ends in the source
	open   []syntax.Kind // the open brackets; each indents the lines inside once more
	inDecl bool
	unary  bool // the last token was a prefix operator
}

func (p *printer) token(t syntax.Token) {
	gap := p.src.Text[p.end:t.Start]
	lines := strings.Count(gap, "\n")
	if t.Kind == syntax.EOF {
		if p.last.Kind != "" {
			p.out.WriteByte('\n')
		}
		return
	}
	decl := p.starts[t.Start]
	if decl {
		p.inDecl = false
		if p.last.Kind != "" && lines == 0 {
			lines = 1 // a declaration begins its line
		}
	}
	if p.last.Kind == syntax.Comment && lines == 0 {
		lines = 1
	}
	closing := t.Kind == ")" || t.Kind == "}" || t.Kind == "]"
	if closing && len(p.open) > 0 {
		p.open = p.open[:len(p.open)-1]
	}
	switch {
	case p.last.Kind == "":
	case lines > 0:
		p.out.WriteByte('\n')
		if lines > 1 && !closing && !isOpening(p.last.Kind) {
			p.out.WriteByte('\n')
		}
		p.out.WriteString(strings.Repeat(indent, p.depth(t, decl, closing)))
	case t.Kind == syntax.Comment:
		p.out.WriteString(tab)
	case p.spaced(t):
		p.out.WriteByte(' ')
	}
	p.out.WriteString(p.src.Text[t.Start:t.End])
	if t.Kind != syntax.Comment {
		p.unary = p.isPrefix(t)
	}
	if decl {
		p.inDecl = true
	}
	if isOpening(t.Kind) {
		p.open = append(p.open, t.Kind)
	}
	p.last, p.end = t, t.End
}

// depth is the indentation of a line that begins with t.
func (p *printer) depth(t syntax.Token, decl, closing bool) int {
	if decl {
		return 0
	}
	n, braces := len(p.open), 0
	for _, b := range p.open {
		if b == "{" {
			braces++
		}
	}
	continues := p.inDecl && braces == 0 && !(closing && t.Kind == "}")
	if t.Kind == syntax.Comment && len(p.open) == 0 {
		// A comment before a declaration stands at the margin, a comment within one is indented
		// with its lines. Which of the two a comment is depends on what follows, so the writer's
		// own choice in the source is kept.
		line := p.src.Text[strings.LastIndexByte(p.src.Text[:t.Start], '\n')+1 : t.Start]
		if line == "" {
			return 0
		}
	}
	if continues {
		n++
	}
	// Within braces, a line that continues a statement is indented once more.
	if braces > 0 && !closing && p.continuesStatement(t) {
		n++
	}
	return n
}

// continuesStatement reports whether the line goes on with a statement: the last token cannot end
// one.
func (p *printer) continuesStatement(t syntax.Token) bool {
	if t.Kind == syntax.Comment || p.open[len(p.open)-1] != "{" {
		return false
	}
	switch p.last.Kind {
	case "&", "|", "->", "<->", "=", "!=", "~=", "<", "<=", ">", ">=", "+", "-", "*", ":=", "then",
		"else", "in", ".", "~>":
		return true
	}
	switch t.Kind {
	case "&", "|", "->", "<->", "then", "=", "!=", "<=", "<", ">", ">=", "+", "-":
		return true
	}
	return false
}

func isOpening(k syntax.Kind) bool { return k == "(" || k == "{" || k == "[" }

// isPrefix reports whether t, just printed, is a prefix operator: ! and ~ always, - & | where no
// operand came before.
func (p *printer) isPrefix(t syntax.Token) bool {
	switch t.Kind {
	case "!", "~":
		return true
	case "-":
		return !endsOperand(p.last.Kind)
	}
	return false
}

func endsOperand(k syntax.Kind) bool {
	switch k {
	case syntax.Ident, syntax.Number, syntax.Text, ")", "'", "true", "false", "safety", "]", "}":
		return true
	}
	return false
}

// spaced reports whether a space stands between the last token and t on one line.
func (p *printer) spaced(t syntax.Token) bool {
	last := p.last.Kind
	if p.tight[p.last.Start] && (last == "." || last == "{") ||
		p.tight[t.Start] && (t.Kind == "[" || t.Kind == "}") {
		return false
	}
	switch t.Kind {
	case ")", "]", ",", ";", ".", ":", "'", "..":
		return false
	case "}":
		return last != "{"
	case "(":
		switch last {
		case syntax.Ident:
			// A word of the language is followed by a space, a name that is applied is not. Both
			// are names to the scanner.
			return words[p.src.Text[p.last.Start:p.last.End]] && t.Start > p.last.End
		case "'", "new", "distinct", syntax.Annotation:
			return false
		case "(", "[", "!", "~", "..":
			return false
		}
		return !p.unary
	case "[":
		return true
	}
	switch last {
	case "(", "[", "..":
		return false
	case "!", "~":
		return false
	}
	return !p.unary
}
