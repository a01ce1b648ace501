package indexer

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"pakdb/codecs"
	"pakdb/internal/process"
	"pakdb/schema"
)

// Checking says how [Check] reads an archive.
type Checking struct {
	Registry *codecs.Registry
	Format   *codecs.Format // of the archive
	Path     string         // of its file
	Workers  int            // 0: one for each processor
	Progress *Progress      // not nil
	// Entry is called with each entry, in stored order.
	Entry func(*codecs.Entry)
	// Found is called with everything that a scan would store as a problem, in stored order; the
	// entry is nil for the archive as a whole. Its error ends the check.
	Found func(*codecs.Entry, error) error
}

// Check reads all entries of an opened archive as [Run] does, without a catalog: tables,
// contents, and what inspectors and readers of values make of them, but for values of packages
// whose exports are in another file. Its error is that of ctx, of Found, or a failure of the
// machine, which says nothing about the archive.
func Check(ctx context.Context, a codecs.Archive, c *Checking) error {
	o := &opened{file: file{path: c.Path, name: filepath.Base(c.Path)}, format: c.Format, archive: a, mountPoint: a.Info().MountPoint}
	o.src.Name = o.name
	o.headers = sync.OnceValue(o.findHeaders)
	open := &opener{options: &Options{Registry: c.Registry}, failures: &failures{}}
	w := &worker{options: open.options, checks: true, progress: c.Progress, dictionaries: &dictionaries{open: open}, ahead: &ahead{open: open, searches: map[string]*search{}}}
	workers := c.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return process.InOrder(ctx, chunksOf(ctx, o), workers, 16*workers, w.work, func(k *chunk) error {
		if err := errors.Join(k.err, open.failures.err()); err != nil {
			return err
		}
		for _, it := range k.items {
			if it.entry != nil {
				c.Entry(it.entry)
			}
		}
		return k.eachProblem(c.Found)
	}, func(*chunk) {})
}

// chunksOf yields the entries of an archive in chunks.
func chunksOf(ctx context.Context, o *opened) iter.Seq2[*chunk, error] {
	return func(yield func(*chunk, error) bool) {
		var near neighbours
		k := &chunk{from: o}
		for e, err := range o.archive.Entries() {
			if ctx.Err() != nil {
				yield(k, ctx.Err())
				return
			}
			k.add(e, err)
			k.items[len(k.items)-1].header = near.header(e)
			if k.full() {
				if !yield(k, nil) {
					return
				}
				k = &chunk{from: o, seq: k.seq + 1}
			}
		}
		k.last = true
		yield(k, nil)
	}
}

// eachProblem calls found with what was found of the archive, and of contents.
func (c *chunk) eachProblem(found func(*codecs.Entry, error) error) error {
	for _, f := range c.problems {
		if err := found(f.entry, c.named(f)); err != nil {
			return err
		}
	}
	for i := range c.rows {
		row := &c.rows[i]
		if row.Facts == nil {
			continue
		}
		e := c.entry(row.Ordinal)
		for _, p := range row.Facts.Problems {
			if err := found(e, contentError(c.from, e, row.Facts, p)); err != nil {
				return err
			}
		}
	}
	return nil
}

// named returns an error of a finding that names the file and the entry.
func (c *chunk) named(f finding) error {
	fe, ok := f.err.(*codecs.FormatError)
	if !ok || fe.File != "" || f.entry == nil {
		return f.err
	}
	named := *fe
	named.File, named.Entry = c.from.src.Name, f.entry.Name
	return &named
}

func (c *chunk) entry(ordinal int64) *codecs.Entry {
	for _, it := range c.items {
		if it.entry != nil && int64(it.entry.Ordinal) == ordinal {
			return it.entry
		}
	}
	return nil
}

// contentError is a problem of a content as an error of the archive.
func contentError(o *opened, e *codecs.Entry, facts *schema.Facts, p schema.Problem) error {
	inspector, _, _ := strings.Cut(facts.Inspector, "/")
	return &codecs.FormatError{Format: inspector, File: o.src.Name, Entry: e.Name, Field: p.Field, Off: p.Offset, Err: errors.New(p.Cause)}
}
