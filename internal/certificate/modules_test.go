package certificate_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/certificate"
)

// A certificate about a module of TLA+ is refused where its text is the translation of another
// module, of another module beside it, or with other invariants; and where a hash is another.
func TestModulesAreTranslatedAgain(t *testing.T) {
	files := map[string]string{"M.tla": `---- MODULE M ----
EXTENDS Base
Small == x <= 3
Even == x # 1
Spec == Init /\ [][Next]_x
THEOREM Spec => []Small
====`, "Base.tla": `---- MODULE Base ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x < 3 /\ x' = x + 1
====`}
	beside := func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	}
	hash := func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
	made := func() *certificate.Certificate {
		text, modules, err := certificate.Translate("M.tla", files["M.tla"], beside,
			func(name string) bool { return name == "Even" })
		if err != nil {
			t.Fatal(err)
		}
		if len(modules) != 2 || modules[0].Name != "M.tla" || modules[1].Name != "Base.tla" {
			t.Fatalf("modules %v", modules)
		}
		return &certificate.Certificate{Specification: certificate.Specification{Name: "M.ere",
			SHA256: hash(text), Text: text, Modules: modules},
			Proofs: []certificate.Proof{{Invariant: []certificate.Formula{{Name: "Even"}}}}}
	}
	change := func(m *certificate.Module, from, to string) {
		m.Text = strings.Replace(m.Text, from, to, 1)
		m.SHA256 = hash(m.Text)
	}
	const other = "not what this program translates"
	for name, x := range map[string]struct {
		change func(*certificate.Certificate)
		want   string
	}{
		"as it is": {func(*certificate.Certificate) {}, "proof 1"},
		"the module": {func(c *certificate.Certificate) {
			change(&c.Specification.Modules[0], "x <= 3", "x <= 4")
		}, other},
		"the one beside": {func(c *certificate.Certificate) {
			change(&c.Specification.Modules[1], "x < 3", "x < 2")
		}, other},
		"none beside": {func(c *certificate.Certificate) {
			c.Specification.Modules = c.Specification.Modules[:1]
		}, "translating M.tla"},
		"the invariants": {func(c *certificate.Certificate) {
			c.Proofs[0].Invariant[0].Name = "Odd"
		}, other},
		"the name": {func(c *certificate.Certificate) {
			c.Specification.Name = "M.pyv"
		}, other},
		"the hash": {func(c *certificate.Certificate) {
			c.Specification.Modules[1].SHA256 = hash("")
		}, "the SHA-256 of Base.tla is"},
	} {
		c := made()
		x.change(c)
		_, err := c.Recheck(t.Context(), certificate.Options{})
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v; want %q", name, err, x.want)
		}
	}
	c := made()
	if why := c.About("M.tla", files["M.tla"], beside); why != "" {
		t.Error(why)
	}
	files["Base.tla"] += "\n"
	if why := c.About("M.tla", files["M.tla"], beside); !strings.Contains(why, "Base.tla") {
		t.Errorf("another module beside: %q", why)
	}
}
