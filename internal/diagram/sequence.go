package diagram

import (
	"fmt"
	"strings"
	"unicode"
)

// sequence is a language for sequence diagrams as text, in which one line follows the other and an
// arrow takes no time. A message that arrives in a later row is therefore told twice: a remark
// where it is sent, and an arrow where it is received.
type sequence struct {
	first, last string // lines around a diagram
	lane        func(id, name string) string
	// arrow is a message between two lanes. A late one was sent in an earlier row.
	arrow func(from, to, text string, fate Fate, late bool) string
	note  func(first, last, text string) string // a remark over the lanes from first to last
	// writes a text that the language does not read as its own
	text func(string) string
}

// Mermaid draws a chart as a sequence diagram in the language of Mermaid.
func (c *Chart) Mermaid() string {
	return c.sequence(sequence{
		first: "sequenceDiagram",
		lane:  func(id, name string) string { return "participant " + id + " as " + name },
		arrow: func(from, to, text string, fate Fate, late bool) string {
			line := map[Fate]string{Arrived: "->>", Lost: "-x", Transit: "-)"}[fate]
			if late {
				line = "-" + line
			}
			return from + line + to + ": " + text
		},
		note: func(first, last, text string) string {
			return "Note over " + first + "," + last + ": " + text
		},
		// A semicolon ends a statement, and a number sign begins the name of a character. The word
		// end closes a block.
		text: escaped("#;<>&%\\`\"{}", "", "#%d;",
			map[string]string{"end": "#101;nd"}),
	})
}

// PlantUML draws a chart as a sequence diagram in the language of PlantUML.
func (c *Chart) PlantUML() string {
	return c.sequence(sequence{
		first: "@startuml",
		last:  "@enduml",
		lane:  func(id, name string) string { return `participant "` + name + `" as ` + id },
		arrow: func(from, to, text string, fate Fate, late bool) string {
			line := map[Fate]string{Arrived: "->", Lost: "->x", Transit: "->o"}[fate]
			if late {
				line = "-" + line
			}
			return from + " " + line + " " + to + " : " + text
		},
		note: func(first, last, text string) string {
			return "note over " + first + ", " + last + " : " + text
		},
		// A percent or dollar sign calls a function, and two equal signs mark bold text and the
		// like.
		text: escaped("\"<>\\^$%&", "*/_~-[]=", "<U+%04X>", nil),
	})
}

// escaped writes special characters by their number, also the ones that are special only in pairs,
// and replaces some whole words.
func escaped(special, inPairs, number string, words map[string]string) func(string) string {
	return func(s string) string {
		var b, word strings.Builder
		flush := func() {
			if w, ok := words[strings.ToLower(word.String())]; ok {
				b.WriteString(w)
			} else {
				b.WriteString(word.String())
			}
			word.Reset()
		}
		all := []rune(strings.Join(strings.Fields(clean(s)), " "))
		pair := func(i, j int) bool { return j >= 0 && j < len(all) && all[i] == all[j] }
		for i, r := range all {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				word.WriteRune(r)
				continue
			}
			flush()
			if strings.ContainsRune(special, r) ||
				strings.ContainsRune(inPairs, r) && (pair(i, i-1) || pair(i, i+1)) {
				fmt.Fprintf(&b, number, r)
			} else {
				b.WriteRune(r)
			}
		}
		flush()
		return b.String()
	}
}

// sequence writes a chart line by line.
func (c *Chart) sequence(l sequence) string {
	lines := []string{l.first}
	id := func(lane int) string { return fmt.Sprintf("p%d", lane) }
	for i, name := range c.Lanes {
		lines = append(lines, l.lane(id(i), l.text(name)))
	}
	if len(c.Lanes) == 0 {
		return strings.Join(append(lines, l.last), "\n") + "\n"
	}
	note := func(lanes []int, text string) {
		first, last := 0, len(c.Lanes)-1
		if len(lanes) == 1 {
			first, last = lanes[0], lanes[0]
		}
		lines = append(lines, l.note(id(first), id(last), l.text(text)))
	}
	looping := false
	for i, r := range c.Rows {
		if r.Loop && !looping {
			lines, looping = append(lines, "loop for ever"), true
		}
		if head := c.head(i); head != "" {
			note(nil, head)
		}
		for _, who := range r.Falls {
			note([]int{who}, "crashes")
		}
		for _, a := range c.Arrows {
			from, to := id(a.From), id(a.To)
			switch {
			case a.Sent == i && (a.Received == i || a.Fate != Arrived):
				text := a.Name
				if a.Fate != Arrived {
					text += ", " + string(a.Fate)
				}
				lines = append(lines, l.arrow(from, to, l.text(text), a.Fate, false))
			case a.Sent == i:
				note([]int{a.From}, fmt.Sprintf("sends %s to %s", a.Name, c.Lanes[a.To]))
			case a.Received == i && a.Fate == Arrived:
				text := a.Name + ", sent in " + c.label(a.Sent)
				lines = append(lines, l.arrow(from, to, l.text(text), a.Fate, true))
			}
		}
	}
	if looping {
		lines = append(lines, "end")
	}
	if l.last != "" {
		lines = append(lines, l.last)
	}
	return strings.Join(lines, "\n") + "\n"
}

// head is what a row says beside its messages: which one it is, its time, its text and values.
func (c *Chart) head(row int) string {
	r := c.Rows[row]
	out := c.label(row)
	if r.Time != "" {
		out += " at " + r.Time
	}
	if r.Text != "" {
		out += ": " + r.Text
	}
	if values := c.newValues(row); values != "" {
		out += " " + values
	}
	return out
}

// newValues lists the values that differ from the ones in the row before, in parentheses.
func (c *Chart) newValues(row int) string {
	var values []string
	for i, v := range c.Rows[row].Value {
		if v != "" && (row == 0 || c.Rows[row-1].Value[i] != v) {
			values = append(values, c.Values[i]+" = "+v)
		}
	}
	if len(values) == 0 {
		return ""
	}
	return "(" + strings.Join(values, ", ") + ")"
}

// label names a row: a round, or a state by its number.
func (c *Chart) label(row int) string {
	if label := c.Rows[row].Label; strings.Trim(label, "0123456789") != "" {
		return label
	}
	return "state " + c.Rows[row].Label
}
