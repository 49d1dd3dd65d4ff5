package report

import "erelong.dev/erelong/internal/result"

type jsonWhy struct {
	Text        string        `json:"text"`
	Value       string        `json:"value"`
	Line        int           `json:"line"`
	Column      int           `json:"column"`
	Witness     []jsonWitness `json:"witness"`
	Subformulas []*jsonWhy    `json:"parts"`
}

type jsonWitness struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type jsonDiagnosis struct {
	Finding    result.Finding  `json:"finding"`
	Instance   string          `json:"instance"`
	States     int64           `json:"states"`
	Reason     string          `json:"reason,omitempty"`
	Looked     string          `json:"looked,omitempty"`
	Where      string          `json:"where,omitempty"`
	Candidates []jsonCandidate `json:"candidates"`
}

type jsonCandidate struct {
	Formula   string `json:"formula"`
	Inductive bool   `json:"inductive"`
	Suffices  bool   `json:"suffices"`
}

func whyOf(w *result.Why) *jsonWhy {
	if w == nil {
		return nil
	}
	j := &jsonWhy{Text: w.Text, Value: w.Value.String(), Line: w.Line, Column: w.Column,
		Witness: []jsonWitness{}, Subformulas: []*jsonWhy{}}
	for _, b := range w.Witness {
		j.Witness = append(j.Witness, jsonWitness{b.Name, b.Value.String()})
	}
	for _, p := range w.Subformulas {
		j.Subformulas = append(j.Subformulas, whyOf(p))
	}
	return j
}

func diagnosisOf(d *result.Diagnosis) *jsonDiagnosis {
	if d == nil {
		return nil
	}
	j := &jsonDiagnosis{Finding: d.Finding, Instance: d.Instance, States: d.States,
		Reason: d.Reason, Looked: d.Looked, Candidates: []jsonCandidate{}}
	for _, c := range d.Candidates {
		j.Where = d.Where
		j.Candidates = append(j.Candidates, jsonCandidate(c))
	}
	return j
}
