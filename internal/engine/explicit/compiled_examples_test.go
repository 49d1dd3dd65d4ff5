package explicit

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/testkit"
)

// At least nine tenths of the successors of all examples come from compiled programs. An instance
// is explored up to a number of states, so that no large one outweighs the others.
func TestExamplesAreCompiled(t *testing.T) {
	testkit.InCI(t)
	successors := map[string]int64{} // by why they are not compiled
	all := int64(0)
	err := filepath.WalkDir(filepath.Join("..", "..", "..", "examples"), func(
		path string, d fs.DirEntry, err error,
	) error {
		if ext := filepath.Ext(path); err != nil || ext != ".ere" && ext != ".json" && ext != ".cfg" {
			return err
		}
		file, err := front.Load(t.Context(), path, front.Options{})
		if err != nil {
			t.Logf("%s: %v", path, err) // a module that another one extends
			return nil
		}
		for _, d := range file.Systems {
			sys := d.Spec.System
			instances := sys.Instances
			if strings.Contains(path, "real") { // the others are the ones of recorded runs
				instances = instances[:min(1, len(instances))]
			}
			for _, inst := range instances {
				x, err := Explore(t.Context(), sys, inst,
					Options{Limits: engine.Limits{States: 5_000}})
				if err != nil {
					t.Logf("%s, %s: %v", path, inst.Name, err) // it is not finite
					continue
				}
				why := x.Stats.Uncompiled
				if why == "" && sys.Computed != nil {
					why = "computed"
				}
				successors[why] += x.Stats.Transitions
				all += x.Stats.Transitions
				if why != "" {
					t.Logf("%s, %s: %d: %s", path, inst.Name, x.Stats.Transitions, why)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("of %d successors %d are of compiled programs", all, successors[""])
	if all == 0 || successors[""]*10 < all*9 {
		t.Errorf("too few: %v", successors)
	}
}
