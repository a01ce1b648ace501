package update

import (
	"context"
	"errors"
	"os"
	"time"

	"pakdb/diff/ship/store"
)

// SetClock lets a test tell the time, and pass it.
func (r *Remote) SetClock(now func() time.Time, sleep func(context.Context, time.Duration) error) {
	r.clock = clock{now: now, sleep: sleep}
}

// Hold lets a test say which files other programs hold open.
func (f *Folder) Hold(open func(name string) error, isHeld func(error) bool) {
	f.system = &fakeSystem{open, isHeld}
}

// fakeSystem is a system on which other programs hold files.
type fakeSystem struct {
	opens func(name string) error
	holds func(error) bool
}

func (s *fakeSystem) IsHeld(err error) bool              { return s.holds(err) }
func (s *fakeSystem) Open(_ *os.Root, name string) error { return s.opens(name) }
func (s *fakeSystem) Pause(time.Duration)                {}

// FetchRanges does what Apply begins with.
func (f *Folder) FetchRanges(ctx context.Context, p *Plan) error {
	if err := f.disk.root.MkdirAll(store.WorkDir, 0o777); err != nil {
		return err
	}
	fetcher := newFetcher(f.frames, f.disk, p.Ranges)
	_, err := fetcher.all(ctx, everyRank, nil)
	return errors.Join(err, fetcher.close())
}
