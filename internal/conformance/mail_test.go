package conformance

import (
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/testkit"
)

// Messages that are far from each other are seen as ones that are all in memory.
func TestMail(t *testing.T) {
	testkit.InCI(t)
	t.Setenv("TMPDIR", t.TempDir())
	outcomes := map[string]int{}
	for seed := range int64(300) {
		r := rand.New(rand.NewSource(seed))
		var events []*runlog.Event
		var made []string
		for i := range r.Intn(60) {
			e := &runlog.Event{Line: i + 1}
			switch k := r.Intn(40); {
			case k == 0:
				e.Receive = fmt.Sprint("lost", r.Intn(5))
			case k == 1 && seed%2 == 0 && len(made) > 0:
				e.Send = made[r.Intn(len(made))]
			case k == 2 && seed%3 == 0:
				e.Receive = fmt.Sprint("m", len(made)+r.Intn(5))
			case k < 20:
				e.Send = fmt.Sprint("m", len(made))
				made = append(made, e.Send)
			case len(made) > 0:
				e.Receive = made[r.Intn(len(made))]
			}
			events = append(events, e)
		}
		want := noted(newMail(1<<20), events)
		for most := 1; most < 20; most += 3 {
			if got := noted(newMail(most), events); got != want {
				t.Fatalf("seed %d, %d in memory: %s instead of %s", seed, most, got, want)
			}
		}
		outcomes[want[:min(len(want), 7)]]++
	}
	if len(outcomes) < 3 {
		t.Errorf("only %v were met", slices.Sorted(maps.Keys(outcomes)))
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

// noted is what is said of the messages of a log.
func noted(m *mail, events []*runlog.Event) string {
	defer m.close()
	for _, e := range events {
		if err := m.add(e); err != nil {
			return err.Error()
		}
	}
	notes, err := m.notes()
	if errors.Is(err, ErrWhole) {
		return err.Error()
	}
	return fmt.Sprint(notes, err)
}
