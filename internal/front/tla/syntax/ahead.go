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
		"RECURSIVE", "====", "----", parse.EOF, parse.Outside, step, "DEF", "DEFS":
		return true
	case parse.Word:
		return r.Ahead(n+1).Kind == "=="
	}
	return false
}

// atDefinition reports whether a definition begins at the next token.
func (r *reader) atDefinition() bool {
	if o := operators[r.Peek().Kind]; o != nil && o.fix == prefix {
		return r.Ahead(1).Kind == parse.Word && r.Ahead(2).Kind == "=="
	}
	if !r.At(parse.Word) {
		return false
	}
	switch k := r.Ahead(1).Kind; {
	case k == "==":
		return true
	case k == "(" || k == "[":
		return r.Ahead(r.heading()).Kind == "=="
	case operators[k] == nil || operators[k].fix == prefix:
		return false
	case operators[k].fix == postfix:
		return r.Ahead(2).Kind == "=="
	default:
		return r.Ahead(2).Kind == parse.Word && r.Ahead(3).Kind == "=="
	}
}

// mostHeading bounds what stands left of the == of a definition, in tokens.
const mostHeading = 500

// heading is the number of tokens of a name ahead with its parameters or bounds in brackets.
func (r *reader) heading() (n int) {
	depth := 0
	for n = 1; n < mostHeading; n++ {
		switch k := r.Ahead(n).Kind; k {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		case parse.EOF, parse.Outside, "==", "====":
			return n
		default:
			if depth == 0 {
				return n
			}
		}
	}
	return n
}

// equated reports whether an = follows that may be meant to define something: x = e, f(x) = e, or
// f[x \in S] = e.
func (r *reader) equated() bool {
	return r.At(parse.Word) && r.Ahead(r.heading()).Kind == "="
}
