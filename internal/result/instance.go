package result

// Instance is a finite instance that results are about: their Scope is its name.
type Instance struct {
	Name string
	// the sizes of sorts, then the values of constants, in the order of the file
	Values []Setting
}

// Setting is what an instance gives to a sort or a constant.
type Setting struct{ Name, Value string }

// Value is what the instance gives to a name; false if it gives nothing.
func (in *Instance) Value(name string) (string, bool) {
	for _, s := range in.Values {
		if s.Name == name {
			return s.Value, true
		}
	}
	return "", false
}
