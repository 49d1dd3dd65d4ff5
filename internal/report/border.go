package report

import (
	"fmt"
	"slices"
	"strconv"

	"erelong.dev/erelong/internal/border"
	"erelong.dev/erelong/internal/diagram"
	"erelong.dev/erelong/internal/result"
)

// Border is a condition on the numbers of the instances. A property holds in all explored instances
// in which it is true.
type Border struct {
	Property  string
	Kind      result.Kind
	Condition *border.Condition
	Names     []string // the numbers that differ between the instances
	Holds     int      // the number of instances in which the property holds
	Violated  int
}

// Borders finds the borders of the properties that hold in some instances and not in others. A
// property that is open in an instance has none, and there is none where instances differ in what
// is no number. An instance that contradicts an axiom says nothing.
func (r *Report) Borders() (out []*Border) {
	numbers := r.Numbers()
	if len(numbers) == 0 || !r.numbersOnly() {
		return nil
	}
	var names []string
	for _, n := range numbers {
		names = append(names, n.Name)
	}
	for _, c := range swept(r) {
		points, decided := r.points(c, names)
		if !decided {
			continue
		}
		found := border.Find(points)
		if found == nil {
			continue
		}
		b := &Border{Property: c.property, Kind: c.kind, Condition: found, Names: names}
		for _, p := range points {
			if p.Holds {
				b.Holds++
			} else {
				b.Violated++
			}
		}
		out = append(out, b)
	}
	return out
}

// numbersOnly reports whether the instances, of which there are some, differ only in numbers.
func (r *Report) numbersOnly() bool {
	return !slices.ContainsFunc(r.Instances[0].Values, func(v result.Setting) bool {
		return slices.ContainsFunc(r.Instances, func(in result.Instance) bool {
			text, given := in.Value(v.Name)
			_, err := strconv.ParseInt(text, 10, 64)
			return !given || err != nil && text != v.Value
		})
	})
}

// points are what the instances say of a property. It also reports whether each that says something
// decides it.
func (r *Report) points(c claim, names []string) (out []border.Point, decided bool) {
	instances := map[string]*result.Instance{}
	for i := range r.Instances {
		instances[r.Instances[i].Name] = &r.Instances[i]
	}
	at := map[string]int{} // of an instance, its point
	for i := range r.Results {
		x := &r.Results[i]
		in := instances[x.Scope]
		if in == nil || x.Property != c.property || x.Kind != c.kind ||
			x.Verdict == result.NothingChecked {
			continue
		}
		p := Point{Verdict: x.Verdict, result: x}
		kind := p.kind()
		if kind == diagram.CellOpen {
			return nil, false
		}
		if j, twice := at[x.Scope]; twice {
			out[j].Holds = out[j].Holds && kind == diagram.CellHolds
			continue
		}
		values := make([]int64, len(names))
		for j, name := range names {
			text, _ := in.Value(name)
			values[j], _ = strconv.ParseInt(text, 10, 64) // a number, as Numbers says
		}
		at[x.Scope] = len(out)
		out = append(out, border.Point{Values: values, Holds: kind == diagram.CellHolds})
	}
	return out, true
}

// Formula is the condition in the language of specifications.
func (b *Border) Formula() string { return b.Condition.String(b.Names) }

// Numbers are the numbers that occur in the condition.
func (b *Border) Numbers() (out []string) {
	for i, name := range b.Names {
		if b.Condition.Uses(i) {
			out = append(out, name)
		}
	}
	return out
}

// String says what a border is.
func (b *Border) String() string {
	text := fmt.Sprintf("%s holds in %s of %s instances", b.Property, group(int64(b.Holds)),
		group(int64(b.Holds+b.Violated)))
	switch c := b.Condition; {
	case c.Loses > 0:
		text += fmt.Sprintf(", in all where %s, and in %d others", b.Formula(), c.Loses)
	case c.Others == 1:
		text += fmt.Sprintf(", exactly where %s (as short a condition fits, too: more instances "+
			"tell the two apart)", b.Formula())
	case c.Others > 1:
		text += fmt.Sprintf(", exactly where %s (%d conditions as short fit, too: more instances "+
			"tell them apart)", b.Formula(), c.Others)
	default:
		text += ", exactly where " + b.Formula()
	}
	return text
}
