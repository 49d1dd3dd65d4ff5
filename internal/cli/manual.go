package cli

import (
	"io/fs"
	"regexp"
	"strings"
	"unicode/utf8"

	"erelong.dev/erelong/docs"
)

// pageTopics are the pages of docs as topics of erelong help.
func pageTopics() (out []topic) {
	names, _ := fs.Glob(docs.Pages, "*.md") // the pattern is valid
	for _, file := range names {
		name := strings.TrimSuffix(file, ".md")
		text, err := docs.Pages.ReadFile(file)
		if err != nil || name == "README" {
			continue // the map of the pages is the list of topics itself
		}
		title, _, _ := strings.Cut(string(text), "\n")
		out = append(out, topic{name, inline(strings.TrimPrefix(title, "# ")),
			func() string { return plainPage(string(text)) }})
	}
	return out
}

var (
	picture  = regexp.MustCompile(`!\[([^\]]*)\]\([^)]*\)`)
	linked   = regexp.MustCompile(`\[([^\]]*)\]\(([^)]*)\)`)
	separate = regexp.MustCompile(`^\|[-|: ]+\|$`)
)

// plainPage is a page as text for a terminal: a block of code is indented, a row of
// a table is a paragraph, and of a link its text remains.
func plainPage(page string) string {
	var b, prose strings.Builder
	code := false
	for line := range strings.Lines(page) {
		switch fence := strings.HasPrefix(strings.TrimSpace(line), "```"); {
		case fence:
			b.WriteString(plainProse(prose.String()))
			prose.Reset()
			code = !code
		case code:
			b.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
		default:
			prose.WriteString(line)
		}
	}
	b.WriteString(plainProse(prose.String()))
	return strings.TrimSpace(b.String())
}

// plainProse is what stands between blocks of code.
func plainProse(text string) string {
	var b strings.Builder
	var header []string // of the present table
	for line := range strings.Lines(inline(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch row := strings.TrimSpace(line); {
		case separate.MatchString(row):
			continue
		case !strings.HasPrefix(row, "|"):
			header = nil
		case header == nil:
			header = cellsOf(row)
			continue
		default:
			line = rowText(header, cellsOf(row))
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// cellsOf are the cells of a row of a table.
func cellsOf(row string) (out []string) {
	const bar = "\x00" // a bar that is part of a cell
	row = strings.Trim(strings.ReplaceAll(row, `\|`, bar), "|")
	for cell := range strings.SplitSeq(row, "|") {
		out = append(out, strings.TrimSpace(strings.ReplaceAll(cell, bar, "|")))
	}
	return out
}

// rowText is a row of a table: the first cell, and below it the others, with their headers where
// there are several.
func rowText(header, cells []string) string {
	var b strings.Builder
	b.WriteString(wrapped(cells[0], ""))
	for i, cell := range cells[1:] {
		if len(cells) > 2 && i+1 < len(header) && header[i+1] != "" && cell != "" {
			cell = header[i+1] + ": " + cell
		}
		if cell != "" {
			b.WriteString("\n" + wrapped(cell, "    "))
		}
	}
	return b.String()
}

// inline is a text without pictures, links and emphasis.
func inline(text string) string {
	text = picture.ReplaceAllString(text, "(picture: $1)")
	text = linked.ReplaceAllStringFunc(text, func(link string) string {
		m := linked.FindStringSubmatch(link)
		name, isPage := strings.CutSuffix(m[1], ".md")
		if isPage && !strings.Contains(name, "/") {
			return "erelong help " + name
		}
		return m[1]
	})
	return strings.ReplaceAll(text, "**", "")
}

// pageWidth is the width of the pages.
const pageWidth = 100

// wrapped breaks a text into indented lines.
func wrapped(text, indent string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch n := utf8.RuneCountInString(word); {
		case column == 0:
			b.WriteString(indent)
			column = len(indent) + n
		case column+1+n > pageWidth:
			b.WriteString("\n" + indent)
			column = len(indent) + n
		default:
			b.WriteByte(' ')
			column += 1 + n
		}
		b.WriteString(word)
	}
	return b.String()
}
