package serve

import (
	"context"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// door is a model with a run: the door opens after some time.
const door = "clock x; process P() { state a { x <= 3 }, b; init a; trans a -> b { guard x > 1; }; } p = P(); system p;\n"

// browser gives what the tests in testdata/browser need, or skips.
func browser(t *testing.T) (chromium string) {
	t.Helper()
	if os.Getenv("ERELONG_BROWSER") == "" {
		t.Skip("make test-browser runs it")
	}
	if _, err := os.Stat(filepath.Join("testdata", "browser", "node_modules", "playwright-core")); err != nil {
		t.Skip("playwright-core is not installed: npm ci in internal/serve/testdata/browser")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("Chromium is not installed")
	return ""
}

// drive runs one of the tests in testdata/browser.
func drive(t *testing.T, script string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", append([]string{script}, args...)...)
	cmd.Dir = filepath.Join("testdata", "browser")
	cmd.Env = append(os.Environ(), "ERELONG_CHROMIUM="+browser(t))
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

// A real browser goes through the page: see testdata/browser/explorer.mjs.
func TestBrowser(t *testing.T) {
	browser(t)
	folder := t.TempDir()
	copies := map[string]string{
		"lock_wrong.ere": "../../examples/tutorial/lock_wrong.ere", "stubborn.ere": "../../examples/heartbeat/stubborn.ere",
	}
	texts := map[string]string{"wrong.ere": "safety [x] y\n", "door.xta": door, "door.q": "E<> p.b\n"}
	for to, from := range copies {
		b, err := os.ReadFile(filepath.FromSlash(from))
		if err != nil {
			t.Fatal(err)
		}
		texts[to] = string(b)
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := New(filepath.Join(folder, "lock_wrong.ere"), Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	drive(t, "explorer.mjs", s.Address())
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// The playground works from a plain server of files: see testdata/browser/playground.mjs.
// ERELONG_PLAYGROUND names its folder, which make playground makes.
func TestPlayground(t *testing.T) {
	browser(t)
	folder := os.Getenv("ERELONG_PLAYGROUND")
	if folder == "" {
		t.Skip("ERELONG_PLAYGROUND names no folder")
	}
	if _, err := fs.Stat(os.DirFS(folder), "erelong.wasm.gz"); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.FileServer(http.Dir(folder))}
	go func() { _ = server.Serve(l) }()
	defer server.Close()
	drive(t, "playground.mjs", "http://"+l.Addr().String()+"/")
}
