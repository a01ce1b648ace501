package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"pakdb/internal/search"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/write"
)

// Build collects the archives and entries of one build. Its methods must be
// called from one goroutine; SQL runs in another, one batch after. The build
// is invisible until [Build.Finish]; archives that were completed before a
// crash or [Build.Abandon] are found again by [Build.Known].
type Build struct {
	Search Search // what becomes of the search index when the build is finished

	c        *Catalog
	publish  write.Publication
	file     []byte // of the entry that was added last
	pipeline write.Pipeline
	batch    *write.Batch // what has been added and not yet sent

	nextArchive int64
	archives    map[int64]*write.Archive // started and not yet ended
	lineages    *write.Lineages
}

// Search says what becomes of the index by which texts and paths are found.
type Search int

// An index that is there is kept right; or one is made if there is none; or it is deleted.
const (
	SearchKept Search = iota
	SearchMade
	SearchDropped
)

// searchSteps do that.
var searchSteps = [...]func(context.Context, *sql.Tx) error{SearchKept: search.Update, SearchMade: search.Make, SearchDropped: search.Drop}

// Begin starts a build that was made at a time, to the second. What an interrupted run
// left unfinished is removed.
func (c *Catalog) Begin(ctx context.Context, label string, created time.Time) (*Build, error) {
	if label == "" {
		return nil, errors.New("a build needs a label")
	}
	b := &Build{c: c, publish: write.Publication{Label: label}, pipeline: write.Pipeline{On: c.writer, Label: label}, batch: &write.Batch{},
		archives: map[int64]*write.Archive{}}
	if err := c.writer.InTx(ctx, func(tx *sql.Tx) error { return b.begin(ctx, tx, created) }); err != nil {
		return nil, fmt.Errorf("begin build %q: %w", label, conn.Classify(err))
	}
	b.pipeline.Start(ctx)
	return b, nil
}

func (b *Build) begin(ctx context.Context, tx *sql.Tx, created time.Time) error {
	if err := write.AddMissingKeys(ctx, tx); err != nil {
		return err
	}
	if err := write.RemoveUnfinished(ctx, tx); err != nil {
		return err
	}
	res, err := tx.ExecContext(ctx, "INSERT INTO x_build (label, created_at) VALUES (?, ?)",
		b.publish.Label, created.UTC().Format(time.RFC3339))
	if err != nil {
		return err
	}
	if b.publish.ID, err = res.LastInsertId(); err != nil {
		return err
	}
	if b.nextArchive, err = conn.MaxID(ctx, tx, "x_archive", "archive_id"); err != nil {
		return err
	}
	b.publish.Before = b.nextArchive
	b.lineages = write.NewLineages(b.c.finder.DB, b.nextArchive)
	if b.publish.Sets, err = conn.MaxID(ctx, tx, "x_value_set", "set_id"); err != nil {
		return err
	}
	return b.pipeline.Prepare(ctx, b.c.finder, tx)
}

// SetNames sets the names of the build's archives, which must be known before the
// first of them: none of another name continues what had one of these names before.
func (b *Build) SetNames(names []string) { b.lineages.SetNames(names) }

// EditionBefore returns the edition that an archive continues, nil for none: the newest
// that had its name, or else one that has most of its entries. Of two files
// that were one before, the first that asks has it. It is to be called from one goroutine,
// which may be another than that of the other methods.
func (b *Build) EditionBefore(ctx context.Context, a *Archive) (*Edition, error) {
	return b.lineages.Previous(ctx, a)
}

// LoadEdition reads an edition, so that its Find can be used; ok is false where entries
// have to be read whatever it has.
func (b *Build) LoadEdition(ctx context.Context, before *Edition) (ok bool, err error) {
	return before.Load(ctx, b.c.finder.DB)
}

// Continue begins an archive that continues an edition, nil for none, and returns its id.
func (b *Build) Continue(a Archive, before *Edition) int64 {
	b.nextArchive++
	id := b.nextArchive
	b.archives[id] = &write.Archive{Archive: a, ID: id, Lineage: write.LineageOf(before, id), Totals: &write.Totals{}}
	return id
}

// Add stores an entry of a started archive.
func (b *Build) Add(archive int64, e *Entry) error {
	a := b.archives[archive]
	a.Entries++
	a.Bytes += e.Size
	a.Stored += e.Stored
	a.Totals.Add(e)
	b.batch.Add(archive, e)
	b.file = a.AppendFile(b.file[:0], e)
	b.publish.AddFile(b.file)
	b.publish.Summed = b.publish.Summed || (e.HasContent || e.Same.Row != 0) && e.Sum != nil
	if b.batch.Full() {
		return b.send()
	}
	return nil
}

// AddProblem stores a finding about a started archive.
func (b *Build) AddProblem(archive int64, p Problem) {
	a := b.archives[archive]
	b.batch.Problems = append(b.batch.Problems, write.Problem{Archive: archive, Seq: a.Problems, Problem: p})
	a.Problems++
}

// AddName stores a public name in a started archive.
func (b *Build) AddName(archive int64, n Name) {
	b.batch.Names = append(b.batch.Names, write.Name{Archive: archive, Name: n})
	b.batch.Weight++
}

// EndArchive completes an archive. digest may be nil.
func (b *Build) EndArchive(archive int64, digest *Digest) {
	a := b.archives[archive]
	a.Digest, a.Ended = digest, true
}

// Mount places a completed archive in the build, after those placed before.
func (b *Build) Mount(m Mount) { b.publish.Mounts = append(b.publish.Mounts, m) }

// take returns the batch with the state of every archive it concerns, and begins the
// next one.
func (b *Build) take() *write.Batch {
	full := b.batch
	for id, a := range b.archives {
		full.Archives = append(full.Archives, *a)
		if a.Ended {
			delete(b.archives, id)
		}
	}
	b.batch = b.pipeline.NewBatch(full)
	return full
}

func (b *Build) send() error { return b.pipeline.Send(b.take()) }

// flush writes what has been added so far, keys included, and waits for it. Until the next Add
// the caller may use the database.
func (b *Build) flush() error { return b.pipeline.Flush(b.take()) }

// Finish makes the build visible and replaces an older one of the same label,
// in one step. Archives that no build mounts any longer are removed. A build
// that mounts the very same archives as the older one leaves that as it is. It
// returns how many problems the view "problems" shows for the build. The build
// has ended then, whether or not there was an error.
func (b *Build) Finish(ctx context.Context) (problems int64, err error) {
	if err := b.pipeline.End(b.take()); err != nil {
		return 0, err
	}
	err = b.publish.FindShadows(ctx, b.c.finder.DB)
	if err == nil {
		err = b.c.writer.InTx(ctx, func(tx *sql.Tx) error {
			if err := b.publish.Publish(ctx, b.c.writer.Src, tx); err != nil {
				return err
			}
			return searchSteps[b.Search](ctx, tx)
		})
	}
	if err != nil {
		return 0, fmt.Errorf("finish build %q: %w", b.publish.Label, conn.Classify(err))
	}
	if err := b.c.inPlace(); err != nil {
		return 0, err
	}
	err = b.c.writer.DB.QueryRowContext(ctx, "SELECT problem_count FROM builds WHERE build = ?", b.publish.Label).Scan(&problems)
	return problems, err
}

// Abandon gives the build up. What was completed is kept, unseen, so that the
// next run need not scan it again. Its error is one that Add or Finish has
// returned already, if they had the chance. A build that has ended stays as it is.
func (b *Build) Abandon() error {
	if ended, err := b.pipeline.Ended(); ended {
		return err
	}
	return b.pipeline.End(b.take())
}
