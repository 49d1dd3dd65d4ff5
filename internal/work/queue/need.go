package queue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/work"
)

// need is what a worker must have for a job: a solver, and tags, sorted. The jobs of a need are a
// queue of their own. A worker takes from each queue whose need it meets.
type need struct {
	solves bool
	tags   []string
}

// MostTags is the number of tags that a worker may have besides its solvers: it takes from a queue
// for each set of them.
const MostTags = 3

// solverTag is the tag of a worker that has a solver.
func solverTag(name string) string { return "solver=" + name }

// needOf is what a job needs where the run needs tags.
func needOf(j *work.Job, tags []string) need {
	n := need{solves: j.Solves(), tags: slices.Clone(tags)}
	if n.solves {
		for _, s := range j.Options.Solving.Solvers {
			n.tags = append(n.tags, solverTag(s))
		}
	}
	slices.Sort(n.tags)
	n.tags = slices.Compact(n.tags)
	return n
}

// token is the name of the queue.
func (n need) token() string {
	name := "any"
	if n.solves {
		name = "solver"
	}
	if len(n.tags) == 0 {
		return name
	}
	sum := sha256.Sum256([]byte(strings.Join(n.tags, ",")))
	return name + "-" + hex.EncodeToString(sum[:6])
}

func (n need) String() string {
	switch {
	case len(n.tags) > 0:
		return strings.Join(n.tags, " and ")
	case n.solves:
		return "a solver"
	}
	return "anything"
}

// met reports whether a worker meets the need.
func (n need) met(p *Presence) bool {
	has := p.tags()
	return (!n.solves || len(p.Solvers) > 0) &&
		!slices.ContainsFunc(n.tags, func(tag string) bool { return !slices.Contains(has, tag) })
}

// tags are all tags of a worker.
func (p *Presence) tags() []string {
	out := slices.Clone(p.Tags)
	for _, s := range p.Solvers {
		out = append(out, solverTag(s))
	}
	return out
}

// needs are all needs that a worker meets. What needs no tags comes first.
func (p *Presence) needs() []need {
	byToken := map[string]need{}
	add := func(solves bool, tags []string) {
		for set := range 1 << len(tags) {
			n := need{solves: solves}
			for i, tag := range tags {
				if set>>i&1 == 1 {
					n.tags = append(n.tags, tag)
				}
			}
			slices.Sort(n.tags)
			n.tags = slices.Compact(n.tags)
			byToken[n.token()] = n
		}
	}
	add(false, p.Tags)
	if len(p.Solvers) > 0 {
		add(true, p.tags())
	}
	out := slices.Collect(maps.Values(byToken))
	slices.SortFunc(out, func(a, b need) int {
		if d := len(a.tags) - len(b.tags); d != 0 {
			return d
		}
		return strings.Compare(a.token(), b.token())
	})
	return out
}

// fitting lists the workers of this build that meet a need, and the others.
func (c *Conn) fitting(ctx context.Context, n need) (fit, others []Presence, err error) {
	workers, err := c.Workers(ctx)
	for _, w := range workers {
		if w.Build == c.build && n.met(&w) {
			fit = append(fit, w)
		} else {
			others = append(others, w)
		}
	}
	return fit, others, err
}

// misfits says that no worker meets a need.
type misfits struct {
	build  string
	need   need
	others []Presence
}

func (e *misfits) Error() string {
	text := fmt.Sprintf("there is no worker of this version, %s; start one with: erelong worker "+
		"--nats URL", e.build)
	if len(e.need.tags) > 0 || e.need.solves {
		text = fmt.Sprintf("there is no worker of this version, %s, with %s", e.build, e.need)
	}
	for _, p := range e.others {
		switch {
		case p.Build != e.build:
			text += fmt.Sprintf("\n  %s is of the version %s, so it gets no jobs of this one",
				p.Name, p.Build)
		case len(p.tags()) == 0:
			text += fmt.Sprintf("\n  %s has neither a solver nor tags", p.Name)
		default:
			text += fmt.Sprintf("\n  %s has %s", p.Name, strings.Join(p.tags(), ", "))
		}
	}
	return text
}
