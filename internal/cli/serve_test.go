package cli

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// serve prints an address where the page is, and ends without an error when it is interrupted.
func TestServe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lock.ere")
	if err := os.WriteFile(file, []byte("mutable constant x: bool\nsafety [p] x | !x\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, w := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- Main(ctx, []string{"serve", file}, strings.NewReader(""), w, io.Discard)
		_ = w.Close()
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(line)
	if !regexp.MustCompile(`^http://127\.0\.0\.1:\d+/[0-9a-f]{32}/#file=lock\.ere$`).
		MatchString(address) {
		t.Fatalf("the address is %q", address)
	}
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("the page has status %d", resp.StatusCode)
	}
	cancel()
	if code := <-ended; code != ExitHolds {
		t.Errorf("the exit code is %d", code)
	}
}
