package conformance

import (
	"encoding/json"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/conformance/runlog"
)

// An event has the steps of an earlier one where name and arguments are the same, and no others.
func TestRemembered(t *testing.T) {
	var events []*runlog.Event
	for _, name := range []string{"take", "put"} {
		for _, v := range []any{"1", json.Number("1"), json.Number("2"), true, false, []any{"1"}} {
			for _, field := range []string{"c", "d"} {
				events = append(events, &runlog.Event{Name: name,
					Args: runlog.Object{{Name: field, Value: v}}})
			}
		}
		events = append(events, &runlog.Event{Name: name})
	}
	r := newRemembered()
	made := map[*alternative]int{}
	for round := range 2 {
		for i, e := range events {
			asked := false
			got, err := r.steps(e, func(*runlog.Event) ([]alternative, error) {
				asked = true
				return make([]alternative, 1), nil
			})
			_, simple := r.hash(e)
			if err != nil || asked != (round == 0 || !simple) {
				t.Errorf("%s %v, round %d: asked %v, %v", e.Name, e.Args, round, asked, err)
			}
			if of, known := made[&got[0]]; known && of != i {
				t.Errorf("%s %v has the steps of %v", e.Name, e.Args, events[of])
			}
			made[&got[0]] = i
		}
	}
}

// What an event costs is held by its allocations, which do not depend on the machine.
func TestStreamAllocations(t *testing.T) {
	spec := readLockSpec(t)
	logs := map[int]string{}
	for _, turns := range []int{1500, 3000} {
		logs[turns] = strings.Join(lockLog(turns), "\n")
	}
	count := func(turns int) float64 {
		return testing.AllocsPerRun(1, func() {
			if _, err := streamed(t, spec, "", logs[turns]); err != nil {
				t.Error(err)
			}
		})
	}
	if each := (count(3000) - count(1500)) / 3000; each > 45 {
		t.Errorf("%.1f allocations for each event", each)
	} else {
		t.Logf("%.1f allocations for each event", each)
	}
}
