package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// texts gives the text of each frame of a picture, line by line, and checks that it is XML.
func texts(t *testing.T, picture string) (frames []string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(picture))
	inText, y := false, ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return frames
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, picture)
		}
		switch x := token.(type) {
		case xml.StartElement:
			if x.Name.Local == "g" {
				frames, y = append(frames, ""), ""
			}
			if inText = x.Name.Local == "text"; inText {
				for _, a := range x.Attr {
					if a.Name.Local == "y" && a.Value != y {
						frames[len(frames)-1] += "\n"
						y = a.Value
					}
				}
			}
		case xml.EndElement:
			inText = false
		case xml.CharData:
			if inText {
				frames[len(frames)-1] += string(x)
			}
		}
	}
}

func TestPicture(t *testing.T) {
	p := picture([]frame{{"\x1b[1;31mred\x1b[0m & <b>\n\x1b[38;5;46mx\x1b[48;2;1;2;3my\x1b[m\x1b[2K z\x1b[7mr", 1}, {"two\n", 2}}, "a <title>")
	if got := texts(t, p); len(got) != 2 || got[0] != "\nred & <b>\nxy zr" || got[1] != "\ntwo" {
		t.Errorf("the texts are %q", got)
	}
	for _, want := range []string{`font-weight="bold">red<`, "fill:#ff7b72", "fill:#00ff00", `fill="#010203"`,
		"@keyframes f1", "33.333%", "prefers-reduced-motion", "a &lt;title&gt;"} {
		if !strings.Contains(p, want) {
			t.Errorf("%s is missing in\n%s", want, p)
		}
	}
}

// The animation of the README shows what the program prints today, apart from times.
func TestScriptIsTrue(t *testing.T) {
	testkit.InCI(t)
	_, noZ3 := exec.LookPath("z3")
	if _, err := exec.LookPath("cvc5"); err != nil && noZ3 != nil {
		t.Skip("there is no solver")
	}
	t.Setenv("ERELONG_CACHE", "off")
	root := filepath.Join("..", "..")
	script, err := os.ReadFile(filepath.Join(root, "docs", "pictures", "terminal.script"))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(filepath.Join(root, "docs", "pictures", "terminal.svg"))
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "erelong")
	t.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	if _, err := run("go build -o '" + program + "' ../../cmd/erelong"); err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	frames, err := play(string(script), run)
	if err != nil {
		t.Fatal(err)
	}
	now, then := texts(t, picture(frames, "")), texts(t, string(kept))
	if len(now) != len(then) {
		t.Fatalf("there are %d frames, and the picture has %d: make pictures", len(now), len(then))
	}
	for i := range now {
		if timeless(now[i]) != timeless(then[i]) {
			t.Fatalf("frame %d is\n%s\nand in the picture\n%s\nmake pictures", i, now[i], then[i])
		}
	}
}

// timeless replaces times, and the blanks that make room for them.
func timeless(s string) string {
	s = regexp.MustCompile(`<?[0-9.]+(ms|s|m[0-9]+s)\b`).ReplaceAllString(s, "T")
	return regexp.MustCompile(` +`).ReplaceAllString(s, " ")
}
