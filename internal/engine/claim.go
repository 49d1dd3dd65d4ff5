package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/timed"
)

// Claim is one thing to decide: a property, a scenario or a query; without any of them, the absence
// of deadlocks.
type Claim struct {
	Name     string
	Property *system.Property
	Scenario *system.Scenario
	Query    *timed.Query
}

// NoDeadlock claims that each reachable state has a successor.
var NoDeadlock = Claim{Name: result.Deadlock}

// IsDeadlock reports whether a claim is NoDeadlock.
func (c Claim) IsDeadlock() bool { return c.Property == nil && c.Scenario == nil && c.Query == nil }

// IsInvariant reports whether a claim is about each reachable state.
func (c Claim) IsInvariant() bool { return c.Property != nil && c.Property.IsInvariant() }

// IsTemporal reports whether a claim is about runs.
func (c Claim) IsTemporal() bool { return c.Property != nil && c.Property.IsTemporal() }

// IsLiveness reports whether a claim is of the form that ranking functions prove.
func (c Claim) IsLiveness() bool { return c.Property != nil && c.Property.Kind == system.Liveness }

// ErrNoProperty says that the file does not have a requested property.
var ErrNoProperty = errors.New("there is no property")

// Claims lists the claims of a system, in the order of the file; with names only the named ones.
func Claims(sys *system.System, names []string) ([]Claim, error) {
	var all []Claim
	for _, p := range sys.Properties {
		if p.Kind != system.Trusted {
			all = append(all, Claim{Name: p.Name, Property: p})
		}
	}
	for _, s := range sys.Scenarios {
		all = append(all, Claim{Name: s.Name, Scenario: s})
	}
	if len(names) == 0 {
		return all, nil
	}
	named := func(name string) bool {
		return slices.ContainsFunc(all, func(c Claim) bool { return c.Name == name })
	}
	for _, name := range names {
		if !named(name) && sys.Property(name) == nil {
			return nil, fmt.Errorf("%w %q; the file has: %s", ErrNoProperty, name, listed(sys))
		}
	}
	return slices.DeleteFunc(all, func(c Claim) bool { return !slices.Contains(names, c.Name) }),
		nil
}

// listed are the names of all properties and scenarios.
func listed(sys *system.System) string {
	var out []string
	for _, p := range sys.Properties {
		out = append(out, p.Name)
	}
	for _, s := range sys.Scenarios {
		out = append(out, s.Name)
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, " ")
}

// Names gives the names of the claims that an engine is for. It is never nil, which would mean all
// to Select.
func (t *Task) Names(is func(Claim) bool) []string {
	out := []string{}
	for _, c := range t.Claims {
		if is(c) {
			out = append(out, c.Name)
		}
	}
	return out
}

// Has reports whether an engine is for some of the claims.
func (t *Task) Has(is func(Claim) bool) bool { return slices.ContainsFunc(t.Claims, is) }

// Select lists the properties of a system that an engine is for, in the order of the file: all of
// them with nil names, otherwise the named ones. A name of anything else is an error; what says in
// words what the engine is for.
func Select(
	sys *system.System, names []string, is func(*system.Property) bool, what string,
) (out []*system.Property, err error) {
	for _, name := range names {
		switch p := sys.Property(name); {
		case p == nil:
			return nil, fmt.Errorf("there is no property %q", name)
		case !is(p):
			return nil, fmt.Errorf("%s is %s: only %s properties can be checked here", name, p.Kind,
				what)
		}
	}
	for _, p := range sys.Properties {
		if is(p) && (names == nil || slices.Contains(names, p.Name)) {
			out = append(out, p)
		}
	}
	return out, nil
}
