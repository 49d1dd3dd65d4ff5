package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/result"
)

// Sweep is what the instances of a report say of one property, over two of their numbers.
type Sweep struct {
	Property string
	Kind     result.Kind
	X, Y     Axis // Y has no name where one number varies
	// what else varies, and is the same in the whole sweep, as in "client = 3"
	Slice  string
	Points [][]Point // of each value of Y, and in them of each value of X
	Front  Front
	Proved bool // the property is proved for all instances
	// on which what is said of points where it holds rests
	Assumptions []result.Assumption
}

// Axis is a number of the instances, and its values, least first.
type Axis struct {
	Name   string
	Values []int64
}

// Point is the result for a pair of values.
type Point struct {
	Instance string // the name; empty where there is no instance
	Result   int    // the index of the row that decides
	Verdict  result.Verdict
	result   *result.Result
}

// leastPoints is the number of instances from which a sweep is shown.
const leastPoints = 3

// claim names a property.
type claim struct {
	property string
	kind     result.Kind
}

// swept lists the properties of which several instances say something. Invariants and ranges that
// hold everywhere are left out.
func swept(r *Report) (out []claim) {
	instances := map[string]bool{}
	for _, in := range r.Instances {
		instances[in.Name] = true
	}
	scopes := map[claim]map[string]bool{}
	fails := map[claim]bool{}
	var order []claim
	for i := range r.Results {
		x := &r.Results[i]
		c := claim{x.Property, x.Kind}
		fails[c] = fails[c] || x.Verdict != result.Holds
		if !instances[x.Scope] {
			continue
		}
		if scopes[c] == nil {
			scopes[c] = map[string]bool{}
			order = append(order, c)
		}
		scopes[c][x.Scope] = true
	}
	for _, c := range order {
		auxiliary := c.kind.IsAuxiliary()
		if len(scopes[c]) >= leastPoints && (!auxiliary || fails[c]) {
			out = append(out, c)
		}
	}
	return out
}

// Numbers are the numbers that differ between the instances of a report, in the order of the file.
func (r *Report) Numbers() (out []Axis) {
	if len(r.Instances) == 0 {
		return nil
	}
	for _, s := range r.Instances[0].Values {
		a, all := Axis{Name: s.Name}, true
		for i := range r.Instances {
			text, _ := r.Instances[i].Value(s.Name)
			n, err := strconv.ParseInt(text, 10, 64)
			all = all && err == nil
			if !slices.Contains(a.Values, n) {
				a.Values = append(a.Values, n)
			}
		}
		if all && len(a.Values) > 1 {
			slices.Sort(a.Values)
			out = append(out, a)
		}
	}
	return out
}

// axes chooses the two numbers with the most values, in the order of the file.
func axes(numbers []Axis) (x, y string) {
	if len(numbers) == 0 {
		return "", ""
	}
	most := slices.Clone(numbers)
	slices.SortStableFunc(most, func(a, b Axis) int {
		return cmp.Compare(len(b.Values), len(a.Values))
	})
	most = most[:min(2, len(most))]
	for _, n := range numbers {
		switch {
		case !slices.ContainsFunc(most, func(a Axis) bool { return a.Name == n.Name }):
		case x == "":
			x = n.Name
		default:
			y = n.Name
		}
	}
	return x, y
}

// Sweeps gives what the instances say of each property over the numbers x and y. Without names it
// chooses the two numbers with the most values. Where more varies, a property has several sweeps.
func (r *Report) Sweeps(x, y string) (out []*Sweep) {
	numbers := r.Numbers()
	if x == "" {
		x, y = axes(numbers)
	}
	at := func(name string) Axis {
		i := slices.IndexFunc(numbers, func(a Axis) bool { return a.Name == name })
		if i < 0 {
			return Axis{Values: []int64{0}}
		}
		return numbers[i]
	}
	ax, ay := at(x), at(y)
	if ax.Name == "" || ax.Name == ay.Name {
		return nil
	}
	parts := r.slices(ax, ay)
	for _, c := range swept(r) {
		for _, part := range parts {
			s := &Sweep{Property: c.property, Kind: c.kind, X: ax, Y: ay, Slice: part.text}
			if s.enter(r, part.instances) {
				out = append(out, s)
			}
		}
	}
	return out
}

// slice is the instances that are alike but for the numbers of the axes.
type slice struct {
	text      string // what they have in common of what differs
	instances []*result.Instance
}

// slices groups the instances, in their order.
func (r *Report) slices(x, y Axis) (out []*slice) {
	have := map[result.Setting]int{} // instances with the same setting
	for i := range r.Instances {
		for _, s := range r.Instances[i].Values {
			have[s]++
		}
	}
	known := map[string]*slice{}
	for i := range r.Instances {
		in := &r.Instances[i]
		var parts []string
		for _, s := range in.Values {
			if have[s] < len(r.Instances) && s.Name != x.Name && s.Name != y.Name {
				parts = append(parts, s.Name+" = "+s.Value)
			}
		}
		text := strings.Join(parts, ", ")
		if known[text] == nil {
			known[text] = &slice{text: text}
			out = append(out, known[text])
		}
		known[text].instances = append(known[text].instances, in)
	}
	return out
}

// enter fills in the points of some instances. It reports whether there are any.
func (s *Sweep) enter(r *Report, instances []*result.Instance) bool {
	rows := map[[2]int][]int{} // of results
	scopes := map[string][2]int{}
	for _, in := range instances {
		scopes[in.Name] = [2]int{s.X.index(in), s.Y.index(in)}
	}
	for i := range r.Results {
		x := &r.Results[i]
		if x.Property != s.Property || x.Kind != s.Kind {
			continue
		}
		s.Proved = s.Proved || x.Scope == result.ScopeAll && x.Verdict == result.Holds
		if _, ok := scopes[x.Scope]; ok || x.Scope == result.ScopeAll {
			s.assume(x)
		}
		if at, ok := scopes[x.Scope]; ok {
			rows[at] = append(rows[at], i)
		}
	}
	s.Points = make([][]Point, len(s.Y.Values))
	for j := range s.Points {
		s.Points[j] = make([]Point, len(s.X.Values))
	}
	for at, list := range rows {
		s.Points[at[1]][at[0]] = r.point(list)
	}
	s.front()
	return len(rows) > 0
}

// assume notes the assumptions of a result.
func (s *Sweep) assume(x *result.Result) {
	for _, a := range x.Assumptions {
		if !slices.Contains(s.Assumptions, a) {
			s.Assumptions = append(s.Assumptions, a)
		}
	}
}

// index is the index of the value of an instance.
func (a Axis) index(in *result.Instance) int {
	if a.Name == "" {
		return 0
	}
	text, _ := in.Value(a.Name)
	n, _ := strconv.ParseInt(text, 10, 64)
	return slices.Index(a.Values, n)
}

// point sums up the rows about a pair of values.
func (r *Report) point(list []int) Point {
	var rows []result.Result
	for _, i := range list {
		rows = append(rows, r.Results[i])
	}
	verdict := result.Outcomes(rows)[0].Verdict
	for k, i := range list {
		if rows[k].Verdict == verdict {
			return Point{rows[k].Scope, i, verdict, &r.Results[i]}
		}
	}
	return Point{rows[0].Scope, list[0], verdict, &r.Results[list[0]]}
}
