package front

import (
	"context"
	"errors"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       string
	}{
		{"lock.ere", "sort node", "erelong"},
		{"lock.pyv", "sort node", "erelong"},
		{"standard input", "sort node", "erelong"},
		{"", "", "erelong"},
		{"train.xta", "", "UPPAAL"},
		{"TRAIN.XML", "", "UPPAAL"},
		{"standard input", "\ufeff <?xml version='1.0'?><nta/>", "UPPAAL"},
		{"standard input", "<nta></nta>", "UPPAAL"},
		{"standard input", "<other/>", "erelong"},
		{"strb.ta", "", "ByMC"},
		{"fuse.sk", "", "ByMC"},
		{"lock.qnt", "", "Quint"},
		{"lock.qnt.json", "{}", "Quint"},
		{"lock.json", "{}", "erelong"},
		{"lock.ivy", "", "Ivy"},
		{"standard input", "#lang ivy1.7\ntype t", "Ivy"},
	} {
		if got := Of(c.name, c.text).Name; got != c.want {
			t.Errorf("%s %q: %s, want %s", c.name, c.text, got, c.want)
		}
	}
}

func TestRead(t *testing.T) {
	file, err := Read(t.Context(), "x.ere", "mutable relation p\ninit !p\nsafety [never] !p\n",
		Options{})
	if err != nil || file.Kind != Specification || len(file.Systems) != 1 || file.Network != nil ||
		file.Systems[0].Spec.System.Property("never") == nil {
		t.Errorf("%+v, %v", file, err)
	}
	file, err = Read(t.Context(), "x.xta", "clock x; process P() { state a; init a; } system P;",
		Options{})
	if err != nil || file.Kind != Model || file.Network == nil || len(file.Systems) != 0 {
		t.Errorf("%+v, %v", file, err)
	}
	var list *diag.List
	for _, name := range []string{"x.ere", "x.xta"} {
		if file, err = Read(t.Context(), name, "no such thing", Options{}); !errors.As(err,
			&list) || file == nil || file.Warnings == nil {
			t.Errorf("%s: %+v, %v", name, file, err)
		}
		if file, err = Load(t.Context(), "no/such/"+name, Options{}); err == nil ||
			file.Warnings == nil {
			t.Errorf("%s: %+v, %v", name, file, err)
		}
	}
}

func TestSystemsRefusesOtherKinds(t *testing.T) {
	_, list, err := Systems(t.Context(), "x.xta", "system;", Options{})
	if err == nil || list == nil || !strings.Contains(err.Error(), "x.xta is a model of UPPAAL, and no specification") {
		t.Errorf("%v", err)
	}
}

// A minimal front end needs only its own functions and one line in the list.
func TestAnotherFrontEnd(t *testing.T) {
	counter := FrontEnd{
		Name: "counter", Kind: Specification,
		Reads: func(name, _ string) bool { return strings.HasSuffix(name, ".count") },
		Read: func(_ context.Context, name, text string, _ Options) (*File, error) {
			spec, list, err := ere.Read(name, "mutable constant n: 0.."+strings.TrimSpace(text)+"\ninit n = 0\n")
			return &File{Kind: Specification, Systems: []*derive.Derived{{Spec: spec}},
				Warnings: list}, err
		},
	}
	all := append([]FrontEnd{counter}, All()...)
	file, err := of(all, "x.count", "3").Read(t.Context(), "x.count", "3", Options{})
	if err != nil || len(file.Systems[0].Spec.System.Symbols) != 1 {
		t.Errorf("%+v, %v", file, err)
	}
	if got := of(all, "x.ere", "").Name; got != "erelong" {
		t.Errorf("got %s", got)
	}
}
