package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

const text = `
mutable relation p
init !p
trusted invariant [given] !p
invariant [help] !p
safety [never] !p
liveness [ever] true ~> p
theorem [valid] p | !p
sat trace {
  assert !p
}
`

func compile(t *testing.T) *system.System {
	t.Helper()
	sys, list, err := ere.Compile("x.ere", text)
	if err != nil {
		t.Fatal(err, list)
	}
	return sys
}

func TestClaims(t *testing.T) {
	sys := compile(t)
	for _, c := range []struct{ names, want string }{
		{"", "help never ever valid trace:9"},
		{"trace:9 never", "never trace:9"},
		{"given", ""},
	} {
		claims, err := engine.Claims(sys, strings.Fields(c.names))
		if err != nil {
			t.Fatal(err)
		}
		task := &engine.Task{Claims: claims}
		if got := strings.Join(task.Names(func(engine.Claim) bool { return true }), " "); got !=
			c.want {
			t.Errorf("%q: %q, want %q", c.names, got, c.want)
		}
	}
	if _, err := engine.Claims(sys, []string{"never", "nobody"}); !errors.Is(err,
		engine.ErrNoProperty) || !strings.Contains(err.Error(), `"nobody"`) {
		t.Errorf("%v", err)
	}
	claims, _ := engine.Claims(sys, nil)
	task := &engine.Task{Claims: append(claims, engine.NoDeadlock)}
	for name, is := range map[string]func(engine.Claim) bool{
		"help never": engine.Claim.IsInvariant, "ever": engine.Claim.IsLiveness,
		result.Deadlock: engine.Claim.IsDeadlock,
	} {
		if got := strings.Join(task.Names(is), " "); got != name || !task.Has(is) {
			t.Errorf("%q, want %q", got, name)
		}
	}
	if none := (&engine.Task{}).Names(engine.Claim.IsInvariant); none == nil || len(none) > 0 {
		t.Errorf("names of no claims: %v, and nil would mean all", none)
	}
}

func TestSelect(t *testing.T) {
	sys := compile(t)
	for _, c := range []struct {
		names []string
		want  []string
	}{{nil, []string{"help", "never"}}, {[]string{}, nil}, {[]string{"never"}, []string{"never"}}} {
		props, err := engine.Select(sys, c.names, (*system.Property).IsInvariant, "safety")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range props {
			got = append(got, p.Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.names, got, c.want)
		}
	}
	for name, want := range map[string]string{"nobody": `there is no property "nobody"`, "ever": "ever is liveness: only safety properties can be checked here"} {
		if _, err := engine.Select(sys, []string{name}, (*system.Property).IsInvariant,
			"safety"); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRefusal(t *testing.T) {
	in := &system.Instance{Name: "small"}
	infinite := fmt.Errorf("exploring: %w", &interp.InfiniteError{What: "n has all integers"})
	if !engine.IsRefusal(infinite) || engine.IsRefusal(errors.New("broken")) ||
		engine.IsRefusal(nil) {
		t.Error("refusals are told from other errors by their types")
	}
	if got := engine.Refusal(infinite, in).Error(); !strings.HasPrefix(got, "instance small: ") {
		t.Errorf("got %s", got)
	}
}

func TestSink(t *testing.T) {
	engine.Sink{}.Tell(engine.Progress{}) // nobody listens
	if begin, progress := (engine.Sink{}).Obligations("proof", "proving"); begin != nil ||
		progress != nil {
		t.Error("work for nobody")
	}
	var last engine.Progress
	begin, progress := engine.Sink{Progress: func(p engine.Progress) { last = p }}.Obligations("proof", "proving")
	begin("initiation of never")
	progress(1, 3, result.Obligation{})
	want := engine.Progress{Subtask: "proof", Text: "proving: 1 of 3 obligations, now initiation of never", Unit: "obligations", Done: 1, Total: 3}
	if last != want {
		t.Errorf("%+v, want %+v", last, want)
	}
}
