package derive

import (
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// classCheck reads the algorithm of a file. A construct outside the class of symmetric
// point-to-point algorithms (section 3.1) is an error that names the condition.
type classCheck struct {
	file    *syntax.File
	errs    *diag.List
	alg     *algorithm
	globals map[string]syntax.Decl // the declarations of the file, by name
	task    *task
	bound   []string // variables in scope

	property bool // the current expression may mention processes
}

// outside reports a breach of the class.
func (c *classCheck) outside(span diag.Span, format string, args ...any) *diag.Diagnostic {
	return c.errs.Errorf(diag.OutsideClass, span, format, args...)
}

// readAlgorithm gives the algorithm of a file, or reports why it is outside the class. After an
// error it must not be used.
func readAlgorithm(file *syntax.File, decl *syntax.AlgorithmDecl, errs *diag.List) *algorithm {
	c := &classCheck{file: file, errs: errs, globals: map[string]syntax.Decl{}}
	c.alg = &algorithm{decl: decl, vars: decl.Vars, senderStart: -1, globals: c.globals}
	c.declarations()
	c.names()
	c.timing()
	c.tasks()
	c.scope()
	return c.alg
}

// declarations refuses declarations that have no meaning beside an algorithm, and collects the
// names of the rest.
func (c *classCheck) declarations() {
	for _, d := range c.file.Decls {
		if n := declared(d); n != nil {
			c.notReserved(*n)
		}
		switch d := d.(type) {
		case *syntax.SymbolDecl:
			c.globals[d.Name.Text] = d
			if d.Mutable {
				c.outside(d.Span,
					"a global variable: the state of an algorithm is what each process has for "+
						"each of its peers").
					Suggest("Declare it in the algorithm: var %s: SORT = VALUE.", d.Name.Text)
			}
		case *syntax.EnumDecl:
			for _, m := range d.Members {
				c.notReserved(m)
				c.globals[m.Text] = d
			}
		case *syntax.DefinitionDecl:
			c.globals[d.Name.Text] = d
			if d.Transition {
				c.outside(d.Span, "a transition beside an algorithm: its steps are its tasks")
			}
		case *syntax.ActionDecl:
			c.outside(d.Span, "an action beside an algorithm: its steps are its tasks")
		case *syntax.RankDecl:
			c.errs.Errorf(diag.AlgorithmForm, d.Span,
				"hints for ranking functions beside an algorithm have no system to speak of").
				Suggest("State them in the terms of the derived system: about one_way { rank ... }")
		case *syntax.TraceDecl:
			c.errs.Errorf(diag.Unsupported, d.Span, "a trace beside an algorithm is not supported")
		case *syntax.FormulaDecl:
			if d.Name.Text != "" && d.Word == "axiom" {
				c.globals[d.Name.Text] = d
			}
			switch d.Word {
			case "init":
				c.outside(d.Span,
					"an initial condition beside an algorithm: every variable starts with the "+
						"value it is declared with")
			case "invariant", "trusted":
				c.errs.Errorf(diag.AlgorithmForm, d.Span,
					"an invariant beside an algorithm has no system to speak of").
					Suggest("State it in the terms of the derived system: about one_way { %s ... }",
						d.Word)
			case "theorem":
				c.errs.Errorf(diag.Unsupported, d.Span,
					"a theorem beside an algorithm is not supported")
			}
		case *syntax.AlgorithmDecl:
			if d != c.alg.decl {
				c.errs.Errorf(diag.Duplicate, d.Name.Span,
					"a second algorithm").Because(c.alg.decl.Name.Span, "the first is here")
			}
		case *syntax.FbiiDecl:
			c.errs.Errorf(diag.Unsupported, d.Span, "fbii beside an algorithm is not supported")
		}
	}
}

// notReserved refuses a name that is a word of algorithms and their properties. It also refuses
// words that are names in other files and that the text of derived systems uses.
func (c *classCheck) notReserved(n syntax.Name) {
	switch n.Text {
	case ProcessSort, receivedWord, correctWord, crashedWord, "old", "require", "assume", "choose":
		c.errs.Errorf(diag.Duplicate, n.Span, "'%s' has a meaning of its own beside an algorithm",
			n.Text).Suggest("Give this another name.")
	}
}

// names checks that messages, variables and locations have different names.
func (c *classCheck) names() {
	seen := map[string]diag.Span{}
	enter := func(n syntax.Name) {
		c.notReserved(n)
		if before, ok := seen[n.Text]; ok {
			c.errs.Errorf(diag.Duplicate, n.Span, "'%s' is declared twice", n.Text).Because(before,
				"it is declared here")
		} else if d := c.globals[n.Text]; d != nil {
			c.errs.Errorf(diag.Duplicate, n.Span, "'%s' is declared twice", n.Text).Because(d.Pos(),
				"it is declared here")
		}
		seen[n.Text] = n.Span
	}
	d := c.alg.decl
	for _, m := range d.Messages {
		enter(m)
	}
	for _, v := range d.Vars {
		enter(v.Name)
		c.task = nil
		c.expr(v.Value)
	}
	if len(d.Tasks) == 0 {
		c.errs.Errorf(diag.AlgorithmForm, d.Span, "an algorithm without tasks")
	}
	for _, t := range d.Tasks {
		enter(t.Location)
		c.alg.tasks = append(c.alg.tasks, &task{Task: t})
	}
	find := func(n syntax.Name, otherwise int) int {
		if n.Text == "" {
			return otherwise
		}
		i := c.alg.location(n.Text)
		if i < 0 {
			c.errs.Errorf(diag.AlgorithmForm, n.Span, "there is no task at the location '%s'",
				n.Text)
		}
		return i
	}
	for i, t := range c.alg.tasks {
		t.next = find(t.Next, (i+1)%len(c.alg.tasks))
	}
	c.alg.start = find(d.Start, 0)
	c.alg.senderStart = find(d.SenderStart, -1)
}

func (c *classCheck) timing() {
	d := c.alg.decl
	if d.Timing == nil {
		c.errs.Errorf(diag.AlgorithmForm, d.Name.Span, "the model of time is missing").
			Suggest("Write one of: timing synchrony, timing asynchrony, timing " +
				"partial_synchrony(Delta, Phi).")
		return
	}
	t := d.Timing
	c.alg.timing = timings[t.Model.Text]
	if c.alg.timing == nil {
		c.errs.Errorf(diag.AlgorithmForm, t.Model.Span, "there is no model of time '%s'",
			t.Model.Text).
			Suggest("The models are synchrony, asynchrony and partial_synchrony(Delta, Phi).")
		return
	}
	if least, most, what := c.alg.timing.parameters(); len(t.Args) < least || len(t.Args) > most {
		c.errs.Errorf(diag.AlgorithmForm, t.Span, "%s takes %s", t.Model.Text, what)
		return
	}
	for i, n := range t.Args {
		*[]*name{&c.alg.delta, &c.alg.phi, &c.alg.gst}[i] = c.parameter(n)
	}
	if d.Copies.Text == "" {
		return
	}
	if c.alg.timing.aged() {
		c.errs.Errorf(diag.AlgorithmForm, d.Copies.Span,
			"under partial synchrony all copies of a message are kept: their ages tell them apart").
			Suggest("Leave 'network copies(%s)' out.", d.Copies.Text)
	}
	c.alg.copies = c.parameter(d.Copies)
}

// parameter is the name of a constant that is a parameter of the model.
func (c *classCheck) parameter(n syntax.Name) name {
	s, ok := c.globals[n.Text].(*syntax.SymbolDecl)
	if !ok || s.Mutable || s.Word != "constant" || s.Result == nil || s.Result.Name != "int" {
		c.errs.Errorf(diag.AlgorithmForm, n.Span, "'%s' is not an immutable constant of sort int",
			n.Text)
	}
	return name(n.Text)
}

// tasks checks the statements of all tasks and turns them into functions.
func (c *classCheck) tasks() {
	for _, t := range c.alg.tasks {
		c.task = t
		if t.is("send") && !slices.ContainsFunc(c.alg.decl.Messages, func(m syntax.Name) bool {
			return m.Text == t.Message.Text
		}) {
			c.errs.Errorf(diag.AlgorithmForm, t.Message.Span, "there is no message '%s'",
				t.Message.Text)
		}
		c.block(t.Body)
	}
	if c.errs.Err() != nil {
		return
	}
	for _, t := range c.alg.tasks {
		t.update = nextValues(t.Body)
		for _, v := range c.alg.vars {
			if x := t.update[v.Name.Text]; x != nil && size(x, map[*syntax.Expr]int{}) > maxParts {
				c.errs.Errorf(diag.Unsupported, t.Location.Span,
					"what this task does to %s is a formula of more than %d parts", v.Name.Text,
					maxParts).
					Suggest("A value that depends on values that the same task has computed " +
						"grows with each of them: use several tasks, or fewer steps.")
			}
		}
	}
}

func (c *classCheck) block(stmts []syntax.Stmt) {
	depth := len(c.bound)
	defer func() { c.bound = c.bound[:depth] }()
	for _, s := range stmts {
		switch s := s.(type) {
		case *syntax.AssignStmt:
			c.target(s.Target)
			if s.Value == nil {
				c.outside(s.Span, "a task chooses a value: processes are deterministic")
				continue
			}
			c.expr(s.Value)
		case *syntax.IfStmt:
			c.expr(s.Cond)
			c.block(s.Then)
			c.block(s.Else)
		case *syntax.LetStmt:
			c.expr(s.Value)
			c.bind(s.Binder)
		case *syntax.ChooseStmt:
			c.outside(s.Span, "a task chooses a value: processes are deterministic")
		case *syntax.RequireStmt:
			c.outside(s.Span,
				"a task that can block: at each location there is a step, whatever was received").
				Suggest("To change nothing in some cases, put the changes into an 'if'. A send " +
					"cannot be left out: a process sends at each send task " +
					"that it comes to, whatever it has received, so an answer that is sent only " +
					"after a message is outside of this class.")
		}
	}
}

func (c *classCheck) bind(b *syntax.Binder) {
	n := b.Name
	c.notReserved(n)
	if c.alg.variable(n.Text) != nil || c.globals[n.Text] != nil {
		c.errs.Errorf(diag.Shadowing, n.Span,
			"'%s' is already declared, and a variable must not hide it", n.Text)
	}
	c.bound = append(c.bound, n.Text)
}

func (c *classCheck) target(x *syntax.Expr) {
	switch {
	case c.alg.variable(x.Name.Text) == nil:
		c.outside(x.Span,
			"'%s' is not a variable of the algorithm: a task changes only what the process has "+
				"for each peer", x.Name.Text)
	case x.Applied || x.Primes > 0:
		c.otherPeer(x)
	}
}

// otherPeer reports a variable with arguments.
func (c *classCheck) otherPeer(x *syntax.Expr) {
	c.outside(x.Span,
		"the variable of another process or peer: the new value of a variable for a peer "+
			"depends on the location, "+
			"on the messages received from that peer, and on its old value").
		Suggest("In a task, '%s' is that of this process for the peer at hand.", x.Name.Text)
}

// expr checks an expression in a task, or the initial value of a variable.
func (c *classCheck) expr(x *syntax.Expr) {
	depth := len(c.bound)
	defer func() { c.bound = c.bound[:depth] }()
	switch x.Kind {
	case syntax.ExprNew, syntax.ExprOld:
		c.outside(x.Span,
			"a task speaks of current values only").Suggest("Keep an earlier value with 'let'.")
		return
	case syntax.ExprForall, syntax.ExprExists, syntax.ExprLet:
		if x.Kind == syntax.ExprLet {
			c.expr(x.Args[0])
		}
		for _, b := range x.Binders {
			if b.Sort != nil && b.Sort.Name == ProcessSort {
				c.outside(b.Sort.Span,
					"a task that speaks of processes: it knows only the peer at hand")
			}
			c.bind(b)
		}
		c.expr(x.Args[len(x.Args)-1])
		return
	case syntax.ExprName:
		c.name(x)
		return
	}
	for _, a := range x.Args {
		c.expr(a)
	}
}

func (c *classCheck) name(x *syntax.Expr) {
	n := x.Name.Text
	switch {
	case slices.Contains(c.bound, n):
		return
	case n == receivedWord:
		c.received(x)
		return
	case n == correctWord || n == crashedWord:
		c.outside(x.Span, "a process cannot know which processes have crashed")
		return
	case c.alg.variable(n) != nil && c.task == nil:
		c.outside(x.Span,
			"the value at the start depends on a variable: it is the same constant for all "+
				"processes and peers")
		return
	case c.alg.variable(n) != nil && (x.Applied || x.Primes > 0):
		c.otherPeer(x)
		return
	case c.alg.variable(n) != nil:
		return
	case slices.ContainsFunc(c.alg.decl.Messages, func(m syntax.Name) bool { return m.Text == n }):
		c.errs.Errorf(diag.AlgorithmForm, x.Span, "'%s' is a message",
			n).Suggest("Write received(%s) for: it has been received in this step.", n)
		return
	case c.globals[n] == nil && syntax.IsCapital(n):
		c.outside(x.Span,
			"'%s' stands for every value: a task cannot name a process, it knows only the peer "+
				"at hand", n)
		return
	case c.globals[n] == nil:
		c.undeclared(x)
	}
	for _, a := range x.Args {
		c.expr(a)
	}
}

func (c *classCheck) received(x *syntax.Expr) {
	switch {
	case c.task == nil || !c.task.is("receive"):
		c.outside(x.Span, "messages are received in a task of the kind receive only")
	case len(x.Args) != 1 || x.Args[0].Kind != syntax.ExprName || x.Args[0].Applied:
		c.outside(x.Span,
			"received takes the name of a message: what a message says names no process, and "+
				"its sender is the peer at hand")
	case !slices.ContainsFunc(c.alg.decl.Messages, func(m syntax.Name) bool {
		return m.Text == x.Args[0].Name.Text
	}):
		var names []string
		for _, m := range c.alg.decl.Messages {
			names = append(names, m.Text)
		}
		c.errs.Errorf(diag.AlgorithmForm, x.Args[0].Span, "there is no message '%s'",
			x.Args[0].Name.Text).
			Suggest("The messages are: %s.", strings.Join(names, ", "))
	}
}
