package derive

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// generateTold writes an algorithm that records its steps: `m` and `k` change whenever such a
// message is received, and `n` with every step, one after the other.
func generateTold(r *rand.Rand, timing string) string {
	pick := func(from ...string) string { return from[r.Intn(len(from))] }
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%simmutable constant C: int\nalgorithm generated {\n  message m, k\n  var am: bool = false\n  var ak: bool = false\n  var n: 0..3 = 0\n  timing %s", timedHead, timing)
	kinds := []string{"send m", "receive", pick("send k", "send m", "compute", "receive")}
	if r.Intn(2) == 0 {
		kinds = append(kinds, "compute")
	}
	r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	for i, k := range kinds {
		then, more := "", ""
		if r.Intn(4) == 0 {
			then = fmt.Sprintf(" then l%d", r.Intn(len(kinds)))
		}
		if k == "receive" {
			more = "if received(m) { am := !am; } if received(k) { ak := !ak; }"
		}
		line("  %s at l%d%s { n := if n = 3 then 0 else n + 1; %s }", k, i, then, more)
	}
	line("}\nsafety [p] %s -> !(n(P, Q) = %d & am(P, Q) = %s%s)", pick("correct(P) & correct(Q)", "P != Q", "correct(P)"),
		r.Intn(4), pick("true", "true", "false"), pick("", "", " & ak(P, Q)", " & !ak(P, Q)"))
	line("instance i { Delta = %d, Phi = %d, Gst = %d, C = 2, process = 2 }", r.Intn(3),
		1+r.Intn(2), r.Intn(3))
	return b.String()
}

// The story agrees with the algorithm's own record: of received messages, of steps, and of crashes.
func TestStory(t *testing.T) {
	testkit.InCI(t)
	t.Parallel()
	r := rand.New(rand.NewSource(3))
	options := append(slices.Clone(encodings), Options{Unreduced: true})
	seen := map[string]int{}
	algorithms := int(testkit.Size(8, 12))
	if testkit.Long() {
		algorithms = 120
	}
	for i := range algorithms {
		timing := []string{"partial_synchrony(Delta, Phi)", "partial_synchrony(Delta, Phi, Gst)", "synchrony", "asynchrony",
			"asynchrony\n  network copies(C)"}[i%7%5]
		text := generateTold(r, timing)
		for _, o := range options {
			if o.KeepOld && endless(text) ||
				o != (Options{}) && !o.Unreduced && !strings.HasPrefix(timing, "partial") {
				continue
			}
			d := read1(t, text, "p", o)
			sys := d.Spec.System
			for _, search := range []string{explicit.BreadthFirst, explicit.RandomWalks} {
				limits := explicit.Options{Only: []string{"p"},
					Limits:   engine.Limits{States: 5_000},
					Strategy: explicit.Strategy{Search: search}}
				if search == explicit.RandomWalks {
					limits.Limits.States, limits.Seed, limits.Walks, limits.WalkLength = 0,
						int64(i), 5,
						150
				}
				results, err := explicit.Check(t.Context(), sys, sys.Instance("i"), limits)
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				trace := results[0].Trace
				if trace == nil {
					continue
				}
				story := d.Tell(trace)
				if story == nil {
					t.Fatalf("%s: not told\n%s", d.Name, text)
				}
				if err := flows(story, seen); err != nil {
					t.Fatalf("%s: %v\n%s", d.Name, err, text)
				}
				if err := agrees(trace, story, d.Name == Processes, seen); err != nil {
					t.Fatalf("%s: %v\n%+v\n%s", d.Name, err, story.Segments, text)
				}
			}
		}
	}
	for _, what := range []string{"receives", "sends", "computes", "waits", "crashes", "step", "sent as data", "received as data", "crash as data"} {
		if seen[what] < 5 {
			t.Errorf("%s: only %d times", what, seen[what])
		}
	}
}

// agrees compares a story with the states.
func agrees(trace *result.Trace, story *result.Story, processes bool, seen map[string]int) error {
	next := 0
	sent := map[string][]int{} // the rounds in which a message was sent
	for _, p := range story.Segments {
		if err := ages(p, sent); err != nil {
			return err
		}
		if p.From != next || p.To <= p.From {
			return fmt.Errorf("a part from %d to %d after state %d", p.From, p.To, next)
		}
		next = p.To
		before, after := trace.Steps[p.From].State, trace.Steps[p.To].State
		owners, peers := []string{"the receiver"}, []string{"the sender"}
		if processes {
			owners = []string{"process0", "process1"}
			peers = owners
		}
		for _, owner := range owners {
			steps := count(eventTexts(p), owner+" receives", owner+" sends", owner+" computes")
			waits := count(eventTexts(p), owner+" waits")
			seen["step"] += steps
			for _, peer := range peers {
				var key []string
				from := ""
				if processes {
					key, from = []string{owner, peer}, " from "+peer
				}
				moved := (num(value(after, "n", key)) + 4 - num(value(before, "n", key))) % 4
				if received := count(eventTexts(p), owner+" receives"); received > 0 && moved != 1 ||
					received == 0 && moved != steps || waits > 0 && moved > 0 {
					return fmt.Errorf("round %d: %s takes %d steps, and is told %q", p.Round, owner,
						moved, eventTexts(p))
				}
				for _, m := range []string{"m", "k"} {
					got := value(after, "a"+m, key) != value(before, "a"+m, key)
					if told := count(eventTexts(p), owner+" receives "+m+from, owner+" receives 2 copies of "+m+from) > 0; told != got {
						return fmt.Errorf("round %d: receives %s from %s: %v, and is told %q",
							p.Round, m, peer, got, eventTexts(p))
					}
				}
			}
		}
		for _, who := range []string{"sender", "receiver", "process0", "process1"} {
			told := "the " + who + " crashes"
			fell := value(after, who+"_crashed", nil) != value(before, who+"_crashed", nil)
			if processes {
				told, fell = who+" crashes",
					value(after, "crashed", []string{who}) !=
						value(before, "crashed", []string{who})
			}
			if fell != (count(eventTexts(p), told) == 1) {
				return fmt.Errorf("round %d: %s crashes: %v, and is told %q", p.Round, who, fell,
					eventTexts(p))
			}
		}
		for _, what := range []string{"receives", "sends", "computes", "waits", "crashes"} {
			for _, e := range eventTexts(p) {
				if strings.Contains(e, " "+what) {
					seen[what]++
				}
			}
		}
	}
	if next != len(trace.Steps)-1 {
		return fmt.Errorf("it ends in state %d of %d", next, len(trace.Steps)-1)
	}
	return nil
}

// ages checks that each message that is received, or in transit, was sent in the round that the
// story names.
func ages(p result.StorySegment, sent map[string][]int) error {
	for _, e := range eventTexts(p) {
		if who, message, ok := strings.Cut(e, " sends "); ok {
			sent[message+" from "+who] = append(sent[message+" from "+who], p.Round)
		}
	}
	for _, e := range append(slices.Clone(p.Transit), eventTexts(p)...) {
		what, when, ok := strings.Cut(e, " (sent ")
		if !ok {
			continue
		}
		_, received, is := strings.Cut(what, " receives ")
		if !is {
			received = what
		}
		message, from, is := strings.Cut(received, " from ")
		if from, _, _ = strings.Cut(from, " to "); !is {
			from = "the sender"
		}
		for _, w := range strings.Split(strings.TrimSuffix(when, ")"), ", and ") {
			ago := 0
			if !strings.HasPrefix(w, "in this round") {
				fmt.Sscanf(w, "%d", &ago)
			}
			orMore := strings.Contains(w, "or more") || strings.Contains(w, "or before")
			if !slices.ContainsFunc(sent[message+" from "+from], func(r int) bool {
				return r == p.Round-ago || orMore && r < p.Round-ago
			}) {
				return fmt.Errorf("round %d: %q, but %s was sent by %s in %v", p.Round, e, message,
					from, sent[message+" from "+from])
			}
		}
	}
	return nil
}

// count counts the events with one of these beginnings.
func count(events []string, starts ...string) (n int) {
	for _, e := range events {
		for _, s := range starts {
			if e == s || strings.HasPrefix(e, s+" ") {
				n++
			}
		}
	}
	return n
}

// value reads a variable, or a point of one.
func value(state []result.Binding, variable string, key []string) string {
	for _, b := range state {
		if b.Name != variable {
			continue
		}
		if key == nil {
			return b.Value.String()
		}
		for _, row := range b.Value.Rows {
			if slices.Equal(texts(row.Key), key) {
				if b.Value.Kind == result.SetValue {
					return "true"
				}
				return row.Result.String()
			}
		}
		return "false"
	}
	return ""
}

func num(text string) int { return strings.Index("0123", text) }

// flows checks the messages of a story as data: a message is received in the round that its age
// says, after it was sent, and no message appears from nowhere. The texts speak of the same
// messages.
func flows(story *result.Story, seen map[string]int) error {
	rounds := map[result.Message][]int{} // of the sendings of a kind
	kind := func(m result.Message) result.Message {
		return result.Message{Name: m.Name, From: m.From, To: m.To}
	}
	balance := map[result.Message]int{}
	for _, p := range story.Segments {
		for _, m := range p.Sent {
			rounds[kind(m)] = append(rounds[kind(m)], p.Round)
			balance[kind(m)]++
			seen["sent as data"]++
		}
		for _, m := range p.Received {
			seen["received as data"]++
			balance[kind(m)]--
			fits := func(sent int) bool {
				return sent == p.Round-m.Age ||
					(m.Older || m.Age < 0) && sent <= p.Round-max(m.Age, 0)
			}
			if !slices.ContainsFunc(rounds[kind(m)], fits) {
				return fmt.Errorf("%+v is received in round %d, and was sent in %v", m, p.Round,
					rounds[kind(m)])
			}
			if !slices.ContainsFunc(eventTexts(p), func(e string) bool {
				return strings.Contains(e, "receives "+m.Name) ||
					strings.Contains(e, " copies of "+m.Name)
			}) {
				return fmt.Errorf("%+v is received, and the events are %q", m, eventTexts(p))
			}
		}
		open := map[result.Message]int{}
		for _, m := range p.Open {
			open[kind(m)]++
		}
		for m, n := range open {
			if n > balance[m] {
				return fmt.Errorf("%d of %+v are in transit after round %d, and %d were sent and not received", n, m, p.Round, balance[m])
			}
		}
		for _, who := range p.Crashes {
			seen["crash as data"]++
			if !slices.ContainsFunc(eventTexts(p), func(e string) bool {
				return strings.HasSuffix(e, who+" crashes")
			}) {
				return fmt.Errorf("%s crashes, and the events are %q", who, eventTexts(p))
			}
		}
	}
	return nil
}

// eventTexts lists the events of a part.
func eventTexts(p result.StorySegment) (out []string) {
	for _, e := range p.Events {
		out = append(out, e.Text)
	}
	return out
}
