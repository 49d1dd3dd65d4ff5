package syntax

import "erelong.dev/erelong/internal/front/parse"

// bounded reports whether the next tokens are variables before \in.
func (r *reader) bounded() bool {
	n, end := 0, parse.Kind("\\in")
	if r.At("<<") {
		n, end = 1, ">>"
	}
	for r.Ahead(n).Kind == parse.Word {
		if n++; r.Ahead(n).Kind == "," {
			n++
			continue
		}
		return r.Ahead(n).Kind == end && (end == "\\in" || r.Ahead(n+1).Kind == "\\in")
	}
	return false
}

// ends reports whether an argument ends before a token ahead.
func (r *reader) ends(n int) bool {
	switch r.Ahead(n).Kind {
	case ",", ")", "IN", "LOCAL", "INSTANCE", "THEOREM", "LEMMA", "PROPOSITION", "COROLLARY",
		"ASSUME", "ASSUMPTION", "AXIOM", "CONSTANT", "CONSTANTS", "VARIABLE", "VARIABLES",
		"RECURSIVE", "USE", "HIDE", "====", "----", parse.EOF, parse.Outside, step, "DEF", "DEFS":
		return true
	}
	return r.definitionAt(n)
}

// definitionAt reports whether a definition begins at a token ahead.
func (r *reader) definitionAt(n int) bool {
	if o := operators[r.Ahead(n).Kind]; o != nil && o.fix == prefix {
		return r.Ahead(n+1).Kind == parse.Word && r.Ahead(n+2).Kind == "=="
	}
	if r.Ahead(n).Kind != parse.Word {
		return false
	}
	switch o := operators[r.Ahead(n+1).Kind]; {
	case o == nil:
		return r.Ahead(r.heading(n)).Kind == "=="
	case o.fix == postfix:
		return r.Ahead(n+2).Kind == "=="
	default:
		return r.Ahead(n+2).Kind == parse.Word && r.Ahead(n+3).Kind == "=="
	}
}

// equated reports whether an = follows that may be meant to define something: x = e, f(x) = e, or
// f[x \in S] = e.
func (r *reader) equated() bool {
	return r.At(parse.Word) && r.Ahead(r.heading(0)).Kind == "="
}

// mostHeading bounds what stands left of the == of a definition, in tokens.
const mostHeading = 500

// heading is the place ahead behind a name, and behind its parameters or bounds in brackets. It is
// that of the name where they have no end.
func (r *reader) heading(name int) int {
	depth := 0
	for n := name + 1; n < name+mostHeading; n++ {
		switch k := r.Ahead(n).Kind; {
		case k == "(" || k == "[":
			depth++
		case depth == 0:
			return n
		case k == ")" || k == "]" || k == "]_":
			depth--
		}
	}
	return name
}
