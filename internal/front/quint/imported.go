package quint

import "slices"

// imported are the claims of the modules that a module imports or has instances of, by the names
// that they have there, each with the option of the compiler that claims it.
func imported(parsed *output, main string) map[string]string {
	out := map[string]string{}
	for _, m := range parsed.Modules {
		if m.Name == main {
			for _, d := range m.Declarations {
				if d.Kind == "import" || d.Kind == "instance" {
					parsed.visible(d, nil, out)
				}
			}
		}
	}
	return out
}

// visible adds the claims that an import makes visible: of a module, and of what it exports.
func (o *output) visible(d *declaration, within []string, out map[string]string) {
	i := slices.IndexFunc(o.Modules, func(m *module) bool { return m.Name == d.Module })
	if i < 0 || slices.Contains(within, d.Module) {
		return
	}
	within = append(within[:len(within):len(within)], d.Module)
	prefix := ""
	if d.As != "" {
		prefix = d.As + "::"
	}
	in := usesOf(o.Modules[i])
	for _, of := range o.Modules[i].Declarations {
		switch {
		case of.Kind == "export":
			inner := map[string]string{}
			o.visible(of, within, inner)
			for name, option := range inner {
				out[prefix+name] = option
			}
		case of.Kind == "def" && of.Expr.Kind != "lambda" &&
			(d.As != "" || d.Only == "" || d.Only == "*" || d.Only == of.Name):
			if option := in.claimed(of); option != "" && of.Qualifier != "action" &&
				of.Qualifier != "run" {
				out[prefix+of.Name] = option
			}
		}
	}
}
