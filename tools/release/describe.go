package main

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
)

// component is a part of a program, in CycloneDX 1.5.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Ref     string `json:"bom-ref"`
	PURL    string `json:"purl"`
}

func module(path, version string) component {
	url := "pkg:golang/" + path + "@" + version
	return component{Type: "library", Name: path, Version: version, Ref: url, PURL: url}
}

// materials is the bill of materials of a program, from what the linker wrote into it: Go's
// standard library, and each module with its version.
func materials(version string, info *debug.BuildInfo, at time.Time) ([]byte, error) {
	root := module(info.Main.Path, version)
	root.Type = "application"
	parts := []component{module("stdlib", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, module(m.Path, m.Version))
	}
	var refs []string
	for _, p := range parts {
		refs = append(refs, p.Ref)
	}
	return json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":     map[string]any{"timestamp": at.Format(time.RFC3339), "component": root},
		"components":   parts,
		"dependencies": []any{map[string]any{"ref": root.Ref, "dependsOn": refs}},
	}, "", " ")
}

// site is where releases are published.
const site = "https://erelong.dev/releases"

// formula is the formula for Homebrew.
func (r *release) formula() string {
	var b strings.Builder
	fmt.Fprintf(&b, `class Erelong < Formula
  desc "Verifier for distributed protocols"
  homepage "https://erelong.dev"
  version "%s"
  license "Apache-2.0"
`, r.number())
	for _, system := range []struct{ word, os string }{{"macos", "darwin"}, {"linux", "linux"}} {
		fmt.Fprintf(&b, "\n  on_%s do\n", system.word)
		for _, cpu := range []struct{ word, arch string }{{"arm", "arm64"}, {"intel", "amd64"}} {
			name := fmt.Sprintf("erelong-%s-%s-%s.tar.gz", r.version, system.os, cpu.arch)
			fmt.Fprintf(&b, "    on_%s do\n      url \"%s/%s/%s\"\n      sha256 \"%s\"\n    end\n",
				cpu.word, site, r.version, name, r.sums[name])
		}
		b.WriteString("  end\n")
	}
	b.WriteString(`
  depends_on "z3" => :recommended

  def install
    bin.install "erelong"
    man1.install Dir["man1/*.1"]
    bash_completion.install "completion/erelong.bash" => "erelong"
    zsh_completion.install "completion/_erelong"
    fish_completion.install "completion/erelong.fish"
  end

  test do
    (testpath/"m.ere").write <<~EOS
      sort node
      mutable relation on(node)
      init !on(N)
      action go(n: node) { on(n) := true; }
      safety [never] !on(N)
      instance two { node = 2 }
    EOS
    assert_match "violated", shell_output("#{bin}/erelong check m.ere", 12)
  end
end
`)
	return b.String()
}
