package compile

import (
	"fmt"
	"math"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/wasm"
)

// maxInstructions bounds the code of a function.
const maxInstructions = 1 << 18

// The memory begins with the data of a *WidthError and further results; the tables of constant
// arrays follow.
const (
	addrSlot   = 0
	addrValue  = 8
	addrOut    = 16 // where the successors end
	addrFailed = 24 // where the numbers of failed states end
	addrTables = 32
)

// generator makes the code of a module: of the terms and statements of a system, expressions and
// their code.
type generator struct {
	translator
	emitter
	mod      *wasm.Module
	bindings bool // whether successors give the values of the parameters
	ids      int  // of unknown variables so far
	settles  int  // calls of settle so far

	// Of the function under construction:
	blocked wasm.Label // the end of the code without a further step
	action  int        // the index of the action
	binding *expr      // the index of the parameter values, nil when it is not asked for
	// idle is the local variable that says that the action has had a step that changes nothing; nil
	// if each such step is wanted, or if there is one at most.
	idle *uint32

	// Globals: address of the next successor, and the first address where it no longer fits.
	out, limit uint32
}

// Parameters of the functions for one state.
const (
	paramState  = 0 // address of the state
	paramSource = 1 // of actions: its number
	paramBits   = 1 // of claims: address of the words of bits
)

// perState makes a function for one state. It is built twice: the first pass counts which slots are
// read often enough to keep them in local variables.
func (g *generator) perState(build func()) *wasm.Func {
	f := g.mod.Func([]wasm.Type{wasm.I32, wasm.I32}, []wasm.Type{wasm.I32})
	g.reads, g.cached = map[int]int{}, nil
	*f = *g.buildState(f, build)
	return f
}

func (g *generator) buildState(f *wasm.Func, build func()) *wasm.Func {
	empty := f.Copy()
	g.body(empty, build)
	if g.err != nil {
		return empty
	}
	g.cached = map[int]uint32{}
	reads := g.reads
	g.reads = map[int]int{}
	final := f.Copy()
	for _, a := range g.layout.order {
		for _, fd := range a.fields {
			if reads[fd.slot] >= g.layout.limits.cachedReads && fd.width > 1 {
				g.cached[fd.slot] = final.Local(wasm.I64)
			}
		}
	}
	g.body(final, build)
	return final
}

// body reads the state into local variables and then calls build. The label blocked is at the end.
func (g *generator) body(f *wasm.Func, build func()) {
	g.f = f
	g.pre = &version{words: make([]uint32, g.layout.words)}
	for w := range g.pre.words {
		g.pre.words[w] = f.Local(wasm.I64)
		f.Get(paramState)
		f.I64Load(uint32(8 * w))
		f.Set(g.pre.words[w])
	}
	for _, a := range g.layout.order {
		for _, fd := range a.fields {
			if l, ok := g.cached[fd.slot]; ok {
				f.Get(g.pre.words[fd.word])
				g.extract(fd)
				f.Set(l)
			}
		}
	}
	build()
	f.I32(statusDone)
}

// claims makes the function that evaluates the claims, and sets the bits of the false ones.
func (g *generator) claims(claims []*logic.Term) *wasm.Func {
	return g.perState(func() {
		f := g.f
		word := f.Local(wasm.I64)
		for i, c := range claims {
			if i%64 == 0 {
				f.I64(0)
				f.Set(word)
			}
			e := not(assuming(g.term(c, scope{pre: g.pre}), nil))
			if !e.is(0) {
				g.value(e)
				g.shiftLeft(uint(i % 64))
				f.Get(word)
				f.Op(wasm.I64Or)
				f.Set(word)
			}
			if i%64 == 63 || i == len(claims)-1 {
				f.Get(paramBits)
				f.Get(word)
				f.I64Store(uint32(i / 64 * 8))
			}
		}
	})
}

// actions makes functions that write the successors of a state, each for several actions within the
// limits.
func (g *generator) actions(all []*system.Action) []*wasm.Func {
	var out []*wasm.Func
	if len(all) > math.MaxUint16 {
		g.unsupported(all[0].Span, "the system has %d actions", len(all))
	}
	for from := 0; from < len(all) && g.err == nil; {
		to := from
		out = append(out, g.perState(func() {
			start := from
			limit := len(all)
			if g.cached != nil {
				limit = to // as in the first pass
			}
			for to = start; to < limit && g.err == nil &&
				(to == start || g.f.Size() < g.layout.limits.group); to++ {
				g.action = to
				g.step(all[to])
			}
		}))
		from = to
	}
	return out
}

// step makes the code of one action.
func (g *generator) step(a *system.Action) {
	if rel := a.Relation; a.Code == nil && rel != nil &&
		len(rel.Guard)+len(rel.Updates)+len(a.Modifies) > 0 {
		g.unsupported(a.Span, "action %s has no code", a.Name)
		return
	}
	g.blocked = g.f.Block()
	mark := g.f.Mark()
	if !g.bindings && (len(a.Params) > 0 || choices(a.Code)) {
		idle := g.f.Temp(wasm.I32)
		g.f.I32(0)
		g.f.Set(idle)
		g.idle = &idle
	}
	g.parameters(a)
	g.idle = nil
	g.f.Release(mark)
	g.f.End()
	if g.err != nil {
		g.err = fmt.Errorf("action %s: %w", a.Name, g.err)
	}
}

// tooLong reports whether the compilation must stop: after an error, or because the function is too
// long, which it records as an error.
func (g *generator) tooLong() bool {
	if g.err == nil && g.f.Instructions > maxInstructions {
		g.err = fmt.Errorf("%w: the code is too long", ErrUnsupported)
	}
	return g.err != nil
}

// finish ends a run of an action: it enumerates the unknown values, and emits the successors that
// satisfy the trusted properties.
func (g *generator) finish(s scope) {
	var required []*expr
	after := scope{base: logic.Post, pre: s.pre, post: s.post}
	for _, d := range g.layout.freeDerived {
		e := g.term(d.Axiom, after)
		if e.fails {
			g.unsupported(d.Axiom.Span, "the definition of %s may have no value", d.Symbol)
			return
		}
		required = append(required, e)
	}
	for _, p := range g.layout.model.System.Properties {
		if p.Kind == system.Trusted {
			required = append(required, g.term(p.Term, after))
		}
	}
	g.settle(s.post, required, g.emit)
}
