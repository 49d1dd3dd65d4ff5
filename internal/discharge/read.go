package discharge

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// Limits on the values read from a model: beyond them a value is unknown.
const (
	maxRange  = 256  // integers of a range
	maxPoints = 4096 // points of a function
)

// reader reads the values of a model. It asks in batches: want notes a term, flush asks for all.
type reader struct {
	sys      *system.System
	script   *smt.Script
	elements map[*logic.Sort][]*logic.Var
	bound    int64 // on the absolute value of the integers of the model; 0 stands for none

	// witnesses are constants for the integers of which the goal is false.
	witnesses []*logic.Var

	atoms  map[*logic.Sort][]atom
	domain map[*logic.Sort][]point
	cells  []*cell
	texts  []string
	sinks  []func(smt.Sexpr)
}

// atom is an element as the solver prints it, with a constant that denotes it.
type atom struct {
	printed  string
	constant string
	element  *logic.Var
}

// cell is a value in a picture: a point of a symbol, or an argument of an action, for which copy is
// zero.
type cell struct {
	copy  symbolCopy
	term  *logic.Term // over the constants for elements
	sort  *logic.Sort
	value result.Value
}

// wantCell asks for a value of the picture.
func (r *reader) wantCell(
	c symbolCopy, t *logic.Term, s *logic.Sort, sink func(result.Value),
) error {
	at := &cell{copy: c, term: t, sort: s}
	r.cells = append(r.cells, at)
	return r.want(t, func(e smt.Sexpr) {
		at.value = r.value(s, e)
		sink(at.value)
	})
}

// point is an argument at which a function is read.
type point struct {
	term  *logic.Term
	value result.Value
}

func (r *reader) want(t *logic.Term, sink func(smt.Sexpr)) error {
	text, err := r.script.Term(t)
	if err != nil {
		return err
	}
	r.texts = append(r.texts, text)
	r.sinks = append(r.sinks, sink)
	return nil
}

func (r *reader) flush(ctx context.Context, s *smt.Session) error {
	if len(r.texts) == 0 {
		return nil
	}
	values, err := s.Values(ctx, r.texts)
	if err != nil {
		return err
	}
	r.settle(ctx, s, values)
	for i, v := range values {
		r.sinks[i](v)
	}
	r.texts, r.sinks = nil, nil
	return nil
}

// settle asks again for values that are terms. For a defined function z3 may give the body with the
// arguments substituted, such as (not (big node!val!1)), which has a value in turn. A value that
// stays a term is unknown.
func (r *reader) settle(ctx context.Context, s *smt.Session, values []smt.Sexpr) {
	for range 3 { // a definition may rest on another one
		var open []int
		var texts []string
		for i, v := range values {
			if head := v.Head(); v.IsList && head != "-" && head != "as" {
				open = append(open, i)
				texts = append(texts, r.named(v).String())
			}
		}
		if len(open) == 0 {
			return
		}
		again, err := s.Values(ctx, texts)
		if err != nil {
			return
		}
		for j, i := range open {
			values[i] = again[j]
		}
	}
}

// named replaces elements, whose names solvers cannot read, by constants that denote them.
func (r *reader) named(e smt.Sexpr) smt.Sexpr {
	printed := e.String()
	for _, atoms := range r.atoms {
		for _, a := range atoms {
			if a.printed == printed {
				return smt.Sexpr{Atom: a.constant}
			}
		}
	}
	if !e.IsList {
		return e
	}
	out := smt.Sexpr{IsList: true}
	for _, x := range e.List {
		out.List = append(out.List, r.named(x))
	}
	return out
}

// read makes a trace of the model of the last check of the session.
func (r *reader) read(ctx context.Context, s *smt.Session, pic vc.Path) (*result.Trace, error) {
	if err := r.readDomains(ctx, s); err != nil {
		return nil, fmt.Errorf("reading the elements of a model: %w", err)
	}
	tr := &result.Trace{Kind: pic.Kind, Loop: -1, Violates: pic.Violates,
		Steps: make([]result.Step, len(pic.States))}
	values := map[symbolCopy]*result.Value{}
	var later []symbolCopy // with integers as arguments, of which it is not known which matter
	for _, c := range copies(r.sys, pic.States) {
		if r.domain[logic.Int] == nil && slices.Contains(c.symbol.Args, logic.Int) {
			later = append(later, c)
			continue
		}
		v, err := r.function(c)
		if err != nil {
			return nil, fmt.Errorf("reading %s in a model: %w", c.symbol, err)
		}
		values[c] = v
	}
	answers := make([][]*taken, len(pic.Steps))
	for i, alternatives := range pic.Steps {
		for _, alt := range alternatives {
			t, err := r.alternative(alt)
			if err != nil {
				return nil, fmt.Errorf("reading action %s in a model: %w", alt.Action, err)
			}
			answers[i] = append(answers[i], t)
		}
	}
	if err := r.flush(ctx, s); err != nil {
		return nil, err
	}
	if err := r.readWithIntegers(ctx, s, later, values); err != nil {
		return nil, err
	}
	for _, v := range values {
		result.SortRows(v.Rows)
	}
	for i, alternatives := range answers {
		j := slices.IndexFunc(alternatives, func(t *taken) bool { return t.is })
		if j >= 0 {
			tr.Steps[i+1].Action, tr.Steps[i+1].Args = pic.Steps[i][j].Action, alternatives[j].args
		}
	}

	for _, sort := range r.sys.Sorts {
		if sort.Kind != logic.KindUninterpreted {
			continue
		}
		u := result.Universe{Sort: sort.Name}
		for i := range r.atoms[sort] {
			u.Elements = append(u.Elements, elementName(sort, i))
		}
		tr.Universe = append(tr.Universe, u)
	}
	for _, sym := range r.sys.Symbols {
		if !sym.Mutable {
			tr.Params = append(tr.Params,
				result.Binding{Name: sym.Name, Value: *values[symbolCopy{sym, 0}]})
			continue
		}
		for i, state := range pic.States {
			b := result.Binding{Name: sym.Name, Value: *values[symbolCopy{sym, state[sym]}]}
			tr.Steps[i].State = append(tr.Steps[i].State, b)
		}
	}
	return tr, nil
}

func elementName(s *logic.Sort, i int) string { return fmt.Sprintf("%s%d", s.Name, i) }

// readDomains finds out which constants denote the same element, and the ends of ranges.
func (r *reader) readDomains(ctx context.Context, s *smt.Session) error {
	r.atoms = map[*logic.Sort][]atom{}
	r.domain = map[*logic.Sort][]point{logic.Bool: {
		{logic.False, result.Bool(false)}, {logic.True, result.Bool(true)},
	}}
	for _, sort := range r.sys.Sorts {
		for _, e := range r.elements[sort] {
			constant, err := r.script.Term(logic.Ref(e))
			if err != nil {
				return err
			}
			err = r.want(logic.Ref(e), func(v smt.Sexpr) {
				printed := v.String()
				if slices.ContainsFunc(r.atoms[sort], func(a atom) bool {
					return a.printed == printed
				}) {
					return
				}
				i := len(r.atoms[sort])
				r.atoms[sort] = append(r.atoms[sort], atom{printed, strings.Trim(constant, "|"), e})
				r.domain[sort] = append(r.domain[sort],
					point{logic.Ref(e), result.Atom(sort.Name, elementName(sort, i))})
			})
			if err != nil {
				return err
			}
		}
		for i, m := range sort.Members {
			r.domain[sort] = append(r.domain[sort],
				point{logic.Member(sort, i), result.Atom(sort.Name, m)})
		}
	}
	for _, sym := range r.sys.Symbols {
		for _, sort := range sym.Args {
			if sort == logic.Int && r.bound > 0 {
				r.domain[sort] = rangePoints(big.NewInt(-r.bound), big.NewInt(r.bound))
			}
			if sort.Kind != logic.KindRange {
				continue
			}
			var lo *big.Int
			if err := r.want(sort.Lo, func(v smt.Sexpr) { lo, _ = v.Int() }); err != nil {
				return err
			}
			if err := r.want(sort.Hi, func(v smt.Sexpr) {
				if hi, ok := v.Int(); ok && lo != nil {
					r.domain[sort] = rangePoints(lo, hi)
				}
			}); err != nil {
				return err
			}
		}
	}
	return r.flush(ctx, s)
}

// rangePoints lists the integers lo..hi. It gives nil, which means unknown, when they are too many,
// and an empty list when there are none.
func rangePoints(lo, hi *big.Int) []point {
	n := new(big.Int).Sub(hi, lo)
	if n.Cmp(big.NewInt(maxRange)) >= 0 {
		return nil
	}
	out := []point{}
	for i := new(big.Int).Set(lo); i.Cmp(hi) <= 0; i = new(big.Int).Add(i, big.NewInt(1)) {
		out = append(out, point{logic.BigLit(i), result.Int(i.String())})
	}
	return out
}

// readWithIntegers reads symbols with integers as arguments, of which the ones matter that occur in
// what was read.
func (r *reader) readWithIntegers(ctx context.Context, s *smt.Session, of []symbolCopy,
	values map[symbolCopy]*result.Value,
) (err error) {
	if len(of) == 0 {
		return nil
	}
	if r.domain[logic.Int], err = r.occurring(ctx, s); err != nil {
		return err
	}
	for _, c := range of {
		if values[c], err = r.function(c); err != nil {
			return fmt.Errorf("reading %s in a model: %w", c.symbol, err)
		}
	}
	return r.flush(ctx, s)
}

// occurring are the integers between the ones of which the goal is false and the ones that were
// read, and the ones next to them; nil, which means unknown, where they are too many.
func (r *reader) occurring(ctx context.Context, s *smt.Session) ([]point, error) {
	lo, hi := new(big.Int), new(big.Int)
	include := func(n *big.Int) {
		if n.Cmp(lo) < 0 {
			lo = n
		}
		if n.Cmp(hi) > 0 {
			hi = n
		}
	}
	for _, c := range r.cells {
		n, ok := new(big.Int).SetString(c.value.Text, 10)
		if c.value.Kind == result.IntValue && ok {
			include(n)
		}
	}
	for _, w := range r.witnesses {
		err := r.want(logic.Ref(w), func(v smt.Sexpr) {
			if n, ok := v.Int(); ok {
				include(n)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	if err := r.flush(ctx, s); err != nil {
		return nil, err
	}
	one := big.NewInt(1)
	return rangePoints(new(big.Int).Sub(lo, one), new(big.Int).Add(hi, one)), nil
}

// function asks for all points of a symbol. The value is complete after flush.
func (r *reader) function(c symbolCopy) (*result.Value, error) {
	out := &result.Value{Kind: result.NoValue}
	if len(c.symbol.Args) == 0 {
		err := r.wantCell(c, logic.App(c.symbol, c.version), c.symbol.Result, func(v result.Value) {
			*out = v
		})
		return out, err
	}
	total := 1
	for _, s := range c.symbol.Args {
		d := r.domain[s]
		if d == nil {
			return out, nil
		}
		if total *= len(d); total > maxPoints {
			return out, nil
		}
	}
	out.Kind = result.MapValue
	if c.symbol.Result == logic.Bool {
		out.Kind = result.SetValue
	}
	tuple := make([]point, len(c.symbol.Args))
	var each func(i int) error
	each = func(i int) error {
		if i < len(tuple) {
			for _, p := range r.domain[c.symbol.Args[i]] {
				tuple[i] = p
				if err := each(i + 1); err != nil {
					return err
				}
			}
			return nil
		}
		terms := make([]*logic.Term, len(tuple))
		row := result.Row{Key: make([]result.Value, len(tuple))}
		for j, p := range tuple {
			terms[j], row.Key[j] = p.term, p.value
		}
		return r.wantCell(c, logic.App(c.symbol, c.version, terms...), c.symbol.Result, func(
			v result.Value,
		) {
			switch {
			case out.Kind == result.MapValue:
				row.Result = v
				out.Rows = append(out.Rows, row)
			case out.Kind == result.SetValue && v.Kind != result.BoolValue:
				*out = result.Value{Kind: result.NoValue}
			case out.Kind == result.SetValue && v.Bool:
				out.Rows = append(out.Rows, row)
			}
		})
	}
	return out, each(0)
}

// taken is a model's value of an alternative.
type taken struct {
	is   bool
	args []result.Binding
}

// alternative asks whether an action was taken and with which arguments. The answer is complete
// after flush.
func (r *reader) alternative(alt vc.Alternative) (*taken, error) {
	out := &taken{is: alt.Taken == nil, args: make([]result.Binding, len(alt.Args))}
	if alt.Taken != nil {
		if err := r.want(logic.Ref(alt.Taken),
			func(v smt.Sexpr) { out.is = v.Atom == "true" }); err != nil {
			return nil, err
		}
	}
	for i, arg := range alt.Args {
		err := r.wantCell(symbolCopy{}, arg.Term, arg.Sort, func(v result.Value) {
			out.args[i] = result.Binding{Name: arg.Name, Value: v}
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// value turns a solver's output into a value of a sort.
func (r *reader) value(s *logic.Sort, e smt.Sexpr) result.Value {
	switch s.Kind {
	case logic.KindBool:
		switch e.Atom {
		case "true":
			return result.Bool(true)
		case "false":
			return result.Bool(false)
		}
	case logic.KindInt, logic.KindRange:
		if n, ok := e.Int(); ok {
			return result.Int(n.String())
		}
	case logic.KindUninterpreted:
		printed := e.String()
		for i, a := range r.atoms[s] {
			if a.printed == printed {
				return result.Atom(s.Name, elementName(s, i))
			}
		}
	case logic.KindEnum:
		if e.Head() == "as" && len(e.List) == 3 {
			e = e.List[1]
		}
		for i, m := range s.Members {
			if text, err := r.script.Term(logic.Member(s, i)); err == nil &&
				strings.Trim(text, "|") == e.Atom {
				return result.Atom(s.Name, m)
			}
		}
	}
	return result.Value{Kind: result.NoValue}
}
