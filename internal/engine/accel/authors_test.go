package accel

import (
	"os"
	"path/filepath"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/front/fast"
	"erelong.dev/erelong/internal/result"
)

// The counter systems of the failure detector that its authors wrote for FAST (FORTE 2021) are
// decided for every Phi. ERELONG_FORTE is the folder of a clone of banhday/FORTE2021-FD.
func TestAuthorsFiles(t *testing.T) {
	folder := os.Getenv("ERELONG_FORTE")
	if folder == "" {
		t.Skip("ERELONG_FORTE names no clone of the authors' models")
	}
	for _, name := range []string{"Delta_0", "Delta_1", "Delta_2"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(folder, "fast", "sa_"+name+"_bigTO.fst")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f, list, err := fast.Read(t.Context(), path, string(text))
			if err != nil {
				t.Fatal(list)
			}
			sys := f.Systems[0].Spec.System
			found, err := (&Engine{}).Run(t.Context(), &engine.Task{Method: engine.Accelerate,
				System: sys, Claims: []engine.Claim{{Property: sys.Property("testStrongAccuracy")}},
			}, engine.Sink{})
			if err != nil || len(found.Results) != 1 ||
				found.Results[0].Verdict != result.Holds {
				t.Errorf("%v, %+v", err, found)
			}
		})
	}
}
