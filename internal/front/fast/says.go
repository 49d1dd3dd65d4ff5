package fast

import "fmt"

// Strategies are what the strategies of a file print, in terms of their tests.
type Strategies struct {
	all     []strategy
	program *program // nil where the claims of engines decide all that is printed
}

type strategy struct {
	name string
	body []saying
}

// saying is a text, the value of a test, or what depends on one.
type saying struct {
	text       string
	value      *test
	cond       *test
	then, rest []saying
}

// Outcome is what is known of a claim.
type Outcome int

const (
	Open Outcome = iota
	True
	False
)

// Says gives what the strategies print, a line each, as far as the outcomes of the claims decide
// it.
func (s Strategies) Says(outcome func(claim string) Outcome) (out []string) {
	for _, x := range s.all {
		for _, line := range says(x.body, outcome) {
			out = append(out, fmt.Sprintf("strategy %s prints: %s", x.name, line))
		}
	}
	return out
}

func says(body []saying, outcome func(string) Outcome) (out []string) {
	for _, x := range body {
		switch {
		case x.cond != nil:
			switch x.cond.outcome(outcome) {
			case True:
				out = append(out, says(x.then, outcome)...)
			case False:
				out = append(out, says(x.rest, outcome)...)
			}
		case x.value != nil:
			if o := x.value.outcome(outcome); o != Open {
				out = append(out, fmt.Sprint(o == True))
			}
		default:
			out = append(out, x.text)
		}
	}
	return out
}

func (t *test) outcome(of func(string) Outcome) Outcome {
	switch t.op {
	case "true":
		return True
	case "false":
		return False
	case "claim":
		return of(t.name)
	case opUnknown:
		return Open
	case "!":
		return inverted(t.args[0].outcome(of))
	case "||":
		return inverted(least(inverted(t.args[0].outcome(of)), inverted(t.args[1].outcome(of))))
	}
	return least(t.args[0].outcome(of), t.args[1].outcome(of))
}

func inverted(o Outcome) Outcome {
	switch o {
	case True:
		return False
	case False:
		return True
	}
	return Open
}

// least is the outcome of a conjunction.
func least(a, b Outcome) Outcome {
	switch {
	case a == False || b == False:
		return False
	case a == True && b == True:
		return True
	}
	return Open
}
