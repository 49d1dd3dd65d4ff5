// Package computed makes computed systems of other systems, for tests.
//
// In: a system and one of its instances. Out: a system with the same states, steps and claims,
// whose steps a front end computes (system.Computation): here, the interpreter of the first system.
// So what an engine finds of the second one can be compared with what it finds of the first.
//
// A symbol of the first system, with all of its points, is one value. The fairness of an action is
// a condition for each of the values of its parameters.
package computed

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Language is what messages call the systems.
const Language = "a computed model"

// Of makes a computed system. Its instance has the name of the first one.
func Of(sys *system.System, inst *system.Instance) (*system.System, error) {
	m, err := interp.NewModel(sys, inst)
	if err != nil {
		return nil, err
	}
	w := &wrapper{model: m, table: &table{numbers: map[string]int64{}},
		sort: &logic.Sort{Kind: logic.KindInterned, Name: "value"}}
	w.out = &system.System{Name: sys.Name, Sorts: []*logic.Sort{w.sort},
		Instances: []*system.Instance{{Name: inst.Name}},
		Computed:  &system.Computation{Computed: w}}
	for i, sym := range m.SlotSymbols() {
		if i > 0 && w.parts[len(w.parts)-1].symbol == sym {
			w.parts[len(w.parts)-1].to++
			continue
		}
		w.parts = append(w.parts, part{sym, i, i + 1})
		w.out.Symbols = append(w.out.Symbols, &logic.Symbol{Name: sym.Name, Kind: logic.Constant,
			Result: w.sort, Mutable: true})
	}
	for _, a := range sys.Actions {
		b := &system.Action{Name: a.Name, Span: a.Span}
		for _, p := range a.Params {
			b.Params = append(b.Params, &logic.Var{Name: p.Name, Sort: w.sort})
		}
		w.out.Actions = append(w.out.Actions, b)
	}
	for _, p := range sys.Properties {
		if err := w.property(p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	for _, a := range sys.Actions {
		if a.Fairness == system.Unfair {
			continue
		}
		if err := w.fairness(a, nil); err != nil {
			return nil, fmt.Errorf("fairness of %s: %w", a.Name, err)
		}
	}
	return w.out, system.Validate(w.out)
}

// wrapper is the front end of a computed system.
type wrapper struct {
	model *interp.Model
	out   *system.System
	sort  *logic.Sort
	parts []part
	table *table
	// The predicates by their numbers.
	predicates []func(state, next interp.State) (bool, error)
}

// part is the slots of a symbol.
type part struct {
	symbol   *logic.Symbol
	from, to int
}

// table numbers values.
type table struct {
	mu      sync.Mutex
	numbers map[string]int64
	keys    []string
}

func (t *table) number(values []int64) int64 {
	var key []byte
	for _, v := range values {
		key = binary.AppendVarint(key, v)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	n, ok := t.numbers[string(key)]
	if !ok {
		n = int64(len(t.keys))
		t.keys = append(t.keys, string(key))
		t.numbers[string(key)] = n
	}
	return n
}

func (t *table) values(number int64) (out []int64) {
	t.mu.Lock()
	key := []byte(t.keys[number])
	t.mu.Unlock()
	for len(key) > 0 {
		v, n := binary.Varint(key)
		out, key = append(out, v), key[n:]
	}
	return out
}

// encode makes a state of the second system of one of the first; decode is its inverse.
func (w *wrapper) encode(s interp.State) (out []int64) {
	for _, p := range w.parts {
		out = append(out, w.table.number(s[p.from:p.to]))
	}
	return out
}

func (w *wrapper) decode(s []int64) (out interp.State) {
	for _, n := range s {
		out = append(out, w.table.values(n)...)
	}
	return out
}

// Predicate adds a computed predicate, and gives the formula that it is.
func (w *wrapper) predicate(
	ofStep bool, holds func(state, next interp.State) (bool, error),
) *logic.Term {
	n := len(w.predicates)
	w.predicates = append(w.predicates, holds)
	sym := &logic.Symbol{Name: fmt.Sprintf("predicate%d", n), Kind: logic.Relation,
		Result: logic.Bool, Mutable: true, Derived: true}
	w.out.Symbols = append(w.out.Symbols, sym)
	w.out.Derived = append(w.out.Derived, &system.Derived{Symbol: sym,
		Predicate: &system.Predicate{Number: n, OfStep: ofStep}})
	return logic.App(sym, logic.Pre)
}

func (w *wrapper) property(p *system.Property) error {
	if p.Kind == system.Trusted {
		return nil // the interpreter omits steps to other states
	}
	if !p.IsInvariant() && !p.IsTemporal() {
		return errors.New("a property of another kind")
	}
	q := *p
	if q.Kind == system.Range || q.Kind == system.Argument {
		q.Kind = system.Invariant
	}
	if p.IsTemporal() {
		q.Kind = system.Temporal // quantifiers are expanded
	}
	var err error
	q.Term, err = w.formula(p.Term)
	w.out.Properties = append(w.out.Properties, &q)
	return err
}

// formula puts predicates in place of the parts of a formula without temporal operators.
func (w *wrapper) formula(t *logic.Term) (*logic.Term, error) {
	switch {
	case !logic.IsTemporal(t):
		return w.predicate(false, func(s, _ interp.State) (bool, error) {
			return w.model.Holds(t, s)
		}), nil
	case t.IsQuantifier():
		return w.quantifier(t)
	case t.Op == logic.OpLet:
		return nil, errors.New("a name in a temporal formula")
	}
	c := *t
	c.Args = make([]*logic.Term, len(t.Args))
	for i, a := range t.Args {
		var err error
		if c.Args[i], err = w.formula(a); err != nil {
			return nil, err
		}
	}
	return &c, nil
}

func (w *wrapper) quantifier(t *logic.Term) (*logic.Term, error) {
	v, rest := t.Vars[0], *t
	rest.Vars = t.Vars[1:]
	body := &rest
	if len(rest.Vars) == 0 {
		body = t.Args[0]
	}
	values, err := w.model.Literals(v.Sort, v.Name)
	if err != nil {
		return nil, err
	}
	var parts []*logic.Term
	for _, value := range values {
		f, err := w.formula(logic.Subst(body, map[*logic.Var]*logic.Term{v: value}))
		if err != nil {
			return nil, err
		}
		parts = append(parts, f)
	}
	if t.Op == logic.OpForall {
		return logic.And(parts...), nil
	}
	return logic.Or(parts...), nil
}

// fairness adds the conditions of an action, for the values of the parameters after the first ones.
func (w *wrapper) fairness(a *system.Action, args []interp.Arg) error {
	if len(args) < len(a.Params) {
		p := a.Params[len(args)]
		values, err := w.model.Literals(p.Sort, p.Name)
		if err != nil {
			return err
		}
		for _, t := range values {
			n, ok := logic.Number(t)
			if !ok {
				return errors.New("a value of a parameter is no number")
			}
			longer := append(slices.Clone(args), interp.Arg{Var: p, Value: n})
			if err := w.fairness(a, longer); err != nil {
				return err
			}
		}
		return nil
	}
	some := func(from, to interp.State) (found bool, err error) {
		due, err := w.model.FairIn(from, a, args)
		if err != nil || !due {
			return false, err
		}
		err = w.model.Steps(context.Background(), from, a, func(s interp.Step) error {
			if slices.Equal(s.Args[:len(args)], args) && (to == nil || slices.Equal(s.State, to)) {
				found = true
				return interp.ErrStop
			}
			return nil
		})
		return found, err
	}
	name := []string{a.Name}
	for _, x := range args {
		name = append(name, fmt.Sprint(x.Value))
	}
	w.out.Computed.Conditions = append(w.out.Computed.Conditions, &system.FairnessCondition{
		Name: strings.Join(name, " "), Strong: a.Fairness == system.Strong,
		Enabled: w.predicate(false, some), Taken: w.predicate(true, some)})
	return nil
}

// Language, Computer, Plain, Show, Read and Universe make it a system.Computed.
func (w *wrapper) Language() string { return Language }

func (w *wrapper) Computer(context.Context) system.Computer {
	return &computer{wrapper: w, known: map[string]bool{}}
}

func (w *wrapper) Plain() system.Computer { return &computer{wrapper: w} }

func (w *wrapper) Show(_ *logic.Sort, value int64) result.Value {
	return result.Atom(w.sort.Name,
		strings.ReplaceAll(fmt.Sprint(w.table.values(value)), " ", ","))
}

func (w *wrapper) Read(_ *logic.Sort, v result.Value) (int64, bool) {
	var values []int64
	if json.Unmarshal([]byte(v.Text), &values) != nil {
		return 0, false
	}
	return w.table.number(values), true
}

func (w *wrapper) Universe() []result.Universe { return nil }

// computer remembers the truth of predicates, if known is not nil. It holds its callers to the
// contract: a slice is worthless after it was yielded, and nothing else is asked before.
type computer struct {
	*wrapper
	known map[string]bool
	busy  bool
}

var errBusy = errors.New("a computer is asked something while it yields")

// lend yields slices once.
func (c *computer) lend(yield func() error, slices ...[]int64) error {
	c.busy = true
	err := yield()
	c.busy = false
	for _, s := range slices {
		for i := range s {
			s[i] = -1
		}
	}
	return err
}

func (c *computer) Initial(ctx context.Context, yield func([]int64) error) error {
	return failed(c.model.Initial(ctx, func(s interp.State) error {
		state := c.encode(s)
		return c.lend(func() error { return yield(state) }, state)
	}))
}

func (c *computer) Steps(
	ctx context.Context, state []int64, yield func(action int, args, next []int64) error,
) error {
	if c.busy {
		return errBusy
	}
	from := c.decode(state)
	for i, a := range c.model.System.Actions {
		over := false
		err := c.model.Steps(ctx, from, a, func(s interp.Step) error {
			var args []int64
			for _, x := range s.Args[:len(a.Params)] {
				args = append(args, c.table.number([]int64{x.Value}))
			}
			next := c.encode(s.State)
			err := c.lend(func() error { return yield(i, args, next) }, args, next)
			over = errors.Is(err, interp.ErrStop)
			return err
		})
		if err != nil {
			return failed(err)
		}
		if over {
			return interp.ErrStop
		}
	}
	return nil
}

func (c *computer) Holds(predicate int, state, next []int64) (bool, error) {
	if c.busy {
		return false, errBusy
	}
	key := fmt.Sprint(predicate, state, next)
	if holds, ok := c.known[key]; ok {
		return holds, nil
	}
	var to interp.State
	if next != nil {
		to = c.decode(next)
	}
	holds, err := c.predicates[predicate](c.decode(state), to)
	if err == nil && c.known != nil {
		c.known[key] = holds
	}
	return holds, failed(err)
}

// failed makes an error of evaluation one of a computed system.
func failed(err error) error {
	var term *interp.EvalError
	var action *interp.ActionError
	switch {
	case errors.As(err, &action):
		return &system.ComputedError{Message: err.Error()}
	case errors.As(err, &term):
		return &system.ComputedError{Span: term.Span, Message: term.Message}
	}
	return err
}
