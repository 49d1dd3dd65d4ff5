package synth

import (
	"context"
	"hash/fnv"
	"iter"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// fitting fits measures to graphs.
type fitting struct {
	*search
	graphs   []*graph
	taken    []*candidate
	banned   map[string]bool      // measures
	literals map[*scope][]literal // that tell pending states apart, each of them once
	refuted  map[key]refutation   // of one run; nil after it
}

// key tells candidates apart that are no numbers.
type key struct {
	scope  *scope
	action *system.Action
	order  system.Order
	such   [mostLiterals]literal
	n      int
}

// mostLiterals bounds the literals of a candidate.
const mostLiterals = 3

// refutation is why a candidate was not taken: it grew in a step of a graph, and cannot be taken
// while that step is left. Without a graph it never can be.
type refutation struct {
	graph *graph
	step  int
}

func (r refutation) lasts() bool {
	return r.graph == nil || r.step == never || r.graph.isLeft.has(r.step)
}

func keyOf(c *candidate) key {
	k := key{scope: c.scope, action: c.action, order: c.order, n: len(c.such)}
	copy(k.such[:], c.such)
	return k
}

// begin forgets what was explained.
func (f *fitting) begin() {
	for _, g := range f.graphs {
		g.begin()
	}
}

func (f *fitting) remaining() (n int) {
	for _, g := range f.graphs {
		n += len(g.left)
	}
	return n
}

// take takes a candidate if it grows in no step that is left, and becomes smaller in some.
func (f *fitting) take(c *candidate) bool {
	all, n := f.try(c)
	if n == 0 {
		return false
	}
	for i, g := range f.graphs {
		g.explain(all[i])
	}
	return true
}

// try finds the steps of each graph in which a candidate becomes smaller, and their number: 0 if it
// grows in a step that is left, or is banned. During a run it looks at no candidate a second time
// while what refuted it is there.
func (f *fitting) try(c *candidate) (all []set, n int) {
	if f.refuted == nil || c.number != nil {
		all, n, _ = f.examine(c)
		return all, n
	}
	k := keyOf(c)
	if r, ok := f.refuted[k]; ok && r.lasts() {
		f.work--
		return nil, 0
	}
	all, n, r := f.examine(c)
	if n == 0 {
		f.refuted[k] = r
	}
	return all, n
}

// examine is try of a candidate of which nothing is known. It says what refutes it.
func (f *fitting) examine(c *candidate) (all []set, n int, by refutation) {
	for _, g := range f.graphs {
		smaller, valid := g.try(f.search, c)
		if !valid {
			return nil, 0, refutation{g, g.last}
		}
		all = append(all, smaller)
		n += smaller.len()
	}
	if n > 0 && len(f.banned) > 0 && f.banned[c.measure().String()] {
		return nil, 0, refutation{}
	}
	return all, n, refutation{}
}

// run takes candidates stage by stage, and begins with the first stage again after each one that it
// takes: simpler ones may fit now. It reports whether all steps are explained.
func (f *fitting) run(ctx context.Context) bool {
	f.begin()
	f.literals, f.refuted = map[*scope][]literal{}, map[key]refutation{}
	defer func() { f.refuted = nil }()
	stages := f.stages()
	for i := 0; i < len(stages) && f.remaining() > 0; {
		i++
		for c := range stages[i-1] {
			if f.take(c) {
				f.taken = append(f.taken, c)
				i = 0
				break
			}
			if f.work <= 0 || f.values < 0 || ctx.Err() != nil {
				return false
			}
		}
	}
	return f.remaining() == 0
}

// replay takes candidates from the beginning, in their order, as far as they fit.
func (f *fitting) replay(list []*candidate) {
	f.begin()
	for _, c := range list {
		f.take(c)
	}
}

// explains reports whether the candidates, in their order, explain all steps.
func (f *fitting) explains(list []*candidate) bool {
	f.replay(list)
	return f.remaining() == 0
}

// minimise leaves out the candidates that are not needed, the last first.
func (f *fitting) minimise(list []*candidate) []*candidate {
	list = slices.Clone(list)
	for i := len(list) - 1; i >= 0; i-- {
		if shorter := slices.Delete(slices.Clone(list), i, i+1); f.explains(shorter) {
			list = shorter
		}
	}
	return list
}

// stages lists the candidates, the simplest first.
func (f *fitting) stages() []iter.Seq[*candidate] {
	sorts := f.sorts()
	var narrow, wide []*scope // of at most one variable, and of two
	narrow = append(narrow, f.scope())
	for i, a := range sorts {
		narrow = append(narrow, f.scope(a))
		for _, b := range sorts[i:] {
			wide = append(wide, f.scope(a, b))
		}
	}
	return []iter.Seq[*candidate]{
		f.awaits(0, false), f.numbers(), f.counts(narrow, 1), f.awaits(1, false),
		f.orders(1), f.counts(wide, 1), f.counts(narrow, 2), f.awaits(2, false), f.awaits(1, true),
		f.orders(2), f.counts(narrow, 3), f.awaits(2, true), f.counts(wide, 2),
	}
}

// counts are the counts of tuples that satisfy k literals; scopes with few literals come first.
func (f *fitting) counts(scopes []*scope, k int) iter.Seq[*candidate] {
	return func(yield func(*candidate) bool) {
		for _, sc := range slices.SortedStableFunc(slices.Values(scopes), func(a, b *scope) int {
			return len(f.literalsOf(a)) - len(f.literalsOf(b))
		}) {
			for such := range f.conjunctions(sc, k) {
				if !yield(&candidate{scope: sc, such: such}) {
					return
				}
			}
		}
	}
}

// orders are the numbers of which k literals about the values of a range are the digits.
func (f *fitting) orders(k int) iter.Seq[*candidate] {
	return func(yield func(*candidate) bool) {
		for _, sort := range f.sorts() {
			if sort.Kind != logic.KindRange {
				continue
			}
			sc := f.scope(sort)
			for such := range f.conjunctions(sc, k) {
				for _, order := range []system.Order{system.Downwards, system.Upwards} {
					if !yield(&candidate{scope: sc, such: such, order: order}) {
						return
					}
				}
			}
		}
	}
}

// awaits are the sums of the steps that are left to a fair action, over the tuples that satisfy k
// literals; with one variable more than the action has parameters, if it is asked for.
func (f *fitting) awaits(k int, further bool) iter.Seq[*candidate] {
	return func(yield func(*candidate) bool) {
		for _, a := range f.fair {
			for _, sc := range f.scopesOf(a, further) {
				for such := range f.conjunctions(sc, k) {
					if !yield(&candidate{scope: sc, such: such, action: a}) {
						return
					}
				}
			}
		}
	}
}

// scopesOf are the scopes in which an action can be awaited: of variables for its parameters, and
// with one variable more, if it is asked for. There are none if a parameter cannot be bound.
func (f *fitting) scopesOf(a *system.Action, further bool) (out []*scope) {
	var sorts []*logic.Sort
	for _, p := range a.Params {
		if !bindable(p.Sort) {
			return nil
		}
		sorts = append(sorts, p.Sort)
	}
	if !further {
		return []*scope{f.scope(sorts...)}
	}
	for _, s := range f.sorts() {
		out = append(out, f.scope(append(slices.Clone(sorts), s)...))
	}
	return out
}

// numbers are the differences of integers.
func (f *fitting) numbers() iter.Seq[*candidate] {
	return func(yield func(*candidate) bool) {
		zero := logic.IntLit(0)
		all := append([]*logic.Term{zero}, f.terms(f.scope(), logic.Int)...)
		for _, sym := range f.System.Symbols {
			if len(sym.Args) > 0 && sym.Result.Base() == logic.Int && !sym.Ghost {
				for _, args := range f.applications(f.scope(), sym) {
					all = append(all, logic.App(sym, logic.Pre, args...))
				}
			}
		}
		for _, a := range all {
			for _, b := range all {
				if a == b || max(logic.MaxStep(a), logic.MaxStep(b)) < logic.Pre {
					continue
				}
				c := &candidate{number: logic.Sub(a, b)}
				if b == zero {
					c.number = a
				}
				if !yield(c) {
					return
				}
			}
		}
	}
}

// conjunctions are the conjunctions of k literals about different atoms.
func (f *fitting) conjunctions(sc *scope, k int) iter.Seq[[]literal] {
	return func(yield func([]literal) bool) {
		if k == 0 {
			yield(nil)
			return
		}
		all := f.literalsOf(sc)
		var more func(from int, such []literal) bool
		more = func(from int, such []literal) bool {
			if len(such) == k {
				return yield(such)
			}
			for i := from; i < len(all); i++ {
				if len(such) > 0 && such[len(such)-1].atom == all[i].atom {
					continue
				}
				if !more(i+1, append(slices.Clone(such), all[i])) {
					return false
				}
			}
			return true
		}
		more(0, nil)
	}
}

// literalsOf lists the literals of a scope that are neither true nor false of all pending states,
// of the ones that are true of the same states the first.
func (f *fitting) literalsOf(sc *scope) []literal {
	if out, ok := f.literals[sc]; ok {
		return out
	}
	var out []literal
	seen := map[uint64]bool{}
	for i := range f.size(sc) {
		h := fnv.New64a()
		isTrue, isFalse, ok := false, false, true
		for _, g := range f.graphs {
			t := g.table(f.search, sc)
			if t == nil || t.columns[i] == nil {
				ok = false
				break
			}
			somewhere, nowhere := g.mark(h, t.columns[i])
			isTrue, isFalse = isTrue || somewhere, isFalse || nowhere
		}
		if sum := h.Sum64(); ok && isTrue && isFalse && !seen[sum] && len(out) < mostLiteral {
			seen[sum] = true
			out = append(out, literal{i, false}, literal{i, true})
		}
	}
	f.literals[sc] = out
	return out
}
