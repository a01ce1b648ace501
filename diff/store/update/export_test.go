package update

import (
	"context"
	"errors"
	"time"

	"pakdb/diff/store"
)

// SetClock lets a test tell the time, and pass it.
func (r *Remote) SetClock(now func() time.Time, sleep func(context.Context, time.Duration) error) {
	r.clock = clock{now: now, sleep: sleep}
}

// Fetch does what Apply begins with.
func (f *Folder) Fetch(ctx context.Context, p *Plan) error {
	if err := f.disk.root.MkdirAll(store.WorkDir, 0o777); err != nil {
		return err
	}
	fetcher := newFetcher(f.frames, f.disk, p.Ranges)
	_, err := fetcher.all(ctx, nil)
	return errors.Join(err, fetcher.close())
}
