package logic

import (
	"slices"
	"strconv"
	"strings"
)

// String prints the term in the concrete syntax of erelong, with as few parentheses as the grammar
// allows.
func (t *Term) String() string { return Printer{}.Term(t) }

// Style says how a printer shows the state in which a mutable symbol is applied.
type Style int

const (
	Formula   Style = iota // f, f' and for every other step f@k
	Stateless              // f for every step
	// f for Post, the state now, and old(f) for Pre, the state in which an action began
	Program
)

// Printer prints terms. Names overrides the names of free variables.
type Printer struct {
	Style Style
	Names map[*Var]string
	Flat  bool // without the notation of structured data: the symbols that hold its parts
}

// Term prints a term.
func (p Printer) Term(t *Term) string {
	w := newWriter(p, t)
	w.term(t, loosest, true)
	return w.out.String()
}

// Vars prints the declarations of variables, such as "X:client, Y:client".
func (p Printer) Vars(vs []*Var) string {
	out := make([]string, len(vs))
	for i, v := range vs {
		name, ok := p.Names[v]
		if !ok {
			name = v.Name
		}
		out[i] = name + ":" + SortText(v.Sort)
	}
	return strings.Join(out, ", ")
}

// SortText prints a sort as the user may write it. Unlike the name of the sort, the text of a range
// does not depend on how the user laid it out.
func SortText(s *Sort) string {
	if s.Kind != KindRange || s.Lo == nil || s.Hi == nil {
		return s.Name
	}
	return sumText(s.Lo) + ".." + sumText(s.Hi)
}

// sumText prints the end of a range, which the grammar requires to be a sum.
func sumText(t *Term) string {
	w := newWriter(Printer{}, t)
	w.term(t, sum, false)
	return w.out.String()
}

// MemberName is the name of a member of an enum or of an element of a finite sort.
func MemberName(s *Sort, index int) string {
	if s.Kind == KindEnum && index >= 0 && index < len(s.Members) {
		return s.Members[index]
	}
	return s.Name + strconv.Itoa(index)
}

// The levels of the grammar, loosest first.
const (
	loosest = iota
	leadsTo
	iff
	implies
	until
	or
	and
	comparison
	sum
	product
	unary
	primary
)

// infix are the levels of the operators that stand between operands, and the levels that their
// operands need; every operand of an n-ary operator but the first is a right one.
var infix = map[Op]struct{ level, left, right int }{
	OpLeadsTo: {leadsTo, iff, iff},
	OpIff:     {iff, implies, implies},
	OpImplies: {implies, until, implies},
	OpUntil:   {until, or, or},
	OpOr:      {or, and, and},
	OpAnd:     {and, comparison, comparison},
	OpEq:      {comparison, sum, sum},
	OpLt:      {comparison, sum, sum},
	OpLe:      {comparison, sum, sum},
	OpAdd:     {sum, sum, product},
	OpSub:     {sum, sum, product},
	OpMul:     {product, product, unary},
	OpDiv:     {product, product, unary},
	OpMod:     {product, product, unary},
}

// writer prints one term. A first pass numbers the nodes in the order in which they are printed, so
// that the second can tell in logarithmic time whether a name occurs within a sub-term.
type writer struct {
	Printer
	out    strings.Builder
	node   int              // number of the node that is printed next
	ends   []int            // for each node, the number after its last descendant
	steps  []uint8          // for each node, which states it speaks of: the bits atPre and atPost
	uses   map[*Var][]int   // nodes at which a variable occurs
	plain  map[string][]int // nodes at which a symbol or member of that name occurs
	names  map[*Var]string  // of the variables in scope
	scope  map[string][]*Var
	inside bool // inside old(...)
}

const (
	atPre uint8 = 1 << iota
	atPost
)

func newWriter(p Printer, t *Term) *writer {
	w := &writer{Printer: p, uses: map[*Var][]int{}, plain: map[string][]int{},
		names: map[*Var]string{},
		scope: map[string][]*Var{}}
	w.number(t)
	for _, v := range FreeVars(t) {
		name, given := p.Names[v]
		if !given {
			name = w.unused(v, 0, len(w.ends))
		}
		w.enter(v, name)
	}
	return w
}

func (w *writer) number(t *Term) uint8 {
	n := len(w.ends)
	w.ends, w.steps = append(w.ends, 0), append(w.steps, 0)
	var steps uint8
	switch t.Op {
	case OpVar:
		w.uses[t.Var] = append(w.uses[t.Var], n)
	case OpMember:
		name := MemberName(t.Sort, t.Index)
		w.plain[name] = append(w.plain[name], n)
	case OpApp:
		w.plain[t.Symbol.Name] = append(w.plain[t.Symbol.Name], n)
		if x := t.Symbol.Notation; x != nil {
			w.plain[x.Name] = append(w.plain[x.Name], n)
		}
		switch {
		case !t.Symbol.Mutable:
		case t.Step == Pre:
			steps = atPre
		default:
			steps = atPost
		}
	}
	for _, i := range w.order(t) {
		steps |= w.number(t.Args[i])
	}
	w.ends[n], w.steps[n] = len(w.ends), steps
	return steps
}

// within reports whether one of the ascending positions lies in [from, to).
func within(positions []int, from, to int) bool {
	i, _ := slices.BinarySearch(positions, from)
	return i < len(positions) && positions[i] < to
}

// unused finds a name for a variable whose scope is the nodes [from, to): its own name, followed by
// a number if another variable or a symbol with this name occurs there.
func (w *writer) unused(v *Var, from, to int) string {
	name := v.Name
	for i := 1; w.taken(name, v, from, to); i++ {
		name = v.Name + strconv.Itoa(i)
	}
	return name
}

func (w *writer) taken(name string, v *Var, from, to int) bool {
	return within(w.plain[name], from, to) || slices.ContainsFunc(w.scope[name], func(u *Var) bool {
		return u != v && within(w.uses[u], from, to)
	})
}

func (w *writer) enter(v *Var, name string) {
	w.names[v] = name
	w.scope[name] = append(w.scope[name], v)
}

// bind opens the scope of variables over the nodes [from, to), and returns a function that closes
// it.
func (w *writer) bind(vs []*Var, from, to int) (leave func()) {
	outer := make([]string, len(vs))
	for i, v := range vs {
		outer[i] = w.names[v]
		w.enter(v, w.unused(v, from, to))
	}
	return func() {
		for i, v := range slices.Backward(vs) {
			name := w.names[v]
			w.scope[name] = w.scope[name][:len(w.scope[name])-1]
			w.names[v] = outer[i]
		}
	}
}

// term prints t as an operand at the given level. Last says that a closing parenthesis, comma or
// keyword follows, so that a term that extends to the right needs no parentheses.
func (w *writer) term(t *Term, level int, last bool) {
	if w.Style == Program && !w.inside && w.steps[w.node] == atPre {
		w.inside = true
		w.out.WriteString("old(")
		w.bare(t, true)
		w.out.WriteString(")")
		w.inside = false
		return
	}
	own := w.levelOf(t)
	if own == loosest && !last || own != loosest && own < level {
		w.out.WriteString("(")
		w.bare(t, true)
		w.out.WriteString(")")
		return
	}
	w.bare(t, last)
}

// levelOf is the grammar level of a term. A term that extends to the right has the loosest level,
// but may be the last operand of any operator.
func (w *writer) levelOf(t *Term) int {
	switch t.Op {
	case OpApp:
		if w.noted(t) && t.Symbol.Notation.Relates {
			return comparison
		}
		return primary
	case OpInt:
		if t.Int.Sign() < 0 {
			return unary
		}
	case OpNot:
		if w.isEquation(t.Args[0]) {
			return comparison
		}
		return unary
	case OpNeg, OpAlways, OpEventually:
		return unary
	case OpIte, OpForall, OpExists, OpLet:
		return loosest
	}
	switch op, ok := infix[t.Op]; {
	case ok && len(t.Args) == 1:
		return w.levelOf(t.Args[0])
	case ok && len(t.Args) > 1:
		return op.level
	}
	return primary
}

// isEquation reports whether the negation of a term is written with !=.
func (w *writer) isEquation(t *Term) bool {
	return t.Op == OpEq && len(t.Args) == 2 && !w.isCase(t)
}

// noted reports whether an application is written as part of structured data.
// A symbol that was derived from another one may have fewer arguments than the file writes.
func (w *writer) noted(t *Term) bool {
	x := t.Symbol.Notation
	return !w.Flat && x != nil && x.Arity == len(t.Args)
}

// isCase reports whether an equation says which constructor made a value.
func (w *writer) isCase(t *Term) bool {
	return len(t.Args) == 2 && t.Args[0].Op == OpApp && w.noted(t.Args[0]) &&
		t.Args[0].Symbol.Notation.Cases != nil && t.Args[1].Op == OpMember
}

// order are the arguments of a term in the order in which they are written.
func (w *writer) order(t *Term) []int {
	out := make([]int, 0, len(t.Args))
	if t.Op != OpApp || !w.noted(t) {
		for i := range t.Args {
			out = append(out, i)
		}
		return out
	}
	for _, p := range pieces(t.Symbol.Notation.Text) {
		if p.arg > 0 {
			out = append(out, p.arg-1)
		}
	}
	return out
}

// piece is a text, or the place of an argument; 0 is the name.
type piece struct {
	text string
	arg  int
}

func pieces(text string) (out []piece) {
	for text != "" {
		before, after, found := strings.Cut(text, "$")
		if before != "" {
			out = append(out, piece{before, -1})
		}
		if !found {
			break
		}
		n := 0
		for n < len(after) && after[n] >= '0' && after[n] <= '9' {
			n++
		}
		arg, _ := strconv.Atoi(after[:n])
		out = append(out, piece{"", arg})
		text = after[n:]
	}
	return out
}

// notation writes an application as the file does.
func (w *writer) notation(t *Term) {
	for i, p := range pieces(t.Symbol.Notation.Text) {
		switch {
		case p.arg < 0:
			w.out.WriteString(p.text)
		case p.arg == 0:
			w.symbol(t)
		case i == 0: // before the word in
			w.term(t.Args[p.arg-1], sum, false)
		default:
			w.term(t.Args[p.arg-1], loosest, true)
		}
	}
}

func (w *writer) bare(t *Term, last bool) {
	n := w.node
	w.node++
	switch t.Op {
	case OpInt:
		w.out.WriteString(t.Int.String())
	case OpMember:
		w.out.WriteString(MemberName(t.Sort, t.Index))
	case OpVar:
		w.out.WriteString(w.names[t.Var])
	case OpApp:
		if w.noted(t) {
			w.notation(t)
			return
		}
		w.symbol(t)
		w.list(t.Args)
	case OpEq:
		if w.isCase(t) {
			w.term(t.Args[0], sum, false)
			w.node++ // the member
			w.out.WriteString(" is " + t.Args[0].Symbol.Notation.Cases[t.Args[1].Index])
			return
		}
		w.infix(t.Args, "=", sum, sum, last)
	case OpNot:
		if in := t.Args[0]; w.isEquation(in) {
			w.node++
			w.infix(in.Args, "!=", sum, sum, last)
			return
		}
		w.prefix("!", t.Args[0], unary, last)
	case OpNeg: // two minus signs in a row are hard to read
		w.prefix("-", t.Args[0], primary, last)
	case OpAlways, OpEventually:
		w.prefix(t.Op.String()+" ", t.Args[0], unary, last)
	case OpIte:
		w.out.WriteString("if ")
		w.term(t.Args[0], loosest, true)
		w.out.WriteString(" then ")
		w.term(t.Args[1], loosest, true)
		w.out.WriteString(" else ")
		w.term(t.Args[2], loosest, true)
	case OpForall, OpExists:
		leave := w.bind(t.Vars, n, w.ends[n])
		w.out.WriteString(t.Op.String() + " " + Printer{Names: w.names}.Vars(t.Vars))
		w.out.WriteString(". ")
		w.term(t.Args[0], loosest, true)
		leave()
	case OpLet:
		body := w.ends[n+1]
		leave := w.bind(t.Vars, body, w.ends[n])
		w.out.WriteString("let " + w.names[t.Vars[0]] + " = ")
		leave() // the value stands outside the scope
		w.term(t.Args[0], loosest, true)
		w.out.WriteString(" in ")
		leave = w.bind(t.Vars, body, w.ends[n])
		w.term(t.Args[1], loosest, true)
		leave()
	case OpAnd, OpOr:
		if len(t.Args) == 0 {
			w.out.WriteString(BoolLit(t.Op == OpAnd).Op.String())
			return
		}
		fallthrough
	default:
		if op, ok := infix[t.Op]; ok {
			w.infix(t.Args, t.Op.String(), op.left, op.right, last)
			return
		}
		w.out.WriteString(t.Op.String())
		w.list(t.Args)
	}
}

func (w *writer) infix(args []*Term, op string, left, right int, last bool) {
	if len(args) == 1 {
		w.term(args[0], loosest, last)
		return
	}
	for i, a := range args {
		level := right
		if i > 0 {
			w.out.WriteString(" " + op + " ")
		} else {
			level = left
		}
		w.term(a, level, last && i == len(args)-1)
	}
}

func (w *writer) prefix(op string, arg *Term, level int, last bool) {
	w.out.WriteString(op)
	w.term(arg, level, last)
}

func (w *writer) symbol(t *Term) {
	name := t.Symbol.Name
	if w.noted(t) {
		name = t.Symbol.Notation.Name
	}
	switch {
	case !t.Symbol.Mutable || w.Style == Stateless || w.inside:
	case w.Style == Program && t.Step == Pre:
		name = "old(" + name + ")"
	case w.Style == Program && t.Step == Post, w.Style == Formula && t.Step == Pre:
	case w.Style == Formula && t.Step == Post:
		name += "'"
	default:
		name += "@" + strconv.Itoa(t.Step)
	}
	w.out.WriteString(name)
}

func (w *writer) list(args []*Term) {
	if len(args) == 0 {
		return
	}
	w.out.WriteString("(")
	for i, a := range args {
		if i > 0 {
			w.out.WriteString(", ")
		}
		w.term(a, loosest, true)
	}
	w.out.WriteString(")")
}
