package derive

import (
	"maps"
	"slices"

	"erelong.dev/erelong/internal/front/ere/syntax"
)

// nextValues turns the statements of a task into one expression for each variable that they may
// assign: the function nextVal of the location (section 3.1). The expressions are over the values
// before the task.
func nextValues(body []syntax.Stmt) map[string]*syntax.Expr {
	env := values{}
	env.run(body)
	return env
}

// values are the current values of assigned variables and of names that a let binds.
type values map[string]*syntax.Expr

func (env values) run(body []syntax.Stmt) {
	hidden := values{} // the outer values of the names of this block, nil for none
	for _, s := range body {
		switch s := s.(type) {
		case *syntax.AssignStmt:
			env[s.Target.Name.Text] = env.read(s.Value)
		case *syntax.LetStmt:
			n, value := s.Binder.Name.Text, env.read(s.Value)
			if _, ok := hidden[n]; !ok {
				hidden[n] = env[n]
			}
			env[n] = value
		case *syntax.IfStmt:
			cond := env.read(s.Cond)
			then, other := maps.Clone(env), maps.Clone(env)
			then.run(s.Then)
			other.run(s.Else)
			for name := range mergeKeys(then, other) {
				if a, b := then.current(name, s), other.current(name, s); a == b {
					env[name] = a
				} else {
					env[name] = choice(cond, a, b, s)
				}
			}
		}
	}
	for n, outer := range hidden {
		if env[n] = outer; outer == nil {
			delete(env, n)
		}
	}
}

// maxParts bounds the size of the values that a task computes: a value is copied wherever it is
// read.
const maxParts = 1 << 16

// size counts the parts of an expression, up to a little over maxParts. Some parts may be the same
// tree.
func size(x *syntax.Expr, known map[*syntax.Expr]int) int {
	if n, ok := known[x]; ok {
		return n
	}
	n := 1
	for _, a := range x.Args {
		n = min(n+size(a, known), maxParts+1)
	}
	known[x] = n
	return n
}

// asksFor reports whether statements test whether a message has been received.
func asksFor(body []syntax.Stmt, message string) bool {
	var in func(x *syntax.Expr) bool
	in = func(x *syntax.Expr) bool {
		return x != nil &&
			(x.Kind == syntax.ExprName && x.Name.Text == receivedWord && len(x.Args) == 1 &&
				x.Args[0].Name.Text == message ||
				slices.ContainsFunc(x.Args, in))
	}
	return slices.ContainsFunc(body, func(s syntax.Stmt) bool {
		switch s := s.(type) {
		case *syntax.AssignStmt:
			return in(s.Value)
		case *syntax.LetStmt:
			return in(s.Value)
		case *syntax.IfStmt:
			return in(s.Cond) || asksFor(s.Then, message) || asksFor(s.Else, message)
		}
		return false
	})
}

func mergeKeys(a, b values) map[string]bool {
	out := map[string]bool{}
	for k := range a {
		out[k] = true
	}
	for k := range b {
		out[k] = true
	}
	return out
}

// current is the value of a variable, which is its own name when nothing was assigned.
func (env values) current(name string, s *syntax.IfStmt) *syntax.Expr {
	if v, ok := env[name]; ok {
		return v
	}
	return &syntax.Expr{Kind: syntax.ExprName, Span: s.Span,
		Name: syntax.Name{Text: name, Span: s.Span}}
}

// choice is `if cond then a else b`.
func choice(cond, a, b *syntax.Expr, s *syntax.IfStmt) *syntax.Expr {
	return &syntax.Expr{Kind: syntax.ExprIf, Span: s.Span, Args: []*syntax.Expr{cond, a, b}}
}

// read puts the current values into an expression.
func (env values) read(x *syntax.Expr) *syntax.Expr {
	return replace(x, func(x *syntax.Expr) *syntax.Expr {
		if x.Applied {
			return nil
		}
		return env[x.Name.Text]
	})
}

// replace copies an expression, with another expression for each name for which f gives one. Names
// that the expression binds itself stay; the class check ensures that they hide nothing.
func replace(x *syntax.Expr, f func(*syntax.Expr) *syntax.Expr) *syntax.Expr {
	if x.Kind == syntax.ExprName {
		if y := f(x); y != nil {
			return y
		}
	}
	c := *x
	c.Binders = make([]*syntax.Binder, len(x.Binders))
	for i, b := range x.Binders {
		binder := *b
		if b.In != nil {
			binder.In = replace(b.In, f)
		}
		c.Binders[i] = &binder
		f = except(b, f)
	}
	c.Args = make([]*syntax.Expr, len(x.Args))
	for i, a := range x.Args {
		c.Args[i] = replace(a, f)
	}
	c.Arms = make([]*syntax.Arm, len(x.Arms))
	for i, a := range x.Arms {
		within := f
		for _, b := range a.Variables {
			within = except(b, within)
		}
		arm := *a
		arm.Value = replace(a.Value, within)
		c.Arms[i] = &arm
	}
	return &c
}

// except leaves a bound variable as it is.
func except(b *syntax.Binder, f func(*syntax.Expr) *syntax.Expr) func(*syntax.Expr) *syntax.Expr {
	return func(x *syntax.Expr) *syntax.Expr {
		if x.Name.Text == b.Name.Text {
			return nil
		}
		return f(x)
	}
}
