package bmc

// Quantified has a search leave the formulas as they are.
func (o Options) Quantified() Options {
	o.quantified = true
	return o
}
