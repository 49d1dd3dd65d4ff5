package lsp

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"erelong.dev/erelong/internal/testkit"
)

// pieces are what a random edit writes: parts of the language, and characters that are hard to
// count.
var pieces = []string{
	"", "", "", " ", "\n", "\r\n", "\r", "\t", "(", ")", "{", "}", "[", "]", ";", ",", ":", ".",
	":=", "->", "&", "|", "!", "=", "'", "#",
	"x", "X", "P", "1", "0..3", "forall X. ", "action a() { ", "sort s\n",
	"mutable relation r(s)\n", "safety [p] ", "old(", "new(",
	"choose y: s with ", "if ", "else ", "let ", "in ", "algorithm z {", "about one_way {",
	"instance i { ", "expect [p] holds", "rank [p] {",
	"é", "ß→", "𝔸", "😀", "\u2028", "\xff", "\x00",
}

func randomEdit(r *rand.Rand, text string) (start, end int, with string) {
	start = r.IntN(len(text) + 1)
	end = start
	switch r.IntN(4) {
	case 0:
		end = min(start+r.IntN(4), len(text))
	case 1:
		end = min(start+r.IntN(80), len(text))
	}
	with = pieces[r.IntN(len(pieces))]
	if r.IntN(10) == 0 && len(text) > 0 { // a part of the text
		from := r.IntN(len(text))
		with = text[from:min(from+r.IntN(60), len(text))]
	}
	if !validEnds(text, start, end) {
		return randomEdit(r, text)
	}
	return start, end, strings.ToValidUTF8(with, "?") // JSON has only characters
}

// validEnds reports whether no character, and no end of a line, is cut: a position cannot say so.
func validEnds(text string, offsets ...int) bool {
	for _, o := range offsets {
		if o < len(text) && text[o]&0xc0 == 0x80 || o > 0 && o < len(text) && text[o-1] == '\r' &&
			text[o] == '\n' {
			return false
		}
	}
	return true
}

// Many random edits of every example: the server never fails, and at the end its diagnostics are
// what a fresh check of the same text reports. Between the edits there are requests at random
// places. ERELONG_EDITS is the number of edits of each file.
func TestRandomEdits(t *testing.T) {
	edits, all := int(testkit.Size(5, 26)), examples(t)
	if n, err := strconv.Atoi(os.Getenv("ERELONG_EDITS")); err == nil {
		edits = n
	}
	var paths []string
	for path := range all {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for i, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			c := start(t, nil)
			r := rand.New(rand.NewPCG(uint64(i), 7))
			uri := "file:///" + filepath.ToSlash(filepath.Base(path))
			original := strings.ToValidUTF8(all[path], "?")
			c.open(uri, original)
			for n := range edits {
				if n%50 == 49 { // back to a text that can be read
					c.edit(uri, 0, len(c.texts[uri]), original)
				}
				from, to, with := randomEdit(r, c.texts[uri])
				c.edit(uri, from, to, with)
				if n%10 == 0 {
					c.probe(uri, r.IntN(len(c.texts[uri])+1))
				}
			}
			got := c.diagnostics(uri)
			if diff := cmp.Diff(fresh(t, uri, c.texts[uri]), got); diff != "" {
				t.Errorf("after the edits the text is\n%s\nand the diagnostics differ from those of a fresh check:\n%s", c.texts[uri], diff)
			}
		})
	}
}

// probe sends requests about a place. No answer is an internal error.
func (c *client) probe(uri string, offset int) {
	c.Helper()
	here := newText(c.texts[uri]).position(offset)
	doc := textDocument{uri}
	all := textRange{position{}, position{1 << 20, 0}}
	for method, params := range map[string]any{
		"textDocument/hover":               positionParams{doc, here},
		"textDocument/completion":          positionParams{doc, here},
		"textDocument/signatureHelp":       positionParams{doc, here},
		"textDocument/definition":          positionParams{doc, here},
		"textDocument/references":          positionParams{doc, here},
		"textDocument/documentHighlight":   positionParams{doc, here},
		"textDocument/documentSymbol":      documentParams{doc},
		"textDocument/foldingRange":        documentParams{doc},
		"textDocument/semanticTokens/full": documentParams{doc},
		"textDocument/inlayHint":           rangeParams{doc, all},
		"textDocument/codeLens":            documentParams{doc},
		"textDocument/formatting":          documentParams{doc},
		"textDocument/selectionRange":      selectionParams{doc, []position{here}},
		"textDocument/codeAction": map[string]any{"textDocument": doc, "range": all,
			"context": map[string]any{}},
		"textDocument/rename": renameParams{positionParams{doc, here}, "quite_another"},
	} {
		if err := c.conn.Call(c.Context(), method, params, nil); err != nil &&
			strings.Contains(err.Error(), "defect") {
			c.Errorf("%s at %d of\n%s\n: %v", method, offset, c.texts[uri], err)
		}
	}
}

// The change of an increment is what a client means, wherever characters have two units.
func TestPositions(t *testing.T) {
	for _, s := range []string{"", "a", "a\nb", "a\r\nb\rc\n", "é𝔸x\n😀😀", "\r\r\n\n", "\u2028x"} {
		x := newText(s)
		for o := 0; o <= len(s); o++ {
			if !validEnds(s, o) {
				continue
			}
			if got := x.offset(x.position(o)); got != o {
				t.Errorf("%q: the offset %d becomes %+v and then %d", s, o, x.position(o), got)
			}
		}
	}
	x := newText("a😀b\r\nc")
	for p, want := range map[position]int{
		{0, 0}: 0, {0, 1}: 1, {0, 2}: 1, {0, 3}: 5, {0, 4}: 6, {0, 99}: 6, {1, 0}: 8, {1, 5}: 9,
		{7, 0}: 9, {-1, 3}: 0,
	} {
		if got := x.offset(p); got != want {
			t.Errorf("%+v: %d, want %d", p, got, want)
		}
	}
	if p := x.position(5); p != (position{0, 3}) {
		t.Errorf("after 😀: %+v", p)
	}
}

// The edit that lays a text out makes of it what the formatter says.
func TestDifference(t *testing.T) {
	for _, c := range [][2]string{
		{"", "a\n"}, {"a\n", ""}, {"a\nb\nc\n", "a\nx\nc\n"}, {"a\nb\nc\n", "a\nc\n"},
		{"a\nc\n", "a\nb\nc\n"}, {"a", "a\n"}, {"a\n\n\nb", "a\n\nb"},
		{"a\na\na\n", "a\na\n"}, {"x\r\ny", "x\ny"},
	} {
		old := newText(c[0])
		edits := old.difference(c[1])
		if len(edits) != 1 {
			t.Errorf("%q: %d edits", c, len(edits))
			continue
		}
		if got := old.replace(contentChange{&edits[0].Range, edits[0].NewText}); got != c[1] {
			t.Errorf("%q becomes %q by %+v, want %q", c[0], got, edits[0], c[1])
		}
	}
}
