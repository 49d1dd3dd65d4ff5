package effort

import (
	"context"
	"errors"
	"testing"
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
}
