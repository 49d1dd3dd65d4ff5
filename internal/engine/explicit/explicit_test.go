package explicit_test

import (
	"context"
	"testing"
	"path/filepath"

	"erelong/internal/engine/explicit"
	"erelong/internal/lang"
)

func TestScratch(t *testing.T) {
	sys, _, err := lang.Load(filepath.Join("..", "..", "..", "examples", "failure_detector", "strong_accuracy.ere"))
	if err != nil {
		t.Fatal(err)
	}
	for _, inst := range sys.Instances {
		var st explicit.Stats
		rs, err := explicit.Check(context.Background(), sys, inst, explicit.Options{Stats: &st, Deadlock: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s %+v", inst.Name, st)
		for _, r := range rs {
			t.Logf("%s %s %s states %d transitions %d depth %d %s %v", r.Property, r.Kind, r.Verdict, r.States, r.Transitions, r.Depth, r.Reason, r.Elapsed)
		}
	}
}
