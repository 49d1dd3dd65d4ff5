package logic

import "strings"

// Titles are what a file calls symbols, without arguments: log, or of symbols that hold parts of
// structured data size(log) and log.term. Symbols that would have the same title keep their names.
func Titles(symbols []*Symbol) map[*Symbol]string {
	out, of := map[*Symbol]string{}, map[string]int{}
	for _, s := range symbols {
		out[s] = s.Name
		if s.Notation != nil {
			out[s] = title(s.Notation)
		}
		of[out[s]]++
	}
	for s, t := range out {
		if of[t] > 1 {
			out[s] = s.Name
		}
	}
	return out
}

// title is the text of a notation without arguments, and without brackets that have nothing else.
func title(n *Notation) string {
	text := n.Text
	if n.Relates {
		if _, whole, ok := strings.Cut(text, " in "); ok && text[0] == '$' {
			text = whole
		}
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if strings.IndexByte("([{", text[i]) >= 0 {
			if end := closing(text, i); !strings.Contains(text[i:end], "$0") {
				i = end - 1
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return strings.TrimPrefix(strings.ReplaceAll(b.String(), "$0", n.Name), " in ")
}

// closing is the place behind the bracket that closes the one at a place.
func closing(text string, at int) int {
	depth := 0
	for i := at; i < len(text); i++ {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}
