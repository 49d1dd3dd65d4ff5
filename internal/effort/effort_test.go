package effort

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Work counts for the search that does it and for the ones around it, and each ends at its own
// limit with its own cause.
func TestLimit(t *testing.T) {
	inner, outer := errors.New("inner"), errors.New("outer")
	all, stop := Limit(t.Context(), 10, outer)
	defer stop()
	first, stopFirst := Limit(all, 4, inner)
	defer stopFirst()
	Spend(first, 3)
	if first.Err() != nil {
		t.Fatal("ended too early")
	}
	Spend(first, 1)
	if context.Cause(first) != inner || all.Err() != nil {
		t.Fatalf("%v, %v", context.Cause(first), all.Err())
	}
	second, stopSecond := Limit(all, 0, inner)
	defer stopSecond()
	Spend(second, 5)
	if second.Err() != nil {
		t.Fatal("no limit, and ended")
	}
	Spend(second, 1)
	if context.Cause(second) != outer {
		t.Fatal(context.Cause(second))
	}
	Spend(t.Context(), 1) // nobody counts
	if Spent(first) != 4 || Spent(all) != 10 || Spent(t.Context()) != 0 {
		t.Errorf("spent %d and %d", Spent(first), Spent(all))
	}
}

// A guard of processor time ends work, and lets rest go on.
func TestProcessor(t *testing.T) {
	cause := errors.New("guard")
	rest, stop := Processor(t.Context(), time.Minute, cause)
	defer stop()
	work, stopWork := Processor(t.Context(), time.Millisecond, cause)
	defer stopWork()
	for work.Err() == nil {
	}
	if context.Cause(work) != cause || rest.Err() != nil {
		t.Errorf("%v, %v", context.Cause(work), rest.Err())
	}
}

// Work counts for the strategy that does it and for the ones that it is a part of. Tries of the
// same strategy are one.
func TestStrategies(t *testing.T) {
	nobody, ended := Begin(t.Context(), "nobody looks")
	Spend(nobody, 1)
	ended()
	ctx, whole := Explained(t.Context())
	for range 2 {
		outer, outerEnded := Begin(ctx, "outer")
		inner, innerEnded := Begin(outer, "inner")
		Spend(inner, 3)
		innerEnded()
		Spend(outer, 4)
		outerEnded()
	}
	Spend(ctx, 1)
	if whole.Units != 15 || len(whole.Parts) != 1 {
		t.Fatalf("%d units, %d parts", whole.Units, len(whole.Parts))
	}
	outer := whole.Parts[0]
	if outer.Name != "outer" || outer.Times != 2 || outer.Units != 14 || len(outer.Parts) != 1 {
		t.Fatalf("%+v", outer)
	}
	if inner := outer.Parts[0]; inner.Times != 2 || inner.Units != 6 ||
		inner.Elapsed > outer.Elapsed {
		t.Fatalf("%+v", inner)
	}
}
