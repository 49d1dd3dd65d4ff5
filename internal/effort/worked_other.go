//go:build !unix

package effort

import "time"

// worked is the time since the start: the processor time is not known here.
func worked() time.Duration { return time.Since(started) }
