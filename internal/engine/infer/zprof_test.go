package infer

import (
	"os"
	"testing"
	"time"

	"erelong/internal/lang"
)

func TestProf(t *testing.T) {
	path := os.Getenv("INFER_FILE")
	if path == "" {
		t.Skip()
	}
	sys, _, err := lang.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	opts := options(t)
	begin := time.Now()
	opts.Progress = func(s string) { t.Logf("%.2f %s", time.Since(begin).Seconds(), s) }
	out, err := Find(t.Context(), sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("proved %v %s queries %d", out.Proved, out.Reason, out.Queries)
	for _, l := range out.Lemmas {
		t.Logf("%s", l.Term)
	}
}
