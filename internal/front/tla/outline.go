package tla

import (
	"path"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/names"
	"erelong.dev/erelong/internal/front/tla/syntax"
)

// Names says what each name of a module or of a configuration stands for. It is nil where the
// module of a configuration cannot be read.
func Names(name, text string, files Files) *names.Table {
	given := diag.NewSource(name, text)
	find := func(module string) *diag.Source {
		source, err := finder(path.Dir(name), files)(module)
		if err != nil {
			return nil
		}
		return source
	}
	if path.Ext(name) == ".tla" {
		return names.Of(given, find)
	}
	module, _, err := sources(given, files)
	if err != nil {
		return nil
	}
	modules := syntax.Parse(module, &diag.List{})
	if len(modules) == 0 {
		return nil
	}
	return names.OfConfiguration(given, rootOf(modules, module.Name), modules, find)
}

// InLibrary reports whether a source is a module that is part of the program.
func InLibrary(s *diag.Source) bool { return path.Dir(s.Name) == "library" }
