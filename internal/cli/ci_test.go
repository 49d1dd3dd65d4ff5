package cli

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// inCI runs a script as a CI does, in a folder with a specification that holds, one that is
// violated and one that is broken, and gives its exit code.
func inCI(t *testing.T, script string, env ...string) (folder string, code int) {
	t.Helper()
	dir := newReader(t).dir
	const rest = "mutable relation on\ninit !on\naction press() { on := true; }\n"
	write(t, filepath.Join(dir, "a.ere"), rest+"safety [stays] on | !on\n")
	write(t, filepath.Join(dir, "b.ere"), rest+"safety [off] !on\n")
	write(t, filepath.Join(dir, "c.ere"), "safety [x] y\n")
	c := exec.CommandContext(t.Context(), "bash", "-ec", script)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	t.Logf("%s", out)
	return dir, c.ProcessState.ExitCode()
}

func readYAML(t *testing.T, name string, to any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	if err == nil {
		err = yaml.Unmarshal(text, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The step of the GitHub Action that verifies has SARIF of every file, a summary, and the first
// exit code that is not 0.
func TestGitHubAction(t *testing.T) {
	var action struct {
		Runs struct {
			Steps []struct {
				Name, Run string
				Env       map[string]string
			}
		}
	}
	readYAML(t, "action.yml", &action)
	steps := action.Runs.Steps
	i := slices.IndexFunc(steps, func(s struct {
		Name, Run string
		Env       map[string]string
	}) bool {
		return s.Name == "Verify"
	})
	if i < 0 || steps[i].Env["FILES"] == "" || steps[i].Env["OPTIONS"] == "" {
		t.Fatalf("the steps are %+v", steps)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	summary := filepath.Join(t.TempDir(), "summary")
	dir, code := inCI(t, steps[i].Run, "GITHUB_ACTION_PATH="+root, "GITHUB_STEP_SUMMARY="+summary,
		"FILES=*.ere", "OPTIONS=--timeout 1m", "PROGRAM=")
	if code != ExitSafety {
		t.Errorf("the exit code is %d", code)
	}
	for _, name := range []string{"1.sarif", "2.sarif", "3.sarif"} {
		var log struct{ Runs []any }
		text, err := os.ReadFile(filepath.Join(dir, ".erelong-results", name))
		if err == nil {
			err = json.Unmarshal(text, &log)
		}
		if err != nil || len(log.Runs) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	text, err := os.ReadFile(summary)
	if err != nil || !strings.Contains(string(text), "### `b.ere`: exit code 12") ||
		!strings.Contains(string(text), "1 violated") {
		t.Errorf("the summary is %s, %v", text, err)
	}
}

// The job for GitLab has JUnit's XML of every file.
func TestGitLabJob(t *testing.T) {
	var template map[string]struct {
		Script    []string
		Artifacts struct{ Reports struct{ JUnit string } }
	}
	readYAML(t, "deploy/gitlab.yml", &template)
	job := template[".erelong"]
	dir, code := inCI(t, strings.Join(job.Script, "\n"), "FILES=*.ere", "OPTIONS=--timeout 1m")
	if code != ExitSafety {
		t.Errorf("the exit code is %d", code)
	}
	found, err := filepath.Glob(filepath.Join(dir, job.Artifacts.Reports.JUnit))
	if err != nil || len(found) != 3 {
		t.Fatalf("the files are %q, %v", found, err)
	}
	for _, name := range found {
		var suites struct{ XMLName xml.Name }
		text, err := os.ReadFile(name)
		if err == nil {
			err = xml.Unmarshal(text, &suites)
		}
		if err != nil || suites.XMLName.Local != "testsuites" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
