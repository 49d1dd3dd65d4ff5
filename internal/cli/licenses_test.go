package cli

import (
	"os/exec"
	"strings"
	"testing"
)

// Every module that the program is linked with has its licence in the list.
func TestLicencesAreComplete(t *testing.T) {
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "erelong.dev/erelong/cmd/erelong")
		cmd.Env = append(cmd.Environ(), "GOOS="+system)
		out, err := cmd.Output()
		if err != nil {
			t.Skip("go list does not run here: ", err)
		}
		modules := strings.Fields(string(out))
		if len(modules) == 0 {
			t.Error("no modules found")
		}
		for _, m := range modules {
			if !strings.Contains(licences, "==== "+m+" ====\n") {
				t.Errorf("%s: the licence of %s is missing: make licences", system, m)
			}
		}
	}
}
