package verdict

import (
	"context"
	"errors"
	"fmt"
)

// Limit is the cause with which a context ends that is bounded in time: it names the limit, and what lifts it.
type Limit struct{ Text string }

func (l *Limit) Error() string { return l.Text }

// Ended says why something was not finished when its context is done: at a limit, or because the user interrupted it. After
// says where that was, such as "after 5 states".
func Ended(ctx context.Context, after string) string {
	if after != "" {
		after = " " + after
	}
	var l *Limit
	if errors.As(context.Cause(ctx), &l) {
		return fmt.Sprintf("stopped%s at %s", after, l.Text)
	}
	return "interrupted" + after
}
