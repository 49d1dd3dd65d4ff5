package explicit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
)

// testCrew has its members in this process. Some orders lose a member.
type testCrew struct {
	model   *interp.Model
	opts    Options
	members []*Share
	rng     *rand.Rand
	losses  int // that are still to come
	grow    bool
	begun   bool

	key   []byte
	alone bool // members carry orders out one after the other, and do not meet

	mu       sync.Mutex
	saved    map[string][]byte
	meetings map[int]*testMeeting // by level
}

// testMeeting is a level that members end.
type testMeeting struct {
	all  Met
	left int
	done chan struct{}
}

func (c *testCrew) Key() []byte          { return c.key }
func (c *testCrew) Joined() bool         { return c.grow && len(c.members) < 5 }
func (c *testCrew) Every() time.Duration { return time.Duration(c.rng.Intn(2)) * time.Hour }

func (c *testCrew) Order(ctx context.Context, o Order) ([]*Answer, error) {
	if o.Kind == BeginOrder {
		if c.Joined() && c.begun {
			c.members = append(c.members, newShare(context.Background(), c.model, c.opts, c))
		}
		c.begun = true
		for part := range Parts {
			o.Owners = append(o.Owners, part%len(c.members))
		}
	} else if !c.begun {
		return nil, errors.New("an order before the members have begun")
	}
	answers := make([]*Answer, len(c.members))
	c.meetings = map[int]*testMeeting{}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	var ending *Answer
	for i, m := range c.members {
		own := o
		own.Self = i
		if own.Save != "" {
			own.Save = fmt.Sprintf("%s-%d", own.Save, i)
		}
		wg.Go(func() {
			if answers[i] = m.Do(ctx, &own); answers[i].Ends() {
				c.mu.Lock()
				defer c.mu.Unlock()
				if ctx.Err() == nil {
					ending = answers[i]
				}
				cancel()
			}
		})
	}
	wg.Wait()
	if ending != nil {
		return []*Answer{ending}, nil
	}
	if c.losses > 0 && c.rng.Intn(3) == 0 {
		c.losses--
		i := c.rng.Intn(len(c.members))
		_ = c.members[i].Close()
		c.members[i] = newShare(context.Background(), c.model, c.opts, c)
		c.begun = false
		return nil, ErrLost
	}
	return answers, nil
}

func (c *testCrew) Send(_ context.Context, member, level int, states []uint64) error {
	if states[0]%8 == 0 { // it arrives twice
		if err := c.members[member].Insert(level, states); err != nil {
			return err
		}
	}
	return c.members[member].Insert(level, states)
}

func (c *testCrew) Meet(ctx context.Context, level int, own Met) (Met, error) {
	if c.alone {
		return own, nil
	}
	c.mu.Lock()
	m := c.meetings[level]
	if m == nil {
		m = &testMeeting{left: len(c.members), done: make(chan struct{})}
		c.meetings[level] = m
	}
	m.all = Met{m.all.States + own.States, m.all.News || own.News}
	if m.left--; m.left == 0 {
		close(m.done)
	}
	c.mu.Unlock()
	select {
	case <-m.done:
		return m.all, nil
	case <-ctx.Done():
		return Met{}, ctx.Err()
	}
}

func (c *testCrew) Ask(_ context.Context, member, level int, states []uint64) ([]bool, error) {
	return c.members[member].Marked(level, states), nil
}

func (c *testCrew) Save(
	_ context.Context, name string, write func(io.Writer) error,
) (string, error) {
	var b bytes.Buffer
	err := write(&b)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.saved[name] = b.Bytes()
	return name, err
}

func (c *testCrew) Open(_ context.Context, name string) (io.ReadCloser, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	data, ok := c.saved[name]
	if !ok {
		return nil, errors.New("it was not saved")
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// crewed has n members, and loses some.
func crewed(t *testing.T, m *interp.Model, n, losses int, grow bool) func(*Options) {
	return func(o *Options) {
		o.Threads = 1
		if losses == 0 {
			o.program = program.Interpreted
		}
		c := &testCrew{model: m, rng: rand.New(rand.NewSource(int64(n))), losses: losses,
			grow: grow, saved: map[string][]byte{}}
		c.opts = *o
		if err := c.opts.complete(); err != nil {
			t.Fatal(err)
		}
		for range n {
			c.members = append(c.members, newShare(t.Context(), m, c.opts, c))
		}
		t.Cleanup(func() {
			for _, x := range c.members {
				_ = x.Close()
			}
		})
		o.Crew = c
	}
}

// agreeDivided compares divided explorations with the search by one thread: verdicts, counts,
// statistics and runs. It reports whether they could be divided.
func agreeDivided(
	t *testing.T, sys *system.System, in *system.Instance, base Options, variants ...func(*Options),
) bool {
	t.Helper()
	for i, vary := range variants {
		opts := base
		vary(&opts)
		got, err := Explore(t.Context(), sys, in, opts)
		if errors.As(err, new(*UndividedError)) {
			return false
		}
		if err != nil {
			t.Fatalf("variant %d: %v\n%s", i, err, sys)
		}
		alone := base
		alone.Threads, alone.program = 1, opts.program
		want, err := Explore(t.Context(), sys, in, alone)
		if err != nil {
			t.Fatal(err)
		}
		if !want.Stats.Complete { // what was seen in the last level depends on the size of rounds
			want.Stats.NeverEnabled, got.Stats.NeverEnabled = nil, nil
			want.Stats.Shown, got.Stats.Shown = nil, nil
			want.Stats.Vacuous, got.Stats.Vacuous = nil, nil
		}
		if diff := cmp.Diff(want, got, ignoreTimes); diff != "" {
			t.Fatalf("variant %d of %s: one thread -, divided +\n%s\n%s", i, in.Name, diff, sys)
		}
	}
	return true
}

// Divided explorations of generated systems, also where members are lost and others join.
func TestDividedAgrees(t *testing.T) {
	divided := 0
	for seed := range int64(24) {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)), systemtest.Options{Bits: 8})
		if err != nil {
			t.Fatal(err)
		}
		in := sys.Instances[0]
		m, err := interp.NewModel(sys, in)
		if err != nil {
			t.Fatal(err)
		}
		base := Options{Deadlock: seed%2 == 0, Witnesses: Witnesses{Vacuity: true}}
		switch seed % 5 {
		case 2:
			base.Limits.Depth = 1 + seed/20
		case 3:
			base.Only = []string{sys.Properties[len(sys.Properties)-1].Name}
		}
		if agreeDivided(t, sys, in, base, crewed(t, m, 1, 0, false), crewed(t, m, 3, 0, false),
			crewed(t, m, 4, 6, seed%3 == 0)) {
			divided++
		}
	}
	if divided < 12 {
		t.Errorf("only %d of the systems were divided", divided)
	}
}

// Examples with long runs, and with violations.
func TestDividedExamples(t *testing.T) {
	for _, c := range []struct{ file, instance string }{
		{"lease.ere", "two"}, {"lease_without_drift.ere", "drift"},
		{"two_phase_commit.ere", "three"},
	} {
		read, err := front.Load(t.Context(), filepath.Join("..", "..", "..", "examples", c.file),
			front.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sys := read.Systems[0].Spec.System
		in := sys.Instance(c.instance)
		m, err := interp.NewModel(sys, in)
		if err != nil {
			t.Fatal(err)
		}
		for _, symmetry := range []bool{false, true} {
			if !agreeDivided(t, sys, in,
				Options{Witnesses: Witnesses{Vacuity: true}, Deadlock: symmetry,
					Reduction: Reduction{Symmetry: symmetry}},
				crewed(t, m, 3, 20, true)) {
				t.Errorf("%s was not divided", c.file)
			}
		}
	}
}

// A member closes and expands a level before another one has closed it, which then keeps the new
// states apart. What does not fit has to come again.
func TestEarlyStates(t *testing.T) {
	read, err := front.Load(t.Context(), filepath.Join("..", "..", "..", "examples", "lease.ere"),
		front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sys := read.Systems[0].Spec.System
	in := sys.Instance("two")
	want, err := Explore(t.Context(), sys, in, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.NewModel(sys, in)
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{}
	crewed(t, m, 2, 0, false)(&opts)
	crew := opts.Crew.(*testCrew)
	crew.alone = true
	members := crew.members
	owners := make([]int, Parts)
	for i := range owners {
		owners[i] = i % 2
	}
	var levels []int64
	do := func(o Order) (states int64) {
		for i, x := range members { // one after the other
			o.Self = i
			a := x.Do(t.Context(), &o)
			if a.Ends() {
				t.Fatal(a)
			}
			states += a.States
			for _, n := range a.Sizes {
				states += n
			}
			for _, f := range a.Levels {
				states += f.States
			}
		}
		return states
	}
	levels = append(levels, do(Order{Kind: BeginOrder, Owners: owners}))
	do(Order{Kind: ExpandOrder, Level: 1, Last: 1})
	for n := int64(1); n > 0; levels = append(levels, n) {
		n = do(Order{Kind: ExpandOrder, Level: len(levels) + 1, Last: len(levels) + 1})
	}
	if diff := cmp.Diff(append(want.Stats.Levels, 0), levels); diff != "" {
		t.Errorf("states of levels: one thread -, divided +\n%s", diff)
	}
	x, last := members[0], len(levels)
	state := make([]uint64, x.Words())
	for n := 0; n < 16*batchWords; n += len(state) {
		if err := x.Insert(last+2, state); err != nil {
			t.Fatal(err)
		}
	}
	for _, level := range []int{last + 2, last + 3} {
		if err := x.Insert(level, state); !errors.Is(err, ErrEarly) {
			t.Errorf("more states of level %d: %v", level, err)
		}
	}
}
