package ivy

import (
	"fmt"
	"math/rand"
)

// Generated files of Ivy with their meaning: functions on the values of the symbols, which know
// neither the parser nor the language of specifications.

// memory is a state: two nodes, a type of three members, and numbers from 0 to 3.
type memory struct {
	r             [2][2]int
	q             [2]int
	f             [2]int
	leader, at, c int
}

// locals are the values of parameters, variables and letters, by their numbers in the file.
type locals [256]int8

func (l locals) with(n named, v int) locals {
	l[n.at] = int8(v)
	return l
}

// moment is a point of a run of an action.
type moment struct {
	memory
	old   memory // at its beginning
	local locals
}

// phrase is a term with its meaning. Level is that of its operator.
type phrase struct {
	text  string
	level int
	of    func(m moment) int
}

// in writes a phrase as an operand that binds at least as tightly as a level.
func (p phrase) in(level int) string {
	if p.level < level {
		return "(" + p.text + ")"
	}
	return p.text
}

// deed is a statement with its meaning: the moments after it.
type deed func(m moment, r *record) []moment

// record is what the runs of a file have failed, and how many statements were run for it.
type record struct {
	action string
	failed map[string]bool
	spent  int
}

// mostRun bounds the statements that are run for a file.
const mostRun = 20_000

// sizes are the numbers of values of the types.
var sizes = map[string]int{"bool": 2, "node": 2, "state": 3, "count": 4}

var types = []string{"bool", "node", "state", "count"}

// named is a local or a letter with its type.
type named struct {
	name, typ string
	at        int
}

// author writes a file.
type author struct {
	*rand.Rand
	lines  []string
	right  bool // implications group to the right
	known  []named
	count  int  // of names and of locals
	old    bool // old is allowed here
	helper func(m moment, args []int, r *record) []returned
	// assumed are the words of claims that are assumed in the present body.
	assumed []string
}

// returned is what a call gives.
type returned struct {
	memory
	value int
}

func (a *author) write(format string, args ...any) {
	a.lines = append(a.lines, fmt.Sprintf(format, args...))
}

func (a *author) pick(options ...string) string { return options[a.Intn(len(options))] }

// fresh makes a local or a letter with a new name.
func (a *author) fresh(prefix, typ string) named {
	a.count++
	return named{fmt.Sprintf("%s%d", prefix, a.count), typ, a.count}
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// of lists the known names of a type.
func (a *author) of(typ string) (out []phrase) {
	for _, n := range a.known {
		if n.typ == typ {
			out = append(out, phrase{n.name, levelTight, func(m moment) int {
				return int(m.local[n.at])
			}})
		}
	}
	return out
}

func oneOf(a *author, options []phrase) phrase { return options[a.Intn(len(options))] }

// term writes a term of a type.
func (a *author) term(typ string, depth int) phrase {
	if depth > 0 && a.Intn(6) == 0 {
		c, x, y := a.term("bool", depth-1), a.term(typ, depth-1), a.term(typ, depth-1)
		return phrase{x.in(levelIf) + " if " + c.in(levelRun) + " else " + y.in(levelElse+1),
			levelIf, func(m moment) int {
				if c.of(m) == 1 {
					return x.of(m)
				}
				return y.of(m)
			}}
	}
	leaves := a.of(typ)
	switch typ {
	case "node":
		return oneOf(a, append(leaves,
			phrase{"leader", levelTight, func(m moment) int { return m.leader }}))
	case "state":
		k := a.Intn(3)
		leaves = append(leaves, phrase{"at", levelTight, func(m moment) int { return m.at }},
			phrase{[]string{"idle", "busy", "done"}[k], levelTight, func(moment) int { return k }})
		if depth > 0 {
			x := a.term("node", depth-1)
			leaves = append(leaves, phrase{"f(" + x.text + ")", levelTight, func(m moment) int {
				return m.f[x.of(m)]
			}})
		}
		return oneOf(a, leaves)
	case "count":
		return a.number(leaves, depth)
	}
	return a.truth(leaves, depth)
}

// anchor is a term whose type is known from it alone.
func (a *author) anchor(typ string) phrase {
	return phrase{map[string]string{"bool": "q(leader)", "node": "leader", "state": "at",
		"count": "c"}[typ], levelTight, func(m moment) int {
		return map[string]int{"bool": m.q[m.leader], "node": m.leader, "state": m.at,
			"count": m.c}[typ]
	}}
}

func (a *author) number(leaves []phrase, depth int) phrase {
	if depth > 0 && a.Intn(2) == 0 {
		x, y := a.term("count", depth-1), a.term("count", depth-1)
		switch a.Intn(4) {
		case 0:
			return phrase{x.in(levelSum) + " + " + y.in(levelSum+1), levelSum,
				func(m moment) int { return (x.of(m) + y.of(m)) % 4 }}
		case 1:
			return phrase{x.in(levelSum) + " - " + y.in(levelSum+1), levelSum,
				func(m moment) int { return (x.of(m) - y.of(m) + 4) % 4 }}
		case 2:
			k := a.Intn(4)
			return phrase{fmt.Sprintf("%d * %s", k, y.in(levelProduct+1)), levelProduct,
				func(m moment) int { return k * y.of(m) % 4 }}
		}
		k := 1 + a.Intn(3)
		return phrase{fmt.Sprintf("%s / %d", x.in(levelProduct), k), levelProduct,
			func(m moment) int { return x.of(m) / k }}
	}
	k := a.Intn(4)
	return oneOf(a, append(leaves, phrase{"c", levelTight, func(m moment) int { return m.c }},
		phrase{fmt.Sprint(k), levelTight, func(moment) int { return k }}))
}

func (a *author) truth(leaves []phrase, depth int) phrase {
	if depth <= 0 {
		x, y := a.term("node", 0), a.term("node", 0)
		return oneOf(a, append(leaves,
			phrase{"q(" + x.text + ")", levelTight, func(m moment) int { return m.q[x.of(m)] }},
			phrase{"r(" + x.text + ", " + y.text + ")", levelTight, func(m moment) int {
				return m.r[x.of(m)][y.of(m)]
			}}))
	}
	sub := func() phrase { return a.term("bool", depth-1) }
	two := func(op string, level int, is func(x, y int) bool) phrase {
		x, y := sub(), sub()
		left, right := level, level+1
		if level == levelArrow && a.right {
			left, right = level+1, level
		}
		return phrase{x.in(left) + " " + op + " " + y.in(right), level, func(m moment) int {
			return toInt(is(x.of(m), y.of(m)))
		}}
	}
	switch a.Intn(11) {
	case 0:
		x := sub()
		return phrase{"~" + x.in(levelNot), levelNot, func(m moment) int { return 1 - x.of(m) }}
	case 1:
		return two("&", levelAnd, func(x, y int) bool { return x == 1 && y == 1 })
	case 2:
		return two("|", levelOr, func(x, y int) bool { return x == 1 || y == 1 })
	case 3:
		return two("->", levelArrow, func(x, y int) bool { return x == 0 || y == 1 })
	case 4:
		return two("<->", levelArrow, func(x, y int) bool { return x == y })
	case 5, 6:
		return a.quantified(depth)
	case 7, 8:
		typ := types[a.Intn(4)]
		x, y := a.anchor(typ), a.term(typ, depth-1)
		op := a.pick("=", "~=")
		if typ == "count" {
			op = a.pick("=", "~=", "<", "<=", ">", ">=")
		}
		level := levelCompare
		if op == "~=" {
			level = levelUnequal
		}
		return phrase{x.text + " " + op + " " + y.in(level+1), level, func(m moment) int {
			v, w := x.of(m), y.of(m)
			return toInt(map[string]bool{"=": v == w, "~=": v != w, "<": v < w, "<=": v <= w,
				">": v > w, ">=": v >= w}[op])
		}}
	case 9:
		if a.old {
			// The values at the beginning of the action: of symbols alone.
			known := a.known
			a.known, a.old = nil, false
			x := sub()
			a.known, a.old = known, true
			return phrase{"old (" + x.text + ")", levelTight, func(m moment) int {
				then := m
				then.memory = m.old
				return x.of(then)
			}}
		}
	}
	return a.term("bool", 0)
}

func (a *author) quantified(depth int) phrase {
	letter := a.fresh("X", "node")
	a.known = append(a.known, letter)
	body := a.term("bool", depth-1)
	a.known = a.known[:len(a.known)-1]
	word, want := "forall", 1
	if a.Intn(2) == 0 {
		word, want = "exists", 0
	}
	return phrase{word + " " + letter.name + ":node. " + body.text, levelRun, func(m moment) int {
		for v := range 2 {
			n := m
			n.local = m.local.with(letter, v)
			if body.of(n) != want {
				return 1 - want
			}
		}
		return want
	}}
}
