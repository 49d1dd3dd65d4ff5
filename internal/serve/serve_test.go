package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/verify"
)

const lock = `
sort client
mutable relation free
mutable relation holds(client)
init free & !holds(C)
action take(c: client) { require free | holds(c); holds(c) := true; }
action put(c: client) { require holds(c); holds(c) := false; free := true; }
safety [exclusive] holds(A) & holds(B) -> A = B
safety [someone] free | holds(A) | !holds(A)
instance two { client = 2 }
`

// start serves a folder with a file, and a secret beside the folder.
func start(t *testing.T) (s *Server, base string) {
	t.Helper()
	outer := t.TempDir()
	folder := filepath.Join(outer, "specs")
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(outer, "secret.ere"), lock)
	write(filepath.Join(folder, "lock.ere"), lock)
	write(filepath.Join(folder, "wrong.ere"), "safety [x] y\n")
	write(filepath.Join(folder, "notes.txt"), "private")
	if err := os.Symlink(filepath.Join(outer, "secret.ere"),
		filepath.Join(folder, "link.ere")); err != nil {
		t.Fatal(err)
	}
	s, err := New(filepath.Join(folder, "lock.ere"), Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	base, _, _ = strings.Cut(s.Address(), "#")
	return s, base
}

// send sends a request with headers, and gives the status and the body.
func send(t *testing.T, method, url, body string, headers ...string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b), resp.Header
}

// asked sends a request of the page, and reads the answer.
func asked(t *testing.T, base, word, body string, to any) int {
	t.Helper()
	code, text, _ := send(t, "POST", base+"api/"+word, body, "Content-Type", "application/json")
	if err := json.Unmarshal([]byte(text), to); err != nil {
		t.Fatalf("%s: %d %s: %v", word, code, text, err)
	}
	return code
}

// Nobody but the page itself gets an answer.
func TestHostileRequests(t *testing.T) {
	s, base := start(t)
	origin := "http://" + s.listener.Addr().String()
	const form = `{"file":"lock.ere"}`
	for _, c := range []struct {
		name, method, url string
		headers           []string
	}{
		{"no secret", "GET", origin + "/", nil},
		{"no secret, an asset", "GET", origin + "/app.js", nil},
		{"no secret, an answer", "POST", origin + "/api/files", []string{"Content-Type", "application/json"}},
		{"another secret", "POST", origin + "/" + strings.Repeat("0", 32) + "/api/files", []string{"Content-Type", "application/json"}},
		{"a part of the secret", "GET", origin + "/" + s.token[:31] + "/", nil},
		{"an empty secret", "GET", origin + "//", nil},
		{"another origin", "POST", base + "api/files",
			[]string{"Content-Type", "application/json", "Origin", "http://evil.example"}},
		{"no origin in particular", "POST", base + "api/files", []string{"Content-Type", "application/json", "Origin", "null"}},
		{"another port of this machine", "POST", base + "api/files", []string{"Content-Type", "application/json", "Origin", "http://127.0.0.1:1"}},
		{"another scheme", "POST", base + "api/files",
			[]string{"Content-Type", "application/json", "Origin", strings.Replace(origin, "http", "https", 1)}},
		{"a name that is bound anew", "GET", base, []string{"Host", "evil.example"}},
		{"a name that is bound anew, with the port", "POST", base + "api/files", []string{"Host", "evil.example:80", "Content-Type", "application/json"}},
		{"a picture on another site", "GET", base + "icon.svg", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"}},
		{"a script on another site", "GET", base + "app.js",
			[]string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest",
				"script"}},
		{"a frame on another site", "GET", base, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}},
		{"another site of the same host", "POST", base + "api/files", []string{"Content-Type", "application/json", "Sec-Fetch-Site", "same-site"}},
		{"events for another origin", "GET", base + "events/1", []string{"Origin", "http://evil.example"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if code, text, _ := send(t, c.method, c.url, form, c.headers...); code !=
				http.StatusForbidden || strings.Contains(text, "lock.ere") {
				t.Errorf("the answer is %d %s", code, text)
			}
		})
	}
	// A form of another site can send no JSON without being asked first.
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", ""} {
		if code, _, _ := send(t, "POST", base+"api/files", form, "Content-Type", kind); code !=
			http.StatusUnsupportedMediaType {
			t.Errorf("a body of type %q gets %d", kind, code)
		}
	}
	if code, _, _ := send(t, "OPTIONS", base+"api/files", ""); code == http.StatusOK {
		t.Error("other origins may ask for permission")
	}
	for _, body := range []string{"", "{", `{"files": 1}`, `[]`, `{"file": 7}`,
		strings.Repeat("[", 1000)} {
		var p struct{ Error string }
		if code := asked(t, base, "state", body, &p); p.Error == "" {
			t.Errorf("the body %q gets %d", body, code)
		}
	}
	if code, _, _ := send(t, "POST", base+"api/state", strings.Repeat(" ", maxBody+1),
		"Content-Type", "application/json"); code != http.StatusRequestEntityTooLarge {
		t.Errorf("a body that is too long gets %d", code)
	}
	var p struct{ Error string }
	if code := asked(t, base, "shutdown", "{}", &p); code != http.StatusBadRequest {
		t.Errorf("an unknown word gets %d", code)
	}
}

// What is outside of the folder is not read, whatever its name, and not beside a file either.
func TestFilesOutside(t *testing.T) {
	s, base := start(t)
	for _, file := range []string{"../secret.ere", "/etc/passwd", "link.ere", "specs/../../secret.ere", "", ".", "..", "lock.ere/../../secret.ere", "missing.ere"} {
		body, err := json.Marshal(map[string]string{"file": file})
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"file", "state", "start"} {
			var p struct{ Error, Text string }
			if code := asked(t, base, word, string(body), &p); p.Error == "" || p.Text != "" {
				t.Errorf("%s %q gets %d %+v", word, file, code, p)
			}
		}
	}
	for _, path := range []string{"../secret.ere", "%2e%2e/secret.ere", "..%2fsecret.ere", "lock.ere", "specs/lock.ere"} {
		if code, text, _ := send(t, "GET", base+path, ""); code == http.StatusOK &&
			strings.Contains(text, "sort client") {
			t.Errorf("GET %s gets %s", path, text)
		}
	}
	var names struct{ Files []string }
	asked(t, base, "files", "{}", &names)
	if got := strings.Join(names.Files, " "); got != "link.ere lock.ere wrong.ere" {
		t.Errorf("the files are %s", got)
	}
	for path, text := range map[string]string{"specs/door.xta": door, "outside.q": "E<> p.b\n"} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(s.folder), path), []byte(text),
			0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join("..", "outside.q"),
		filepath.Join(s.folder, "door.q")); err != nil {
		t.Fatal(err)
	}
	var model struct {
		Problem    struct{ Error string }
		Properties []struct{ Name string }
	}
	if asked(t, base, "file", `{"file":"door.xta"}`, &model); len(model.Properties) > 0 ||
		!strings.Contains(model.Problem.Error, "reading the queries") {
		t.Errorf("queries outside of the folder are %+v", model)
	}
}

// The page asks nobody else for anything, and may not be framed.
func TestPageStandsAlone(t *testing.T) {
	_, base := start(t)
	code, _, h := send(t, "GET", base, "")
	policy := h.Get("Content-Security-Policy")
	if code != http.StatusOK || !strings.Contains(policy, "default-src 'none'") ||
		!strings.Contains(policy, "frame-ancestors 'none'") || h.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("the page has status %d, policy %q, referrer %q", code, policy, h.Get("Referrer-Policy"))
	}
	abroad := regexp.MustCompile(`(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}`)
	err := fs.WalkDir(Page(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(Page(), name)
		if err != nil {
			return err
		}
		// a name, not an address
		text = bytes.ReplaceAll(text, []byte("http://www.w3.org/2000/svg"), nil)
		if found := abroad.Find(text); found != nil {
			t.Errorf("%s names %s", name, found)
		}
		if bytes.Contains(text, []byte("innerHTML")) || bytes.Contains(text, []byte("eval(")) {
			t.Errorf("%s makes elements or code of text", name)
		}
		if code, got, _ := send(t, "GET", base+strings.TrimSuffix(name, "index.html"), ""); code !=
			http.StatusOK || len(got) == 0 {
			t.Errorf("GET %s gets %d", name, code)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A run of engines has events up to the last, with the report; its trace can be stepped on.
func TestEnginesAndStates(t *testing.T) {
	_, base := start(t)
	var run struct{ Run int }
	if code := asked(t, base, "start", `{"file":"lock.ere","command":"check"}`, &run); code !=
		http.StatusOK || run.Run != 1 {
		t.Fatalf("start gets %d %+v", code, run)
	}
	resp, err := http.Get(base + "events/1")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var last struct {
		Last   bool
		Report struct {
			Schema  string
			Results []struct {
				Property, Verdict string
				Depth             int
			}
		}
	}
	for lines := bufio.NewScanner(resp.Body); !last.Last && lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			if err := json.Unmarshal([]byte(data), &last); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(last.Report.Results) == 0 || last.Report.Results[0].Verdict != "violated" ||
		last.Report.Results[0].Depth != 3 {
		t.Fatalf("the report is %+v", last.Report)
	}
	var picture struct {
		Address struct {
			First, At int
			Steps     []int
		}
		Run []struct {
			Call     string
			Violated []string
		}
		Choices []struct{ Call string }
		Truths  []struct{ Name, Value string }
	}
	asked(t, base, "state", `{"file":"lock.ere","run":1,"result":0,"address":{"at":-1}}`, &picture)
	if picture.Address.At != 2 || len(picture.Run) != 3 || len(picture.Run[2].Violated) != 1 ||
		len(picture.Choices) != 4 {
		t.Fatalf("the end of the trace is %+v", picture)
	}
	asked(t, base, "take", `{"file":"lock.ere","run":1,"result":0,"address":{"first":3,"at":1},"step":2}`, &picture)
	if a := picture.Address; a.First != 2 || len(a.Steps) != 1 || a.At != 2 {
		t.Errorf("a step leads to %+v", a)
	}
	code, page, h := send(t, "GET", base+"report/1", "")
	if code != http.StatusOK || !strings.Contains(page, "exclusive") || !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("the report gets %d", code)
	}
	if code, _, _ := send(t, "GET", base+"report/9", ""); code != http.StatusNotFound {
		t.Errorf("a report that does not exist gets %d", code)
	}
	if code, _, _ := send(t, "GET", base+"events/9", ""); code != http.StatusNotFound {
		t.Errorf("events of no run get %d", code)
	}
}

// A run can be stopped, and then reports what it has found.
func TestStop(t *testing.T) {
	s, base := start(t)
	if err := os.WriteFile(filepath.Join(s.folder, "endless.ere"), []byte("mutable constant x: int\ninit x = 0\naction up() { x := x + 1; }\nsafety [p] x >= 0\ninstance one { }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var run struct {
		Run    int
		Digest string
	}
	var file struct{ Digest string }
	asked(t, base, "file", `{"file":"endless.ere"}`, &file)
	asked(t, base, "start", `{"file":"endless.ere","command":"check"}`, &run)
	asked(t, base, "stop", `{"run":1}`, &run)
	if run.Run != 1 || run.Digest != file.Digest || file.Digest == "" {
		t.Errorf("the run is %+v", run)
	}
	_, text, _ := send(t, "GET", base+"events/1", "") // up to the last event
	if !strings.Contains(text, `"last":true`) || strings.Contains(text, `"verdict":"holds"`) {
		t.Errorf("the events are %s", text)
	}
	var all struct{ Runs []struct{ Over bool } }
	asked(t, base, "runs", "{}", &all)
	if len(all.Runs) != 1 || !all.Runs[0].Over {
		t.Errorf("the runs are %+v", all)
	}
	var p struct{ Error string }
	if code := asked(t, base, "start", `{"file":"endless.ere","command":"format-disk"}`,
		&p); code != http.StatusBadRequest {
		t.Errorf("an unknown command gets %d", code)
	}
}

// A mistake in the file is an answer with its position.
func TestWrongFile(t *testing.T) {
	_, base := start(t)
	var d struct {
		Text    string
		Problem struct {
			Diagnostics []struct {
				Code         string
				Line, Column int
			}
		}
	}
	if code := asked(t, base, "file", `{"file":"wrong.ere"}`, &d); code != http.StatusOK ||
		d.Text == "" || len(d.Problem.Diagnostics) == 0 || d.Problem.Diagnostics[0].Line != 1 {
		t.Errorf("the answer is %d %+v", code, d)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, file := range []string{t.TempDir(), filepath.Join(t.TempDir(), "missing.ere")} {
		if s, err := New(file, Options{}); err == nil {
			t.Errorf("%s is served at %s", file, s.Address())
		}
	}
}

// The message of a file that is not there has no word of the system's calls.
func TestMissingFile(t *testing.T) {
	const want = "the file %s cannot be read: no such file or directory"
	file := filepath.Join(t.TempDir(), "gone.ere")
	if _, err := New(file, Options{}); err == nil || err.Error() != fmt.Sprintf(want, file) {
		t.Errorf("the error is %v", err)
	}
	_, base := start(t)
	var d struct{ Error string }
	if asked(t, base, "file", `{"file":"gone.ere"}`, &d); d.Error != fmt.Sprintf(want, "gone.ere") {
		t.Errorf("the answer is %q", d.Error)
	}
}

// A run that was found elsewhere is shown at an address of its own, as long as the file has the
// text that it is about.
func TestShow(t *testing.T) {
	s, base := start(t)
	spec, list, err := ere.Read("lock.ere", lock)
	if err != nil {
		t.Fatal(list)
	}
	o := verify.Default()
	o.Prove, o.Infer, o.Only = false, false, []string{"exclusive"}
	found, err := verify.Run(t.Context(), spec.System, o)
	if err != nil {
		t.Fatal(err)
	}
	var violated *result.Result
	for i, r := range found.Results {
		if r.Trace != nil {
			violated = &found.Results[i]
		}
	}
	if violated == nil {
		t.Fatalf("nothing was found: %+v", found.Results)
	}
	address, err := s.Show(lock, violated)
	if err != nil || !strings.HasSuffix(address, "#file=lock.ere&view=state&run=1&result=0") {
		t.Fatalf("the address is %s: %v", address, err)
	}
	var view struct {
		Run []struct {
			Call     string
			Violated []string
		}
		Choices []struct{ Call string }
	}
	asked(t, base, "state", `{"file":"lock.ere","run":1,"result":0,"address":{"at":-1}}`, &view)
	if len(view.Run) != 3 || len(view.Run[2].Violated) != 1 || len(view.Choices) == 0 {
		t.Errorf("the page shows %+v", view)
	}
	if address, err = s.Show(lock, nil); err != nil || !strings.HasSuffix(address, "#file=lock.ere&view=state") {
		t.Errorf("the address is %s: %v", address, err)
	}
	if _, err := s.Show(lock+"\n", nil); !errors.Is(err, ErrOther) {
		t.Errorf("another text is shown: %v", err)
	}
}
