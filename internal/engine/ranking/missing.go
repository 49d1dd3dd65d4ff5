package ranking

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// lack is what a proof lacks, as far as instances show it.
type lack struct {
	text      string
	trace     *result.Trace
	invariant bool           // that excludes steps
	pending   bool           // a condition that is true until it is good
	choose    *system.Action // a name for the values of this fair action
	part      *part          // a number that decreases in these steps
	from      []*logic.Symbol
	values    bool // whether it is known that no further values are needed
}

// diagnosis looks for what a proof lacks where nothing decreases in some parts.
type diagnosis struct {
	p     *problem
	steps *steps
	named []*variable // that the user named
	vars  []*variable // that were tried
	left  []*part     // in which nothing decreases
	ends  string      // an action that ends pending before it is good; empty for none
	links []link      // what the property waits for
}

// diagnose says what is missing where nothing decreases in some parts, and shows a run, or a step
// that an invariant must exclude. Where a ranking can be begun with, a note has it.
func (t *trial) diagnose(ctx context.Context, vars []*variable, left []*part) error {
	d := &diagnosis{p: t.p, steps: t.steps, named: t.c.named, vars: vars, ends: t.ends}
	d.blame(left)
	l, err := d.lacking(ctx, t.given.Instances)
	if err == nil && l.invariant {
		if step := d.unexcluded(ctx); step != nil {
			l, err = d.reached(ctx, l, step)
		}
	}
	if err != nil {
		return err
	}
	t.r.Reason, t.r.Trace = t.r.Reason.Then("; "+l.text), l.trace
	if t.given.Effort == 0 && t.c.given == nil && t.given.Note != nil &&
		(l.pending || l.choose != nil || l.part != nil) {
		t.given.Note(d.skeleton(l))
	}
	return nil
}

// reached looks at the instance of a step that no explored run takes: if the invariants are right,
// a run takes it there.
func (d *diagnosis) reached(ctx context.Context, l *lack, step *result.Trace) (*lack, error) {
	in, err := interp.InstanceOf(d.p.original, step)
	if err != nil {
		return nil, fmt.Errorf("internal error: the instance of a step: %w", err)
	}
	in.Name = d.p.original.Describe(in)
	there, err := d.lacking(ctx, []*system.Instance{in})
	if err != nil || there.trace != nil {
		return there, err
	}
	l.text, l.trace = l.text+" that excludes the step shown", step
	return l, nil
}

// lacking is what instances show. Parts are told of in their order.
func (d *diagnosis) lacking(ctx context.Context, instances []*system.Instance) (*lack, error) {
	l := &lack{}
	run, err := d.unheld(ctx, instances)
	if err == nil && run != nil {
		l.pending, l.trace = true, run.trace
		l.text = d.ends + " ends it before it is good, and the run shown is fair and never gets " +
			"there: what is missing is a condition that stays true until it is good (pending)"
		return l, nil
	}
	if err == nil {
		run, l.values, err = d.neglecting(ctx, instances)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case run != nil && len(run.off) == 0:
		l.trace = run.trace
		l.text = fmt.Sprintf("the run shown, of the instance %s, is fair and pending for ever: "+
			"it violates the property", run.trace.Instance)
		return l, nil
	case run != nil:
		l.choose, l.trace = actionOf(d.p.original, run.off[0].Action), run.trace
		l.text = fmt.Sprintf("the run shown is pending for ever, and fair to all values that "+
			"have names%s: it puts off %s. What is missing is a name for such values (choose)",
			d.namesOf(), calls(run.off))
		return l, nil
	}
	trace, part, never, err := d.explain(ctx, instances)
	if err != nil {
		return nil, err
	}
	if never != "" {
		l.text, l.invariant = never+": what is missing is an invariant", true
		return l, nil
	}
	if part == nil {
		part = d.left[0]
	}
	l.trace, l.part = trace, part
	l.text = d.decreasing(l)
	return l, nil
}

// unexcluded is a step of a part that the invariants do not exclude; nil where none is small enough
// to show.
func (d *diagnosis) unexcluded(ctx context.Context) *result.Trace {
	for _, part := range d.left[:min(len(d.left), explainedParts)] {
		if t := d.steps.dialogue(part.action).Model(ctx, d.p.claim(part, logic.False)); t != nil {
			t.Violates, t.Line = "", part.action.Span.Line()
			t.Shows = "no explored run takes this step while it is pending: " + part.String()
			return t
		}
	}
	return nil
}

// changed names the symbols of the user that a step of a part may change.
func (d *diagnosis) changed(part *part) (out []*logic.Symbol) {
	return slices.DeleteFunc(slices.Clone(d.p.originals[part.action].Modifies),
		func(sym *logic.Symbol) bool { return sym.Ghost })
}

// chain lists what the property waits for, the nearest first: what it speaks of, then what fair
// actions that change this wait for, if something decreases in all of their steps, and so on.
func (d *diagnosis) chain(left []*part) (links []link) {
	open := func(a *system.Action) bool {
		return slices.ContainsFunc(left, func(p *part) bool { return p.action == a })
	}
	links = []link{{"", mutableIn(d.p.prerequisite())}}
	seen := map[*system.Action]bool{}
	for i := 0; i < len(links); i++ {
		for _, f := range d.p.fair {
			if a := f.action; !seen[a] && !open(a) && common(d.changed(newPart(a)),
				links[i].symbols) != nil {
				seen[a] = true
				links = append(links, link{a.Name, mutableIn(f.enabled)})
			}
		}
	}
	return links
}

// link is what an action, or the property, waits for.
type link struct {
	action  string // empty for the property
	symbols []*logic.Symbol
}

// changes are the symbols that a part changes, and something waits for, if there are any, with what
// waits for them.
func (d *diagnosis) changes(part *part) (symbols []*logic.Symbol, waits string) {
	all := d.changed(part)
	for _, l := range d.links {
		if some := common(all, l.symbols); some != nil {
			if l.action == "" {
				return some, "the property"
			}
			return some, l.action
		}
	}
	return all, ""
}

// blame sorts parts by how much they tell: first the fair ones that change what something waits
// for, the nearest to the property first, then the other fair ones.
func (d *diagnosis) blame(left []*part) {
	d.links = d.chain(left)
	rank := func(part *part) int {
		if part.action.Fairness == system.Unfair {
			return len(d.links) + 1
		}
		changed := d.changed(part)
		if i := slices.IndexFunc(d.links, func(l link) bool {
			return common(changed, l.symbols) != nil
		}); i >= 0 {
			return i
		}
		return len(d.links)
	}
	d.left = slices.Clone(left)
	slices.SortStableFunc(d.left, func(a, b *part) int { return rank(a) - rank(b) })
}

func common(some, others []*logic.Symbol) (out []*logic.Symbol) {
	for _, sym := range some {
		if slices.Contains(others, sym) {
			out = append(out, sym)
		}
	}
	return out
}

// mutableIn lists the symbols in a formula that steps change.
func mutableIn(t *logic.Term) (out []*logic.Symbol) {
	for app := range logic.Applications(t) {
		if s := app.Symbol; s.Mutable && !s.Ghost && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func symbolNames(symbols []*logic.Symbol) string {
	var names []string
	for _, sym := range symbols {
		names = append(names, sym.Name)
	}
	return strings.Join(names, ", ")
}

// decreasing says that a number is missing that decreases in the steps of a part.
func (d *diagnosis) decreasing(l *lack) string {
	name, waits := l.part.action.Name, ""
	l.from, waits = d.changes(l.part)
	if len(l.from) == 0 {
		return fmt.Sprintf("%s changes nothing, so only a fair action that stays possible "+
			"meanwhile ends its steps: choose names the values of one", name)
	}
	of := symbolNames(l.from)
	if waits != "" {
		waits = ", which " + waits + " waits for"
	}
	out := fmt.Sprintf("nothing decreases in %s, which changes %s%s: what is missing is a number "+
		"made of %s that these steps make smaller (variable, count)", name, of, waits, of)
	if slices.ContainsFunc(d.named, func(v *variable) bool {
		return common(l.from, mutableIn(v.inside())) != nil
	}) {
		out += ", or an invariant with which a hint is such a number"
	}
	if !l.values {
		out += ", or the values of a fair action that stays possible meanwhile (choose)"
	}
	return out
}

// longGuard is the length, in characters, above which a guard is no part of a skeleton.
const longGuard = 200

// skeleton is a rank to paste into the file: the kinds of hints that are missing, each with a first
// guess, and a number to fill in.
func (d *diagnosis) skeleton(l *lack) string {
	rank := fmt.Sprintf("rank [%s] {", d.p.property)
	fill := ""
	if l.pending {
		rank += fmt.Sprintf(" pending %s;", d.p.trigger)
		fill = "; widen the condition of pending until it stays true"
	}
	if l.choose == nil && l.part != nil && !l.values {
		for _, f := range d.p.fair {
			if f.action.Fairness == system.Weak && len(f.action.Params) == 1 {
				l.choose = d.p.originals[f.action]
				break
			}
		}
	}
	if l.choose != nil {
		if chosen := d.choosing(l.choose); chosen != "" {
			rank += chosen
			fill = "; make the condition of choose one that some value always satisfies"
		}
	}
	for _, sym := range l.from {
		if line := numberOf(sym); line != "" && !sym.Ghost {
			rank += " " + line
			break
		}
	}
	smaller := "that steps while it is pending make smaller"
	if l.part != nil {
		smaller = "that " + l.part.action.Name + " makes smaller"
	}
	of := "the state"
	if len(l.from) > 0 {
		of = symbolNames(l.from)
	}
	return fmt.Sprintf("%s: to give a hint, begin with %s variable 0; } and write in place of 0 "+
		"an integer made of %s that is not negative, and %s%s; "+
		"a line that helps nothing is named; docs/liveness.md has the other hints",
		d.p.property, rank, of, smaller, fill)
}

// choosing are hints that name the values with which a fair action can be taken.
func (d *diagnosis) choosing(a *system.Action) (out string) {
	g := guardOf(d.p.original, a)
	var given []*logic.Var
	for _, x := range a.Params {
		if x.Sort == logic.Int {
			continue
		}
		v := &logic.Var{Name: d.p.fresh("next_" + x.Name), Sort: x.Sort}
		var such []*logic.Term
		if g != nil {
			for _, c := range logic.Conjuncts(g.plain) {
				free := logic.FreeVars(c)
				if slices.Equal(free, []*logic.Var{x}) {
					such = append(such, instantiate(c, []*logic.Var{x},
						logic.Refs([]*logic.Var{v})))
				}
			}
		}
		text := logic.And(such...).String()
		if len(text) > longGuard {
			text = "true"
		}
		given = append(given, v)
		out += fmt.Sprintf(" choose %s with %s;", logic.Printer{}.Vars(given[len(given)-1:]), text)
	}
	return out
}

// namesOf lists the names of values that a proof knows, in parentheses.
func (d *diagnosis) namesOf() string {
	var names []string
	for _, c := range d.p.constantsOf() {
		names = append(names, c.Name)
	}
	if len(names) == 0 {
		return " (there are none)"
	}
	return " (" + strings.Join(names, ", ") + ")"
}

func actionOf(sys *system.System, name string) *system.Action {
	return sys.Actions[slices.IndexFunc(sys.Actions, func(a *system.Action) bool {
		return a.Name == name
	})]
}

// numberOf is a hint that makes a number of a symbol; empty where none does.
func numberOf(sym *logic.Symbol) string {
	if slices.Contains(sym.Args, logic.Int) {
		return ""
	}
	vars := tuple(sym.Args, "X")
	value := logic.App(sym, logic.Pre, logic.Refs(vars)...)
	such := value
	switch {
	case sym.Result == logic.Bool:
	case sym.Result.Kind == logic.KindEnum:
		such = logic.Eq(value, logic.Member(sym.Result, 0))
	case sym.Result.Base() == logic.Int && len(vars) == 0:
		return fmt.Sprintf("variable %s;", value)
	default:
		return ""
	}
	if len(vars) == 0 {
		return fmt.Sprintf("variable if %s then 1 else 0;", such)
	}
	return fmt.Sprintf("count (%s) with %s;", logic.Printer{}.Vars(vars), such)
}
