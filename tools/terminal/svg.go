package main

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Sizes of a picture: of a character and of a line, in pixels, and of the screen.
const (
	charWidth  = 8.4
	lineHeight = 18
	fontSize   = 14
	margin     = 14
	mostLines  = 30
	leastWidth = 60 // characters
)

// style is how a character is drawn.
type style struct {
	colour, ground string // empty for the ones of the screen
	bold, dim      bool
	reverse        bool
}

// The colours of a dark terminal, all with a contrast of at least 4.5 to the ground.
const (
	ink   = "#e6e6e6"
	paper = "#16181d"
)

var palette = []string{
	"#7d8590", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#e6e6e6",
	"#9aa4b2", "#ffa198", "#a5f3b0", "#f2cc60", "#a5d6ff", "#e2c5ff", "#8be9f0", "#ffffff",
}

// span is a part of a line in one style.
type span struct {
	style
	column int
	text   string
}

// spans splits a line of a screen by its styles. It gives the style at its end.
func spans(line string, s style) (out []span, end style) {
	column := 0
	for line != "" {
		if code, rest, ok := sgr(line); ok {
			s, line = s.with(code), rest
			continue
		}
		// another sequence: it moves nothing that is drawn here
		if strings.HasPrefix(line, "\x1b") {
			line = skip(line)
			continue
		}
		next := strings.IndexByte(line[1:], '\x1b') + 1
		if next == 0 {
			next = len(line)
		}
		out = append(out, span{s, column, line[:next]})
		column += utf8.RuneCountInString(line[:next])
		line = line[next:]
	}
	return out, s
}

// sgr reads a sequence ESC [ numbers m.
func sgr(text string) (codes []int, rest string, ok bool) {
	after, ok := strings.CutPrefix(text, "\x1b[")
	if !ok {
		return nil, text, false
	}
	end := strings.IndexFunc(after, func(r rune) bool {
		return r != ';' && r != ':' && (r < '0' || r > '9')
	})
	if end < 0 || after[end] != 'm' {
		return nil, text, false
	}
	for _, n := range strings.FieldsFunc(after[:end], func(r rune) bool {
		return r == ';' || r == ':'
	}) {
		code, _ := strconv.Atoi(n)
		codes = append(codes, code)
	}
	if len(codes) == 0 {
		codes = []int{0}
	}
	return codes, after[end+1:], true
}

// skip leaves out a sequence that is no SGR.
func skip(text string) string {
	rest := strings.TrimPrefix(text, "\x1b")
	if !strings.HasPrefix(rest, "[") {
		return rest[min(1, len(rest)):]
	}
	end := strings.IndexFunc(rest[1:], func(r rune) bool { return r >= '@' && r <= '~' })
	if end < 0 {
		return ""
	}
	return rest[end+2:]
}

// with changes a style by the numbers of a sequence.
func (s style) with(codes []int) style {
	for i := 0; i < len(codes); i++ {
		switch c := codes[i]; {
		case c == 0:
			s = style{}
		case c == 1:
			s.bold = true
		case c == 2:
			s.dim = true
		case c == 22:
			s.bold, s.dim = false, false
		case c == 7:
			s.reverse = true
		case c == 27:
			s.reverse = false
		case c >= 30 && c <= 37:
			s.colour = palette[c-30]
		case c >= 90 && c <= 97:
			s.colour = palette[c-90+8]
		case c >= 40 && c <= 47:
			s.ground = palette[c-40]
		case c >= 100 && c <= 107:
			s.ground = palette[c-100+8]
		case c == 39:
			s.colour = ""
		case c == 49:
			s.ground = ""
		case (c == 38 || c == 48) && i+1 < len(codes):
			colour, used := extended(codes[i+1:])
			if i += used; c == 38 {
				s.colour = colour
			} else {
				s.ground = colour
			}
		}
	}
	return s
}

// extended reads a colour of 256, or of red, green and blue.
func extended(codes []int) (colour string, used int) {
	switch {
	case codes[0] == 2 && len(codes) >= 4:
		return fmt.Sprintf("#%02x%02x%02x", codes[1]&255, codes[2]&255, codes[3]&255), 4
	case codes[0] != 5 || len(codes) < 2:
		return "", len(codes)
	case codes[1] < 16:
		return palette[max(codes[1], 0)], 2
	case codes[1] >= 232:
		grey := 8 + 10*(codes[1]-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey), 2
	}
	level := func(n int) int {
		if n == 0 {
			return 0
		}
		return 55 + 40*n
	}
	n := codes[1] - 16
	return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6)), 2
}

// picture draws frames, one after the other, for ever.
func picture(frames []frame, title string) string {
	columns, rows, total := leastWidth, 1, 0.0
	for _, f := range frames {
		lines := strings.Split(strings.TrimRight(f.text, "\n"), "\n")
		rows = max(rows, len(lines))
		for _, l := range lines {
			parts, _ := spans(l, style{})
			for _, p := range parts {
				columns = max(columns,
					p.column+utf8.RuneCountInString(strings.TrimRight(p.text, " ")))
			}
		}
		total += f.seconds
	}
	width, height := 2*margin+charWidth*float64(columns), 2*margin+lineHeight*rows
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d" role="img">
<title>%s</title>
<style>text { font: %dpx ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: pre; fill: %s; }`,
		width, height, width, height, html.EscapeString(title), fontSize, ink)
	at := 0.0
	for i, f := range frames {
		if len(frames) == 1 {
			break
		}
		from, to := 100*at/total, 100*(at+f.seconds)/total
		at += f.seconds
		fmt.Fprintf(&b, "\n#f%d { visibility: hidden; animation: f%d %.1fs step-end infinite; }\n",
			i, i, total)
		fmt.Fprintf(&b,
			"@keyframes f%d { 0%% { visibility: %s; } %.3f%% { visibility: visible; } %.3f%% { "+
				"visibility: hidden; } }",
			i, map[bool]string{true: "visible", false: "hidden"}[i == 0], from, min(to, 99.999))
	}
	if len(frames) > 1 { // who wants no movement sees the end
		fmt.Fprintf(&b,
			"\n@media (prefers-reduced-motion: reduce) { g { animation: none !important; } #f%d "+
				"{ visibility: visible; } }", len(frames)-1)
	}
	fmt.Fprintf(&b, "</style>\n<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"%s\"/>\n",
		paper)
	for i, f := range frames {
		fmt.Fprintf(&b, "<g id=\"f%d\">\n", i)
		s := style{}
		for row, line := range strings.Split(strings.TrimRight(f.text, "\n"), "\n") {
			var parts []span
			parts, s = spans(strings.TrimRight(line, "\r"), s)
			drawLine(&b, parts, margin+float64(lineHeight*row))
		}
		b.WriteString("</g>\n")
	}
	return b.String() + "</svg>\n"
}

// drawLine draws a line whose top is at y.
func drawLine(b *strings.Builder, parts []span, y float64) {
	for _, p := range parts {
		colour, ground := p.colour, p.ground
		if p.reverse {
			if colour == "" {
				colour = ink
			}
			if ground == "" {
				ground = paper
			}
			colour, ground = ground, colour
		}
		x := margin + charWidth*float64(p.column)
		length := charWidth * float64(utf8.RuneCountInString(p.text))
		if ground != "" {
			fmt.Fprintf(b, `<rect x="%.1f" y="%.0f" width="%.1f" height="%d" fill="%s"/>`, x, y,
				length, lineHeight, ground)
		}
		if strings.TrimSpace(p.text) == "" {
			continue
		}
		fmt.Fprintf(b, `<text x="%.1f" y="%.0f" textLength="%.1f"`, x, y+fontSize-1, length)
		if colour != "" {
			fmt.Fprintf(b, ` style="fill:%s"`, colour)
		}
		if p.bold {
			b.WriteString(` font-weight="bold"`)
		}
		if p.dim {
			b.WriteString(` opacity="0.7"`)
		}
		fmt.Fprintf(b, ">%s</text>\n", html.EscapeString(p.text))
	}
}
