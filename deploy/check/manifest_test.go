// Package check holds deploy/kubernetes.yaml against the types of Kubernetes, and
// deploy/compose.yaml against the schema of compose files: an unknown field, or a value of another
// type, is an error. The services of the compose file are run, too, as processes in namespaces.
package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
)

// read reads a manifest strictly.
func read(t *testing.T, text string) (*batch.Job, error) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := batch.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	s := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme,
		json.SerializerOptions{Yaml: true, Strict: true})
	o, _, err := s.Decode([]byte(text), nil, nil)
	j, _ := o.(*batch.Job)
	return j, err
}

func manifest(t *testing.T) string { return deployed(t, "kubernetes.yaml") }

// deployed is the text of a file of the folder deploy.
func deployed(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The manifest is an indexed Job, as its server would accept it.
func TestManifest(t *testing.T) {
	j, err := read(t, manifest(t))
	if err != nil || j == nil {
		t.Fatalf("%T, %v", j, err)
	}
	// The server's own rules about such a Job.
	s, pod := j.Spec, j.Spec.Template.Spec
	switch {
	case s.CompletionMode == nil || *s.CompletionMode != batch.IndexedCompletion:
		t.Error("the Job is not indexed")
	case s.Completions == nil || s.Parallelism == nil || *s.Parallelism > *s.Completions:
		t.Error("an indexed Job has completions, and no more pods at a time")
	case s.BackoffLimitPerIndex != nil && pod.RestartPolicy != core.RestartPolicyNever:
		t.Error("a limit of restarts for each index needs the restart policy Never")
	}
	for _, c := range pod.Containers {
		for name, request := range c.Resources.Requests {
			if limit, ok := c.Resources.Limits[name]; ok && request.Cmp(limit) > 0 {
				t.Errorf("%s asks for more %s than its limit", c.Name, name)
			}
		}
	}
}

// A manifest with a mistake is refused.
func TestMistakes(t *testing.T) {
	mistakes(t, manifest(t), map[string]string{
		"completionMode:":    "completionMod:",
		"completions: 8":     "completions: many",
		"secretKeyRef: ":     "secretRef: ",
		"apiVersion: batch/": "apiVersion: batches/",
		"memory: 4Gi":        "memory: much",
	}, func(text string) error {
		_, err := read(t, text)
		return err
	})
}

// mistakes checks that a reader refuses a text with each of some replacements.
func mistakes(t *testing.T, text string, changes map[string]string, read func(string) error) {
	t.Helper()
	for from, to := range changes {
		changed := strings.Replace(text, from, to, 1)
		if changed == text {
			t.Errorf("there is no %q", from)
		}
		if read(changed) == nil {
			t.Errorf("%q is accepted", to)
		}
	}
}
