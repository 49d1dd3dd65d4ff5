package program

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// interpreter is a compile.Program that asks the interpreter. It runs systems that cannot be
// compiled, and tests compare compiled programs with it.
type interpreter struct {
	ctx    context.Context // of the search
	model  *interp.Model
	claims []*logic.Term
	slots  []field
	bits   int
	most   int    // successors of a state, 0 for no limit
	why    string // why it is not compiled; empty where that was not asked for
	// For each action, the values of its parameters; nil if bindings are not asked for.
	params [][]compile.Interval
}

// field is the position of a slot in a packed state: the value minus lo, in a number of bits from a
// bit on.
type field struct {
	lo    int64
	at    int
	width int
}

func (f field) mask() uint64 { return 1<<f.width - 1 } // a width of 64 gives all ones

// newInterpreter lays out the packed states. The slots of a symbol have the bits of its sort, an
// integer eight bits, or the bits of their forced intervals. No slot spans two words.
func newInterpreter(
	ctx context.Context, m *interp.Model, claims []*logic.Term, forced map[int]compile.Interval,
) *interpreter {
	p := &interpreter{ctx: ctx, model: m, claims: claims}
	symbols := m.SlotSymbols()
	wide := map[*logic.Symbol]compile.Interval{}
	for i, v := range forced {
		if u, ok := wide[symbols[i]]; ok {
			v = compile.Interval{Lo: min(u.Lo, v.Lo), Hi: max(u.Hi, v.Hi)}
		}
		wide[symbols[i]] = v
	}
	for _, sym := range symbols {
		v, ok := wide[sym]
		if !ok {
			v = p.values(sym.Result)
		}
		f := field{lo: v.Lo, at: p.bits, width: bits.Len64(uint64(v.Hi) - uint64(v.Lo))}
		if f.at%64+f.width > 64 {
			f.at = (f.at + 63) / 64 * 64
		}
		p.slots = append(p.slots, f)
		p.bits = f.at + f.width
	}
	return p
}

// values are the usual values of a slot of a sort. A range can be left, usually by one.
func (p *interpreter) values(s *logic.Sort) compile.Interval {
	switch s.Kind {
	case logic.KindBool:
		return compile.Interval{Lo: 0, Hi: 1}
	case logic.KindEnum:
		return compile.Interval{Lo: 0, Hi: int64(len(s.Members)) - 1}
	case logic.KindUninterpreted:
		return compile.Interval{Lo: 0, Hi: int64(p.model.Instance.Sizes[s]) - 1}
	case logic.KindRange:
		if r, ok := RangeOf(p.model, s); ok {
			return compile.Interval{Lo: r.Lo - 1, Hi: r.Hi + 1}
		}
	}
	return compile.Interval{Lo: -16, Hi: 239}
}

// RangeOf gives the values of a range, if the instance fixes them and there are some.
func RangeOf(m *interp.Model, s *logic.Sort) (compile.Interval, bool) {
	lo, errLo := m.Eval(fixed(m, s.Lo))
	hi, errHi := m.Eval(fixed(m, s.Hi))
	ok := errLo == nil && errHi == nil && lo <= hi && lo > math.MinInt64/2 && hi < math.MaxInt64/2
	return compile.Interval{Lo: lo, Hi: hi}, ok
}

// places tells where the slots of packed states are.
type places struct{ *interpreter }

func (p places) Field(slot int) (word int, bits uint64) {
	if f := p.slots[slot]; f.width > 0 {
		return f.at / 64, f.mask() << (f.at % 64)
	}
	return 0, 0
}

// tellBindings makes the workers give the values of parameters. The values are meaningless where
// the instance does not fix the possible values of a parameter.
func (p *interpreter) tellBindings() *interpreter {
	p.params = make([][]compile.Interval, len(p.model.System.Actions))
	for i, a := range p.model.System.Actions {
		for _, param := range a.Params {
			d := p.values(param.Sort)
			if param.Sort.Kind == logic.KindRange {
				d, _ = RangeOf(p.model, param.Sort)
			}
			p.params[i] = append(p.params[i], d)
		}
	}
	return p
}

// binding is the index of the parameters of an action among all their possible values.
func (p *interpreter) binding(action int, args []interp.Arg) uint16 {
	index := int64(0)
	for i, d := range p.params[action] {
		index = index*(d.Hi-d.Lo+1) + args[i].Value - d.Lo
	}
	return uint16(index)
}

// fixed replaces parameters by the values that the instance gives them.
func fixed(m *interp.Model, t *logic.Term) *logic.Term {
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Op == logic.OpApp && m.Instance.Values[t.Symbol] != nil {
			return m.Instance.Values[t.Symbol]
		}
		return t
	})
}

func (p *interpreter) Bits() int    { return p.bits }
func (p *interpreter) Words() int   { return max(1, (p.bits+63)/64) }
func (p *interpreter) Close() error { return nil }

func (p *interpreter) Pack(s interp.State) ([]uint64, error) {
	if len(s) != len(p.slots) {
		return nil, fmt.Errorf("a state of %d slots was given to a program for %d", len(s),
			len(p.slots))
	}
	out := make([]uint64, p.Words())
	for i, f := range p.slots {
		v := uint64(s[i]) - uint64(f.lo)
		if f.width < 64 && v>>f.width != 0 {
			return nil, &compile.WidthError{Slot: i, Value: s[i]}
		}
		if f.width > 0 {
			out[f.at/64] |= v << (f.at % 64)
		}
	}
	return out, nil
}

func (p *interpreter) Unpack(packed []uint64) interp.State {
	s := make(interp.State, len(p.slots))
	for i, f := range p.slots {
		v := uint64(0)
		if f.width > 0 {
			v = packed[f.at/64] >> (f.at % 64) & f.mask()
		}
		s[i] = int64(v + uint64(f.lo))
	}
	return s
}

func (p *interpreter) Worker() (compile.Worker, error) {
	return &interpretedWorker{interpreter: p, model: p.model.Under(p.ctx)}, nil
}

// interpretedWorker expands states one by one.
type interpretedWorker struct {
	*interpreter
	batch compile.Batch
	model *interp.Model // its evaluations end with the search
}

func (w *interpretedWorker) Expand(states []uint64) (*compile.Batch, error) {
	return w.run(states, true)
}

// Check is Expand without successors.
func (w *interpretedWorker) Check(states []uint64) (*compile.Batch, error) {
	return w.run(states, false)
}

func (w *interpretedWorker) run(states []uint64, steps bool) (*compile.Batch, error) {
	b := &w.batch
	b.States, b.Source, b.Action, b.Failed = b.States[:0], b.Source[:0], b.Action[:0], b.Failed[:0]
	b.Binding = b.Binding[:0]
	words, claimWords := w.Words(), (len(w.claims)+63)/64
	n := len(states) / words
	b.Violated = make([]uint64, n*claimWords)
	for i := range n {
		state := w.Unpack(states[i*words : (i+1)*words])
		err := w.expand(b, i, state, b.Violated[i*claimWords:(i+1)*claimWords], steps)
		switch {
		case err == nil:
		case w.ctx.Err() != nil:
			return nil, w.ctx.Err()
		case IsEvaluation(err):
			b.Failed = append(b.Failed, uint32(i))
		default:
			return nil, err
		}
	}
	return b, nil
}

func (w *interpretedWorker) expand(
	b *compile.Batch, source int, state interp.State, violated []uint64, steps bool,
) error {
	for i, c := range w.claims {
		holds, err := w.model.Holds(c, state)
		if err != nil {
			return err
		}
		if !holds {
			violated[i/64] |= 1 << (i % 64)
		}
	}
	if !steps {
		return w.ctx.Err()
	}
	found := 0
	for i, a := range w.model.System.Actions {
		err := w.model.Steps(w.ctx, state, a, func(step interp.Step) error {
			if found++; w.most > 0 && found > w.most {
				return errTooMany
			}
			packed, err := w.Pack(step.State)
			if err != nil {
				return err
			}
			b.States = append(b.States, packed...)
			b.Source = append(b.Source, uint32(source))
			b.Action = append(b.Action, uint16(i))
			if w.params != nil {
				b.Binding = append(b.Binding, w.binding(i, step.Args))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
