package eval

import (
	"math"

	"erelong.dev/erelong/internal/value"
)

// get is TLCGet of what does not depend on how far an exploration is, or on the order in which it
// evaluates expressions: the registers do, and so does the level of a state, but in a run that is
// shown.
func (m *Machine) get(key *value.Value) *value.Value {
	if key.Kind() == value.Int {
		panic(&value.Error{Message: "TLCGet of a register is not supported: a verdict would " +
			"depend on the order in which expressions are evaluated"})
	}
	s := m.Space
	switch text := key.Text(); {
	case text == "-Dtlc2.tool.impl.Tool.cdot":
		return s.String("true")
	case text == "config":
		return value.RecordOf(s.Fields("deadlock", "depth", "mode", "seed", "traces", "worker"),
			s.Bool(m.Model.Deadlock), s.Int(-1), s.String("bfs"), s.Int(0), s.Int(-1), s.Int(1))
	case text == "level" && m.Level > 0:
		return s.Int(int64(m.Level))
	case m.Explored != nil:
		if v := m.explored(text); v != nil {
			return v
		}
	case text == "level":
		panic(&value.Error{Message: "TLCGet(\"level\") is known in an ALIAS alone: a state " +
			"does not say how long a run to it is; --max-depth N bounds the runs, as a " +
			"CONSTRAINT about the level would"})
	}
	panic(&value.Error{Message: "TLCGet(" + key.String() + ") is not supported"})
}

// explored is what is known of an exploration that is over, as TLC has it: its depth is the
// diameter, and no state is left. It gives nil for what is not known.
func (m *Machine) explored(text string) *value.Value {
	s, e := m.Space, m.Explored
	switch text {
	case "stats":
		return value.RecordOf(s.Fields("diameter", "distinct", "duration", "generated", "initial",
			"queue", "worker"), s.Int(e.Depth), s.Int(e.Distinct), s.Int(0), s.Int(e.Generated),
			s.Int(e.Initial), s.Int(0), s.Int(0))
	case "diameter":
		return s.Int(e.Depth)
	case "distinct":
		return s.Int(e.Distinct)
	case "generated":
		return s.Int(e.Generated)
	case "queue", "level":
		return s.Int(0)
	}
	return nil
}

// ringPoint is a point of a circle, without fractions: of <<x, y, radius, n, m>> the n-th of m
// points that have equal distances. It is for drawings.
func ringPoint(m *Machine, a *value.Value) *value.Value {
	var n [5]float64
	if len(a.Elems()) != len(n) {
		panic(&value.Error{Message: "RingPoint needs five numbers"})
	}
	for i, x := range a.Elems() {
		n[i] = float64(x.Int())
	}
	if n[4] == 0 {
		panic(&value.Error{Message: "a ring has no nodes"})
	}
	sin, cos := math.Sincos(2 * math.Pi * n[3] / n[4])
	return value.TupleOf(m.Space.Int(int64(n[0]+n[2]*cos)), m.Space.Int(int64(n[1]+n[2]*sin)))
}
