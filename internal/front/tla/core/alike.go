package core

import "maps"

// Inside is the node that another one stands for.
func Inside(n Node) (Node, bool) {
	switch n := n.(type) {
	case *Shared:
		return n.Value, true
	case *Global:
		return n.Value, true
	case *Named:
		return n.Body, true
	}
	return nil, false
}

// Strip is a node without what stands around it.
func Strip(n Node) Node {
	for {
		in, ok := Inside(n)
		if !ok {
			return n
		}
		n = in
	}
}

// Alike reports whether two nodes are the same expression, up to the places that they bind.
func Alike(a, b Node) bool { return alike(a, b, nil) }

// AllAlike is Alike of each node of two lists of one length.
func AllAlike(as, bs []Node) bool { return allAlike(as, bs, nil) }

// alike is Alike below binders: the places that a binds are the ones of b.
func alike(a, b Node, bound map[int]int) bool {
	a, b = Strip(a), Strip(b)
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *Literal:
		b, ok := b.(*Literal)
		return ok && a.Value == b.Value
	case *Parameter:
		b, ok := b.(*Parameter)
		return ok && a.Name == b.Name
	case *Variable:
		b, ok := b.(*Variable)
		return ok && a.Index == b.Index && a.Primed == b.Primed
	case *Slot:
		b, ok := b.(*Slot)
		other, isBound := bound[a.Slot]
		if !isBound {
			other = a.Slot
		}
		return ok && b.Slot == other
	case *Select:
		b, ok := b.(*Select)
		return ok && a.Field == b.Field && alike(a.Record, b.Record, bound)
	case *Equal:
		b, ok := b.(*Equal)
		return ok && alike(a.Left, b.Left, bound) && alike(a.Right, b.Right, bound)
	case *Operator:
		b, ok := b.(*Operator)
		return ok && a.Name == b.Name && allAlike(a.Args, b.Args, bound)
	case *Abstraction:
		b, ok := b.(*Abstraction)
		if !ok || len(a.Slots) != len(b.Slots) {
			return false
		}
		inner := maps.Clone(bound)
		if inner == nil {
			inner = map[int]int{}
		}
		for i, s := range a.Slots {
			inner[s] = b.Slots[i]
		}
		return alike(a.Body, b.Body, inner)
	}
	return false
}

func allAlike(as, bs []Node, bound map[int]int) bool {
	if len(as) != len(bs) {
		return false
	}
	for i, a := range as {
		if !alike(a, bs[i], bound) {
			return false
		}
	}
	return true
}
