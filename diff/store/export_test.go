package store

import (
	"context"
	"time"
)

// SetClock lets a test tell the time, and pass it.
func (r *Remote) SetClock(now func() time.Time, sleep func(context.Context, time.Duration) error) {
	r.clock = clock{now, sleep}
}
