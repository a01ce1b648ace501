package indexer

import (
	"context"
	"runtime"
	"time"

	"pakdb/schema"
)

// Target takes what a scan reads. [schema.Build] is one, which stores it. Its methods are
// called in stored order from one goroutine, but for Known, which any may call. An archive
// is mounted when it is complete.
type Target interface {
	// Known returns the archives that an earlier scan read the same way from a file of that
	// size, time and quick digest. They are mounted and not read again.
	Known(ctx context.Context, size, mtime int64, quick schema.Digest, scan string) ([]schema.Known, error)
	// Continue begins an archive and returns its id. before is the edition that it
	// continues, nil for none.
	Continue(a schema.Archive, before *schema.Edition) int64
	Add(archive int64, e *schema.Entry) error
	AddProblem(archive int64, p schema.Problem)
	AddName(archive int64, n schema.Name)
	// EndArchive completes an archive; digest is that of its file, nil if it is not known.
	EndArchive(archive int64, digest *schema.Digest)
	Mount(m schema.Mount)
}

// Read reads o.Paths into a target other than a catalog: o.Catalog is nil. It hands over
// the entries with what inspectors make of each content by itself, and nothing that
// follows from several contents together. The errors are those of [Run].
func Read(ctx context.Context, o Options, into Target) (*Report, error) {
	start := time.Now()
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	files, err := o.archives(ctx, o.Passed)
	if err != nil {
		return nil, err
	}
	s := newScan(o, into, files)
	if err = s.readAll(ctx, files); err == nil {
		err = s.open.failures.err()
	}
	if err != nil {
		return nil, err
	}
	s.report.Problems, s.report.Elapsed = s.progress.Problems.Load(), time.Since(start)
	return &s.report, nil
}
