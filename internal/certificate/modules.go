package certificate

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/front"
)

// A proof about a file of another language is a proof about its translation. The certificate holds
// both, and a recheck translates the file again: so it is about the file as far as the front end of
// its language is right.

// Translate gives the translation of a file as a text to be certified, and the files that it was
// made of. Keep says which of the formulas that nobody claims are among the proofs.
func Translate(
	name, text string, beside func(path string) ([]byte, error), keep func(formula string) bool,
) (translation string, modules []Module, err error) {
	f := front.Of(name, text)
	if f.Claimed == nil {
		return "", nil, fmt.Errorf("%s: proofs about files of %s have no certificates", name,
			f.Name)
	}
	add := func(path, text string) {
		name := filepath.Base(path)
		if !slices.ContainsFunc(modules, func(m Module) bool { return m.Name == name }) {
			modules = append(modules, Module{name, hash(text), text})
		}
	}
	add(name, text)
	translation, err = f.Claimed(name, text, func(path string) ([]byte, error) {
		content, err := beside(path)
		if err == nil {
			add(path, string(content))
		}
		return content, err
	}, keep)
	if err != nil {
		return "", nil, fmt.Errorf("translating %s for the certificate: %w", name, err)
	}
	return translation, modules, nil
}

// TranslationName is the name of the translation of a file.
func TranslationName(file string) string {
	base := filepath.Base(file)
	return base[:len(base)-len(filepath.Ext(base))] + ".ere"
}

// translatedAgain refuses a certificate whose text is not the translation of its modules.
func (c *Certificate) translatedAgain() error {
	s := &c.Specification
	if len(s.Modules) == 0 {
		return nil
	}
	for _, m := range s.Modules {
		if got := hash(m.Text); got != m.SHA256 {
			return refuse("the SHA-256 of %s is %s, not %s", m.Name, got, m.SHA256)
		}
	}
	proved := map[string]bool{}
	for _, p := range c.Proofs {
		for _, f := range slices.Concat(p.Properties, p.Invariant) {
			proved[f.Name] = true
		}
	}
	text, _, err := Translate(s.Modules[0].Name, s.Modules[0].Text, s.file,
		func(formula string) bool { return proved[formula] })
	if err != nil {
		return refuse("%w", err)
	}
	if text != s.Text || s.Name != TranslationName(s.Modules[0].Name) {
		return refuse("its text is not what this program translates %s to", s.Modules[0].Name)
	}
	return nil
}

// file is the text of a module.
func (s *Specification) file(path string) ([]byte, error) {
	for _, m := range s.Modules {
		if m.Name == filepath.Base(path) {
			return []byte(m.Text), nil
		}
	}
	return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
}

// systems reads the text of a certificate, with hints behind it, and no file.
func (s *Specification) systems(
	ctx context.Context, hints string, o derive.Options,
) ([]*derive.Derived, error) {
	text := s.Text
	if hints != "" {
		text += "\n" + hints
	}
	systems, _, err := front.Systems(ctx, s.Name, text, front.Options{Derive: o,
		Beside: func(path string) ([]byte, error) {
			for _, m := range s.Included {
				if m.Name == filepath.ToSlash(path) {
					return []byte(m.Text), nil
				}
			}
			return nil, fmt.Errorf("%s, which is no part of the certificate: %w", path,
				fs.ErrNotExist)
		}})
	return systems, err
}

// About says why a certificate is not about a file; empty where it is. Beside reads the files of
// which the certificate has others.
func (c *Certificate) About(
	path, text string, beside func(path string) ([]byte, error),
) string {
	modules := c.Specification.Modules
	if len(modules) == 0 {
		modules = []Module{{Name: filepath.Base(path), Text: c.Specification.Text}}
	}
	if text != modules[0].Text {
		return "the certificate is about another text than " + path
	}
	for _, m := range slices.Concat(modules[1:], c.Specification.Included) {
		at := filepath.Join(filepath.Dir(path), m.Name)
		content, err := beside(at)
		if err != nil || string(content) != m.Text {
			return "the certificate is about another text than " + at
		}
	}
	return ""
}
