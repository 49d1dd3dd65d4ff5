package ranking

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// view is an instance as one property sees it, for given values of the property's variables. Its
// nodes are states with the ages of the fair actions that the bounds wait for.
type view struct {
	*observer
	instance                 string
	given                    []*logic.Term
	pending, triggered, good []bool // in each state
	choices                  []*choice
	nodes                    map[string]*node
	inStates                 map[int][][]*logic.Term // see known
}

// node is a state with the ages of the waits: the steps that each has been possible for without
// being taken.
type node struct {
	state   int
	ages    []byte
	open    bool // it is on the current path
	longest []int64
	limits  []int64 // the bounds
}

// view evaluates the property in all states.
func (o *observer) view(instance string, given []*logic.Term) (*view, error) {
	v := &view{observer: o, instance: instance, given: given, nodes: map[string]*node{},
		inStates: map[int][][]*logic.Term{},
		choices:  o.chosen()}
	for _, x := range []struct {
		of *logic.Term
		to *[]bool
	}{{o.p.prerequisite(), &v.pending}, {o.p.trigger, &v.triggered}, {o.p.good, &v.good}} {
		t := replace(x.of, o.p.vars, given)
		for _, s := range o.states {
			holds, err := o.model.Holds(t, s)
			if err != nil {
				return nil, err
			}
			*x.to = append(*x.to, holds)
		}
	}
	return v, nil
}

// chosen lists the choices that the bounds mention.
func (o *observer) chosen() []*choice {
	var terms []*logic.Term
	for _, b := range o.watched {
		terms = append(terms, b.term)
	}
	out := o.p.chosenIn(terms, o.mentions)
	slices.Reverse(out)
	return out
}

// mentions reports whether a term mentions a constant, perhaps in what it counts or adds.
func (o *observer) mentions(t *logic.Term, c *logic.Symbol) bool {
	return logic.Has(t, func(t *logic.Term) bool {
		if t.Op != logic.OpApp {
			return false
		}
		var of []*logic.Term
		if count := o.counted[t.Symbol]; count != nil {
			of = append(of, count.such)
		}
		if sum := o.summed[t.Symbol]; sum != nil {
			of = append(append(of, sum.when), sum.args...)
		}
		return t.Symbol == c || slices.ContainsFunc(of, func(t *logic.Term) bool {
			return logic.Occurs(t, c, logic.Pre)
		})
	})
}

// replace puts terms in the place of constants.
func replace(t *logic.Term, constants []*logic.Symbol, by []*logic.Term) *logic.Term {
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Op == logic.OpApp {
			if i := slices.Index(constants, t.Symbol); i >= 0 {
				return by[i]
			}
		}
		return t
	})
}

// waiting is the largest number of waits that are possible at once while the property is pending.
func (v *view) waiting() (most int) {
	for n := range v.states {
		if !v.pending[n] {
			continue
		}
		at := 0
		for _, w := range v.waits {
			if w.can[n] {
				at++
			}
		}
		most = max(most, at)
	}
	return most
}

// from gives the numbers of steps of the longest runs from a state with the trigger, and the bounds
// there; nil if no run keeps to M.
func (v *view) from(ctx context.Context, state int) (out []result.Count, err error) {
	n, err := v.visit(ctx, state, make([]byte, len(v.waits)))
	if err != nil || n.longest == nil {
		return nil, err
	}
	for i, steps := range n.longest {
		out = append(out, result.Count{Steps: steps, Bound: n.limits[i]})
	}
	return out, nil
}

// visit finds the longest runs from a node, after the ones from its successors.
func (v *view) visit(ctx context.Context, state int, ages []byte) (*node, error) {
	key := fmt.Sprint(state, " ", string(ages))
	if n := v.nodes[key]; n != nil {
		if n.open {
			return nil, v.contradiction("the property can be pending for ever")
		}
		return n, nil
	}
	if v.aged++; v.aged > mostAged {
		return nil, fmt.Errorf("it has more than %d states with the ages of the fair actions, "+
			"each of which waits for up to %d steps", mostAged, v.most)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := &node{state: state, ages: ages, open: true}
	v.nodes[key] = n
	switch {
	case v.good[state]:
		n.longest = make([]int64, len(v.watched))
		n.open = false
		return n, nil
	case !v.pending[state]:
		return nil, v.contradiction("the property is neither pending nor good after the trigger")
	case len(v.edges[state]) == 0:
		return nil, v.contradiction("a run ends while the property is pending")
	}
	for _, t := range v.edges[state] {
		after := v.after(n, t)
		if after == nil {
			continue
		}
		next, err := v.visit(ctx, t.to, after)
		if err != nil {
			return nil, err
		}
		n.extend(v.watched, t, next)
	}
	n.open = false
	if n.longest == nil {
		return n, nil
	}
	return n, v.compare(n)
}

// extend takes the runs through a successor into account.
func (n *node) extend(bounds []*watched, t taken, next *node) {
	if next.longest == nil {
		return
	}
	if n.longest == nil {
		n.longest = make([]int64, len(bounds))
	}
	for i, b := range bounds {
		steps := next.longest[i]
		if b.counts(t.action) {
			steps++
		}
		n.longest[i] = max(n.longest[i], steps)
	}
}

// after gives the ages after a step; nil if a fair action would have waited for M steps.
func (v *view) after(n *node, t taken) []byte {
	out := slices.Clone(n.ages)
	for i, w := range v.waits {
		strong := w.fair.action.Fairness == system.Strong
		switch {
		case t.wait == i:
			out[i] = 0
		case w.can[n.state]:
			out[i]++
		}
		switch can := w.can[t.to]; {
		case can && int(out[i]) >= v.most:
			return nil
		case !can && !strong:
			out[i] = 0
		}
	}
	return out
}

// compare finds the bounds at a node: the least ones, over all values that fit the choices. A run
// that takes more steps is a contradiction.
func (v *view) compare(n *node) error {
	known, err := v.known(n.state)
	if err != nil {
		return err
	}
	if len(known) == 0 {
		return v.contradiction("there is nothing to choose")
	}
	for j, terms := range known {
		for i, t := range terms {
			value, err := v.value(n, t)
			if err != nil {
				return err
			}
			if j == 0 {
				n.limits = append(n.limits, value)
			}
			n.limits[i] = min(n.limits[i], value)
		}
	}
	for i, steps := range n.longest {
		if steps > n.limits[i] {
			return v.contradiction(fmt.Sprintf("it is pending for %d steps, and the bound is %d",
				steps, n.limits[i]))
		}
	}
	return nil
}

// known states the bounds in a state, for each of the values that fit the choices: terms in which
// only the steps that are left to fair actions are open, which depend on ages. Each state is looked
// at once.
func (v *view) known(state int) (out [][]*logic.Term, err error) {
	if out, ok := v.inStates[state]; ok {
		return out, nil
	}
	constants := slices.Clone(v.p.vars)
	for _, c := range v.choices {
		constants = append(constants, c.symbol)
	}
	tuples, err := v.fitting(state, v.p.vars, v.given, v.choices)
	if err != nil {
		return nil, err
	}
	for _, by := range tuples {
		var terms []*logic.Term
		for _, b := range v.watched {
			t, err := v.inState(state, b.term, constants, by)
			if err != nil {
				return nil, err
			}
			terms = append(terms, t)
		}
		out = append(out, terms)
	}
	v.inStates[state] = out
	return out, nil
}

// inState puts the values of constants, counts and sizes into a bound.
func (v *view) inState(
	state int, t *logic.Term, constants []*logic.Symbol, by []*logic.Term,
) (*logic.Term, error) {
	var wrong error
	integer := func(x int, err error) *logic.Term {
		if err != nil && wrong == nil {
			wrong = err
		}
		return logic.IntLit(int64(x))
	}
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Op != logic.OpApp {
			return t
		}
		switch {
		case slices.Contains(constants, t.Symbol):
			return by[slices.Index(constants, t.Symbol)]
		case v.counted[t.Symbol] != nil:
			return integer(v.count(state, v.counted[t.Symbol], constants, by))
		case v.summed[t.Symbol] != nil:
			sum, err := v.sum(state, v.summed[t.Symbol], constants, by)
			if err != nil {
				return integer(0, err)
			}
			return sum
		case v.bounds.sizes[t.Symbol] != nil:
			return integer(v.model.Instance.Sizes[v.bounds.sizes[t.Symbol]], nil)
		case slices.ContainsFunc(v.p.fair, func(f *fairness) bool {
			return v.bounds.most[f] == t.Symbol
		}):
			return integer(v.most, nil)
		}
		return t
	}), wrong
}

// value evaluates a bound at a node.
func (v *view) value(n *node, t *logic.Term) (int64, error) {
	var wrong error
	full := logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Op != logic.OpApp || v.leftTo(t.Symbol) == nil {
			return t
		}
		left, err := v.left(n, v.leftTo(t.Symbol), t.Args)
		if err != nil && wrong == nil {
			wrong = err
		}
		return logic.IntLit(int64(left))
	})
	if wrong != nil {
		return 0, wrong
	}
	return v.model.Eval(full, v.states[n.state])
}

// leftTo gives the fair action whose number of steps a symbol is; nil for other symbols.
func (v *view) leftTo(sym *logic.Symbol) *fairness {
	i := slices.IndexFunc(v.p.fair, func(f *fairness) bool { return f.left == sym })
	if i < 0 {
		return nil
	}
	return v.p.fair[i]
}

// left is the largest number of steps that can be left until an action is taken.
func (v *view) left(n *node, f *fairness, args []*logic.Term) (int, error) {
	var values []int64
	for _, a := range args {
		x, err := v.model.Eval(a, v.states[n.state])
		if err != nil {
			return 0, err
		}
		values = append(values, x)
	}
	i, ok := v.places[waitKey{f, fmt.Sprint(values)}]
	switch {
	case ok && (v.waits[i].can[n.state] || f.action.Fairness == system.Strong):
		return v.most - int(n.ages[i]), nil
	case f.action.Fairness == system.Strong:
		return v.most, nil
	}
	return 0, nil
}

// count counts the values that satisfy a condition in a state.
func (v *view) count(
	state int, c *count, constants []*logic.Symbol, by []*logic.Term,
) (number int, err error) {
	err = v.satisfying(state, c.vars, replace(c.such, constants, by),
		func(map[*logic.Var]*logic.Term) { number++ })
	return number, err
}

// sum writes out a sum of steps that are left to a fair action, of which the state decides whose
// steps are added.
func (v *view) sum(
	state int, w *countdown, constants []*logic.Symbol, by []*logic.Term,
) (*logic.Term, error) {
	out := []*logic.Term{logic.IntLit(0)}
	err := v.satisfying(state, w.over, replace(w.when, constants, by),
		func(values map[*logic.Var]*logic.Term) {
			args := make([]*logic.Term, len(w.args))
			for i, arg := range w.args {
				args[i] = logic.Subst(replace(arg, constants, by), values)
			}
			out = append(out, logic.App(w.left, logic.Pre, args...))
		})
	return logic.Add(out...), err
}

// satisfying visits the values of variables that satisfy a condition in a state.
func (v *view) satisfying(
	state int, vars []*logic.Var, such *logic.Term, visit func(map[*logic.Var]*logic.Term),
) error {
	values := map[*logic.Var]*logic.Term{}
	var each func(rest []*logic.Var) error
	each = func(rest []*logic.Var) error {
		if len(rest) == 0 {
			holds, err := v.model.Holds(logic.Subst(such, values), v.states[state])
			if holds {
				visit(values)
			}
			return err
		}
		literals, err := v.model.Literals(rest[0].Sort, rest[0].Name)
		for _, x := range literals {
			if err == nil {
				values[rest[0]] = x
				err = each(rest[1:])
			}
		}
		return err
	}
	return each(vars)
}

func (v *view) contradiction(what string) error {
	return &contradiction{v.p.property, v.instance, what}
}
