package cutoff

import (
	"maps"

	"erelong/internal/lang/syntax"
)

// nextValues turns the statements of a task into one expression for each variable that they may assign: the function
// nextVal of the location (section 3.1). The expressions are over the values before the task.
func nextValues(body []syntax.Stmt) map[string]*syntax.Expr {
	env := values{}
	env.run(body)
	return env
}

// values are the current values of what was assigned, and of what a let binds.
type values map[string]*syntax.Expr

func (env values) run(body []syntax.Stmt) {
	var bound []string
	for _, s := range body {
		switch s := s.(type) {
		case *syntax.AssignStmt:
			env[s.Target.Name.Text] = env.read(s.Value)
		case *syntax.LetStmt:
			env[s.Binder.Name.Text] = env.read(s.Value)
			bound = append(bound, s.Binder.Name.Text)
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
	for _, name := range bound { // it ends with its block, and hides nothing
		delete(env, name)
	}
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
	return &syntax.Expr{Kind: syntax.ExprName, Span: s.Span, Name: syntax.Name{Text: name, Span: s.Span}}
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

// replace copies an expression, with another expression for each name for which f gives one. Names that the expression
// binds itself are left alone; the class check lets them hide nothing.
func replace(x *syntax.Expr, f func(*syntax.Expr) *syntax.Expr) *syntax.Expr {
	if x.Kind == syntax.ExprName {
		if y := f(x); y != nil {
			return y
		}
	}
	for _, b := range x.Binders {
		bound := b.Name.Text
		outer := f
		f = func(x *syntax.Expr) *syntax.Expr {
			if x.Name.Text == bound {
				return nil
			}
			return outer(x)
		}
	}
	c := *x
	c.Args = make([]*syntax.Expr, len(x.Args))
	for i, a := range x.Args {
		c.Args[i] = replace(a, f)
	}
	return &c
}
