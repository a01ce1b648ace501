package contents

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"pakdb/diff/ship/store"
)

const (
	mostLedger   = 256 << 20
	mostUnneeded = 1 << 20 // contents that a ledger has; what is beyond has its turn later
	mostTries    = 100     // of a change while others make changes too
	lease        = 10 * time.Minute
	removing     = 3 * time.Minute // of a lease, in which a pruning may send requests
)

// ledger is what prunings remember, and tell writers.
type ledger struct {
	Unneeded map[string]int64 `json:"unneeded"`        // names of contents, and since when, in seconds since 1970
	Going    *going           `json:"going,omitempty"` // what is about to be removed

	version string
}

// going is what a pruning removes now.
type going struct {
	ID    string   `json:"id"`
	Names []string `json:"names"`
}

// desk reads and replaces the ledger.
type desk struct {
	store.Bucket
	reader *store.Reader
	sleep  func(context.Context, time.Duration) error

	lease, poll time.Duration
}

func newDesk(ctx context.Context, b store.Bucket) *desk {
	return &desk{Bucket: b, reader: store.NewReader(ctx, b), sleep: sleep, lease: lease, poll: time.Second}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func (d *desk) read(ctx context.Context) (*ledger, error) {
	l := &ledger{Unneeded: map[string]int64{}, version: store.Absent}
	in, err := d.Stat(ctx, ledgerName)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	if in.Size > mostLedger {
		return nil, fmt.Errorf("%s: %w: it has %d bytes", d.At(ledgerName), store.ErrCorrupt, in.Size)
	}
	b, version, err := d.reader.File(ledgerName)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, l); err != nil || version == "" {
		return nil, fmt.Errorf("%s: %w: no ledger of prunings", d.At(ledgerName), store.ErrCorrupt)
	}
	if l.version = version; l.Unneeded == nil {
		l.Unneeded = map[string]int64{}
	}
	return l, nil
}

// write replaces the ledger that was read. The error is [store.ErrRaced] if somebody else
// did so first.
func (d *desk) write(ctx context.Context, l *ledger) error {
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = d.Put(ctx, ledgerName, bytes.NewReader(b), int64(len(b)), l.version)
	return err
}

// settled reads the ledger, and waits while a pruning removes something that matters. One
// that has not ended after a lease was killed: its entry is left out. Times are measured
// here, so that the clocks of machines may differ.
func (d *desk) settled(ctx context.Context, matters func(name string) bool) (*ledger, error) {
	id, since := "", time.Time{}
	for {
		l, err := d.read(ctx)
		if err != nil || l.Going == nil || !l.Going.any(matters) {
			return l, err
		}
		if l.Going.ID != id {
			id, since = l.Going.ID, time.Now()
		}
		if time.Since(since) >= d.lease {
			l.Going = nil
			return l, nil
		}
		if err := d.sleep(ctx, d.poll); err != nil {
			return nil, err
		}
	}
}

func (g *going) any(matters func(string) bool) bool {
	for _, name := range g.Names {
		if matters(name) {
			return true
		}
	}
	return false
}

// change makes a change to the settled ledger, again if somebody else was first. change
// says whether there is anything to write.
func (d *desk) change(ctx context.Context, matters func(string) bool, change func(*ledger) (bool, error)) error {
	for try := 0; ; try++ {
		l, err := d.settled(ctx, matters)
		if err != nil {
			return err
		}
		if ok, err := change(l); err != nil || !ok {
			return err
		}
		if err := d.write(ctx, l); !errors.Is(err, store.ErrRaced) || try == mostTries {
			return err
		}
	}
}

func newID() string { return rand.Text() }
