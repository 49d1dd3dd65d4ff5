package smt

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"erelong.dev/erelong/internal/effort"
)

// conversation is a running solver that reads commands.
type conversation interface {
	// exchange sends commands and gives the solver's output. An (error ...) in it is an error. It
	// returns at once when ctx or the guard ends it. After an error the conversation is unusable.
	exchange(ctx context.Context, commands []string, guard time.Duration) ([]Sexpr, error)
	// kill ends the solver. It may be called more than once.
	kill()
}

// Session asks one solver many queries. The process starts with the first query, and again after an
// error or when the base of the queries changes: so other queries do not influence an answer. (With
// Config.Propositional a base may grow.) Only one goroutine at a time may use a session.
type Session struct {
	driver Driver
	config Config
	proc   conversation
	base   []string      // the commands that proc has read
	framed bool          // proc has an open frame, which holds the body of the last query
	wall   time.Duration // guard for the current query
	spent  int64         // resources that proc has reported so far
}

// NewSession prepares a session. It starts nothing yet.
func NewSession(d Driver, c Config) *Session {
	if c.Wall <= 0 {
		c.Wall = time.Minute
	}
	return &Session{driver: d, config: c}
}

// Driver gives the solver of the session.
func (s *Session) Driver() Driver { return s.driver }

// Close ends the conversation.
func (s *Session) Close() {
	if again, ok := s.proc.(interface{ leave() }); ok {
		again.leave()
		s.proc = nil
	}
	s.abandon()
}

// abandon ends the process, which must not be reused.
func (s *Session) abandon() {
	if s.proc != nil {
		s.proc.kill()
		s.proc = nil
	}
	s.base, s.framed, s.spent = nil, false, 0
}

// Check asks whether a query is satisfiable. After the answer Sat, Values can be asked until the
// next Check.
func (s *Session) Check(ctx context.Context, q Query) (Answer, error) {
	began := time.Now()
	if s.config.Constants && s.driver.Constants() {
		var err error
		if q, err = q.byConstants(); err != nil {
			return Answer{}, err
		}
	}
	if err := s.save(q); err != nil {
		return Answer{}, err
	}
	s.wall = s.config.Wall
	if q.Wall > 0 {
		s.wall = q.Wall
	}
	a, err := s.check(ctx, q)
	a.Elapsed = time.Since(began)
	effort.Spend(ctx, a.work(q))
	if err != nil {
		s.abandon()
		return a, fmt.Errorf("%s: %w", Label(s.driver), err)
	}
	if a.Exhausted {
		s.abandon() // z3 may refuse the next query as "canceled"
	}
	return a, nil
}

func (s *Session) check(ctx context.Context, q Query) (Answer, error) {
	commands, counted, err := s.commands(ctx, q)
	if err != nil {
		return Answer{}, err
	}
	out, err := s.exchange(ctx, commands)
	if err != nil {
		return Answer{}, err
	}
	if counted && len(out) > 0 && out[0].IsList {
		s.count(out[0])
		out = out[1:]
	}
	if len(out) > 0 && (out[0].IsList || out[0].Atom != question) {
		return Answer{}, fmt.Errorf("%w: it printed %s", ErrRefused, out[0])
	}
	out = out[min(1, len(out)):]
	if len(out) == 0 || len(out) > 2 || len(out) == 2 && !out[1].IsList || out[0].IsList ||
		out[0].Quoted {
		return Answer{},
			fmt.Errorf("%w: it answered %s", ErrRefused, Sexpr{IsList: true, List: out})
	}
	var a Answer
	if len(out) == 2 {
		a.Rlimit = s.count(out[1])
	}
	if err := s.judge(ctx, &a, out[0].Atom); err != nil {
		return Answer{}, err
	}
	if a.Status == Unknown && q.Rlimit > 0 && a.Rlimit >= q.Rlimit {
		a.Exhausted = true // z3 does not always name the limit as its reason
	}
	return a, nil
}

// commands ask a query of a process, which it starts if there is none. With counted, the reply
// begins with the resources that were spent before.
func (s *Session) commands(ctx context.Context, q Query) (out []string, counted bool, err error) {
	if s.proc != nil && !s.continues(q.Base) {
		s.Close()
	}
	// z3 4.8.12 bounds what it reads by the limit of the last query, and no later limit raises that
	// bound, even after a reset.
	out = []string{s.driver.Limit(0)}
	more := q.Base[len(s.base):]
	if s.proc == nil {
		proc, err := s.driver.start(ctx, s.config)
		if err != nil {
			return nil, false, err
		}
		s.proc = proc
		out = append(out, s.driver.Setup(s.config)...)
		if again, ok := proc.(*reused); ok && again.stale && s.driver.Spent() != "" {
			// Newer versions of z3 go on counting resources after a reset.
			out, counted = append(out, s.driver.Spent()), true
		}
	}
	if s.framed {
		out = append(out, "(pop 1)")
	}
	out = append(out, more...)
	s.base = q.Base
	if s.framed = s.config.Strategy != AtOnce && !s.config.horn(); s.framed {
		out = append(out, frame)
	}
	out = append(out, q.Body...)
	out = append(out, s.driver.Limit(q.Rlimit), "(echo \""+question+"\")", "(check-sat)")
	if ask := s.driver.Spent(); ask != "" {
		out = append(out, ask)
	}
	return out, counted, nil
}

// judge says what the word of a solver means, with its settings.
func (s *Session) judge(ctx context.Context, a *Answer, word string) (err error) {
	switch word {
	case "sat":
		a.Status = Sat
		if s.config.Strategy != "" && !s.config.horn() {
			a.Status, a.Reason = Unknown, "with these options a model is not trusted"
		}
	case "unsat":
		a.Status = Unsat
		if s.config.Models {
			a.Status, a.Reason, a.NoFiniteModel = Unknown, "no finite model", true
		} else if s.config.Cores {
			a.Core, err = s.core(ctx)
		}
	case "unknown", "timeout":
		if a.Reason, err = s.reason(ctx); err == nil {
			a.Exhausted = s.driver.Exhausted(a.Reason)
		}
	default:
		err = fmt.Errorf("%w: it answered %s", ErrRefused, word)
	}
	return err
}

// question is printed before the answer: what comes earlier is none.
const question = "erelong-question"

// continues reports whether the process can continue with this base. A process without a frame has
// read a body that it cannot drop.
func (s *Session) continues(base []string) bool {
	if !s.framed {
		return false
	}
	if s.config.Propositional && len(base) > len(s.base) {
		base = base[:len(s.base)]
	}
	return slices.Equal(s.base, base)
}

func (s *Session) exchange(ctx context.Context, commands []string) ([]Sexpr, error) {
	return s.proc.exchange(ctx, commands, s.wall)
}

// core asks which labelled assertions the answer unsat needs.
func (s *Session) core(ctx context.Context) ([]string, error) {
	out, err := s.exchange(ctx, []string{"(get-unsat-core)"})
	if err != nil {
		return nil, err
	}
	if len(out) != 1 || !out[0].IsList {
		return nil, fmt.Errorf("%w: it printed %s for a core", ErrRefused,
			Sexpr{IsList: true, List: out})
	}
	labels := []string{}
	for _, e := range out[0].List {
		labels = append(labels, e.Atom)
	}
	return labels, nil
}

// reason asks why the answer was unknown.
func (s *Session) reason(ctx context.Context) (string, error) {
	out, err := s.exchange(ctx, []string{"(get-info :reason-unknown)"})
	if err != nil {
		return "", err
	}
	if len(out) != 1 || len(out[0].List) != 2 {
		return "no reason given", nil
	}
	if r := out[0].List[1]; !r.IsList {
		return r.Atom, nil
	}
	return out[0].List[1].String(), nil
}

// count reads a reply to Driver.Spent, and gives what was spent since the last one; 0 for a reply
// that is not understood.
func (s *Session) count(reply Sexpr) int64 {
	if len(reply.List) != 2 {
		return 0
	}
	n, ok := reply.List[1].Int()
	if !ok || !n.IsInt64() {
		return 0
	}
	total := n.Int64()
	cost := max(total-s.spent, 0)
	s.spent = total
	return cost
}

// Model gives the definitions of the last answer Sat, each a (define-fun ...).
func (s *Session) Model(ctx context.Context) (Sexpr, error) {
	if s.proc == nil {
		return Sexpr{}, fmt.Errorf("%s: %w: there is no model", Label(s.driver), ErrDied)
	}
	out, err := s.exchange(ctx, []string{"(get-model)"})
	if err == nil && (len(out) != 1 || !out[0].IsList) {
		err = fmt.Errorf("%w: it printed %s for a model", ErrRefused,
			Sexpr{IsList: true, List: out})
	}
	if err != nil {
		s.abandon()
		return Sexpr{}, fmt.Errorf("%s: reading the model: %w", Label(s.driver), err)
	}
	return out[0], nil
}

// valuesAtOnce bounds the terms of one get-value.
const valuesAtOnce = 200

// Values gives the values of printed terms in the model of the last check.
func (s *Session) Values(ctx context.Context, terms []string) ([]Sexpr, error) {
	out, err := s.values(ctx, terms)
	if err != nil {
		s.abandon()
		return nil, fmt.Errorf("%s: reading the model: %w", Label(s.driver), err)
	}
	return out, nil
}

func (s *Session) values(ctx context.Context, terms []string) ([]Sexpr, error) {
	if s.proc == nil || !s.framed {
		return nil, fmt.Errorf("%w: there is no model", ErrDied)
	}
	var all []Sexpr
	for chunk := range slices.Chunk(terms, valuesAtOnce) {
		out, err := s.exchange(ctx, []string{getValue(chunk)})
		if err != nil {
			return nil, err
		}
		if len(out) != 1 || !out[0].IsList || len(out[0].List) != len(chunk) {
			return nil, fmt.Errorf("%w: it printed %s for %d values", ErrRefused,
				Sexpr{IsList: true, List: out}, len(chunk))
		}
		for _, pair := range out[0].List {
			if len(pair.List) != 2 {
				return nil, fmt.Errorf("%w: it printed %s for a value", ErrRefused, pair)
			}
			all = append(all, pair.List[1])
		}
	}
	return all, nil
}

func getValue(terms []string) string {
	return "(get-value (" + strings.Join(terms, " ") + "))"
}
