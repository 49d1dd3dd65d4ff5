package serve

import (
	"context"
	"encoding/json"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"erelong.dev/erelong/internal/diagram"
)

// door is a model with a run: the door opens after some time.
const door = "clock x; process P() { state a { x <= 3 }, b; init a; trans a -> b { guard x > 1; }; } p = P(); system p;\n"

// steps has a property that holds where Delta and Phi are small.
const steps = `immutable constant Delta: int
immutable constant Phi: int
mutable constant x: int
init x = 0
action step() { require x < Delta; x := x + Phi; }
safety [below] x < 5
instance d2p2 { Delta = 2, Phi = 2 }
`

// browser gives what the tests in testdata/browser need, or skips.
func browser(t *testing.T) (chromium string) {
	t.Helper()
	if os.Getenv("ERELONG_BROWSER") == "" {
		t.Skip("make test-browser runs it")
	}
	if _, err := os.Stat(filepath.Join(scripts, "node_modules", "playwright-core")); err != nil {
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

// scripts is the folder of the scripts, wherever a test goes.
var scripts, _ = filepath.Abs(filepath.Join("testdata", "browser"))

// drive runs one of the tests in testdata/browser.
func drive(t *testing.T, script string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", append([]string{script}, args...)...)
	cmd.Dir = scripts
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
		"ticket_lock.ere": "../../examples/liveness/ticket_lock.ere",
	}
	texts := map[string]string{"steps.ere": steps, "wrong.ere": "safety [x] y\n",
		"gone.ere": steps, "door.xta": door, "door.q": "E<> p.b\n"}
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
	t.Chdir(folder) // the pictures show the path
	s, err := New("lock_wrong.ere", Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	drive(t, "explorer.mjs", s.Address(), filepath.Join(folder, "gone.ere"))
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

// The extension of VS Code shows the page in a panel: see testdata/browser/vscode.mjs. The VS Code
// is code-server, which is an npm package, and ERELONG_PROGRAM names the program.
func TestBrowserVSCode(t *testing.T) {
	browser(t)
	program := os.Getenv("ERELONG_PROGRAM")
	if program == "" {
		t.Skip("ERELONG_PROGRAM names no program")
	}
	server, err := exec.LookPath("code-server")
	if err != nil {
		t.Skip("code-server is not installed")
	}
	extension, err := filepath.Abs("../../editors/vscode/erelong.vsix")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(extension); err != nil {
		t.Skip("there is no extension: make vscode makes it")
	}
	folder := t.TempDir()
	text, err := os.ReadFile("../../examples/tutorial/lock_wrong.ere")
	if err != nil {
		t.Fatal(err)
	}
	settings, err := json.Marshal(map[string]any{
		"erelong.path": program, "erelong.verifyOnSave": false,
		"security.workspace.trust.enabled": false, "workbench.startupEditor": "none",
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"work/lock_wrong.ere": text,
		"user/User/settings.json": settings, "config.yaml": nil} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	own := []string{"--user-data-dir", filepath.Join(folder, "user"), "--extensions-dir",
		filepath.Join(folder, "extensions"), "--config", filepath.Join(folder, "config.yaml")}
	install := exec.CommandContext(t.Context(), server,
		append(own, "--install-extension", extension)...)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	code := exec.CommandContext(t.Context(), server, append(own, "--auth", "none", "--bind-addr",
		address, "--disable-telemetry", "--disable-update-check",
		filepath.Join(folder, "work"))...)
	code.Cancel = func() error { return code.Process.Signal(os.Interrupt) } // it ends its own
	if err := code.Start(); err != nil {
		t.Fatal(err)
	}
	for try := 0; ; try++ {
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
			break
		}
		if try == 600 {
			t.Fatal("code-server does not answer")
		}
		time.Sleep(100 * time.Millisecond)
	}
	drive(t, "vscode.mjs", "http://"+address+"/")
	_ = code.Cancel()
	_ = code.Wait()
}

// Mermaid draws the charts that are written in its language, and shows each name as it is.
func TestBrowserMermaid(t *testing.T) {
	browser(t)
	if _, err := os.Stat(filepath.Join("testdata", "browser", "node_modules", "mermaid")); err != nil {
		t.Skip("mermaid is not installed: npm ci in internal/serve/testdata/browser")
	}
	names := []string{`a;b#c`, `end`, `"q" <b>&lt;</b>`, `\n%%{init}%%`, "p -> q", "loop"}
	c := &diagram.Chart{Lanes: names, Values: []string{"x"}, Rows: []diagram.Row{
		{Label: "0", Value: []string{"0"}},
		{Label: "1", Text: "f(end); # g", Value: []string{"1"}, Falls: []int{1}, Loop: true},
	}}
	for i := range names[1:] {
		c.Arrows = append(c.Arrows,
			diagram.Arrow{Name: names[i], From: i, To: i + 1, Sent: 1, Received: 1,
				Fate: diagram.Arrived},
			diagram.Arrow{Name: "late", From: i, To: i + 1, Sent: 0, Received: 1, Fate: diagram.Arrived},
			diagram.Arrow{Name: "gone", From: i, To: i, Sent: 1, Received: 1, Fate: diagram.Lost},
			diagram.Arrow{Name: "open", From: i + 1, To: i, Sent: 1, Received: 1, Fate: diagram.Transit})
	}
	plan, err := json.Marshal([]map[string]any{
		{"text": c.Mermaid(), "shows": append(names, "state 1: f(end); # g (x = 1)", "late, sent in state 0",
			"gone, lost", "open, in transit", "crashes")},
		{"text": (&diagram.Chart{Lanes: []string{"p"}, Rows: []diagram.Row{{Label: "0"}}}).Mermaid(),
			"shows": []string{"p", "state 0"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "diagrams.json")
	if err := os.WriteFile(file, plan, 0o644); err != nil {
		t.Fatal(err)
	}
	drive(t, "mermaid.mjs", file)
}
