package queue

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/verify"
	"erelong.dev/erelong/internal/work"
)

// counters is the number of the counters of a grid.
const counters = 5

// grid is counters below a number, each of which goes up by one: the states of a level are the ones
// with the same sum.
func grid(t *testing.T, n int) *work.Source {
	t.Helper()
	var b strings.Builder
	var all []string
	for i := range counters {
		c := fmt.Sprint("x", i)
		all = append(all, c)
		fmt.Fprintf(&b, "mutable constant %s: 0..%d\ninit %[1]s = 0\n"+
			"action up_%[1]s() { require %[1]s < %[2]d; %[1]s := %[1]s + 1; }\n", c, n-1)
	}
	fmt.Fprintf(&b, "safety [sum] %s <= %d\ninstance one { }\n", strings.Join(all, " + "),
		counters*(n-1))
	systems, _, err := front.Systems(t.Context(), "grid.ere", b.String(), front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &work.Source{Name: "grid.ere", Text: b.String(), Systems: systems}
}

var (
	atDepth = regexp.MustCompile(`depth (\d+)`)
	again   = regexp.MustCompile(`of (\d+) levels the last (\d+) are found again`)
)

// A worker that is lost late takes one level with it at most, of 246 levels with 312,500,000
// states. In small, all states are found.
func TestLostLevels(t *testing.T) {
	for _, n := range []int{8, 50} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if n > 8 {
				testkit.InLong(t)
			}
			loseLate(t, n)
		})
	}
}

func loseLate(t *testing.T, n int) {
	s := start(t)
	s.Silence = 2 * time.Second
	c := connect(t, s, "v1")
	worker(t, s, "a", "v1")
	stop := worker(t, s, "b", "v1")
	source := grid(t, n)
	sys := source.Systems[0].Spec.System
	claims, err := engine.Claims(sys, nil)
	if err != nil {
		t.Fatal(err)
	}
	task := &engine.Task{Method: engine.Explore, System: sys, Instance: sys.Instances[0],
		Claims: claims}
	var stopping sync.WaitGroup
	var once sync.Once
	var lost []string
	sink := engine.Sink{Progress: func(p engine.Progress) {
		if m := atDepth.FindStringSubmatch(p.Text); m != nil {
			if depth, _ := strconv.Atoi(m[1]); depth > counters*n*2/3 {
				once.Do(func() { stopping.Go(stop) })
			}
		}
		if strings.Contains(p.Text, "go on from what was saved") {
			lost = append(lost, p.Text)
		}
	}}
	found, err := (&Spread{Run: beginQuiet(t, c), Source: source, Divide: true}).Carry(t.Context(),
		explicit.Name, task, verify.Default(), sink)
	stopping.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if states := found.Results[0].States; states != int64(math.Pow(float64(n), counters)) {
		t.Errorf("%d states", states)
	}
	t.Log(lost)
	if n > 8 && len(lost) == 0 {
		t.Error("no worker was lost, so this says nothing")
	}
	for _, text := range lost {
		if m := again.FindStringSubmatch(text); m != nil && m[2] != "1" && n > 8 {
			t.Error(text)
		}
	}
}
