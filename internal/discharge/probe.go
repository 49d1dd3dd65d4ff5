package discharge

// Probe makes an obligation a question of which the answer may stay open: one attempt with each solver at a low limit, and no
// model. What it proves is proved.
func (o *Obligation) Probe() *Obligation {
	o.quick = true
	return o
}

// Glance makes an obligation a question that is put once only, in the process that is there. What it proves is proved.
func (o *Obligation) Glance() *Obligation {
	o.quick, o.glance = true, true
	return o
}
