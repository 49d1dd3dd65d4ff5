package memberlist

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// detection is what a log says of the time until a crash is detected, and of what bounds it.
type detection struct {
	patience time.Duration // the longest that a probe waited
	sweep    time.Duration // the longest until a node probed a member again
	slowest  time.Duration // from the crash until the last node held the crashed one for dead
	missing  []string      // nodes that never did
}

type event struct {
	Node, Event string
	Args        struct {
		At     time.Duration
		Of     string
		Health int
	}
	Obs struct{ Dead []string }
}

// measure reads a log in which one node crashes.
func measure(t *testing.T, log []byte) (d detection) {
	t.Helper()
	type pair struct{ n, m string }
	turn := map[pair]time.Duration{} // since then a next probe is due
	dead := map[pair]time.Duration{} // since when
	var crashed string
	var crash, now time.Duration
	var nodes []string
	wait := func(p pair) { d.sweep = max(d.sweep, now-turn[p]) }
	decoder := json.NewDecoder(bytes.NewReader(log))
	for decoder.More() {
		var e event
		if err := decoder.Decode(&e); err != nil {
			t.Fatal(err)
		}
		now = e.Args.At
		if !slices.Contains(nodes, e.Node) {
			nodes = append(nodes, e.Node)
		}
		p := pair{e.Node, e.Args.Of}
		switch e.Event {
		case "crash":
			crashed, crash = e.Node, now
		case "probe":
			d.patience = max(d.patience, time.Duration(e.Args.Health+1)*time.Second)
			wait(p)
			turn[p] = now
		case "expire":
			dead[p] = now
		case "members":
			for _, m := range nodes {
				p := pair{e.Node, m}
				_, was := dead[p]
				is := slices.Contains(e.Obs.Dead, m)
				if is && !was {
					dead[p] = now
				} else if was && !is {
					delete(dead, p)
					turn[p] = now
				}
			}
		}
	}
	for _, n := range nodes {
		for _, m := range nodes {
			p := pair{n, m}
			at, isDead := dead[p]
			if n != m && n != crashed && !isDead {
				wait(p)
			}
			switch {
			case m != crashed || n == m:
			case isDead:
				d.slowest = max(d.slowest, at-crash)
			default:
				d.missing = append(d.missing, n)
			}
		}
	}
	return d
}

var (
	scores    = regexp.MustCompile(`scores = \d+`)
	patience  = regexp.MustCompile(`patience = [^}]*}`)
	constants = regexp.MustCompile(`slowest = \d+, longest = (\d+), sweep = \d+`)
)

// The crash is detected within the bound that is proved for the patience and the sweep of this run:
// the log is also a run of the instance that has them, which is the assumption of the proof.
func TestDetection(t *testing.T) {
	spec, err := os.ReadFile("swim.ere")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		instance string
		nodes    int
		longest  time.Duration // the longest suspicion
	}{{"three", 3, 4 * time.Second}, {"four", 4, 24 * time.Second}, {"five", 5, 24 * time.Second}} {
		log := record(t, Scenario{Nodes: c.nodes, Length: 80 * time.Second, Seed: 2})
		d := measure(t, log)
		if len(d.missing) > 0 {
			t.Errorf("%s: %s never detect the crash", c.instance, d.missing)
		}
		own := filepath.Join(t.TempDir(), "swim.ere")
		before, rest, _ := strings.Cut(string(spec), "instance "+c.instance+" ")
		instance, after, _ := strings.Cut(rest, "\n}")
		instance = constants.ReplaceAllString(instance,
			fmt.Sprintf("slowest = %d, longest = ${1}, sweep = %d", d.patience, d.sweep))
		instance = scores.ReplaceAllString(instance,
			fmt.Sprintf("scores = %d", d.patience/time.Second-1))
		instance = patience.ReplaceAllStringFunc(instance, func(table string) string {
			rows := strings.Split(table, ",")
			return strings.TrimRight(strings.Join(rows[:d.patience/time.Second], ","), " \n}") + " }"
		})
		text := before + "instance " + c.instance + " " + instance + "\n}" + after
		if err := os.WriteFile(own, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		out, code := check(t, own, log, "-i", c.instance, "--observe", "swim.observe")
		bound := d.sweep + d.patience + c.longest
		t.Logf("%s: detected after %v; proved: at most %v (sweep) + %v (probe) + %v (suspicion) = %v\n%s",
			c.instance, d.slowest, d.sweep, d.patience, c.longest, bound, out)
		if code != 0 || d.slowest > bound {
			t.Errorf("%s: exit code %d, detected after %v", c.instance, code, d.slowest)
		}
	}
}
