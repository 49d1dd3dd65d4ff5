package roundstest

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
)

// Generate makes a protocol and an instance of it.
func Generate(r *rand.Rand) (*Protocol, Parameters) { return generate(r, false, false) }

// GenerateLiars makes a protocol with Byzantine processes, and an instance of it.
func GenerateLiars(r *rand.Rand) (*Protocol, Parameters) { return generate(r, true, false) }

// GenerateRoles makes a protocol of two roles, and an instance of it.
func GenerateRoles(r *rand.Rand) (*Protocol, Parameters) { return generate(r, false, true) }

func generate(r *rand.Rand, lies, roles bool) (*Protocol, Parameters) {
	g := &generator{Rand: r, lies: lies, p: &Protocol{Handlers: map[int]*Handler{}}}
	p := g.p
	p.TwoRoles = roles
	p.Timing = PartialSynchrony
	if g.chance(25) {
		p.Timing = []Timing{Synchrony, Asynchrony}[g.Intn(2)]
	}
	p.HasGst = p.Timing == PartialSynchrony && g.chance(40)
	p.Lossy = (p.HasGst || p.Timing != PartialSynchrony) && g.chance(40)
	p.Duplicating = p.HasGst && g.chance(50)
	if p.Timing != PartialSynchrony && g.chance(50) {
		p.Copies = 1 + g.Intn(2)
	}
	p.Fifo = p.Timing == PartialSynchrony && g.chance(30)
	g.faults()
	kinds := 1 + g.Intn(2)
	if p.Copies > 0 || p.Duplicating && g.chance(70) {
		kinds = 1
	}
	if roles { // there, and perhaps back
		kinds = 1 + g.Intn(3)
	}
	for i := range kinds {
		m := Message{Name: fmt.Sprintf("m%d", i)}
		if roles {
			m.From = g.Intn(2)
			m.To = 1 - m.From
			if g.chance(20) {
				m.To = m.From
			}
		}
		switch g.Intn(4) {
		case 0:
			m.Fields = []int{1}
		case 1:
			m.Fields = []int{-1 - m.From} // which its sender can name
		}
		p.Messages = append(p.Messages, m)
	}
	g.vars()
	for i, m := range p.Messages {
		if g.chance(85) {
			g.message, g.role = i, m.To
			p.Handlers[i] = &Handler{g.body(2)}
		}
	}
	g.message = -1
	for g.role = range g.roles() {
		for range 1 + g.Intn(2) {
			g.step()
		}
	}
	in := g.instance()
	g.forges()
	return p, in
}

// instance makes an instance of the protocol.
func (g *generator) instance() Parameters {
	p := g.p
	in := Parameters{N: 2, Delta: g.Intn(3), Phi: 1 + g.Intn(2)}
	if in.Delta == 2 && g.chance(60) {
		in.Delta = 1
	}
	if p.HasGst {
		in.Gst = g.Intn(3)
	}
	if p.Drift { // there are many states
		in.D, in.Delta, in.Phi, in.N = 1+g.Intn(3), g.Intn(2), 1, 1+g.Intn(2)
	}
	if p.Copies == 0 && g.chance(15) { // copies are received in many orders
		in.N = 3
	}
	if p.Quick = p.Timing == PartialSynchrony && in.Delta > 0 && g.chance(30); p.Quick {
		in.Less = g.Intn(in.Delta)
	}
	if p.Duplicating { // there are many states
		in.N, in.Delta, in.Phi, in.Gst = 2, max(in.Less, g.Intn(2)), 1, 2
	}
	if in.Firsts = in.N; p.TwoRoles {
		in.N = 2 + g.Intn(2)
		in.Firsts = 1 + g.Intn(in.N-1)
		in.Delta, in.Phi, in.Gst = min(in.Delta, 1), 1, min(in.Gst, 1)
		in.Less = min(in.Less, in.Delta)
	}
	if p.Quick && !p.TwoRoles && g.chance(50) {
		for range in.N {
			row := make([]int, in.N)
			for j := range row {
				row[j] = g.Intn(in.Delta + 1)
			}
			in.Delays = append(in.Delays, row)
		}
	}
	if p.Timing == PartialSynchrony && in.Phi > 1 && g.chance(40) {
		for range in.N {
			in.Phis = append(in.Phis, 1+g.Intn(in.Phi))
		}
	}
	return in
}

type generator struct {
	*rand.Rand
	p       *Protocol
	lies    bool // there are Byzantine processes
	message int  // the one that is handled, -1 in a step
	role    int  // whose program is made
	ints    []string
	procs   []local
	names   int
}

// local is a name for a process of a role.
type local struct {
	name string
	role int
}

func (g *generator) roles() int {
	if g.p.TwoRoles {
		return 2
	}
	return 1
}

func (g *generator) someRole() int {
	if g.p.TwoRoles {
		return g.Intn(2)
	}
	return 0
}

func (g *generator) chance(percent int) bool { return g.Intn(100) < percent }

func (g *generator) vars() {
	clock := g.p.Timing != Asynchrony && g.chance(40)
	if g.p.Drift = clock && !g.p.TwoRoles && g.chance(70); g.p.Drift && g.chance(70) && !g.lies {
		g.p.Faults = []string{"none"}
	}
	for role := range g.roles() {
		g.varsOf(role, clock)
	}
}

func (g *generator) varsOf(role int, clock bool) {
	first := len(g.p.Vars)
	add := func(v Var) {
		if v.Role = role; v.Peer {
			v.Of = g.someRole()
		}
		if role == 1 {
			v.Name += "_r"
		}
		g.p.Vars = append(g.p.Vars, v)
	}
	add(Var{Name: "a", Most: 1 + g.Intn(2), First: g.Intn(2)})
	if g.chance(50) {
		add(Var{Name: "b", Most: 1, First: g.Intn(2), Peer: true})
	}
	if g.recovers() && g.chance(50) {
		g.p.Vars[first+g.Intn(len(g.p.Vars)-first)].Disk = true
	}
	if g.chance(60) {
		add(Var{Name: "t", Most: 1 + g.Intn(2), First: g.Intn(2), Timer: true, Peer: g.chance(30)})
	}
	if clock {
		add(Var{Name: "c", Most: 1 + g.Intn(3), First: g.Intn(2), Clock: true, Peer: g.chance(20)})
	}
}

func (g *generator) faults() {
	stops := []string{"crash", "crash(1)", "recover", "recover(1)"}
	others := []string{"omission", "omission(1)", "send_omission", "receive_omission(1)",
		"byzantine", "byzantine(1)"}
	if g.lies {
		g.p.Faults = []string{others[4+g.Intn(2)]}
		return
	}
	k := g.Intn(10)
	if k == 0 || g.p.Duplicating && g.chance(60) {
		g.p.Faults = []string{"none"}
		return
	}
	if k < 6 {
		g.p.Faults = append(g.p.Faults, stops[g.Intn(len(stops))])
	}
	if k > 3 {
		g.p.Faults = append(g.p.Faults, others[g.Intn(len(others))])
	}
}

func (g *generator) recovers() bool {
	return slices.ContainsFunc(g.p.Faults, func(f string) bool {
		return strings.HasPrefix(f, "recover")
	})
}

func (g *generator) step() {
	s := Step{Role: g.role}
	for i, v := range g.p.Vars {
		if (v.Timer || v.Clock) && v.Role == g.role && g.chance(60) {
			if x := g.variable(i); x.Kind == "var" {
				s.Timer, s.After = x, 1+g.Intn(v.Most)
			}
		}
	}
	if g.chance(40) {
		s.When = g.cond(1)
	}
	s.Body = g.body(2)
	if g.chance(70) {
		s.Body = append(s.Body, g.sendOr(g.assign))
	}
	g.p.Steps = append(g.p.Steps, s)
}

func (g *generator) body(depth int) (out []Stmt) {
	for range 1 + g.Intn(2) {
		out = append(out, g.stmt(depth))
	}
	return out
}

func (g *generator) stmt(depth int) Stmt {
	switch k := g.Intn(10); {
	case k < 4 || depth == 0:
		return g.assign()
	case k < 6:
		return g.sendOr(g.assign)
	case k < 8:
		s := Stmt{Kind: "if", Cond: g.cond(1), Then: g.body(depth - 1)}
		if g.chance(40) {
			s.Else = g.body(depth - 1)
		}
		return s
	case k == 8:
		g.names++
		name := fmt.Sprintf("c%d", g.names)
		g.ints = append(g.ints, name)
		s := Stmt{Kind: "chooseInt", Name: name, Then: g.body(depth - 1)}
		g.ints = g.ints[:len(g.ints)-1]
		return s
	default:
		g.names++
		name := fmt.Sprintf("q%d", g.names)
		role := g.someRole()
		g.procs = append(g.procs, local{name, role})
		s := Stmt{Kind: "chooseProc", Name: name, Role: role, Cond: g.cond(1),
			Then: g.body(depth - 1)}
		g.procs = g.procs[:len(g.procs)-1]
		return s
	}
}

func (g *generator) assign() Stmt {
	i := g.ownVar()
	v := g.p.Vars[i]
	s := Stmt{Kind: "set", Var: i}
	if v.Peer {
		if g.chance(40) || !g.hasProc(v.Of) {
			g.procs = append(g.procs, local{"P", v.Of})
			s = Stmt{Kind: "each", Var: i, At: &Proc{Kind: "point"}, Cond: g.cond(1),
				Int: &Int{Kind: "const", Value: g.Intn(v.Most + 1)}}
			g.procs = g.procs[:len(g.procs)-1]
			return s
		}
		s.At = g.proc(v.Of)
	}
	switch {
	case (v.Timer || v.Clock) && g.chance(70):
		s.Kind = "reset"
	case g.chance(40):
		s.Kind = "bump"
	default:
		s.Int = g.int()
	}
	return s
}

// sendOr sends a message that the role may send, if there is one.
func (g *generator) sendOr(other func() Stmt) Stmt {
	var own []int
	for i, m := range g.p.Messages {
		if m.From == g.role {
			own = append(own, i)
		}
	}
	if len(own) == 0 {
		return other()
	}
	return g.send(own[g.Intn(len(own))])
}

func (g *generator) send(message int) Stmt {
	m := g.p.Messages[message]
	s := Stmt{Kind: "send", Message: message}
	g.names++
	switch k := g.Intn(5); {
	case k == 0:
		s.To = "all"
	case k == 1:
		s.To, s.Name = "every", fmt.Sprintf("q%d", g.names)
		g.procs = append(g.procs, local{s.Name, m.To})
		s.Cond = g.cond(1)
	case k < 4 && g.message >= 0 && g.p.Messages[g.message].From == m.To:
		s.To = "reply"
	case !g.hasProc(m.To):
		s.To = "all"
	default:
		s.To, s.At = "one", g.proc(m.To)
	}
	for _, most := range m.Fields {
		if most < 0 {
			s.Args = append(s.Args, Arg{Proc: g.proc(-1 - most)})
			continue
		}
		// In the range of the field: a constant, or a variable whose range is smaller.
		x := g.int()
		if g.most(x) > most {
			x = &Int{Kind: "const", Value: g.Intn(most + 1)}
		}
		s.Args = append(s.Args, Arg{Int: x})
	}
	if s.To == "every" {
		g.procs = g.procs[:len(g.procs)-1]
	}
	return s
}

// most is the greatest value that an expression can have.
func (g *generator) most(x *Int) int {
	switch x.Kind {
	case "const":
		return x.Value
	case "var":
		return g.p.Vars[x.Value].Most
	}
	return 1
}

func (g *generator) int() *Int {
	fields := g.fields(func(most int) bool { return most >= 0 })
	switch k := g.Intn(6); {
	case k == 0:
		return &Int{Kind: "const", Value: g.Intn(2)}
	case k < 3 && len(fields) > 0:
		return &Int{Kind: "field", Value: fields[g.Intn(len(fields))]}
	case k < 5 && len(g.ints) > 0:
		return &Int{Kind: "local", Name: g.ints[g.Intn(len(g.ints))]}
	}
	return g.variable(g.ownVar())
}

// ownVar is a variable of the role.
func (g *generator) ownVar() int {
	for {
		if i := g.Intn(len(g.p.Vars)); g.p.Vars[i].Role == g.role {
			return i
		}
	}
}

// variable is the value of a variable; a constant if it is for peers, and none is known.
func (g *generator) variable(i int) *Int {
	x := &Int{Kind: "var", Value: i}
	if v := g.p.Vars[i]; v.Peer && g.hasProc(v.Of) {
		x.At = g.proc(v.Of)
	} else if v.Peer {
		return &Int{Kind: "const", Value: g.Intn(2)}
	}
	return x
}

// fields lists the fields of the handled message that have a greatest value; less than 0 is for
// processes of a role.
func (g *generator) fields(is func(most int) bool) (out []int) {
	if g.message < 0 {
		return nil
	}
	for i, most := range g.p.Messages[g.message].Fields {
		if is(most) {
			out = append(out, i)
		}
	}
	return out
}

// known lists the ways to say a process of a role, some of them several times.
func (g *generator) known(role int) (locals, fields []*Proc, sender, self bool) {
	for _, x := range g.procs {
		switch {
		case x.role != role:
		case x.name == "P":
			locals = append(locals, &Proc{Kind: "point"})
		default:
			locals = append(locals, &Proc{Kind: "local", Name: x.name})
		}
	}
	for _, i := range g.fields(func(most int) bool { return most == -1-role }) {
		fields = append(fields, &Proc{Kind: "field", At: i})
	}
	return locals, fields, g.message >= 0 && g.p.Messages[g.message].From == role, g.role == role
}

func (g *generator) hasProc(role int) bool {
	locals, fields, sender, self := g.known(role)
	return len(locals)+len(fields) > 0 || sender || self
}

// proc is some process of a role, of which there is one.
func (g *generator) proc(role int) *Proc {
	locals, fields, sender, self := g.known(role)
	for {
		switch k := g.Intn(6); {
		case k < 3 && len(locals) > 0:
			return locals[g.Intn(len(locals))]
		case k < 4 && len(fields) > 0:
			return fields[g.Intn(len(fields))]
		case k < 5 && sender:
			return &Proc{Kind: "sender"}
		case self:
			return &Proc{Kind: "self"}
		}
	}
}

func (g *generator) cond(depth int) *Cond {
	switch k := g.Intn(6); {
	case k == 0 && depth > 0:
		return &Cond{Kind: "and", L: g.cond(depth - 1), R: g.cond(depth - 1)}
	case k == 1 && depth > 0:
		return &Cond{Kind: "not", L: g.cond(depth - 1)}
	case k < 4 && (len(g.procs) > 0 || g.message >= 0):
		role := g.someRole()
		if !g.hasProc(role) {
			role = g.role
		}
		c := &Cond{Kind: "same", P: g.proc(role), Q: g.proc(role)}
		if g.chance(60) {
			return &Cond{Kind: "not", L: c}
		}
		return c
	}
	kind := []string{"less", "equal"}[g.Intn(2)]
	return &Cond{Kind: kind, A: g.int(), B: &Int{Kind: "const", Value: g.Intn(3)}}
}
