package referee

// frame is the environment of an expression.
type frame struct {
	now, old, next []int // of these, old is for code, and next for the formulas of transitions
	env            map[string]int
}

func (f *frame) with(name string, v int) *frame {
	env := map[string]int{name: v}
	for k, x := range f.env {
		if k != name {
			env[k] = x
		}
	}
	return &frame{f.now, f.old, f.next, env}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (e *expr) eval(f *frame) int {
	arg := func(i int) int { return e.args[i].eval(f) }
	switch e.op {
	case "lit":
		return e.value
	case "var":
		v, ok := f.env[e.name]
		if !ok {
			panic("unbound variable " + e.name)
		}
		return v
	case "sym", "old", "new":
		state := map[string][]int{"sym": f.now, "old": f.old, "new": f.next}[e.op]
		if e.sym.body != nil {
			g := &frame{now: state, old: f.old, env: map[string]int{}}
			if e.sym.arg != nil {
				g.env[e.sym.param] = arg(0)
			}
			return e.sym.body.eval(g)
		}
		at := e.sym.slot
		if len(e.args) > 0 {
			at += arg(0)
		}
		return state[at]
	case "not":
		return 1 - arg(0)
	case "neg":
		return -arg(0)
	case "if":
		if arg(0) == 1 {
			return arg(1)
		}
		return arg(2)
	case "forall", "exists":
		for _, v := range e.bound.values {
			if e.args[0].eval(f.with(e.name, v)) == truth(e.op == "exists") {
				return truth(e.op == "exists")
			}
		}
		return truth(e.op == "forall")
	}
	a, b := arg(0), arg(1)
	switch e.op {
	case "&":
		return a * b
	case "|":
		return max(a, b)
	case "->":
		return max(1-a, b)
	case "<->", "=":
		return truth(a == b)
	case "!=":
		return truth(a != b)
	case "<":
		return truth(a < b)
	case "<=":
		return truth(a <= b)
	case ">":
		return truth(a > b)
	case ">=":
		return truth(a >= b)
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	}
	panic("unknown operator " + e.op)
}

// run calls then with every state that the statements can lead to, and the variables.
func run(stmts []*stmt, f *frame, then func(*frame)) {
	if len(stmts) == 0 {
		then(f)
		return
	}
	s, rest := stmts[0], stmts[1:]
	set := func(f *frame, at, v int) *frame {
		now := append([]int{}, f.now...)
		now[at] = v
		return &frame{now, f.old, f.next, f.env}
	}
	at := 0
	if s.sym != nil {
		at = s.sym.slot
		if s.arg != nil {
			at += s.arg.eval(f)
		}
	}
	inner := func(block []*stmt, g *frame) { // what is named in a block is not known behind it
		run(block, g, func(end *frame) { run(rest, &frame{end.now, f.old, f.next, f.env}, then) })
	}
	switch s.op {
	case "require":
		if s.value.eval(f) == 1 {
			run(rest, f, then)
		}
	case "assign":
		run(rest, set(f, at, s.value.eval(f)), then)
	case "all":
		g := f
		for _, v := range s.sym.arg.values {
			g = set(g, s.sym.slot+v, s.value.eval(f.with("X", v)))
		}
		run(rest, g, then)
	case "havoc":
		for _, v := range s.sym.result.values {
			run(rest, set(f, at, v), then)
		}
	case "let":
		run(rest, f.with(s.name, s.value.eval(f)), then)
	case "if":
		block := s.othe
		if s.value.eval(f) == 1 {
			block = s.then
		}
		inner(block, f)
	case "choose":
		for _, v := range s.over.values {
			if g := f.with(s.name, v); s.value.eval(g) == 1 {
				inner(s.then, g)
			}
		}
	default:
		panic("unknown statement " + s.op)
	}
}

// assignments calls visit with every choice of values for some slots.
func assignments(state []int, slots []int, sorts []*sort, visit func([]int)) {
	if len(slots) == 0 {
		visit(append([]int{}, state...))
		return
	}
	for _, v := range sorts[0].values {
		state[slots[0]] = v
		assignments(state, slots[1:], sorts[1:], visit)
	}
}

// steps calls visit with every state after an action, and the number of the values of its
// parameters.
func (a *action) steps(state []int, visit func(binding int, next []int)) {
	var bind func(i, binding int, env map[string]int)
	bind = func(i, binding int, env map[string]int) {
		if i < len(a.params) {
			for n, v := range a.sorts[i].values {
				env[a.params[i]] = v
				bind(i+1, binding*len(a.sorts[i].values)+n, env)
			}
			return
		}
		f := &frame{now: state, old: state, env: map[string]int{}}
		for k, v := range env {
			f.env[k] = v
		}
		if a.formula == nil {
			run(a.body, f, func(end *frame) { visit(binding, end.now) })
			return
		}
		var slots []int
		var sorts []*sort
		for _, x := range a.modifies {
			for _, p := range x.points() {
				slots, sorts = append(slots, x.slot+p), append(sorts, x.result)
			}
		}
		assignments(append([]int{}, state...), slots, sorts, func(next []int) {
			if f.next = next; a.formula.eval(f) == 1 {
				visit(binding, next)
			}
		})
	}
	bind(0, 0, map[string]int{})
}

// due reports whether an action is fair in a state under its condition.
func (a *action) due(state []int, binding int) bool {
	if a.fairIf == nil {
		return true
	}
	env := map[string]int{}
	for i := len(a.params) - 1; i >= 0; i-- {
		n := len(a.sorts[i].values)
		env[a.params[i]], binding = a.sorts[i].values[binding%n], binding/n
	}
	return a.fairIf.eval(&frame{now: state, old: state, env: env}) == 1
}

// initials gives the initial states. A number has a value that a formula names.
func (s *spec) initials() (out [][]int) {
	var slots []int
	var sorts []*sort
	state := make([]int, s.slots)
	small := &sort{values: []int{-1, 0, 1, 2}}
	for _, x := range s.symbols {
		for _, p := range x.points() {
			values := x.result
			if x.result == integer {
				values = small
			}
			slots, sorts = append(slots, x.slot+p), append(sorts, values)
		}
	}
	assignments(state, slots, sorts, func(state []int) {
		f := &frame{now: state, env: map[string]int{}}
		for _, e := range append(s.axioms[:len(s.axioms):len(s.axioms)], s.inits...) {
			if e.eval(f) != 1 {
				return
			}
		}
		out = append(out, state)
	})
	return out
}
