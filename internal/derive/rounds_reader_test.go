package derive_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/derive/roundstest"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// reader reads states of the derived system as the oracle writes them.
type reader struct {
	p   *roundstest.Protocol
	in  roundstest.Parameters
	m   *interp.Model
	sys *system.System
	// The system has no time.
	untimed bool
}

// state has the values of a state.
type state struct {
	*reader
	values map[string]result.Value
}

func (r *reader) state(s interp.State) state {
	values := map[string]result.Value{}
	for _, b := range r.m.Bindings(s, true) {
		values[b.Name] = b.Value
	}
	return state{r, values}
}

// number is a number, or the number of a process. The ones of the second role come after the
// others.
func (r *reader) number(v result.Value) int {
	text, first := v.Text, 0
	for role := range 2 {
		if digits, ok := strings.CutPrefix(text, r.p.Sort(role)); ok {
			text, first = digits, role*r.in.Firsts
			break
		}
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return first + n
}

// role is the role of a process.
func (r *reader) role(i int) int {
	if r.p.TwoRoles && i >= r.in.Firsts {
		return 1
	}
	return 0
}

// of is the name that the system has for something of the processes of a role.
func (r *reader) of(word string, role int) string {
	if !r.p.TwoRoles {
		return word
	}
	return word + "_" + r.p.Sort(role)
}

// at reads a function.
func (s state) at(name string, args ...int) int {
	for _, row := range s.values[name].Rows {
		same := true
		for i, a := range args {
			same = same && s.number(row.Key[i]) == a
		}
		if same {
			return s.number(row.Result)
		}
	}
	panic("no " + name)
}

// truths reads a relation of processes.
func (s state) truths(name string) []bool {
	out := make([]bool, s.in.N)
	for role := range 2 {
		for _, row := range s.values[s.of(name, role)].Rows {
			out[s.number(row.Key[0])] = true
		}
	}
	return out
}

// vars are the variables of the processes, and first values in place of what a process lacks.
func (s state) vars() (out [][]int) {
	for i := range s.in.N {
		var row []int
		for _, v := range s.p.Vars {
			peers := 1
			if v.Peer {
				peers = s.in.N
			}
			for j := range peers {
				switch {
				case v.Role != s.role(i) || v.Peer && v.Of != s.role(j):
					row = append(row, v.First)
				case v.Peer:
					row = append(row, s.at(v.Name, i, j))
				default:
					row = append(row, s.at(v.Name, i))
				}
			}
		}
		out = append(out, row)
	}
	return out
}

func (r *reader) timed() bool {
	return r.p.Timing == roundstest.PartialSynchrony && !r.untimed
}

// letters are the messages in transit. Without age they have age 0.
func (s state) letters(ages bool) (out []string) {
	for kind, m := range s.p.Messages {
		name := m.Name
		switch {
		case s.timed():
			name += "_of_age"
		case s.p.Copies > 0 && !s.untimed:
			name += "_copies"
		}
		for _, row := range s.values[name].Rows {
			copies := 1
			if row.Result.Text != "" {
				copies = s.number(row.Result)
			}
			var parts []int
			for _, x := range row.Key {
				parts = append(parts, s.number(x))
			}
			age, args := 0, parts[2:]
			if s.timed() {
				age, args = parts[len(parts)-1], parts[2:len(parts)-1]
			}
			if !ages {
				age = 0
			}
			for range copies {
				out = append(out, roundstest.Letter(kind, parts[0], parts[1], args, age))
			}
		}
	}
	slices.Sort(out)
	return out
}

// record is what was ever sent, as far as the file speaks of it.
func (s state) record() (out []string) {
	for kind, m := range s.p.Messages {
		for _, row := range s.values[m.Name+"_sent"].Rows {
			var parts []int
			for _, x := range row.Key {
				parts = append(parts, s.number(x))
			}
			out = append(out, roundstest.Letter(kind, parts[0], parts[1], parts[2:], 0))
		}
	}
	slices.Sort(out)
	return out
}

// processes are the processes of a state, and the messages in transit, or recorded, without their
// ages.
func (r *reader) processes(s interp.State) (at string, transit []string) {
	x := r.state(s)
	transit = x.letters(false)
	if !r.untimed {
		transit = append(transit, x.record()...)
	}
	return fmt.Sprint(x.vars(), x.truths("crashed"), x.truths("faulty")), transit
}

// see is what roundstest sees of a state; empty within a step.
func (r *reader) see(s interp.State) string {
	x := r.state(s)
	if slices.Contains(x.truths("stepping"), true) {
		return ""
	}
	var b strings.Builder
	fmt.Fprint(&b, "vars=", x.vars(), " crashed=", x.truths("crashed"), " faulty=",
		x.truths("faulty"))
	if r.p.Timing != roundstest.Asynchrony {
		fmt.Fprint(&b, " acted=", x.truths("acted"))
	}
	if r.timed() {
		// Without a stabilisation time, nothing depends on the clock.
		clock := r.in.Delta
		if r.p.HasGst {
			clock = r.number(x.values["clock"])
		}
		fmt.Fprint(&b, " clock=", clock, " waited=[")
		for i := range r.in.N {
			fmt.Fprint(&b, x.at(r.of("waited", r.role(i)), i), " ")
		}
		b.WriteString("]")
	}
	for i := range r.in.N {
		if r.p.Drift {
			fmt.Fprint(&b, " clock", i, "=", x.at("counted", i), ",", x.at("evenly", i))
		}
	}
	fmt.Fprint(&b, " transit=", x.letters(true), " sent=", x.record())
	return b.String()
}
