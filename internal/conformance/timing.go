package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"erelong.dev/erelong/internal/conformance/bounds"
	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
)

// Identify gives events the names of their messages, as the declarations say.
func Identify(log string, file *observe.File, events []*runlog.Event) error {
	for _, e := range events {
		for _, m := range file.Timing.Sends {
			if m.Event == e.Name {
				if err := name(log, e, m, &e.Send); err != nil {
					return err
				}
			}
		}
		for _, m := range file.Timing.Receives {
			if m.Event == e.Name {
				if err := name(log, e, m, &e.Receive); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// name names the message of an event.
func name(log string, e *runlog.Event, m observe.Message, to *string) error {
	var b strings.Builder
	for _, p := range m.Name.Segments {
		if p.Field == nil {
			b.WriteString(p.Text)
			continue
		}
		v, ok := (&Checker{}).at(e, *p.Field)
		value := text(v)
		if !ok || value == "" {
			return eventError(log, e,
				"the name of the message of event %s needs %s, which the record does not have",
				e.Name, p.Field)
		}
		b.WriteString(value)
	}
	*to = b.String()
	return nil
}

// Bounds measures the partial synchrony of a log.
func Bounds(log string, file *observe.File, events []*runlog.Event) (*bounds.Result, error) {
	var timed []*runlog.Event
	ordered := problem{name: log}
	for _, e := range events {
		ordered.events = append(ordered.events, &event{Event: e})
	}
	if err := ordered.arrange(observe.ByNode); err != nil {
		return nil, err
	}
	for _, l := range ordered.lanes {
		for _, e := range l.events {
			timed = append(timed, e.Event)
		}
	}
	r, err := bounds.Measure(bounds.Input{Events: timed, Steps: file.Timing.Steps,
		Round: file.Timing.Round})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", log, err)
	}
	return r, nil
}

// maxPairs bounds the number of pairs that are shown.
const maxPairs = 10

// WriteBounds prints bounds.
func WriteBounds(w io.Writer, r *bounds.Result, t *observe.Theorem) error {
	var b strings.Builder
	fmt.Fprintf(&b,
		"bounds: with rounds of %d units of time, the log is a run under partial synchrony for\n",
		r.Round)
	for i, p := range r.Front {
		if i == maxPairs {
			fmt.Fprintf(&b, "  and more pairs with a larger Phi, down to Delta = %d\n",
				r.Least.Delta)
			break
		}
		fmt.Fprintf(&b, "  Delta = %d, Phi = %d, and every larger pair\n", p.Delta, p.Phi)
	}
	for _, f := range r.Phi {
		fmt.Fprintf(&b, "  %s takes no step for %d units, from %s to %s: Phi >= %d\n",
			f.What, f.UnitsApart, f.From.Place(), f.To.Place(), f.Rounds)
	}
	for _, f := range r.Delta {
		if f.Rounds == 0 {
			fmt.Fprintf(&b, "  %s: every message is received at the first step\n", f.What)
			continue
		}
		fmt.Fprintf(&b,
			"  %s: the message of %s is not received %d units later, at the step of "+
				"%s: Delta >= %d\n",
			f.What, f.From.Place(), f.UnitsApart, f.To.Place(), f.Rounds)
	}
	fmt.Fprintf(&b, "  %s received", plural(r.Messages, "message"))
	if r.Lost > 0 {
		fmt.Fprintf(&b, "; %d more are never received, and are not part of the bounds", r.Lost)
	}
	b.WriteByte('\n')
	if t != nil && len(r.Front) > 0 {
		theorem(&b, r, t)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// leastPair is the pair of a front for which a theorem asks for the least timeout; without a
// theorem the first.
func leastPair(r *bounds.Result, t *observe.Theorem) bounds.Pair {
	out := r.Front[0]
	for _, p := range r.Front {
		if t != nil && t.Need(p.Phi, p.Delta) < t.Need(out.Phi, out.Delta) {
			out = p
		}
	}
	return out
}

// theorem says whether the timeout suffices for one of the pairs.
func theorem(b *strings.Builder, r *bounds.Result, t *observe.Theorem) {
	at := leastPair(r, t)
	need := t.Need(at.Phi, at.Delta)
	sum := fmt.Sprintf("%d * %d + %d * %d = %d", t.Phi, at.Phi, t.Delta, at.Delta, need)
	last := r.Front[len(r.Front)-1]
	switch beyond := t.Need(last.Phi+1, r.Least.Delta); {
	case t.Timeout >= need:
		fmt.Fprintf(b, "theorem: the timeout %d is at least %s, by %d\n", t.Timeout, sum,
			t.Timeout-need)
	case last.Delta > r.Least.Delta && t.Timeout >= beyond:
		fmt.Fprintf(b,
			"theorem: the timeout %d is less than %s, by %d; pairs with a Phi above %d were not "+
				"computed: a longer round has fewer\n",
			t.Timeout, sum, need-t.Timeout, last.Phi)
	default:
		fmt.Fprintf(b,
			"theorem: the timeout %d is less than %s, by %d: the theorem does not apply to this "+
				"run\n", t.Timeout, sum, need-t.Timeout)
	}
}

type jsonBounds struct {
	Schema   string      `json:"schema"`
	Log      string      `json:"log"`
	Round    int64       `json:"round"`
	Front    []jsonPair  `json:"front"`
	Phi      []jsonForce `json:"phi"`
	Delta    []jsonForce `json:"delta"`
	Messages int         `json:"messages"`
	Lost     int         `json:"lost"`
}

type jsonPair struct {
	Delta int64 `json:"delta"`
	Phi   int64 `json:"phi"`
}

type jsonForce struct {
	What   string `json:"what"`
	Rounds int64  `json:"rounds"`
	From   int    `json:"fromLine"`
	To     int    `json:"toLine"`
}

// WriteBoundsJSON writes bounds as one JSON object.
func WriteBoundsJSON(w io.Writer, log string, r *bounds.Result) error {
	out := jsonBounds{Schema: "erelong/bounds/1", Log: log, Round: r.Round, Messages: r.Messages,
		Lost: r.Lost}
	for _, p := range r.Front {
		out.Front = append(out.Front, jsonPair(p))
	}
	forces := func(list []bounds.Force) []jsonForce {
		forced := []jsonForce{}
		for _, f := range list {
			forced = append(forced, jsonForce{f.What, f.Rounds, f.From.Line, f.To.Line})
		}
		return forced
	}
	out.Phi, out.Delta = forces(r.Phi), forces(r.Delta)
	return json.NewEncoder(w).Encode(out)
}
