package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/testkit"
)

// fermat has a property that solvers prove, and one on which they spend their whole limit.
const fermat = `
mutable constant x: int
mutable constant y: int
mutable constant z: int
mutable constant c: int
init x = 1 & y = 1 & z = 1 & c = 0
action a(i: int, j: int, k: int) {
  require i > 0 & j > 0 & k > 0;
  x := i; y := j; z := k; c := c + 1;
}
safety [counts] c >= 0
safety [fermat] x * x * x + y * y * y != z * z * z
`

// signalled is what a command has printed. It calls once when it is first written to.
type signalled struct {
	text bytes.Buffer
	once func()
}

func (s *signalled) Write(b []byte) (int, error) {
	defer s.once()
	return s.text.Write(b)
}

// TestInterrupted interrupts commands while solvers work on a question, and sim while it waits for
// a command. They end, say so, and print what was finished.
func TestInterrupted(t *testing.T) {
	testkit.Solvers(t, "z3")
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	hard := write("fermat.ere", fermat)
	var many strings.Builder
	many.WriteString("mutable constant x: int\ninit x = 0\n")
	for i := range 80 {
		fmt.Fprintf(&many, "action a%d() { require x = %d; x := %d; }\n", i, i, i+1)
	}
	actions := write("actions.ere", many.String()+"safety [positive] x >= 0\n")
	certificate := filepath.Join(dir, "c.json")
	if code := Main(t.Context(), []string{"prove", actions, "-q", "--certificate", certificate},
		strings.NewReader(""), io.Discard, io.Discard); code != ExitHolds {
		t.Fatalf("the proof has the exit code %d", code)
	}
	for name, test := range map[string]struct {
		args []string
		want []string // on the standard output
	}{
		"prove": {[]string{"prove", hard, "--certificate", filepath.Join(dir, "none.json")},
			[]string{"fermat", "interrupted", "2 properties: 2 unknown"}},
		"live":        {[]string{"live", "../../examples/liveness/ticket_lock.ere"}, []string{"served", "interrupted", "1 unknown"}},
		"infer":       {[]string{"infer", hard}, []string{"fermat"}},
		"certificate": {[]string{"prove", "--recheck", certificate}, []string{"positive", "interrupted", "1 unknown"}},
		"sim":         {[]string{"sim", "../../examples/lease.ere"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			out, errs := &signalled{once: func() {}}, &bytes.Buffer{}
			args := test.args
			in, input := io.Pipe() // it stays open
			defer func() { _ = input.Close() }()
			queries := t.TempDir()
			if name == "sim" {
				out.once = cancel
			} else {
				args = append(args, "-q", "--save-queries", queries)
				go func() { // the first question interrupts
					for ctx.Err() == nil {
						if files, err := os.ReadDir(queries); err == nil && len(files) > 2 {
							cancel()
						}
						time.Sleep(time.Millisecond)
					}
				}()
			}
			code := Main(ctx, args, in, out, errs)
			if code != ExitInterrupted || !strings.Contains(errs.String(), "interrupted") {
				t.Errorf("exit code %d\n%s\n%s", code, &out.text, errs)
			}
			for _, want := range test.want {
				if !strings.Contains(out.text.String(), want) {
					t.Errorf("%q is not in\n%s", want, &out.text)
				}
			}
		})
	}
}
