package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const followSpec = `mutable constant n: int
init n = 0
action set(v: int) { require v > n; n := v; }
instance one {}
`

// follow runs trace -f on a log that grows by texts: each is written when the program has told of
// the events before it. At the end the program is interrupted.
func follow(t *testing.T, grow ...string) (string, int) {
	t.Helper()
	return followWith(t, nil, func(interrupt func()) { interrupt() }, grow...)
}

// followWith is follow with options, and with what is done at the end.
func followWith(
	t *testing.T, options []string, end func(interrupt func()), grow ...string,
) (string, int) {
	t.Helper()
	dir := t.TempDir()
	spec, log := filepath.Join(dir, "a.ere"), filepath.Join(dir, "log.ndjson")
	for path, text := range map[string]string{spec: followSpec, log: grow[0]} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	read, write := io.Pipe()
	ended := make(chan int)
	go func() {
		code := Main(ctx, append([]string{"trace", "-f", spec, log}, options...),
			strings.NewReader(""), write, write)
		write.Close()
		ended <- code
	}()
	var all strings.Builder
	rest := grow[1:]
	buffer := make([]byte, 1<<16)
	for {
		n, err := read.Read(buffer)
		if err != nil {
			break
		}
		all.Write(buffer[:n])
		if !strings.HasPrefix(string(buffer[:n]), "so far") {
			continue
		}
		if len(rest) == 0 {
			end(interrupt)
			continue
		}
		if _, err := file.WriteString(rest[0]); err != nil {
			t.Fatal(err)
		}
		rest = rest[1:]
	}
	return strings.ReplaceAll(all.String(), dir+"/", ""), <-ended
}

func event(v string) string { return `{"event":"set","args":{"v":` + v + "}}\n" }

func TestTraceFollows(t *testing.T) {
	out, code := follow(t, event("1"), event("2")+event("4")+event("5")[:9])
	if code != ExitHolds || !strings.HasPrefix(out, "so far the first event of log.ndjson is a run\n"+
		"so far the first 3 events of log.ndjson are a run\n"+
		"accepted: the 3 events of log.ndjson are a run of a.ere, instance one\n") {
		t.Errorf("code %d\n%s", code, out)
	}
	out, code = follow(t, event("1"), event("2")+event("3")[:9], event("3")[9:]+event("3")+event("7"))
	if code != ExitNoRun || !strings.Contains(out, "the first 3 of ") ||
		!strings.Contains(out, "line 4: {\"event\":\"set\",\"args\":{\"v\":3}}") {
		t.Errorf("code %d\n%s", code, out)
	}
}

// The time that --timeout gives ends a log that is followed, as an interrupt does: what was read by
// then has its report.
func TestTraceFollowsForSomeTime(t *testing.T) {
	t.Parallel()
	told := false
	out, code := followWith(t, []string{"--timeout", "3s"}, func(func()) { told = true },
		event("1"), event("2")+event("3")[:9])
	if !told {
		t.Skip("the machine had no time to read two lines in three seconds")
	}
	if code != ExitHolds || !strings.Contains(out,
		"\naccepted: the 2 events of log.ndjson are a run of a.ere, instance one\n") {
		t.Errorf("code %d\n%s", code, out)
	}
	out, code = followWith(t, []string{"--timeout", "1h"}, func(func()) {},
		event("1"), event("2")+event("2"))
	if code != ExitNoRun || !strings.Contains(out, "the first 2 of ") {
		t.Errorf("code %d\n%s", code, out)
	}
}

func TestTraceFollowsTheOrderOfTheFile(t *testing.T) {
	out, code := follow(t, `{"node":"a","seq":1,"event":"set","args":{"v":1}}`+"\n")
	if code != ExitFile || !strings.Contains(out, "declare `order file`") {
		t.Errorf("code %d\n%s", code, out)
	}
}
