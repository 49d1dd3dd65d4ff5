package parse

import (
	"fmt"
	"testing"

	"erelong.dev/erelong/internal/diag"
)

// A parser ends at its first error, which names what was expected and what stands there. Other
// panics go on.
func TestCursor(t *testing.T) {
	src := diag.NewSource("x.y", "let x = 1")
	symbols := []string{"==", "="}
	equals := Kind(Symbol(src.Text[6:], symbols))
	tokens := []Token{Word.At(0, 3), Word.At(4, 5), equals.At(6, 7), Word.At(8, 9), EOF.At(9, 9)}
	errs := &diag.List{}
	c := NewCursor(src, tokens, errs)
	read := ""
	if !Catch(func() {
		c.ExpectWord("let")
		first := c.Peek()
		c.Enter()
		read = c.Text(c.Next())
		c.Leave()
		c.Expect("=")
		read += src.Text[c.Since(first).Start:c.Since(first).End]
	}) || read != "xx =" || errs.Err() != nil {
		t.Errorf("%q, %v", read, errs.Err())
	}
	if Catch(func() {
		c.Expect(";")
		t.Error("it goes on after an error")
	}) || errs.All[0].Message != "expected ';', found '1'" {
		t.Errorf("%v", errs.All)
	}
	for range 3 {
		c.Next()
	}
	if !c.At(EOF) || c.Ahead(5).Kind != EOF {
		t.Error("the end of the file is not the last token")
	}
	if Catch(func() {
		for {
			c.Enter()
		}
	}) || errs.All[1].Code != diag.TooDeep {
		t.Errorf("%v", errs.All)
	}
	defer func() {
		if recover() != "else" {
			t.Error("another panic does not go on")
		}
	}()
	Catch(func() { panic("else") })
}

// A text is split into what the lexicon says. Comments and blanks are left out, and the first error
// has its place.
func TestLexicon(t *testing.T) {
	l := &Lexicon{Blanks: " \n", Comment: "//", Quoted: "a quote", Symbols: []string{"<=", "<"},
		Enclosed: []Enclosure{{"/*", "*/", ""}, {"{{", "}}", "a block"}},
		Word:     func(text string) (Kind, int) { return Word, Length(text, Letter) }}
	for _, c := range []struct{ text, want string }{
		{"a<=b", "a name:a <=:<= a name:b "},
		{"\ufeffa < \"x y\" // b\n{{c d}}/* e\n */f",
			"a name:a <:< a quote:\"x y\" a block:{{c d}} a name:f "},
		{"// no end", ""},
		{"a /* b", "2-4: '/*' without its end"},
		{"a \"b\n\"", "2-3: a text without its end"},
		{"a \u00e4", "2-4: unexpected character '\u00e4'"},
	} {
		got := ""
		for _, x := range l.Split(c.text, func(start, end int, _ diag.Code, text string) {
			got = fmt.Sprintf("%d-%d: %s", start, end, text)
		}) {
			if x.Kind != EOF {
				got += fmt.Sprintf("%s:%s ", x.Kind, c.text[x.Start:x.End])
			}
		}
		if got != c.want {
			t.Errorf("%q: %q instead of %q", c.text, got, c.want)
		}
	}
}

// A token at the margin or left of it is not seen, and not read. The end of the file is.
func TestMargin(t *testing.T) {
	src := diag.NewSource("x.y", "a b\nc")
	tokens := []Token{Word.At(0, 1), Word.At(2, 3), Word.At(4, 5), EOF.At(5, 5)}
	for i, column := range []int{1, 3, 1, 2} {
		tokens[i].Column = column
	}
	c := NewCursor(src, tokens, &diag.List{})
	c.Next()
	c.Margin = 1
	if !c.At(Word) || c.Ahead(1).Kind != Outside || c.Ahead(2).Kind != EOF {
		t.Error("the margin is not kept")
	}
	c.Next()
	for range 2 {
		if c.Next().Kind != Outside {
			t.Error("a token at the margin is read")
		}
	}
	if Catch(func() { c.Expected("a name") }) ||
		c.Errs.All[0].Message != "expected a name, found the end of the list" {
		t.Errorf("%v", c.Errs.All)
	}
	c.Margin = 0
	if c.Next() != tokens[2] || !c.At(EOF) {
		t.Error("without a margin, the token is not read")
	}
}
