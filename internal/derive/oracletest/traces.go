package oracletest

import (
	"fmt"
	"slices"
	"strings"
)

// Observed is a graph with an observation in each state. Runs begin in the states Initial; state 0
// is not special.
type Observed struct {
	Initial []int32
	Next    [][]int32
	Seen    []string
}

// Pair observes what properties of P and Q depend on, where P and Q are these processes: the
// variables of P for Q, with `all` set also of Q for P and of each for itself, and who has crashed.
// Runs in which a process of `correct` crashes are left out.
func (g *Graph) Pair(p, q int, all bool, correct ...int) *Observed {
	o := &Observed{}
	number := make([]int32, len(g.Configs))
	keep := func(c int) bool {
		return !slices.ContainsFunc(correct, func(i int) bool {
			return g.Configs[c][g.location(i)] == crashed
		})
	}
	kept := int32(0)
	for c := range g.Configs {
		number[c] = kept
		if keep(c) {
			kept++
		}
	}
	for c, config := range g.Configs {
		if !keep(c) {
			continue
		}
		var s strings.Builder
		see := func(i, j int) {
			for v, x := range g.Variables {
				fmt.Fprintf(&s, "%s(%s,%s)=%d ", x.Name, processNames[i], processNames[j],
					int(config[g.variable([]int{p, q}[i], []int{p, q}[j])+v])+x.Lo)
			}
		}
		see(0, 1)
		if all {
			see(1, 0)
			see(0, 0)
			see(1, 1)
		}
		for i, who := range []int{p, q} {
			if config[g.location(who)] == crashed {
				fmt.Fprintf(&s, "crashed(%s) ", processNames[i])
			}
		}
		o.Seen = append(o.Seen, s.String())
		var next []int32
		for _, d := range g.Next[c] {
			if keep(int(d)) {
				next = append(next, number[d])
			}
		}
		o.Next = append(o.Next, next)
	}
	o.Initial = []int32{0}
	return o
}

// Difference is empty if two graphs satisfy the same properties of runs in linear temporal logic
// without next: their infinite runs have the same observations up to repetition. Otherwise it
// describes observations on a run of only one of them.
//
// Both graphs are made deterministic together, where steps with an unchanged observation are
// silent. There are finitely many states, so an infinite run observes what all its prefixes
// observe; and it may observe the same for ever where there is a cycle of silent steps.
func Difference(a, b *Observed, limit int) (string, error) {
	c := &comparison{sides: [2]*Observed{a, b}, known: map[string]bool{}}
	for i, o := range c.sides {
		c.lasting[i] = o.lasting()
	}
	if d := c.step("", [2][]int32{a.Initial, b.Initial}); d != "" {
		return d, nil
	}
	for k := 0; k < len(c.queue); k++ {
		if k > limit {
			return "", ErrTooLarge
		}
		n := c.queue[k]
		var next [2][]int32
		for i, o := range c.sides {
			for _, s := range n.sets[i] {
				for _, d := range o.Next[s] {
					if o.Seen[d] != o.Seen[s] {
						next[i] = append(next[i], d)
					}
				}
			}
		}
		if d := c.step(n.word, next); d != "" {
			return d, nil
		}
	}
	return "", nil
}

// comparison is the search for a difference of two graphs.
type comparison struct {
	sides   [2]*Observed
	lasting [2][]bool
	queue   []together
	known   map[string]bool // the sets in the queue
}

// together are the states of each side after a word of observations.
type together struct {
	sets [2][]int32
	word string
}

// step visits all next observations.
func (c *comparison) step(word string, next [2][]int32) string {
	seen := map[string]*[2][]int32{}
	var order []string
	for i, o := range c.sides {
		for _, s := range next[i] {
			x := seen[o.Seen[s]]
			if x == nil {
				x = &[2][]int32{}
				seen[o.Seen[s]] = x
				order = append(order, o.Seen[s])
			}
			x[i] = append(x[i], s)
		}
	}
	slices.Sort(order)
	for _, what := range order {
		if d := c.visit(word+"\n  "+what, *seen[what]); d != "" {
			return d
		}
	}
	return ""
}

// visit takes the states that each side reaches with an observation.
func (c *comparison) visit(word string, starts [2][]int32) string {
	names := [2]string{"first", "second"}
	n := together{word: word}
	var stays [2]bool
	for i, o := range c.sides {
		n.sets[i] = o.closure(starts[i])
		stays[i] = slices.ContainsFunc(n.sets[i], func(s int32) bool { return c.lasting[i][s] })
	}
	for i := range c.sides {
		if len(n.sets[i]) == 0 {
			return fmt.Sprintf("the %s only: %s", names[1-i], word)
		}
		if stays[i] && !stays[1-i] {
			return fmt.Sprintf("the %s only: %s for ever", names[i], word)
		}
	}
	key := fmt.Sprint(n.sets)
	if !c.known[key] {
		c.known[key] = true
		c.queue = append(c.queue, n)
	}
	return ""
}

// closure adds the states that silent steps reach, and sorts.
func (o *Observed) closure(from []int32) []int32 {
	in := map[int32]bool{}
	var out []int32
	add := func(s int32) {
		if !in[s] {
			in[s] = true
			out = append(out, s)
		}
	}
	for _, s := range from {
		add(s)
	}
	for i := 0; i < len(out); i++ {
		for _, d := range o.Next[out[i]] {
			if o.Seen[d] == o.Seen[out[i]] {
				add(d)
			}
		}
	}
	slices.Sort(out)
	return out
}

// lasting are the states from which a run can have the same observation for ever.
func (o *Observed) lasting() []bool {
	can := make([]bool, len(o.Next))
	for s := range can {
		can[s] = true
	}
	for changed := true; changed; {
		changed = false
		for s, next := range o.Next {
			if can[s] && !slices.ContainsFunc(next, func(d int32) bool {
				return can[d] && o.Seen[d] == o.Seen[s]
			}) {
				can[s], changed = false, true
			}
		}
	}
	return can
}

// Reached lists all observations, and Recurring the observations that can recur for ever. They
// decide properties of states, and properties that begin with `eventually always`.
func (o *Observed) Reached() []string { return distinct(slices.Clone(o.Seen)) }

// Recurring lists the observations on cycles.
func (o *Observed) Recurring() []string {
	var out []string
	for _, component := range components(o.Next, o.Initial) {
		for _, s := range component {
			out = append(out, o.Seen[s])
		}
	}
	return distinct(out)
}

func distinct(s []string) []string {
	slices.Sort(s)
	return slices.Compact(s)
}
