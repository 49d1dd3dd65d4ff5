package lsp

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// serverEnv makes the test binary a server, for clients that start one.
const serverEnv = "ERELONG_TEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(serverEnv) == "" {
		os.Exit(m.Run())
	}
	stream := struct {
		io.Reader
		io.Writer
		io.Closer
	}{os.Stdin, os.Stdout, os.Stdin}
	if err := Serve(context.Background(), stream, Options{Version: "test",
		Log: os.Stderr}); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// plan is what a client is to do; see testdata.
type plan struct {
	File     string        `json:"file"`
	Edits    []lineEdit    `json:"edits"`
	Requests []planRequest `json:"requests"`
}

// lineEdit replaces bytes of a line.
type lineEdit struct {
	Line  int      `json:"line"`
	From  int      `json:"from"`
	To    int      `json:"to"`
	Lines []string `json:"lines"`
}

type planRequest struct {
	Method string         `json:"method"`
	Params map[string]any `json:"params"`
}

type clientOutcome struct {
	Text        string   `json:"text"`
	Results     []any    `json:"results"`
	Errors      []string `json:"errors"`
	Diagnostics []any    `json:"diagnostics"`
	Code        int      `json:"code"`
}

// everyRequest has each request that is about a document.
func everyRequest(text string) (out []planRequest) {
	doc := func(more map[string]any) map[string]any {
		params := map[string]any{"textDocument": map[string]any{"uri": ""}}
		for k, v := range more {
			params[k] = v
		}
		return params
	}
	here := newText(text).position(strings.Index(text, "held(A)"))
	call := newText(text).position(strings.Index(text, "held(A)") + len("held("))
	whole := newText(text).whole()
	for method, params := range map[string]map[string]any{
		"textDocument/hover": {"position": here}, "textDocument/definition": {"position": here},
		"textDocument/references": {"position": here,
			"context": map[string]any{"includeDeclaration": true}},
		"textDocument/documentHighlight": {"position": here}, "textDocument/documentSymbol": {},
		"textDocument/prepareRename": {"position": here}, "textDocument/rename": {"position": here,
			"newName": "owned"},
		"textDocument/completion":    {"position": here},
		"textDocument/signatureHelp": {"position": call},
		"textDocument/formatting": {"options": map[string]any{"tabSize": 2,
			"insertSpaces": true}},
		"textDocument/foldingRange":        {},
		"textDocument/selectionRange":      {"positions": []position{here}},
		"textDocument/semanticTokens/full": {}, "textDocument/inlayHint": {"range": whole},
		"textDocument/codeLens": {},
		"textDocument/codeAction": {"range": whole,
			"context": map[string]any{"diagnostics": []any{}}},
	} {
		out = append(out, planRequest{method, doc(params)})
	}
	if len(out) != len(documentRequests) {
		panic("a request is missing")
	}
	return append(out, planRequest{"workspace/symbol", map[string]any{"query": "held"}},
		planRequest{"workspace/executeCommand", map[string]any{"command": commandExplain,
			"arguments": []string{"W0703"}}})
}

// Real clients edit a file and send every request. They get what a client in this process gets.
func TestClients(t *testing.T) {
	nodeModules, err := filepath.Abs(filepath.Join("..", "..", "editors", "vscode", "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		needs   string // a program
		library string // a folder, empty for none
		args    []string
	}{
		{"neovim", "nvim", "", []string{"--headless", "-u", "NONE", "-i", "NONE", "-c",
			"luafile testdata/client.lua"}},
		{"node", "node", filepath.Join(nodeModules, "vscode-languageserver-protocol"),
			[]string{"testdata/client.cjs"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			program, err := exec.LookPath(c.needs)
			if err != nil {
				t.Skipf("there is no %s", c.needs)
			}
			if _, err := os.Stat(c.library); c.library != "" && err != nil {
				t.Skipf("there is no vscode-languageserver-protocol: npm ci in editors/vscode")
			}
			testClient(t, program, c.args, nodeModules)
		})
	}
}

func testClient(t *testing.T, program string, args []string, nodeModules string) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// The edits put characters of two code units before what they then change.
	p := plan{File: filepath.Join(dir, "lock.ere"), Edits: []lineEdit{
		{0, 0, 0, []string{"# 😀é ", ""}},
		{0, 6, 6, []string{"𝔸 a lock "}},
		{1, 5, 9, []string{"nodes"}},
		{1, 5, 10, []string{"node"}},
		{3, 29, 29, []string{"# 😀😀 "}},
		{3, 31, 35, []string{""}},
	}}
	text := spec
	for _, e := range p.Edits {
		x := newText(text)
		text = text[:x.lines[e.Line]+e.From] + strings.Join(e.Lines, "\n") +
			text[x.lines[e.Line]+e.To:]
	}
	text += "immutable relation spare(node)\n" // for a diagnostic
	if err := os.WriteFile(p.File, []byte(spec+"immutable relation spare(node)\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	p.Requests = everyRequest(text)
	got := runClient(t, dir, program, args, nodeModules, p)
	if got.Text != text {
		t.Fatalf("the text of the client is\n%s\nwant\n%s", got.Text, text)
	}
	for _, e := range got.Errors {
		t.Error(e)
	}
	if got.Code != 0 {
		t.Errorf("the server ends with code %d", got.Code)
	}
	uri := "file://" + filepath.ToSlash(p.File)
	own := start(t, nil)
	own.open(uri, text)
	if diff := cmp.Diff(normal(t, own.diagnostics(uri)), normal(t, got.Diagnostics)); diff != "" {
		t.Errorf("diagnostics:\n%s", diff)
	}
	for i, r := range p.Requests {
		if r.Params["textDocument"] != nil {
			r.Params["textDocument"] = textDocument{uri}
		}
		var want any
		own.request(r.Method, r.Params, &want)
		if want == nil {
			t.Errorf("%s has no result", r.Method)
		}
		if r.Method == "textDocument/completion" {
			continue // the clients have other capabilities
		}
		if diff := cmp.Diff(normal(t, want), normal(t, got.Results[i])); diff != "" {
			t.Errorf("%s:\n%s", r.Method, diff)
		}
	}
}

func runClient(t *testing.T, dir, program string, args []string, nodeModules string,
	p plan) (out clientOutcome) {
	t.Helper()
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	planFile, result := filepath.Join(dir, "plan.json"), filepath.Join(dir, "result.json")
	if err := os.WriteFile(planFile, text, 0o644); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), serverEnv+"=1", "ERELONG_PLAN="+planFile,
		"ERELONG_RESULT="+result, "ERELONG_SERVER="+self,
		"NODE_PATH="+nodeModules)
	printed, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	text, err = os.ReadFile(result)
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// normal is a value as plain JSON. An empty list and an empty object are the same: Lua does not
// tell them apart.
func normal(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(text), "{}", "[]")),
		&out); err != nil {
		t.Fatal(err)
	}
	return out
}
