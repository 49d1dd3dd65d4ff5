package compile

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/wasm"
)

// Initials is a program that enumerates the initial states of another program, in the same packed
// form. Its only step makes slots unknown and requires the conditions on initial states, so that
// states are enumerated like the choices of an action: see settle. The other slots keep their
// values. A cube of the enumeration is a combination of these values: a packed state whose
// successors are the initial states with the values. Together the cubes give every initial state
// once.
type Initials struct {
	*program
	Cubes int // their number
	// The number of states of a cube before conditions, except equations that fix a slot.
	CubeSize int
	kept     []kept
	base     []uint64 // a packed initial state
}

// kept is a slot that has the same value in all states of a cube.
type kept struct {
	field
	domain Interval
}

// Bounds of the size of a cube and of the number of cubes.
const (
	cubeSize = 1 << 17
	maxCubes = 1 << 30
)

// Initials makes the program that enumerates the initial states. The error wraps ErrUnsupported
// when there is none.
func (p *program) Initials(ctx context.Context) (*Initials, error) {
	out := &Initials{Cubes: 1}
	unknown, err := out.divide(p.layout)
	if err != nil {
		return nil, fmt.Errorf("compiling the initial states: %w", err)
	}
	if out.base, err = p.pack(p.first); err != nil {
		return nil, fmt.Errorf("compiling the initial states: %w", err)
	}
	out.program, err = assemble(p.layout, p.free, nil, false, func(g *generator) []*wasm.Func {
		return g.initials(unknown)
	})
	if err != nil {
		return nil, fmt.Errorf("compiling the initial states: %w", err)
	}
	return out, out.load(ctx, nil)
}

// divide chooses the slots that cubes keep: all immutable ones, since ranges may depend on them,
// and enough of the others to make cubes small. It returns the points of each array that become
// unknown.
func (i *Initials) divide(l *layout) (map[*array][]*expr, error) {
	states := 1.0 // of a cube, without conditions
	domains := map[*array]Interval{}
	for _, a := range l.order {
		result := a.symbol.Result
		infinite := result.Kind == logic.KindInt ||
			result.Kind == logic.KindRange && !l.fixed(result)
		switch {
		case a.constant || a.points == 0:
			continue
		case infinite && !a.symbol.Mutable:
			return nil, fmt.Errorf("%w: the values of %s are not known", ErrUnsupported, a.symbol)
		case infinite || a.symbol.Mutable && l.given(a):
			continue
		}
		d, err := l.domain(result)
		if err != nil {
			return nil, err
		}
		domains[a] = d
		for range a.points {
			states *= float64(d.size())
		}
	}
	unknown := map[*array][]*expr{}
	for _, a := range l.order {
		if a.constant {
			continue
		}
		for n, f := range a.fields {
			d, finite := domains[a]
			if a.symbol.Mutable && (!finite || states <= cubeSize) {
				unknown[a] = append(unknown[a], konst(int64(n)))
				continue
			}
			size := d.size()
			if size < 1 || size > maxCubes/i.Cubes {
				return nil, fmt.Errorf("%w: initial states have too many slots", ErrUnsupported)
			}
			states /= float64(size)
			i.Cubes *= size
			i.kept = append(i.kept, kept{f, d})
		}
	}
	i.CubeSize = max(1, int(states))
	return unknown, nil
}

// given reports whether a condition gives a constant its value directly.
func (l *layout) given(a *array) bool {
	return slices.ContainsFunc(l.model.System.Inits, func(f *system.Formula) bool {
		return slices.ContainsFunc(logic.Conjuncts(f.Term), func(t *logic.Term) bool {
			return t.Op == logic.OpEq && t.Args[0].Op == logic.OpApp &&
				t.Args[0].Symbol == a.symbol && a.points == 1 && logic.MaxStep(t.Args[1]) < 0
		})
	})
}

// AppendCube appends a cube to buf.
func (i *Initials) AppendCube(buf []uint64, cube int) []uint64 {
	at := len(buf)
	buf = append(buf, i.base...)
	for _, k := range i.kept {
		v := k.domain.Lo + int64(cube%k.domain.size())
		cube /= k.domain.size()
		word := &buf[at+k.word]
		*word = *word&^(k.mask()<<k.shift) | (uint64(v)-uint64(k.Lo))<<k.shift
	}
	return buf
}

// initials makes the function that writes the states of a cube.
func (g *generator) initials(unknown map[*array][]*expr) []*wasm.Func {
	return []*wasm.Func{g.perState(func() {
		g.blocked = g.f.Block()
		mark := g.f.Mark()
		s := scope{base: logic.Post, pre: g.pre, post: g.pre.clone()}
		for _, a := range g.layout.order {
			any := system.Havoc{Symbol: a.symbol, Span: a.symbol.Span}
			g.forget(any, a, unknown[a], s, func(forgotten scope) { s = forgotten })
		}
		sys := g.layout.model.System
		var required []*expr
		for _, d := range g.layout.freeDerived {
			required = append(required, g.term(d.Axiom, s))
		}
		for _, f := range slices.Concat(sys.Axioms, g.layout.model.Instance.Facts, sys.Inits) {
			if !f.Listed {
				required = append(required, g.term(f.Term, s))
			}
		}
		for _, p := range sys.Properties {
			if p.Kind == system.Trusted {
				required = append(required, g.term(p.Term, s))
			}
		}
		g.settle(s.post, required, g.emit)
		g.f.Release(mark)
		g.f.End()
	})}
}
