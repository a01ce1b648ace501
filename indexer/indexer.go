package indexer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"pakdb/codecs"
	"pakdb/internal/objects"
	"pakdb/internal/process"
	"pakdb/internal/regular"
	"pakdb/schema"
)

// scan is one run: it cuts files into chunks, has a worker make rows of them, and
// collects these.
type scan struct {
	o        Options
	into     Target
	build    *schema.Build // into, if that is one; nil: what is read is kept nowhere
	progress *Progress
	report   Report
	mounts   []mounted

	open         *opener
	tables       func() map[string]string // see tableFiles
	handles      chan struct{}            // a place for each open file; taken in order, so that the first file always has one
	ahead        *ahead
	inspected    *inspected
	dictionaries *dictionaries

	chunks  int64   // made so far
	cutting *opened // whose entries are being listed; closed at the end if the scan breaks off
}

// newScan returns a scan of files into a target.
func newScan(o Options, into Target, files []file) *scan {
	build, _ := into.(*schema.Build)
	s := &scan{o: o, into: into, build: build, progress: o.Progress, report: Report{Build: o.Label}, inspected: &inspected{}}
	if s.progress == nil {
		s.progress = &Progress{}
	}
	s.open = &opener{options: &s.o, into: into, build: build, failures: &failures{}, rescan: o.Force || o.Store != nil}
	s.ahead = &ahead{open: s.open, files: files, searches: map[string]*search{}}
	s.dictionaries = &dictionaries{open: s.open, files: files}
	s.tables = sync.OnceValue(func() map[string]string { return tableFiles(files) })
	return s
}

// Run scans o.Paths into one build and makes it visible. An error means that no
// build was made; what was scanned by then is kept for the next run. A report
// with problems is a success.
func Run(ctx context.Context, o Options) (*Report, error) {
	start := time.Now()
	if o.Label == "" {
		o.Label = DefaultLabel(o.Paths)
	}
	if o.NoValues && o.Registry.Values != nil {
		without := *o.Registry
		without.Values = nil
		o.Registry = &without
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	files, err := o.archives(ctx, o.Passed)
	if err != nil {
		return nil, err
	}
	if o.Created.IsZero() {
		o.Created = start
	}
	build, err := o.Catalog.Begin(ctx, o.Label, o.Created)
	if err != nil {
		return nil, err
	}
	build.Search = o.Search
	s := newScan(o, build, files)
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.name
	}
	build.SetNames(names)
	if err = s.readAll(ctx, files); err == nil {
		err = (&searcher{s.open, s.report.Reused == s.report.Archives}).all(ctx)
	}
	if err == nil {
		err = s.dictionaries.resolveAll(ctx)
	}
	if err == nil {
		err = s.readAgain(ctx)
	}
	if err == nil {
		err = s.open.failures.err()
	}
	if err != nil {
		if lost := build.Abandon(); lost != nil && !errors.Is(err, lost) {
			err = errors.Join(err, lost)
		}
		return nil, err
	}
	s.progress.Publishing.Store(true)
	if s.report.Problems, err = build.Finish(ctx); err != nil {
		return nil, err
	}
	if r := &s.report.Opaque; o.Registry.Values != nil {
		if r.Unread, err = o.Catalog.Unread(ctx, o.Label); err != nil {
			return nil, err
		}
	}
	s.report.Elapsed = time.Since(start)
	return &s.report, nil
}

// readAll reads all files into the target, and mounts their archives.
func (s *scan) readAll(ctx context.Context, files []file) error {
	for _, f := range files {
		s.progress.Files.Add(1)
		s.progress.Bytes.Add(f.size)
	}
	err := process.RescueCall(func() error { return s.run(ctx, files) })
	s.inspected.endKeep()
	if err == nil {
		s.mountAll()
	}
	return err
}

// archives lists the files to scan, without those that hold contents of an
// archive beside them.
func (o *Options) archives(ctx context.Context, passed func(error)) ([]file, error) {
	files, err := walk(ctx, o.Paths, o.own(), passed)
	if err != nil {
		return nil, err
	}
	whole := slices.DeleteFunc(slices.Clone(files), func(f file) bool {
		return o.Registry.IsPart(filepath.Base(f.path), regular.FS(filepath.Dir(f.path)))
	})
	if len(whole) == 0 {
		return nil, fmt.Errorf("%w in %s but parts of archives, which lie beside them", ErrNoFiles, strings.Join(o.Paths, ", "))
	}
	return whole, nil
}

// own returns a function that recognises the files of the catalog, and the folder of its
// objects, whatever path or link leads to them.
func (o *Options) own() func(fs.FileInfo) bool {
	if o.Catalog == nil {
		return nil
	}
	path := o.Catalog.Path()
	paths := []string{path, path + "-wal", path + "-shm", path + "-journal", path + ".creating", path + ".creating-journal", path + ".lock", objects.For(path).Dir()}
	if o.Store != nil {
		paths = append(paths, o.Store.Dir())
	}
	var own []fs.FileInfo
	for _, p := range paths {
		if st, err := os.Stat(p); err == nil {
			own = append(own, st)
		}
	}
	return func(st fs.FileInfo) bool {
		return slices.ContainsFunc(own, func(o fs.FileInfo) bool { return os.SameFile(o, st) })
	}
}

// filesAhead is how many files are opened before their turn. Each has the tables of an
// archive.
const filesAhead = 8

// How many handles a file takes: an archive may have a file of contents beside it. The
// catalog, the runtime and the streams have the others.
const (
	handlesOfFile  = 2
	handlesOfOther = 20
)

func (s *scan) run(ctx context.Context, files []file) error {
	// More chunks in flight than workers, so that one slow entry does not
	// leave the others idle; each holds rows only, contents are gone by then.
	ahead := 16 * s.o.Workers
	s.handles = make(chan struct{}, max(2, min(filesAhead+ahead, (process.Handles()-handlesOfOther)/handlesOfFile)))
	w := s.worker()
	err := process.InOrder(ctx, s.cutAll(ctx, files), s.o.Workers, ahead, w.work, s.collect,
		func(c *chunk) {
			if c.last {
				c.from.close()
			}
		})
	if s.cutting != nil {
		s.cutting.close()
	}
	return err
}

func (s *scan) worker() *worker {
	return &worker{&s.o, s.progress, s.inspected, s.dictionaries, s.ahead, false}
}

// openAhead detects and opens a file before its turn, unless the catalog knows it.
// What goes wrong is kept in err: it is a finding about the file, not the end of
// the scan, unless the machine failed.
func (s *scan) openAhead(ctx context.Context, file file) *opened {
	o := &opened{file: file, handle: s.handles, tables: s.tables, digest: make(chan digestResult, 1)}
	defer process.Rescue(&o.err) // it runs ahead, in a goroutine of its own
	if o.err = s.open.openFile(ctx, o); o.err == nil && o.known == nil {
		if s.build != nil {
			s.ahead.list(ctx, o.format)
		}
		o.archive, o.err = s.open.openArchive(ctx, o)
	}
	if o.archive != nil {
		o.headers = sync.OnceValue(o.findHeaders)
		o.mountPoint = o.archive.Info().MountPoint
		o.err = s.open.loadSums(ctx, o)
		s.open.lookInside(ctx, o)
	}
	return o
}

// cutAll yields the work in order: entries in groups, and a last chunk that
// completes each file.
func (s *scan) cutAll(ctx context.Context, files []file) iter.Seq2[*chunk, error] {
	return func(yield func(*chunk, error) bool) {
		drop := func(o *opened) { o.close() }
		for o := range prefetch(ctx, files, filesAhead, s.handles, s.openAhead, drop) {
			if !s.cut(ctx, o, yield) {
				return
			}
		}
	}
}

// cut divides an archive's entries into chunks of bounded cost.
func (s *scan) cut(ctx context.Context, o *opened, yield func(*chunk, error) bool) bool {
	s.cutting = o
	c := s.newChunk(o)
	if err := s.findBefore(ctx, o); err != nil {
		return yield(c, err)
	}
	var near neighbours
	if o.archive != nil {
		for e, err := range o.archive.Entries() {
			if ctx.Err() != nil {
				return yield(c, ctx.Err()) // never a last chunk: the archive is not complete
			}
			header := near.header(e)
			c.add(e, err)
			c.items[len(c.items)-1].header = header
			if !c.full() {
				continue
			}
			if !yield(c, nil) {
				return false
			}
			c = s.newChunk(o)
			c.items = make([]item, 0, chunkItems)
		}
	}
	c.last = true
	s.cutting = nil // the last chunk closes it
	return yield(c, nil)
}

// findBefore finds the edition that a file continues, and whether its entries need to be read.
// It is called in the order of files.
func (s *scan) findBefore(ctx context.Context, o *opened) error {
	if o.known != nil || s.build == nil {
		return nil
	}
	archive := archiveOf(o, s.o.Force)
	if o.archive != nil && !o.format.NamedByFile {
		archive.Sample = o.sample
	}
	var err error
	o.before.edition, err = s.build.EditionBefore(ctx, &archive)
	if err != nil || o.before.edition == nil || o.archive == nil || o.skim || s.o.Store != nil {
		return err
	}
	sums, ok := codecs.ArchiveAs[codecs.SumChecker](o.archive)
	if !ok {
		return nil
	}
	if ok, err = s.build.LoadEdition(ctx, o.before.edition); ok {
		o.before.sums = sums
	}
	return err
}

func (s *scan) newChunk(o *opened) *chunk {
	s.chunks++
	return &chunk{from: o, seq: s.chunks}
}

// prefetch yields fn of every item, in order, with up to ahead calls running in
// goroutines before their results are asked for. Each item first gets a place in places,
// in order as well, which the consumer of the result takes out. When the consumer stops
// early, drop is called for each result it did not see.
func prefetch[T, R any](ctx context.Context, items []T, ahead int, places chan struct{}, fn func(context.Context, T) R, drop func(R)) iter.Seq[R] {
	return func(yield func(R) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		slots := make(chan chan R, ahead)
		go func() {
			defer close(slots)
			for _, item := range items {
				select {
				case places <- struct{}{}:
				case <-ctx.Done():
					return
				}
				slot := make(chan R, 1)
				select {
				case slots <- slot:
				case <-ctx.Done():
					return
				}
				go func() { slot <- fn(ctx, item) }()
			}
		}()
		stopped := false
		for slot := range slots {
			r := <-slot
			if !stopped && yield(r) {
				continue
			}
			if stopped {
				drop(r)
			}
			stopped = true
			stop()
		}
	}
}

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
	// Add takes an entry of a started archive. None but a [schema.Build] keeps e.
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
