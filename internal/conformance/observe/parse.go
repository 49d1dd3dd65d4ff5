package observe

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/conformance/runlog"
)

// parser reads one declaration.
type parser struct {
	text string
	line int
	at   int
	only string // what is declared, if it can be declared once
}

func (p *parser) column() int { return p.at + 1 }

func (p *parser) blanks() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
}

// word reads up to the next blank, comma, colon or equals sign; a text in quotes is one word.
func (p *parser) word() string {
	p.blanks()
	if p.at < len(p.text) && p.text[p.at] == '"' {
		if quoted, err := strconv.QuotedPrefix(p.text[p.at:]); err == nil {
			p.at += len(quoted)
			word, _ := strconv.Unquote(quoted)
			return word
		}
	}
	from := p.at
	for p.at < len(p.text) && !strings.ContainsRune(" \t,:=", rune(p.text[p.at])) {
		p.at++
	}
	return p.text[from:p.at]
}

// rest reads the rest of the declaration.
func (p *parser) rest() string {
	p.blanks()
	from := p.at
	p.at = len(p.text)
	return strings.TrimSpace(p.text[from:])
}

// keyword reads words if they come next.
func (p *parser) keyword(words string) bool {
	p.blanks()
	after, ok := strings.CutPrefix(p.text[p.at:], words)
	if !ok || after != "" && !strings.ContainsRune(" \t,:=", rune(after[0])) {
		return false
	}
	p.at += len(words)
	return true
}

func (p *parser) expect(sign string) error {
	p.blanks()
	if !strings.HasPrefix(p.text[p.at:], sign) {
		return fmt.Errorf("`%s` is expected", sign)
	}
	p.at += len(sign)
	return nil
}

func (p *parser) end() error {
	if p.blanks(); p.at < len(p.text) {
		return fmt.Errorf("%q is not expected here", p.text[p.at:])
	}
	return nil
}

func (p *parser) number() (int, error) {
	p.blanks()
	n, err := strconv.Atoi(p.word())
	if err != nil || n < 0 {
		return 0, errors.New("a number is expected")
	}
	return n, nil
}

// words reads names with commas between them.
func (p *parser) words() (out []string, err error) {
	for {
		w := p.word()
		if w == "" {
			return nil, errors.New("a name is expected")
		}
		out = append(out, w)
		p.blanks()
		if p.at >= len(p.text) || p.text[p.at] != ',' {
			return out, nil
		}
		p.at++
	}
}

// list reads names up to the end.
func (p *parser) list() ([]string, error) {
	out, err := p.words()
	if err != nil {
		return nil, err
	}
	return out, p.end()
}

// call reads ACTION(PARAMETER = VALUE, ...).
func (p *parser) call(text string) (Call, error) {
	name, args, has := strings.Cut(text, "(")
	c := Call{Action: strings.TrimSpace(name)}
	if c.Action == "" || strings.ContainsAny(c.Action, " \t{}=,") {
		return c, fmt.Errorf("a step such as ACTION(PARAMETER = {PATH}) is expected in place of %q",
			text)
	}
	if !has {
		return c, nil
	}
	args, closed := strings.CutSuffix(strings.TrimSpace(args), ")")
	if !closed {
		return c, fmt.Errorf("the parenthesis of %s is not closed", c.Action)
	}
	for more := args != ""; more; {
		var one string
		one, args, more = cutOutside(args, ',')
		var a Arg
		if name, value, ok := strings.Cut(one, "="); ok && isName(strings.TrimSpace(name)) {
			a.Name, one = strings.TrimSpace(name), value
		}
		var err error
		if a.Value, err = p.template(one); err != nil {
			return c, err
		}
		if len(a.Value.Segments) == 0 {
			return c, fmt.Errorf("the value of an argument of %s is missing", c.Action)
		}
		c.Args = append(c.Args, a)
	}
	return c, nil
}

func isName(s string) bool {
	for i, c := range s {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// condition reads {a} = x & {b} != y & !{c} & {d}.
func (p *parser) condition(text string) (Condition, error) {
	var out Condition
	for more := true; more; {
		var one string
		one, text, more = cutOutside(text, '&')
		a, err := p.atom(strings.TrimSpace(one))
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

func (p *parser) atom(text string) (Atom, error) {
	var a Atom
	if inner, ok := strings.CutPrefix(text, "!"); ok {
		a.Not, text = true, strings.TrimSpace(inner)
	}
	bad := fmt.Errorf("a condition such as {msg.type} = MsgVote is expected in place of %q", text)
	end := strings.IndexByte(text, '}')
	if !strings.HasPrefix(text, "{") || end < 0 {
		return a, bad
	}
	var err error
	if a.Field, err = field(text[1:end]); err != nil {
		return a, err
	}
	rest := strings.TrimSpace(text[end+1:])
	if rest == "" {
		return a, nil
	}
	if a.Not {
		return a, bad
	}
	if after, ok := strings.CutPrefix(rest, "!="); ok {
		a.Not, rest = true, after
	} else if after, ok := strings.CutPrefix(rest, "="); ok {
		rest = after
	} else {
		return a, bad
	}
	a.Compare, rest = true, strings.TrimSpace(rest)
	if inner, ok := strings.CutPrefix(rest, "{"); ok {
		if inner, ok = strings.CutSuffix(inner, "}"); !ok {
			return a, bad
		}
		other, err := field(inner)
		a.Other = &other
		return a, err
	}
	q := &parser{text: rest}
	a.Value = q.word()
	if a.Value == "" && q.text != `""` || q.end() != nil {
		return a, bad
	}
	return a, nil
}

func field(text string) (Reference, error) {
	pl := Reference{}
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "len "); ok {
		pl.Len, text = true, strings.TrimSpace(inner)
	}
	if text == "" || strings.ContainsAny(text, " \t{}") {
		return pl, fmt.Errorf("{%s} is no path: one such as {msg.from} is expected", text)
	}
	pl.Path = runlog.ParsePath(text)
	return pl, nil
}

// template reads a text with places in braces.
func (p *parser) template(text string) (Template, error) {
	text = strings.TrimSpace(text)
	t := Template{Text: text, Column: max(strings.Index(p.text, text), 0) + 1}
	for text != "" {
		from := strings.IndexByte(text, '{')
		if from < 0 {
			t.Segments = append(t.Segments, Segment{Text: text})
			break
		}
		if from > 0 {
			t.Segments = append(t.Segments, Segment{Text: text[:from]})
		}
		end := strings.IndexByte(text, '}')
		if end < from {
			return t, fmt.Errorf("the brace in %q is not closed", text)
		}
		pl, err := field(text[from+1 : end])
		if err != nil {
			return t, err
		}
		t.Segments = append(t.Segments, Segment{Field: &pl})
		text = text[end+1:]
	}
	return t, nil
}

// cutOutside cuts a text at the first sign outside of parentheses, braces and quotes.
func cutOutside(text string, sign byte) (before, after string, found bool) {
	i := outside(text, func(i int) bool { return text[i] == sign })
	if i < 0 {
		return strings.TrimSpace(text), "", false
	}
	return strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:]), true
}

// cutWord cuts a text at the first occurrence of a whole word outside of parentheses, braces and
// quotes.
func cutWord(text, word string) (before, after string, found bool) {
	blank := func(i int) bool {
		return i < 0 || i >= len(text) || text[i] == ' ' || text[i] == '\t'
	}
	i := outside(text, func(i int) bool {
		return strings.HasPrefix(text[i:], word) && blank(i-1) && blank(i+len(word))
	})
	if i < 0 {
		return strings.TrimSpace(text), "", false
	}
	return strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+len(word):]), true
}

// cutLastEquals cuts an equation whose right side is one place. A formula with connectives is none.
func cutLastEquals(text string) (left, right string, found bool) {
	i := strings.LastIndexByte(text, '=')
	if i <= 0 || strings.ContainsRune("!<>=", rune(text[i-1])) ||
		!strings.HasPrefix(strings.TrimSpace(text[i+1:]), "{") {
		return "", "", false
	}
	left, right = strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:])
	connective := func(i int) bool { return strings.ContainsRune("&|<>!", rune(left[i])) }
	if outside(left, connective) >= 0 || strings.HasPrefix(left, "forall") ||
		strings.HasPrefix(left, "exists") {
		return "", "", false
	}
	return left, right, true
}

// outside finds the first index outside of parentheses, braces and quotes for which yes is true.
func outside(text string, yes func(i int) bool) int {
	depth, quoted := 0, false
	for i := range len(text) {
		if depth == 0 && !quoted && yes(i) {
			return i
		}
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '{' || c == '[':
			depth++
		case c == ')' || c == '}' || c == ']':
			depth--
		}
	}
	return -1
}

// message reads EVENT = NAME.
func (p *parser) message(t *Timing, send bool) error {
	m := Message{Event: p.word(), Line: p.line}
	p.only = "the message that " + m.Event + " receives"
	if send {
		p.only = "the message that " + m.Event + " sends"
	}
	if err := p.expect("="); err != nil {
		return err
	}
	var err error
	if m.Name, err = p.template(p.rest()); err != nil {
		return err
	}
	if len(m.Name.Fields()) == 0 {
		return errors.New("the name of a message is made of values of the record, as in " +
			"{from}-{to}-{number}")
	}
	if send {
		t.Sends = append(t.Sends, m)
	} else {
		t.Receives = append(t.Receives, m)
	}
	return nil
}

// theorem reads TIMEOUT >= [A *] Phi + [B *] Delta.
func (p *parser) theorem(t *Timing) error {
	text := strings.ReplaceAll(p.rest(), " ", "")
	var th Theorem
	timeout, sum, ok := strings.Cut(text, ">=")
	var err error
	if th.Timeout, err = strconv.ParseInt(timeout, 10, 64); !ok || err != nil {
		return errors.New("a theorem is of the form 11 >= 3 * Phi + Delta")
	}
	for _, part := range strings.Split(sum, "+") {
		factor, name := int64(1), part
		if number, rest, ok := strings.Cut(part, "*"); ok {
			if factor, err = strconv.ParseInt(number, 10, 64); err != nil {
				return errors.New("a theorem is of the form 11 >= 3 * Phi + Delta")
			}
			name = rest
		}
		switch name {
		case "Phi":
			th.Phi += factor
		case "Delta":
			th.Delta += factor
		default:
			return fmt.Errorf("%q is neither Phi nor Delta", name)
		}
	}
	t.Theorem = &th
	return nil
}
