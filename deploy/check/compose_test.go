package check

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// compose reads a compose file as Docker does: by the schema of the specification, and strictly.
func compose(t *testing.T, text string, env map[string]string) (*types.Project, error) {
	t.Helper()
	return load(t.Context(), text, "..", env)
}

func load(
	ctx context.Context, text, folder string, env map[string]string,
) (*types.Project, error) {
	return loader.LoadWithContext(ctx, types.ConfigDetails{WorkingDir: folder,
		ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml", Content: []byte(text)}},
		Environment: env}, func(o *loader.Options) { o.SetProjectName("erelong", true) })
}

func composeFile(t *testing.T) string { return deployed(t, "compose.yaml") }

var key = map[string]string{"ERELONG_WORK_KEY": "0123456789abcdef0123456789abcdef"}

// The compose file is one, each service that another one needs is there, and so is what is built.
func TestCompose(t *testing.T) {
	p, err := compose(t, composeFile(t), key)
	if err != nil {
		t.Fatal(err)
	}
	worker, err := p.GetService("worker")
	if err != nil || worker.Build == nil {
		t.Fatalf("the worker is %+v, %v", worker, err)
	}
	if given := worker.Environment["ERELONG_WORK_KEY"]; given == nil ||
		*given != key["ERELONG_WORK_KEY"] {
		t.Errorf("the worker has the key %v", given)
	}
	dockerfile := filepath.Join(worker.Build.Context, worker.Build.Dockerfile)
	if _, err := os.Stat(dockerfile); err != nil {
		t.Error(err)
	}
}

// A compose file with a mistake is refused, and one without the key of the team says so.
func TestComposeMistakes(t *testing.T) {
	mistakes(t, composeFile(t), map[string]string{
		"depends_on: [nats]":      "depends_on: [gnats]",
		"restart: unless-stopped": "restarts: unless-stopped",
		"ports: [":                "ports: 4222 # [",
		"nats:/data\"]":           "tans:/data\"]",
		"command: [\"worker\"]":   "command: {worker: 1}",
	}, func(text string) error {
		_, err := compose(t, text, key)
		return err
	})
	if _, err := compose(t, composeFile(t), nil); err == nil ||
		!strings.Contains(err.Error(), "the key of the team") {
		t.Errorf("without a key: %v", err)
	}
}
