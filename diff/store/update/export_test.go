package update

import (
	"context"
	"time"

	"pakdb/diff/store"
)

// SetClock lets a test tell the time, and pass it.
func (r *Remote) SetClock(now func() time.Time, sleep func(context.Context, time.Duration) error) {
	r.clock = clock{now: now, sleep: sleep}
}

// Fetch does what Apply begins with.
func (u *Update) Fetch(ctx context.Context) error {
	if err := u.root.MkdirAll(store.WorkDir, 0o777); err != nil {
		return err
	}
	return u.fetch(ctx, nil)
}
