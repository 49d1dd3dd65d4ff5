package uppaal

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

// declaredEncoding finds the encoding in the first line of a file of XML.
var declaredEncoding = regexp.MustCompile(`^\s*<\?xml[^>]*\sencoding\s*=\s*["']([^"']*)["']`)

// decoded is the text of a file in UTF-8. A file of XML may say that it is in ISO-8859-1, where
// each byte is the character with its number.
func decoded(text string) string {
	m := declaredEncoding.FindStringSubmatch(text)
	if m == nil || !isLatin1(m[1]) {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		b.WriteRune(rune(text[i]))
	}
	return b.String()
}

func isLatin1(encoding string) bool {
	switch strings.ToLower(encoding) {
	case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "l1":
		return true
	}
	return false
}

// readAs is asked how to read a file that says to have another encoding than UTF-8: what is read is
// decoded already.
func readAs(encoding string, r io.Reader) (io.Reader, error) {
	if strings.EqualFold(encoding, "us-ascii") || strings.EqualFold(encoding, "ascii") ||
		isLatin1(encoding) {
		return r, nil
	}
	return nil, fmt.Errorf("its encoding %s is not read: save it in UTF-8", encoding)
}
