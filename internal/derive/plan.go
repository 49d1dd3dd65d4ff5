package derive

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/front/ere/syntax"
)

// Options choose among the encodings.
type Options struct {
	Counter  bool // messages in transit as the bits of a number
	KeepOld  bool // no abstraction of old messages
	BigSteps bool // a round is one step
	// Untimed leaves out of a protocol what has to do with time.
	Untimed bool
	// Unreduced keeps all processes; the instances give their number.
	Unreduced bool
}

// CountsProcesses reports whether a text about an instance, such as "process = 3, Phi = 2", gives
// the number of processes of an algorithm. Such an instance is about the Unreduced system.
func CountsProcesses(instance string) bool {
	return slices.ContainsFunc(strings.Split(instance, ","), func(item string) bool {
		name, _, ok := strings.Cut(item, "=")
		return ok && strings.TrimSpace(name) == ProcessSort
	})
}

// Pass gives the options that derive the system of this name.
func Pass(name string) (Options, error) {
	switch name {
	case Processes:
		return Options{Unreduced: true}, nil
	case Rounds:
		return Options{}, nil
	case Untimed:
		return Options{Untimed: true}, nil
	}
	rest, ok := strings.CutPrefix(name, OneWay)
	var o Options
	rest = strings.TrimPrefix(rest, crashesPart)
	for _, part := range o.parts() {
		if after, found := strings.CutPrefix(rest, part.name); found {
			rest, *part.is = after, true
		}
	}
	if !ok || rest != "" {
		return o, fmt.Errorf("there is no pass %q: the passes are check; of a protocol %s and "+
			"%s; of an algorithm %s and %s with perhaps %s, %s, %s, %s after it, in this "+
			"order",
			name, Rounds, Untimed, Processes, OneWay, crashesPart, counterPart, agesPart,
			roundsPart)
	}
	return o, nil
}

// The parts of a name that distinguish a system from OneWay.
const (
	crashesPart = "_with_crashes"
	counterPart = "_with_counter"
	agesPart    = "_with_all_ages"
	roundsPart  = "_in_rounds"
)

type encoding struct {
	is   *bool
	name string
}

func (o *Options) parts() []encoding {
	return []encoding{{&o.Counter, counterPart}, {&o.KeepOld, agesPart}, {&o.BigSteps, roundsPart}}
}

// Choose gives the derived systems of this name.
func Choose(ds []*Derived, name string) ([]*Derived, error) {
	var out []*Derived
	var names []string
	for _, d := range ds {
		if d.Name == name {
			out = append(out, d)
		}
		if !slices.Contains(names, d.Name) {
			names = append(names, d.Name)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no system %q is derived from this file, but %s", name,
			strings.Join(names, ", "))
	}
	return out, nil
}

// plan chooses one of the possible systems.
type plan struct {
	// the messages in transit are the bits of a number (section 7.2.2), else a predicate (7.2.1)
	counter         bool
	keepOld         bool // no abstraction of old messages (section 7.2.3)
	bigSteps        bool // one action a round
	senderCrashes   bool
	receiverCrashes bool
}

// name is the name of the system in blocks about it.
func (p plan) name() string {
	name := OneWay
	for _, part := range []struct {
		is   bool
		name string
	}{{p.senderCrashes || p.receiverCrashes, crashesPart}, {p.counter, counterPart},
		{p.keepOld, agesPart}, {p.bigSteps, roundsPart}} {
		if part.is {
			name += part.name
		}
	}
	return name
}

// plan chooses the one-way system for a property. It has no crashes where the property is only
// about runs without them. A whole round as one step hides the states within it; with crashes these
// may matter to a property of states. A property of runs that is reduced to states always uses
// sub-rounds, since its proof is simplest there.
func (o Options) plan(p *property) plan {
	pl := plan{counter: o.Counter, keepOld: o.KeepOld, senderCrashes: true, receiverCrashes: true}
	if p.shape != otherRuns {
		pl.senderCrashes, pl.receiverCrashes = !p.requires(correctWord, p.peer),
			!p.requires(correctWord, p.owner)
	}
	pl.bigSteps = p.within != nil ||
		o.BigSteps && (p.shape == eventuallyAlways || !pl.senderCrashes && !pl.receiverCrashes)
	return pl
}

// choose is plan, unless the file has no block about that system and has one about another system
// that decides the property. Then it is the other system: all encodings decide the property, and
// the block helps its proof.
func (o Options) choose(p *property, blocks []*syntax.AboutDecl) plan {
	usual := o.plan(p)
	if o != (Options{}) || slices.ContainsFunc(blocks, func(d *syntax.AboutDecl) bool {
		return d.Name.Text == usual.name()
	}) {
		return usual
	}
	for _, d := range blocks {
		if other, err := Pass(d.Name.Text); err == nil && !other.Unreduced &&
			other.plan(p).name() == d.Name.Text {
			return other.plan(p)
		}
	}
	return usual
}

// inRounds lists the properties that one and the same system with rounds as steps decides.
func inRounds(props []*property) []*property {
	o := Options{BigSteps: true}
	return slices.DeleteFunc(slices.Clone(props), func(p *property) bool {
		pl := o.plan(p)
		return !pl.bigSteps || pl.name() != o.plan(props[0]).name()
	})
}

// aboutBlocks lists the blocks about derived systems.
func aboutBlocks(file *syntax.File) (out []*syntax.AboutDecl) {
	for _, d := range file.Decls {
		if d, ok := d.(*syntax.AboutDecl); ok {
			out = append(out, d)
		}
	}
	return out
}
