package itf

import (
	"fmt"
	"io"
	"slices"

	"erelong.dev/erelong/internal/result"
)

// Read reads a trace that Write or another tool has written. In other tools' traces an integer may
// be a JSON number, a string without NAME_OF_SORT becomes an atom without a sort, and a set or map
// that is the value of a variable is a relation or function. The name of an action and its picks
// are found where Quint puts them. An error in the text is an *Error.
func Read(r io.Reader) (*result.Trace, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("reading a trace: %w", err)
	}
	d := &itfReader{text: text, atoms: map[string]atomID{}, data: map[string]bool{},
		argData: map[string]bool{}}
	t, err := d.trace()
	if err != nil {
		return nil, err
	}
	if d.notation != result.Own {
		t = t.In(d.notation)
	}
	return t, nil
}

type itfReader struct {
	notation result.Notation // from #meta
	text     []byte
	atoms    map[string]atomID // from #meta
	data     map[string]bool   // the symbols that are sets or maps, from #meta
	argData  map[string]bool   // the arguments of steps that are, from #meta
}

func (d *itfReader) errorf(n *node, format string, args ...any) error {
	return newError(d.text, n.offset, fmt.Sprintf(format, args...))
}

func (d *itfReader) trace() (*result.Trace, error) {
	root, err := parseJSON(d.text)
	if err != nil {
		return nil, err
	}
	if root.kind != objectNode {
		return nil, d.errorf(root, "a trace is a JSON object, not %s", root.kind)
	}
	t := &result.Trace{Kind: result.Witness, Loop: -1}
	sets, err := d.meta(t, root.field("#meta"))
	if err != nil {
		return nil, err
	}
	params, err := d.names(root, "params", false)
	if err != nil {
		return nil, err
	}
	vars, err := d.names(root, "vars", true)
	if err != nil {
		return nil, err
	}
	for _, p := range params {
		if slices.ContainsFunc(vars, func(v *node) bool { return v.text == p.text }) {
			return nil, d.errorf(p, "%s is among params and vars", p.text)
		}
	}
	states := root.field("states")
	if states == nil {
		return nil, d.errorf(root, `a trace needs the field "states"`)
	}
	if states.kind != arrayNode {
		return nil, d.errorf(states, "states is %s, not an array", states.kind)
	}
	for i := range states.items {
		if err := d.state(t, i, &states.items[i], params, sets, vars); err != nil {
			return nil, err
		}
	}
	if loop := root.field("loop"); loop != nil && loop.kind != nullNode {
		at, err := d.number(loop, "loop")
		if err != nil {
			return nil, err
		}
		if at < 0 || at >= len(t.Steps) {
			return nil, d.errorf(loop,
				"the loop starts at state %d, but there are %d states, counted from 0", at,
				len(t.Steps))
		}
		t.Loop = at
	}
	return t, nil
}

// meta reads Write's #meta, and gives the parameters that hold the elements of the sorts.
func (d *itfReader) meta(t *result.Trace, meta *node) (sets map[string]bool, err error) {
	sets = map[string]bool{}
	if meta == nil {
		return sets, nil
	}
	if meta.kind != objectNode {
		return nil, d.errorf(meta, "#meta is %s, not an object", meta.kind)
	}
	if t.Kind, err = d.kind(meta); err != nil {
		return nil, err
	}
	if t.Instance, err = d.optional(meta, "instance"); err != nil {
		return nil, err
	}
	language, err := d.optional(meta, "notation")
	if err != nil {
		return nil, err
	}
	d.notation = result.NotationOf(language)
	if t.Violates, err = d.optional(meta, "violates"); err != nil {
		return nil, err
	}
	if line := meta.field("line"); line != nil {
		if t.Line, err = d.number(line, "line"); err != nil {
			return nil, err
		}
	}
	assuming, err := d.strings(meta, "assuming", false)
	if err != nil {
		return nil, err
	}
	for _, a := range assuming {
		t.Assuming = append(t.Assuming, a.text)
	}
	if err := d.readAtoms(meta.field("atoms")); err != nil {
		return nil, err
	}
	if t.Universe, err = d.universe(meta.field("universe"), sets); err != nil {
		return nil, err
	}
	if err := d.structure(t, meta); err != nil {
		return nil, err
	}
	if err := d.loop(t, meta); err != nil {
		return nil, err
	}
	t.Params, err = d.params(meta.field("params"))
	return sets, err
}

// kind is the kind of a trace, if #meta says it.
func (d *itfReader) kind(meta *node) (result.TraceKind, error) {
	text, err := d.optional(meta, "kind")
	kind, status := result.TraceKind(text), meta.field("status")
	switch {
	case err != nil:
	case text == "" && status != nil && status.kind == stringNode && status.text == "violation":
		return result.Counterexample, nil // as in Quint
	case text != "" && kind != result.Counterexample && kind != result.ToInduction &&
		kind != result.Witness:
		err = d.errorf(meta.field("kind"), "%q is no kind of trace; there are %q, %q and %q", kind,
			result.Counterexample, result.ToInduction, result.Witness)
	}
	return kind, err
}

// readAtoms reads what the values stand for that are texts.
func (d *itfReader) readAtoms(atoms *node) (err error) {
	if atoms == nil {
		return nil
	}
	if atoms.kind != objectNode {
		return d.errorf(atoms, "atoms is %s, not an object", atoms.kind)
	}
	for i := range atoms.items {
		var id atomID
		if id.sort, err = d.required(&atoms.items[i], "sort"); err != nil {
			return err
		}
		if id.name, err = d.required(&atoms.items[i], "name"); err != nil {
			return err
		}
		d.atoms[atoms.keys[i]] = id
	}
	return nil
}

// structure reads what structured data needs.
func (d *itfReader) structure(t *result.Trace, meta *node) error {
	for field, known := range map[string]map[string]bool{"data": d.data,
		"argumentData": d.argData} {
		names, err := d.strings(meta, field, false)
		if err != nil {
			return err
		}
		for _, name := range names {
			known[name.text] = true
		}
	}
	var err error
	hidden := meta.field("hidden")
	if hidden == nil {
		return nil
	}
	t.Hidden = &result.Hidden{}
	t.Hidden.Universe, err = d.universe(hidden.field("universe"), map[string]bool{})
	if err != nil {
		return err
	}
	t.Hidden.Params, err = d.params(hidden.field("params"))
	return err
}

// universe reads the elements of the sorts, and adds to sets the parameters that hold them.
func (d *itfReader) universe(
	universe *node, sets map[string]bool,
) (out []result.Universe, err error) {
	if universe == nil {
		return nil, nil
	}
	if universe.kind != arrayNode {
		return nil, d.errorf(universe, "universe is %s, not an array", universe.kind)
	}
	for i := range universe.items {
		item := &universe.items[i]
		var u result.Universe
		if u.Sort, err = d.required(item, "sort"); err != nil {
			return nil, err
		}
		param, err := d.optional(item, "param")
		if err != nil {
			return nil, err
		}
		if item.field("param") != nil {
			sets[param] = true
		}
		elements, err := d.strings(item, "elements", true)
		if err != nil {
			return nil, err
		}
		for _, e := range elements {
			u.Elements = append(u.Elements, e.text)
		}
		out = append(out, u)
	}
	return out, nil
}

// params reads the values of the parameters.
func (d *itfReader) params(params *node) ([]result.Binding, error) {
	if params == nil {
		return nil, nil
	}
	out, err := d.bindings(params, "params")
	if err != nil {
		return nil, err
	}
	for i, p := range out {
		if checkName(p.Name) != nil || slices.ContainsFunc(out[:i], func(q result.Binding) bool {
			return q.Name == p.Name
		}) {
			return nil, d.errorf(&params.items[i],
				"the parameter %q is reserved or has two values", p.Name)
		}
	}
	return out, nil
}

// loop reads the fields of #meta on the closing step of a loop and on fairness.
func (d *itfReader) loop(t *result.Trace, meta *node) (err error) {
	if back := meta.field("back"); back != nil {
		if t.Back.Action, err = d.required(back, "action"); err != nil {
			return err
		}
		if args := back.field("args"); args != nil {
			if t.Back.Args, err = d.bindings(args, "args"); err != nil {
				return err
			}
		}
	}
	list := meta.field("fairness")
	switch {
	case list == nil:
		return nil
	case list.kind != arrayNode:
		return d.errorf(list, "fairness is %s, not an array", list.kind)
	}
	for i := range list.items {
		item := &list.items[i]
		var f result.Fairness
		if f.Action, err = d.required(item, "action"); err != nil {
			return err
		}
		why, err := d.required(item, "why")
		if err != nil {
			return err
		}
		f.Why = result.FairnessReason(why)
		strong, args, at := item.field("strong"), item.field("args"), item.field("at")
		if strong == nil || strong.kind != boolNode || args == nil || at == nil {
			return d.errorf(item, `a fairness condition needs the fields "strong", a boolean, "args" and "at"`)
		}
		f.Strong = strong.truth
		if f.Args, err = d.bindings(args, "args"); err != nil {
			return err
		}
		if f.At, err = d.number(at, "at"); err != nil {
			return err
		}
		t.Fairness = append(t.Fairness, f)
	}
	return nil
}

// names reads params or vars. Quint's additions to vars are left out: they are not variables, and
// Quint lists them twice.
func (d *itfReader) names(root *node, field string, must bool) ([]*node, error) {
	list, err := d.strings(root, field, must)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var kept []*node
	for _, n := range list {
		switch {
		case n.text == actionTaken || n.text == nondetPicks:
			continue
		case checkName(n.text) != nil:
			return nil, d.errorf(n, "%q in %s: the name is reserved in ITF", n.text, field)
		case seen[n.text]:
			return nil, d.errorf(n, "%s occurs twice in %s", n.text, field)
		}
		seen[n.text] = true
		kept = append(kept, n)
	}
	return kept, nil
}

func (d *itfReader) state(
	t *result.Trace, i int, n *node, params []*node, sets map[string]bool, vars []*node,
) error {
	if n.kind != objectNode {
		return d.errorf(n, "state %d is %s, not an object", i, n.kind)
	}
	known := map[string]bool{"#meta": true, actionTaken: true, nondetPicks: true}
	if i == 0 {
		t.Params = nil // the values in #meta are for traces without states
	}
	for _, p := range params {
		known[p.text] = true
		value := n.field(p.text)
		switch {
		case value == nil && i == 0:
			return d.errorf(n, "the first state has no value for the parameter %s", p.text)
		case value == nil || sets[p.text]:
			continue
		}
		v, err := d.value(d.data[p.text], value)
		if err != nil {
			return err
		}
		if i == 0 {
			t.Params = append(t.Params, result.Binding{Name: p.text, Value: v})
			continue
		}
		at := slices.IndexFunc(t.Params, func(b result.Binding) bool { return b.Name == p.text })
		if !t.Params[at].Value.Equal(v) {
			return d.errorf(value, "the parameter %s changes in state %d", p.text, i)
		}
	}
	var step result.Step
	for _, name := range vars {
		known[name.text] = true
		value := n.field(name.text)
		if value == nil {
			return d.errorf(n, "state %d has no value for %s", i, name.text)
		}
		v, err := d.value(d.data[name.text], value)
		if err != nil {
			return err
		}
		step.State = append(step.State, result.Binding{Name: name.text, Value: v})
	}
	for j, key := range n.keys {
		if !known[key] {
			return d.errorf(&n.items[j], "state %d has a value for %q, which is not among vars", i,
				key)
		}
	}
	if err := d.action(&step, i, n); err != nil {
		return err
	}
	t.Steps = append(t.Steps, step)
	return nil
}

// action finds the action of a state in #meta, or where Quint puts it. Quint calls the first
// state's init.
func (d *itfReader) action(step *result.Step, i int, state *node) (err error) {
	meta := state.field("#meta")
	if meta != nil && meta.kind != objectNode {
		return d.errorf(meta, "#meta is %s, not an object", meta.kind)
	}
	switch taken := state.field(actionTaken); {
	case meta != nil && meta.field("action") != nil:
		if step.Action, err = d.optional(meta, "action"); err != nil {
			return err
		}
	case taken != nil && i > 0:
		if taken.kind != stringNode {
			return d.errorf(taken, "%s is %s, not a string", actionTaken, taken.kind)
		}
		step.Action = taken.text
	}
	if meta != nil && meta.field("described") != nil {
		if step.Described, err = d.bindings(meta.field("described"), "described"); err != nil {
			return err
		}
	}
	switch picks := state.field(nondetPicks); {
	case meta != nil && meta.field("args") != nil:
		step.Args, err = d.bindings(meta.field("args"), "args")
	case picks != nil && i > 0:
		step.Args, err = d.picks(picks)
	}
	return err
}
