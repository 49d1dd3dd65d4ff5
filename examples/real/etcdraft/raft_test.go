//go:build with_tla

package etcdraft

import (
	"os"
	"testing"
	"testing/synctest"
)

func TestWrite(t *testing.T) {
	f, _ := os.Create("/tmp/raft3.ndjson")
	synctest.Test(t, func(t *testing.T) {
		if err := newCluster(3, f, 1).run(12000); err != nil {
			t.Fatal(err)
		}
	})
	f.Close()
}
