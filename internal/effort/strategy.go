package effort

import (
	"context"
	"sync"
	"time"
)

// Strategy is one way to look for something: how often it was tried, and the work that it did,
// together with the strategies that it consists of, in the order of their first tries.
type Strategy struct {
	Name    string
	Times   int
	Units   int64 // of work, as for Spend
	Elapsed time.Duration
	Parts   []*Strategy

	book  *sync.Mutex // one for the whole tree
	outer *Strategy
}

type strategyKey struct{}

// Explained is a context under which strategies are written down, and the whole of them, which has
// no name.
func Explained(ctx context.Context) (context.Context, *Strategy) {
	whole := &Strategy{book: &sync.Mutex{}}
	return context.WithValue(ctx, strategyKey{}, whole), whole
}

// Begin is the context of one try of a strategy, as a part of the one around it. Done ends the try.
// Nothing is written down unless the context is an Explained one.
func Begin(ctx context.Context, name string) (try context.Context, done func()) {
	outer, _ := ctx.Value(strategyKey{}).(*Strategy)
	if outer == nil {
		return ctx, func() {}
	}
	s := outer.part(name)
	began := time.Now()
	return context.WithValue(ctx, strategyKey{}, s), func() {
		s.book.Lock()
		defer s.book.Unlock()
		s.Elapsed += time.Since(began)
	}
}

// part is the part of a name, which is tried once more.
func (s *Strategy) part(name string) *Strategy {
	s.book.Lock()
	defer s.book.Unlock()
	for _, p := range s.Parts {
		if p.Name == name {
			p.Times++
			return p
		}
	}
	p := &Strategy{Name: name, Times: 1, book: s.book, outer: s}
	s.Parts = append(s.Parts, p)
	return p
}

// spend counts work for the strategy of a context, and for all around it.
func spend(ctx context.Context, units int64) {
	s, _ := ctx.Value(strategyKey{}).(*Strategy)
	if s == nil {
		return
	}
	s.book.Lock()
	defer s.book.Unlock()
	for ; s != nil; s = s.outer {
		s.Units += units
	}
}
