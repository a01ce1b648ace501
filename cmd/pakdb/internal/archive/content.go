package archive

import (
	"context"
	"io"
	"iter"
	"path/filepath"
	"runtime"
	"time"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/indexer"
	"pakdb/internal/process"
	"pakdb/internal/safename"
)

// openContent opens the decoded content of an entry, or its stored bytes.
func openContent(ctx context.Context, ar *operand.Archive, e *codecs.Entry, raw bool) (io.ReadCloser, error) {
	if !raw {
		return ar.Open(ctx, e)
	}
	r, err := ar.OpenRaw(e)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(r), nil
}

// job is an entry on its way through the workers.
type job struct {
	entry *codecs.Entry // nil when the table itself broke
	out   string        // where it is extracted to
	err   error         // what is wrong with it
	none  bool          // it has nothing of what is wanted
}

// batch is a group of neighbouring entries: handing over each small one by
// itself would cost more than reading it.
type batch struct {
	jobs  []*job
	bytes int64
	err   error // ends the command
}

const (
	batchJobs  = 64
	batchBytes = 1 << 20
)

func (b *batch) full() bool { return len(b.jobs) >= batchJobs || b.bytes >= batchBytes }

// batches groups the jobs.
func batches(jobs iter.Seq[*job]) iter.Seq2[*batch, error] {
	return func(yield func(*batch, error) bool) {
		b := &batch{}
		for j := range jobs {
			b.jobs = append(b.jobs, j)
			if j.entry != nil {
				b.bytes += j.entry.Size
			}
			if !b.full() {
				continue
			}
			if !yield(b, nil) {
				return
			}
			b = &batch{}
		}
		yield(b, nil)
	}
}

// eachContent reads the jobs in parallel and finishes them in order. read
// returns what is wrong with a content in job.err, and as its own error what
// ends the command.
func eachContent(ctx context.Context, jobs iter.Seq[*job], p *indexer.Progress,
	read func(context.Context, *job) error, finish func(*job) error) error {
	workers := runtime.GOMAXPROCS(0)
	return process.InOrder(ctx, batches(jobs), workers, 8*workers,
		func(ctx context.Context, b *batch) { b.err = b.read(ctx, p, read) },
		func(b *batch) error {
			if b.err != nil {
				return b.err
			}
			for _, j := range b.jobs {
				if j.err != nil {
					p.Problems.Add(1)
				}
				if err := finish(j); err != nil {
					return err
				}
			}
			return nil
		}, func(*batch) {})
}

func (b *batch) read(ctx context.Context, p *indexer.Progress, read func(context.Context, *job) error) error {
	for _, j := range b.jobs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if j.entry == nil || j.err != nil || j.entry.Flags&codecs.Deleted != 0 {
			continue
		}
		if err := read(ctx, j); err != nil {
			return err
		}
		p.Entries.Add(1)
		p.BytesDone.Add(j.entry.Stored)
	}
	return ctx.Err()
}

// newProgress counts the work on the chosen entries of one archive. Adding up
// what there is to do takes a pass over the table, so only a visible bar
// pays for it.
func newProgress(a *cli.App, ar *operand.Archive, takes func(*codecs.Entry) bool) *indexer.Progress {
	p := &indexer.Progress{}
	p.Files.Store(1)
	if !a.ShowsProgress() {
		return p
	}
	for e, err := range ar.Entries() {
		if e != nil && err == nil && e.Flags&codecs.Deleted == 0 && takes(e) {
			p.Bytes.Add(e.Stored)
		}
	}
	return p
}

// toFile writes a file that appears when it is complete.
func toFile(ctx context.Context, name string, mod time.Time, write func(io.Writer) error) error {
	dir, err := safename.OpenDir(ctx, filepath.Dir(name), true)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	out, err := dir.Create(filepath.Base(name))
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	if err := write(out); err != nil {
		return err
	}
	return out.Commit(mod)
}
