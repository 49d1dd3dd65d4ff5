package core

// Parts gives the nodes that a node is made of.
func Parts(n Node, each func(Node)) {
	list := func(ns ...Node) {
		for _, p := range ns {
			if p != nil {
				each(p)
			}
		}
	}
	sets := func(bs ...Binding) {
		for _, b := range bs {
			list(b.Set)
		}
	}
	switch n := n.(type) {
	case *Operator:
		list(n.Args...)
	case *Application:
		list(n.Args...)
	case *Junction:
		list(n.Args...)
	case *Not:
		each(n.Arg)
	case *Implies:
		list(n.Left, n.Right)
	case *Equivalent:
		list(n.Left, n.Right)
	case *Equal:
		list(n.Left, n.Right)
	case *In:
		list(n.Elem, n.Set)
	case *If:
		list(n.Cond, n.Then, n.Else)
	case *Case:
		list(n.Conds...)
		list(n.Values...)
		list(n.Other)
	case *Quantified:
		sets(n.Bindings...)
		each(n.Body)
	case *Choose:
		sets(n.Binding)
		each(n.Body)
	case *Filter:
		sets(n.Binding)
		each(n.Body)
	case *Image:
		sets(n.Bindings...)
		each(n.Body)
	case *Function:
		sets(n.Bindings...)
		each(n.Body)
	case *Abstraction:
		each(n.Body)
	default:
		otherParts(n, list)
	}
}

func otherParts(n Node, list func(...Node)) {
	switch n := n.(type) {
	case *Record:
		list(n.Values...)
	case *Select:
		list(n.Record)
	case *Except:
		list(n.Function)
		for _, u := range n.Updates {
			list(u.Path...)
			list(u.Value)
		}
	case *Let:
		list(n.Value, n.Body)
	case *Call:
		list(n.Args...)
	case *Shared:
		list(n.Value)
	case *Global:
		list(n.Value)
	case *Named:
		list(n.Args...)
		list(n.Body)
	case *Taken:
		list(n.Args...)
	case *Enabled:
		list(n.Body)
	case *Composed:
		list(n.First, n.Second)
	case *Always:
		list(n.Arg)
	case *Eventually:
		list(n.Arg)
	case *LeadsTo:
		list(n.Left, n.Right)
	case *Action:
		list(n.Body, n.Unchanged)
	case *Fair:
		list(n.Taken, n.Enabled)
	}
}

// Bound lists the places that a node binds.
func Bound(n Node) (out []int) {
	bind := func(bs ...Binding) {
		for _, b := range bs {
			out = append(out, b.Slots...)
		}
	}
	switch n := n.(type) {
	case *Quantified:
		bind(n.Bindings...)
	case *Choose:
		bind(n.Binding)
	case *Filter:
		bind(n.Binding)
	case *Image:
		bind(n.Bindings...)
	case *Function:
		bind(n.Bindings...)
		if n.Self >= 0 {
			out = append(out, n.Self)
		}
	case *Abstraction:
		out = n.Slots
	case *Let:
		out = []int{n.Slot}
	case *Except:
		for _, u := range n.Updates {
			if u.Old >= 0 {
				out = append(out, u.Old)
			}
		}
	}
	return out
}

// AsksPossible reports whether a node asks which steps are possible.
func AsksPossible(n Node) bool {
	seen := map[Node]bool{}
	var asks func(n Node) bool
	asks = func(n Node) (found bool) {
		if seen[n] {
			return false
		}
		seen[n] = true
		switch n.(type) {
		case *Enabled, *Fair:
			return true
		}
		Parts(n, func(p Node) { found = found || asks(p) })
		return found
	}
	return asks(n)
}
