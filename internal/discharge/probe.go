package discharge

// Probe makes an obligation a question that may stay open: one attempt with each solver at a low
// limit, and no model. A proof counts in full.
func (o *Obligation) Probe() *Obligation {
	o.quick = true
	return o
}

// FirstAttempt makes an obligation a question that is put only once, in the running process. A
// proof counts in full.
func (o *Obligation) FirstAttempt() *Obligation {
	o.quick, o.firstOnly = true, true
	return o
}
