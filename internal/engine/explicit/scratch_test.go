package explicit_test

import (
	"context"
	"testing"
	"path/filepath"
	"time"

	"erelong/internal/engine/explicit"
	"erelong/internal/lang"
	"erelong/internal/logic"
	"erelong/internal/system"
)

func TestScratch2(t *testing.T) {
	files, _ := filepath.Glob("/work/shared/models/mypyvy/*/*.pyv")
	for _, f := range files {
		sys, _, err := lang.Load(f)
		if err != nil {
			t.Logf("%s: %v", filepath.Base(f), err)
			continue
		}
		for size := 1; size <= 2; size++ {
		inst := &system.Instance{Name: "s", Sizes: map[*logic.Sort]int{}}
		for _, s := range sys.Sorts {
			inst.Sizes[s] = size
		}
		var st explicit.Stats
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		rs, err := explicit.Check(ctx, sys, inst, explicit.Options{Stats: &st, MaxStates: 20000})
		cancel()
		if err != nil {
			t.Logf("%s: %d ERR %v", filepath.Base(f), size, err)
			continue
		}
		t.Logf("%s %d: %+v", filepath.Base(f), size, st)
		last := ""
		for _, r := range rs {
			if r.Verdict != "holds" {
			s := string(r.Verdict)+ r.Reason
			if s == last { continue }
			last = s
			t.Logf("    %s %s %s states %d transitions %d depth %d %s %v", r.Property, r.Kind, r.Verdict, r.States, r.Transitions, r.Depth, r.Reason, r.Elapsed)
			}
		}
		}
	}
}
