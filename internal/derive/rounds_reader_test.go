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

func number(v result.Value) int {
	n, err := strconv.Atoi(strings.TrimPrefix(v.Text, "process"))
	if err != nil {
		panic(err)
	}
	return n
}

// at reads a function.
func (s state) at(name string, args ...int) int {
	for _, row := range s.values[name].Rows {
		same := true
		for i, a := range args {
			same = same && number(row.Key[i]) == a
		}
		if same {
			return number(row.Result)
		}
	}
	panic("no " + name)
}

// truths reads a relation of processes.
func (s state) truths(name string) []bool {
	out := make([]bool, s.in.N)
	for _, row := range s.values[name].Rows {
		out[number(row.Key[0])] = true
	}
	return out
}

func (s state) vars() (out [][]int) {
	for i := range s.in.N {
		var row []int
		for _, v := range s.p.Vars {
			if !v.Peer {
				row = append(row, s.at(v.Name, i))
				continue
			}
			for j := range s.in.N {
				row = append(row, s.at(v.Name, i, j))
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
				copies = number(row.Result)
			}
			var parts []int
			for _, x := range row.Key {
				parts = append(parts, number(x))
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
				parts = append(parts, number(x))
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
	if len(x.values["stepping"].Rows) > 0 {
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
			clock = number(x.values["clock"])
		}
		fmt.Fprint(&b, " clock=", clock, " waited=[")
		for i := range r.in.N {
			fmt.Fprint(&b, x.at("waited", i), " ")
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
