package ivy

import (
	"os"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
)

// What is written in the language of specifications has the same state graph.
func TestText(t *testing.T) {
	for _, p := range pairs {
		t.Run(p.name, func(t *testing.T) {
			text, err := Text(p.name+".ivy", p.ivy)
			if err != nil {
				t.Fatal(err)
			}
			written, list, err := ere.Compile(p.name+".ere", text)
			if err != nil {
				t.Fatalf("%v\n%s", list, text)
			}
			spec, _, err := Read(t.Context(), p.name+".ivy", p.ivy, os.ReadFile)
			if err != nil {
				t.Fatal(err)
			}
			got, want := graphOf(t, written, p.instance), graphOf(t, spec.System, p.instance)
			for _, d := range []string{difference(got.initial, want.initial),
				difference(got.steps, want.steps), difference(got.violated, want.violated)} {
				if d != "" {
					t.Errorf("%s\n%s", d, text)
				}
			}
		})
	}
}
