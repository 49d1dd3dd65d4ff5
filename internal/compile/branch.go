package compile

import (
	"slices"

	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/wasm"
)

// conditional compiles a branch on a condition.
func (g *generator) conditional(c system.If, cond *expr, s scope, next func(scope)) {
	f := g.f
	branch := func(code []system.Stmt, next func(*version)) { g.block(code, s, next) }
	onward := func(v *version) {
		s := s
		s.post = v
		next(s)
	}
	if cond.isConst() {
		if cond.Lo == 1 {
			branch(c.Then, onward)
		} else {
			branch(c.Else, onward)
		}
		return
	}
	apart := func() {
		g.cond(cond)
		f.If()
		branch(c.Then, onward)
		f.Else()
		branch(c.Else, onward)
		f.End()
	}
	if choices(c.Then) || choices(c.Else) {
		apart()
		return
	}
	var then, other *version
	var thenCode, elseCode []byte
	settles, mark := g.settles, f.Mark()
	whole := f.Capture(func() {
		g.cond(cond)
		f.If()
		thenCode = f.Capture(func() { branch(c.Then, func(v *version) { then = v }) })
		elseCode = f.Capture(func() { branch(c.Else, func(v *version) { other = v }) })
	})
	if g.err != nil {
		return
	}
	var joined *version
	var moves []phi
	ok := g.settles == settles // otherwise a branch has become a loop
	switch {
	case !ok || then == nil && other == nil:
	case then == nil: // that branch never goes on
		joined = other
	case other == nil:
		joined = then
	default:
		joined, moves, ok = g.join(then, other)
	}
	if !ok {
		f.Abandon()
		f.Release(mark)
		apart()
		return
	}
	f.Raw(whole)
	f.Raw(thenCode)
	for _, m := range moves {
		m.then()
	}
	g.setAll(moves)
	f.Else()
	f.Raw(elseCode)
	for _, m := range moves {
		m.other()
	}
	g.setAll(moves)
	f.End()
	if joined != nil {
		onward(joined)
	}
}

// phi is a local variable with the two values that the branches of a conditional give it.
type phi struct {
	local       uint32
	then, other func()
}

// setAll sets the variables of moves to the values on the stack.
func (g *generator) setAll(moves []phi) {
	for _, m := range slices.Backward(moves) {
		g.f.Set(m.local)
	}
}

// join merges two versions: where they differ, a fresh variable is moved to. It fails if they
// differ in the pending formulas, or in a value that is unknown in one of them.
func (g *generator) join(then, other *version) (*version, []phi, bool) {
	f := g.f
	if !slices.Equal(then.pending, other.pending) {
		return nil, nil, false
	}
	out := &version{words: slices.Clone(then.words), unpacked: map[int]*expr{},
		pending: then.pending}
	var moves []phi
	for w := range out.words {
		if a, b := then.words[w], other.words[w]; a != b {
			l := f.Temp(wasm.I64)
			out.words[w] = l
			moves = append(moves, phi{l, func() { f.Get(a) }, func() { f.Get(b) }})
		}
	}
	for _, a := range g.layout.order {
		for i, fd := range a.fields {
			if then.unpacked[fd.slot] == nil && other.unpacked[fd.slot] == nil {
				continue
			}
			x, y := g.read(then, a, konst(int64(i))), g.read(other, a, konst(int64(i)))
			if same(x, y) {
				out.unpacked[fd.slot] = x
				continue
			}
			if !x.isKnown() || !y.isKnown() {
				return nil, nil, false
			}
			v := &variable{local: f.Temp(wasm.I64)}
			moves = append(moves, phi{v.local, func() { g.value(x) }, func() { g.value(y) }})
			out.unpacked[fd.slot] = ref(v, x.boolean, x.Interval.union(y.Interval))
		}
	}
	return out, moves, true
}
