package logic

import "testing"

func TestTitles(t *testing.T) {
	for text, want := range map[string]string{
		"size($0($1))":                   "size(log)",
		"$0($1)[$2].term":                "log.term",
		"$0":                             "log",
		"$2 in $0($1)":                   "log",
		"ask($2, {at: $3}) in $0($1)":    "ask in log",
		"{at: $1} in $0":                 "log",
		"($1, $2) in keys($0)":           "keys(log)",
		"$0($1, {g: $2, h: ($3, $4)}).1": "log.1",
	} {
		in := len(text) > 4 && text[0] != 's' && text[1] != '0'
		s := &Symbol{Name: "log_part", Notation: &Notation{Name: "log", Text: text, Relates: in}}
		if got := Titles([]*Symbol{s, {Name: "other"}})[s]; got != want {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
		same := &Symbol{Name: "twin", Notation: s.Notation}
		if got := Titles([]*Symbol{s, same}); got[s] != "log_part" || got[same] != "twin" {
			t.Errorf("%s: %v", text, got)
		}
	}
}
