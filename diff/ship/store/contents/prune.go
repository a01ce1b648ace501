package contents

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
)

// Pruned tells what a pruning removed.
type Pruned struct {
	Contents int64
	Size     int64 // of their files
	Waiting  int   // contents that no build needs, until the grace time is over
	Any      bool  // the bucket has contents, or had
}

// ErrNoList means that a bucket has no contents of a build.
var ErrNoList = errors.New("the bucket has no contents of that build")

// Prune drops the lists of builds, and removes the contents that no list had for the grace
// time. Others may write meanwhile.
func Prune(ctx context.Context, location string, drop []string, grace time.Duration) (*Pruned, error) {
	b, err := publish.OpenBucket(location, os.Getenv)
	if err != nil {
		return nil, err
	}
	return prune(ctx, newDesk(ctx, b), drop, grace, time.Now())
}

// batch is how many contents are about to be removed at a time: a second or two.
const batch = 1000

func prune(ctx context.Context, d *desk, drop []string, grace time.Duration, now time.Time) (*Pruned, error) {
	p := newPruner(d, grace, now)
	if err := p.drop(ctx, drop); err != nil {
		return nil, err
	}
	old, err := p.mark(ctx)
	for part := range slices.Chunk(old, batch) {
		if err == nil {
			err = p.remove(ctx, part)
		}
	}
	return &p.out, err
}

// pruner is one pruning.
type pruner struct {
	desk  *desk
	needs needs
	grace time.Duration
	now   time.Time // when it began
	out   Pruned
}

func newPruner(d *desk, grace time.Duration, now time.Time) *pruner {
	return &pruner{desk: d, needs: needs{map[string]string{}, map[uint64]struct{}{}, d.reader}, grace: grace, now: now}
}

// over reports whether the grace time of what began then is over. Seconds are all that
// services and the ledger tell, so that of no grace time nothing is asked.
func (p *pruner) over(began time.Time) bool {
	return p.grace == 0 || p.now.Sub(began) >= p.grace
}

// drop removes the lists of builds, all of which must be there.
func (p *pruner) drop(ctx context.Context, labels []string) error {
	if len(labels) == 0 {
		return nil
	}
	all, err := listsOf(ctx, p.desk)
	if err != nil {
		return err
	}
	var names []string
	for _, label := range labels {
		n := len(names)
		for _, in := range all {
			if strings.HasPrefix(in.Name, ofLabel(label)) {
				names = append(names, in.Name)
			}
		}
		if len(names) == n {
			if err := p.needs.look(ctx, p.desk); err != nil {
				return err
			}
			known := slices.Compact(slices.Sorted(maps.Values(p.needs.read)))
			return &noList{fmt.Errorf("%w: %q", ErrNoList, label), known}
		}
	}
	for _, name := range names {
		if err := p.desk.Remove(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// noList is the error for a label, and knows others.
type noList struct {
	error
	known []string
}

func (e *noList) Unwrap() error { return e.error }

// Hint names the builds that there are.
func (e *noList) Hint() string {
	if len(e.known) == 0 {
		return "it has contents of no build: pakdb index --store s3://BUCKET/PREFIX keeps them"
	}
	return "it has those of " + strings.Join(e.known[:min(len(e.known), 20)], ", ")
}

// anything that is about to be removed matters to a pruning.
func anything(string) bool { return true }

// mark enters in the ledger what no list has, and returns what has been there for the
// grace time.
func (p *pruner) mark(ctx context.Context) (old []store.Info, err error) {
	err = p.desk.change(ctx, anything, func(l *ledger) (bool, error) {
		if err := p.needs.look(ctx, p.desk); err != nil {
			return false, err
		}
		before := l.Unneeded
		l.Unneeded, l.Going, old = map[string]int64{}, nil, nil
		p.out.Any = len(p.needs.read)+len(before) > 0
		err := eachContent(ctx, p.desk, func(d [32]byte, in store.Info) {
			p.out.Any = true
			if p.needs.has(d) || len(l.Unneeded) == mostUnneeded {
				return
			}
			since := p.now.Unix()
			if t, ok := before[in.Name]; ok {
				since = min(t, since)
			}
			l.Unneeded[in.Name] = since
			if p.over(time.Unix(since, 0)) && p.over(in.Written) {
				old = append(old, in)
			}
		})
		p.out.Waiting = len(l.Unneeded)
		return len(l.Unneeded) > 0 || len(before) > 0, err
	})
	slices.SortFunc(old, func(a, b store.Info) int { return strings.Compare(a.Name, b.Name) })
	return old, err
}

// remove removes contents, but for those that a writer took out of the ledger, or that a
// list has by now.
func (p *pruner) remove(ctx context.Context, part []store.Info) error {
	id := newID()
	var began time.Time
	err := p.desk.change(ctx, anything, func(l *ledger) (bool, error) {
		part = slices.DeleteFunc(part, func(in store.Info) bool {
			since, ok := l.Unneeded[in.Name] // another pruning may have entered it again since
			return !ok || !p.over(time.Unix(since, 0))
		})
		l.Going = &going{ID: id}
		for _, in := range part {
			l.Going.Names = append(l.Going.Names, in.Name)
		}
		began = time.Now()
		return len(part) > 0, nil
	})
	if err != nil || len(part) == 0 {
		return err
	}
	// Only now the lists: a writer whose list is not seen here sees what goes.
	if err := p.needs.look(ctx, p.desk); err != nil {
		return err
	}
	part = slices.DeleteFunc(part, func(in store.Info) bool {
		d, _ := digestOf(in.Name)
		return p.needs.has(d)
	})
	gone, err := p.delete(ctx, part, began.Round(0))
	for _, in := range gone {
		p.out.Contents++
		p.out.Size += in.Size
	}
	if err != nil {
		return err // a request that broke off may still be done: the entry stays for the lease
	}
	return p.done(ctx, id, gone)
}

// delete removes files as long as the entry in the ledger is good, by the clock on the
// wall, which goes on while the machine sleeps.
func (p *pruner) delete(ctx context.Context, part []store.Info, began time.Time) (gone []store.Info, err error) {
	ctx, cancel := context.WithTimeout(ctx, removing)
	defer cancel()
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(publish.Connections)
	for _, in := range part {
		g.Go(func() error {
			if took := time.Now().Round(0).Sub(began); took > removing || took < 0 {
				return fmt.Errorf("%s: %w", p.desk.At(in.Name), context.DeadlineExceeded)
			}
			if err := p.desk.Remove(ctx, in.Name); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			gone = append(gone, in)
			return nil
		})
	}
	err = g.Wait()
	return gone, err
}

// done takes what was removed out of the ledger, and what was about to be.
func (p *pruner) done(ctx context.Context, id string, gone []store.Info) error {
	nothing := func(string) bool { return false }
	return p.desk.change(ctx, nothing, func(l *ledger) (bool, error) {
		if l.Going == nil || l.Going.ID != id {
			return false, nil // somebody took it for killed
		}
		l.Going = nil
		for _, in := range gone {
			delete(l.Unneeded, in.Name)
		}
		p.out.Waiting = len(l.Unneeded)
		return true, nil
	})
}
