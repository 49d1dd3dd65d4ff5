package translate

import (
	"fmt"
	"maps"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// descending looks at the calls of a recursive function.
type descending struct {
	self int
	arg  int // which argument descends
	args int
	down int64 // 1 where the calls go down, -1 where they go up
	why  string
}

// distances are what is known of places: by how much they are at least smaller than the argument.
type distances map[int]int64

// descent says why the recursion of a function is not seen to be well founded; empty where it is:
// in each call the same argument is smaller, and its domain has a least number, or larger, and its
// domain has a greatest one.
func descent(n *core.Function, nat *value.Value) (why string) {
	for i, b := range n.Bindings {
		if b.Tuple {
			return "the argument is a tuple"
		}
		low, high := ends(b.Set, nat)
		for _, down := range []int64{1, -1} {
			if down > 0 && !low || down < 0 && !high {
				continue
			}
			d := &descending{self: n.Self, arg: i, args: len(n.Bindings), down: down}
			d.visit(n.Body, distances{b.Slots[0]: 0})
			if d.why == "" {
				return ""
			}
			if why == "" {
				why = d.why
			}
		}
	}
	if why == "" {
		return "no argument is from Nat, or from a range of numbers"
	}
	return why
}

// ends reports whether a set has only numbers, with a least or a greatest bound of all of them.
func ends(n core.Node, nat *value.Value) (low, high bool) {
	switch n := core.Strip(n).(type) {
	case *core.Literal:
		return n.Value == nat, false
	case *core.Filter:
		return ends(n.Binding.Set, nat)
	case *core.Operator:
		switch n.Name {
		case "..":
			return true, true
		case `\`:
			return ends(n.Args[0], nat)
		}
	}
	return false, false
}

// visit looks at the calls in a node.
func (d *descending) visit(n core.Node, known distances) {
	if d.why != "" || n == nil {
		return
	}
	if _, ok := n.(*core.Global); ok {
		return // it has a frame of its own
	}
	n = core.Strip(n)
	if s, ok := n.(*core.Slot); ok && s.Slot == d.self {
		d.why = fmt.Sprintf("line %d uses the function itself, and not its value at an argument",
			n.Span().Line())
		return
	}
	if arg, ok := d.call(n); ok {
		d.visit(arg, known)
		d.smaller(arg, known)
		return
	}
	inner := maps.Clone(known)
	for _, s := range core.Bound(n) {
		delete(inner, s)
	}
	switch n := n.(type) {
	case *core.Let:
		d.visit(n.Value, known)
		d.bind(inner, n.Slot, n.Value, known)
		d.visit(n.Body, inner)
		return
	case *core.Quantified:
		d.bindings(n.Bindings, known, inner)
	case *core.Image:
		d.bindings(n.Bindings, known, inner)
	case *core.Function:
		d.bindings(n.Bindings, known, inner)
	case *core.Filter:
		d.bindings([]core.Binding{n.Binding}, known, inner)
	case *core.Choose:
		d.bindings([]core.Binding{n.Binding}, known, inner)
	}
	core.Parts(n, func(p core.Node) { d.visit(p, inner) })
}

// call is the argument of a call.
func (d *descending) call(n core.Node) (arg core.Node, ok bool) {
	op, ok := n.(*core.Operator)
	if !ok || op.Name != "[]" {
		return nil, false
	}
	s, ok := core.Strip(op.Args[0]).(*core.Slot)
	return op.Args[1], ok && s.Slot == d.self
}

// smaller looks at the argument of a call.
func (d *descending) smaller(arg core.Node, known distances) {
	if d.args > 1 {
		tuple, ok := core.Strip(arg).(*core.Operator)
		if !ok || tuple.Name != "<<>>" || len(tuple.Args) != d.args {
			d.why = fmt.Sprintf("the arguments in line %d are no tuple", arg.Span().Line())
			return
		}
		arg = tuple.Args[d.arg]
	}
	if by, ok := d.distance(arg, known); !ok || by < 1 {
		d.why = fmt.Sprintf("the argument in line %d is not seen to be smaller", arg.Span().Line())
	}
}

// distance is by how much a number is at least smaller than the argument of the function.
func (d *descending) distance(n core.Node, known distances) (by int64, ok bool) {
	switch n := core.Strip(n).(type) {
	case *core.Slot:
		by, ok = known[n.Slot]
		return by, ok
	case *core.Operator:
		if n.Name != "+" && n.Name != "-" {
			return 0, false
		}
		l, number := core.Strip(n.Args[1]).(*core.Literal)
		if !number || !l.Value.Small() || l.Value.Int() > 1<<30 {
			return 0, false
		}
		c := l.Value.Int() * d.down
		if n.Name == "+" {
			c = -c
		}
		by, ok = d.distance(n.Args[0], known)
		return by + c, ok
	}
	return 0, false
}

func (d *descending) bind(inner distances, slot int, n core.Node, known distances) {
	if by, ok := d.distance(n, known); ok {
		inner[slot] = by
	}
}

// bindings notes the numbers that are bound in a range whose end is near the argument.
func (d *descending) bindings(bs []core.Binding, known, inner distances) {
	for _, b := range bs {
		op, ok := core.Strip(b.Set).(*core.Operator)
		if !ok || op.Name != ".." || b.Tuple {
			continue
		}
		end := op.Args[1]
		if d.down < 0 {
			end = op.Args[0]
		}
		d.bind(inner, b.Slots[0], end, known)
	}
}
