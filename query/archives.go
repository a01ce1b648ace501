package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pakdb/codecs"
	"pakdb/internal/regular"
)

const (
	// maxArchives is how many archives stay open.
	maxArchives = 4
	// maxEntries bounds the entry lists that are kept, about 250 bytes an
	// entry. A larger archive is gone through for each content anew.
	maxEntries = 1 << 20
)

// archive is an opened archive, shared by the cache and by readers.
type archive struct {
	place
	codecs.Archive
	file    *os.File
	touched bool            // its time is not the one it was scanned with
	entries []*codecs.Entry // its own, by ordinal; nil: too many to keep, or indexed
	indexed codecs.Indexed  // finds its own; nil: the format does not
	own     int64           // how many these are
	refs    atomic.Int32
	nested  func() []*codecs.Entry // all entries, as entries has them, listed on first use
}

// release closes the archive with its last user.
func (a *archive) release() error {
	if a.refs.Add(-1) > 0 {
		return nil
	}
	return errors.Join(a.Archive.Close(), a.file.Close())
}

// archive returns the archive of a place, for the caller to release. One
// goroutine at a time opens an archive.
func (c *Contents) archive(ctx context.Context, p place) (*archive, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle == nil {
		c.idle = time.AfterFunc(mostIdle, func() { _ = c.letGo() }) // they were only read
	}
	c.idle.Reset(mostIdle)
	i := slices.IndexFunc(c.open, func(a *archive) bool { return a.id == p.id })
	if i >= 0 {
		a := c.open[i]
		c.open = append(slices.Delete(c.open, i, i+1), a) // the last is the one used last
		a.refs.Add(1)
		return a, nil
	}
	a, err := c.openArchive(ctx, p)
	if err != nil {
		return nil, err
	}
	c.open = append(c.open, a)
	c.evict()
	a.refs.Add(2) // the cache and the caller
	return a, nil
}

// letGo closes the archives that are open, but for those that someone reads.
func (c *Contents) letGo() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, a := range c.open {
		errs = append(errs, a.release())
	}
	c.open = nil
	return errors.Join(errs...)
}

// evict lets go of what was not used for longest, until the rest is within the
// bounds; the last one stays.
func (c *Contents) evict() {
	kept := 0
	for _, a := range c.open {
		kept += len(a.entries)
	}
	for len(c.open) > 1 && (len(c.open) > maxArchives || kept > maxEntries) {
		kept -= len(c.open[0].entries)
		_ = c.open[0].release() // it was only read
		c.open = c.open[1:]
	}
}

// openArchive opens the file of a place if it may be the one that was scanned.
func (c *Contents) openArchive(ctx context.Context, p place) (_ *archive, err error) {
	f, err := regular.Open(p.location)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoContent, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	src, err := codecs.FileSource(f)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	a := &archive{place: p, file: f, touched: st.ModTime().UnixNano() != p.mtime}
	if st.Size() != a.size {
		return nil, a.changed()
	}
	own, _, err := c.registry.Open(ctx, src, c.options)
	if err != nil {
		return nil, err
	}
	a.Archive = codecs.WrapNested(context.WithoutCancel(ctx), own, src.Name, c.registry, c.options)
	if a.indexed, _ = own.(codecs.Indexed); a.indexed == nil {
		a.entries = list(own)
	}
	a.own = int64(own.Info().EntryCount)
	a.nested = sync.OnceValue(func() []*codecs.Entry { return list(a.Archive) })
	return a, nil
}

func (a *archive) changed() error {
	return fmt.Errorf("%w: %s has changed since it was scanned", ErrNoContent, a.location)
}

// list returns the entries of an archive by ordinal, nil if they are too many
// or are not numbered from 0.
func list(a codecs.Archive) []*codecs.Entry {
	var all []*codecs.Entry
	for e := range a.Entries() {
		if e == nil {
			continue // of the table, whose error the scan has recorded
		}
		if len(all) == maxEntries || e.Ordinal < len(all) || e.Ordinal >= maxEntries {
			return nil
		}
		for len(all) < e.Ordinal {
			all = append(all, nil) // an entry that could not be read
		}
		all = append(all, e)
	}
	return all
}

func (a *archive) openEntry(ctx context.Context, ordinal int64) (io.ReadCloser, error) {
	e := a.entry(ordinal)
	if e == nil {
		return nil, fmt.Errorf("%w: %s has no entry %d", ErrNoContent, a.location, ordinal)
	}
	return a.Open(ctx, e)
}

func (a *archive) entry(ordinal int64) *codecs.Entry {
	if a.indexed != nil && ordinal >= 0 && ordinal < a.own {
		e, _ := a.indexed.At(int(ordinal)) // what is wrong with it the scan has recorded
		return e
	}
	entries := a.entries
	if (entries != nil || a.indexed != nil) && ordinal >= int64(len(entries)) {
		entries = a.nested()
	}
	if entries != nil {
		if ordinal < 0 || ordinal >= int64(len(entries)) {
			return nil
		}
		return entries[ordinal]
	}
	for e := range a.Entries() {
		if e != nil && int64(e.Ordinal) == ordinal {
			return e
		}
	}
	return nil
}
