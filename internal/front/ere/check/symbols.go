package check

import (
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// sortEntry is the meaning of a sort's name. A type is resolved when it is first used.
type sortEntry struct {
	span diag.Span
	sort *logic.Sort
	decl *syntax.TypeDecl // nil when resolved
	busy bool
}

func (c *checker) declareSorts() {
	declare := func(name syntax.Name, e *sortEntry) bool {
		if before, ok := c.sorts[name.Text]; ok {
			c.errs.Errorf(diag.Duplicate, name.Span, "the sort '%s' is declared twice", name.Text).
				Because(before.span, "it is declared here").Suggest(renameOne)
			return false
		}
		e.span = name.Span
		c.sorts[name.Text] = e
		return true
	}
	for _, d := range c.file.Decls {
		switch d := d.(type) {
		case *syntax.SortDecl:
			s := &logic.Sort{Kind: logic.KindUninterpreted, Name: d.Name.Text,
				Extent: c.extent(d), Span: d.Name.Span}
			if declare(d.Name, &sortEntry{sort: s}) {
				c.sys.Sorts = append(c.sys.Sorts, s)
			}
			if d.Code {
				c.sys.Coded = append(c.sys.Coded, s)
			}
			if d.Majority != nil {
				c.majorities = append(c.majorities, d)
			}
		case *syntax.EnumDecl:
			s := &logic.Sort{Kind: logic.KindEnum, Name: d.Name.Text, Span: d.Name.Span}
			if !declare(d.Name, &sortEntry{sort: s}) {
				continue
			}
			c.sys.Sorts = append(c.sys.Sorts, s)
			for i, m := range d.Members {
				s.Members = append(s.Members, m.Text)
				c.declare(m, &global{member: logic.Member(s, i)})
			}
		case *syntax.TypeDecl:
			declare(d.Name, &sortEntry{decl: d})
		}
	}
}

// extent is what the annotations of a sort say of its size. Other annotations say nothing here.
func (c *checker) extent(d *syntax.SortDecl) (out logic.Extent) {
	var said syntax.Name
	for _, a := range d.Annotations {
		switch x := logic.Extent(strings.TrimPrefix(a.Text, "@")); x {
		case logic.Finite, logic.Infinite:
			if out != logic.AnySize && out != x {
				c.errs.Errorf(diag.Duplicate, a.Span, "the sort '%s' is either finite or infinite",
					d.Name.Text).
					Because(said.Span, "it is declared %s here", out).
					Suggest("Delete one of the two annotations.")
			}
			out, said = x, a
		}
	}
	return out
}

// declareSymbols enters the symbols, then resolves their sorts: ranges last, since their ends are
// terms over constants.
func (c *checker) declareSymbols() {
	var symbols []*syntax.SymbolDecl
	for _, d := range c.file.Decls {
		d, ok := d.(*syntax.SymbolDecl)
		if !ok {
			continue
		}
		s := &logic.Symbol{
			Name: d.Name.Text, Mutable: d.Mutable, Derived: d.Derived != nil, Ghost: d.Ghost,
			Span: d.Name.Span,
			Args: make([]*logic.Sort, len(d.Args)),
		}
		switch d.Word {
		case "relation":
			s.Kind, s.Result = logic.Relation, logic.Bool
		case "function":
			s.Kind = logic.Function
		default:
			s.Kind = logic.Constant
		}
		c.declare(d.Name, &global{symbol: s})
		if c.globals[d.Name.Text].symbol != s {
			continue // a duplicate
		}
		c.sys.Symbols = append(c.sys.Symbols, s)
		symbols = append(symbols, d)
	}
	// A range may depend on a constant whose own sort is a range: that sort is then resolved first,
	// on demand.
	c.result = map[*logic.Symbol]func(){}
	for _, d := range symbols {
		s := c.globals[d.Name.Text].symbol
		if d.Result != nil {
			c.result[s] = func() { s.Result = c.sort(d.Result) }
		}
	}
	defer markSymbols(c, symbols)
	for _, ranges := range []bool{false, true} {
		for _, d := range symbols {
			s := c.globals[d.Name.Text].symbol
			for i, a := range d.Args {
				if ranges {
					s.Points = append(s.Points, a.Span)
				}
				if c.isRange(a) == ranges {
					s.Args[i] = c.sort(a)
					c.checkMypyvyArgument(d, a, s.Args[i])
				}
			}
			if d.Result != nil && c.isRange(d.Result) == ranges {
				c.resolve(s)
			}
		}
	}
}

// markSymbols notes what an instance fixes by itself.
func markSymbols(c *checker, symbols []*syntax.SymbolDecl) {
	for _, d := range symbols {
		usual(d, c.globals[d.Name.Text].symbol)
	}
	for _, d := range c.majorities {
		c.sys.Majorities = append(c.sys.Majorities, &system.Majority{
			Of: c.sorts[d.Majority.Of].sort, Sort: c.sorts[d.Name.Text].sort,
			Member: c.globals[d.Majority.Member].symbol,
		})
	}
}

// resolve gives a symbol the sort of its result, unless this has happened or is under way.
func (c *checker) resolve(s *logic.Symbol) {
	if f := c.result[s]; f != nil {
		delete(c.result, s)
		f()
	}
}

func (c *checker) isRange(s *syntax.SortExpr) bool {
	if s.Name == "" {
		return true
	}
	switch e := c.sorts[s.Name]; {
	case e == nil:
		return false
	case e.busy:
		return false // circular; reported when the type is used
	case e.decl != nil:
		e.busy = true
		defer func() { e.busy = false }()
		return c.isRange(e.decl.Sort)
	default:
		return e.sort.Kind == logic.KindRange
	}
}

// checkMypyvyArgument refuses what mypyvy refuses in its own files.
func (c *checker) checkMypyvyArgument(d *syntax.SymbolDecl, a *syntax.SortExpr, s *logic.Sort) {
	if c.mypyvy && (s == logic.Bool || s == logic.Int) {
		c.errs.Errorf(diag.MypyvyArgument, a.Span,
			"in a .pyv file the interpreted sort %s is not supported as argument of a %s",
			s.Name, d.Word).Suggest("In a file that ends in .ere it is.")
	}
}

// sort resolves a sort. After an error it gives a new uninterpreted sort, which causes no further
// errors about the same cause.
func (c *checker) sort(s *syntax.SortExpr) *logic.Sort {
	switch s.Name {
	case "bool":
		return logic.Bool
	case "int":
		return logic.Int
	case "":
		return c.rangeSort(s)
	}
	bad := &logic.Sort{Kind: logic.KindUninterpreted, Name: s.Name, Span: s.Span}
	e := c.sorts[s.Name]
	if e == nil {
		c.unknown[bad] = true
		names := []string{"bool", "int"}
		for n := range c.sorts {
			names = append(names, n)
		}
		d := c.errs.Errorf(diag.UnresolvedSort, s.Span, "there is no sort '%s'", s.Name)
		if near := diag.Closest(s.Name, names); s.Name == syntax.Strings {
			d.Suggest("The values of this type are the strings of the file, and there is none: " +
				"write one where it is used, as in \"idle\".")
		} else if near != "" {
			d.DidYouMean(near)
		} else {
			d.Suggest("Declare it: sort %s", s.Name).Insert(diag.Span{Source: s.Span.Source},
				"sort "+s.Name+"\n")
		}
		return bad
	}
	if e.decl != nil {
		if e.busy {
			c.errs.Errorf(diag.Cyclic, s.Span, "the type '%s' is defined in terms of itself",
				s.Name).
				Because(e.span, "it is defined here").Suggest("Write out what it stands for.")
			return bad
		}
		e.busy = true
		e.sort = c.sort(e.decl.Sort)
		e.busy, e.decl = false, nil
	}
	return e.sort
}

const endsOfRanges = "the ends of a range are made of numbers and immutable constants"

// rangeSort builds a range. Its ends are integer terms over immutable constants that are known
// here.
func (c *checker) rangeSort(s *syntax.SortExpr) *logic.Sort {
	end := func(e *syntax.Expr) *logic.Term {
		el := c.elaborator(0)
		el.noFree = endsOfRanges
		t := el.closed(e, logic.Int, "the ends of a range are integers")
		el.finish()
		logic.Walk(t, func(t *logic.Term) bool {
			if t.Op == logic.OpApp && len(t.Symbol.Args) > 0 || len(t.Vars) > 0 {
				c.errs.Errorf(diag.RangeEnds, t.Span,
					"the ends of a range are made of numbers and immutable constants only")
				return false
			}
			if t.Op == logic.OpInt && !t.Int.IsInt64() {
				c.errs.Errorf(diag.RangeEnds, t.Span, "%s does not fit in 64 bits", t.Int).
					Suggest("Write int for numbers without bounds.")
			}
			return true
		})
		return t
	}
	lo, hi := end(s.Lo), end(s.Hi)
	name := lo.String() + ".." + hi.String()
	if r, ok := c.ranges[name]; ok {
		return r
	}
	r := &logic.Sort{Kind: logic.KindRange, Name: name, Lo: lo, Hi: hi, Span: s.Span}
	c.ranges[name] = r
	return r
}
