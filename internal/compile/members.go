package compile

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/wasm"
)

// members says that some parameters, from one to another, take the values for which a relation is
// true: an action with a message in the network as its parameter is compiled for the messages that
// are there, and not for all that there could be.
type members struct {
	guard *logic.Term
	array *array
	last  int
}

// findMembers looks among the conditions for a relation whose arguments are parameters in their
// order. Nothing that may fail stands before it.
func (p *parameters) findMembers(guards []*logic.Term, s scope) {
	taken := make([]bool, len(p.action.Params)) // by a relation before
	for _, guard := range guards {
		if p.term(guard, s).fails {
			return
		}
		first, m := p.membersOf(guard)
		if m == nil {
			continue
		}
		free := true
		for i := first; i <= m.last; i++ {
			free = free && !taken[i] && p.isFixed(i)
		}
		if !free {
			continue
		}
		p.members[first] = m
		for i := first; i <= m.last; i++ {
			taken[i] = true
		}
	}
}

// membersOf finds the parameters that are the arguments of a condition.
func (p *parameters) membersOf(guard *logic.Term) (first int, m *members) {
	if guard.Op != logic.OpApp || len(guard.Args) == 0 {
		return 0, nil
	}
	a := p.layout.arrays[guard.Symbol]
	if a == nil || a.constant || a.points < p.layout.limits.members || a.fields[0].width != 1 {
		return 0, nil
	}
	for k, arg := range guard.Args {
		if arg.Op != logic.OpVar {
			return 0, nil
		}
		i := slices.Index(p.action.Params, arg.Var)
		if k == 0 {
			first = i
		}
		if i < 0 || i != first+k || p.lo[i].Lo != a.args[k].Lo || p.hi[i].Lo != a.args[k].Hi {
			return 0, nil
		}
	}
	return first, &members{guard, a, first + len(guard.Args) - 1}
}

// each compiles what follows for each point at which the relation is true, in ascending order.
func (p *parameters) each(first int, m *members, s scope) {
	f := p.f
	outer := p.blocked
	mark := f.Mark()
	word, which, index := f.Temp(wasm.I64), f.Temp(wasm.I64), f.Temp(wasm.I64)
	count := m.array.words()
	f.I64(0)
	f.Set(which)
	words := f.Block()
	nextWord := f.Loop()
	f.Get(which)
	f.I64(int64(count))
	f.Op(wasm.I64GeU)
	f.BrIf(words)
	p.wordOf(m.array, count, which)
	f.Set(word)
	points := f.Block()
	nextPoint := f.Loop()
	f.Get(word)
	f.Op(wasm.I64Eqz)
	f.BrIf(points)
	f.Get(which)
	f.I64(int64(m.array.perWord()))
	f.Op(wasm.I64Mul)
	f.Get(word)
	f.Op(wasm.I64Ctz, wasm.I64Add)
	f.Set(index)
	f.Get(word)
	f.Get(word)
	f.I64(1)
	f.Op(wasm.I64Sub, wasm.I64And)
	f.Set(word)
	f.Get(index) // the rest of the last word belongs to other symbols
	f.I64(int64(m.array.points))
	f.Op(wasm.I64GeU)
	f.BrIf(points)
	s = p.decode(first, m, index, s)
	p.blocked = f.Block()
	p.proceed(first, m, s)
	f.End()
	f.Br(nextPoint)
	f.End()
	f.End()
	f.Get(which)
	f.I64(1)
	f.Op(wasm.I64Add)
	f.Set(which)
	f.Br(nextWord)
	f.End()
	f.End()
	f.Release(mark)
	p.blocked = outer
}

// wordOf leaves a word of an array on the stack, whose first bit is that of its first point.
func (p *parameters) wordOf(a *array, count int, which uint32) {
	f, first := p.f, a.fields[0]
	if count == 1 {
		f.Get(p.pre.words[first.word])
		p.shiftRight(first.shift)
		return
	}
	p.selectWord(p.pre.words[first.word:][:count], which)
}

// decode gives the parameters the arguments of a point.
func (p *parameters) decode(first int, m *members, index uint32, s scope) scope {
	f := p.f
	for i := m.last; i >= first; i-- {
		domain := m.array.args[i-first]
		v := &variable{local: f.Temp(wasm.I64)}
		f.Get(index)
		if i > first {
			f.I64(int64(domain.size()))
			f.Op(wasm.I64RemU)
		}
		p.addConst(domain.Lo)
		f.Set(v.local)
		if i > first {
			f.Get(index)
			f.I64(int64(domain.size()))
			f.Op(wasm.I64DivU)
			f.Set(index)
		}
		x := p.action.Params[i]
		s = s.bind(x, ref(v, x.Sort == logic.Bool, domain))
	}
	return s
}

// proceed tests what can be tested once the parameters have their values, and binds the others.
func (p *parameters) proceed(first int, m *members, s scope) {
	for level := first + 1; level <= m.last; level++ {
		if !p.test(level, s) {
			return
		}
	}
	p.bind(m.last+1, s)
}
