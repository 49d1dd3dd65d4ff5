package discharge

// Probe makes an obligation a question of which the answer may stay open: one attempt with each solver at a low limit, and no
// model. What it proves is proved.
func (o *Obligation) Probe() *Obligation {
	o.quick = true
	return o
}
