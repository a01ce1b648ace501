package schema

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"pakdb/internal/rescue"
)

// A batch travels to the catalog when it is this heavy: an entry weighs 1, and so does a row
// of its facts. This one holds about 10 MB; three are on their way at a time.
const batchWeight = 16 << 10

// Build collects the archives and entries of one build. Its methods must be
// called from one goroutine; SQL runs in another, one batch behind. The build
// is invisible until [Build.Finish]; archives that were completed before a
// crash or [Build.Abandon] are found again by [Build.Known].
type Build struct {
	c     *Catalog
	label string
	id    int64

	writer *batchWriter
	batch  *batch
	queue  chan *batch // to be interned, then written
	done   chan struct{}
	err    error // of the goroutines; read after done, or through failed
	failed chan struct{}

	cancelled <-chan struct{} // the context of the build is done

	nextArchive int64
	before      int64 // the last archive that was there when the build began
	mounts      []Mount
	mounted     int               // how many of them are in the catalog
	totals      map[int64]*totals // archives started and not yet ended
	files       []halfHash        // of all entries that were added
	continued   map[int64]bool    // lineages that archives of this build continue
	notStarted  error             // of StartArchive
}

type totals struct {
	Archive
	digest                *Digest
	entries, size, stored int64
	problems              int64
	lineage
	ended bool
}

// Begin starts a build. What an interrupted run left unfinished is removed.
func (c *Catalog) Begin(ctx context.Context, label string) (*Build, error) {
	if label == "" {
		return nil, errors.New("a build needs a label")
	}
	b := &Build{c: c, label: label, batch: newBatch(nil), queue: make(chan *batch),
		done: make(chan struct{}), failed: make(chan struct{}), cancelled: ctx.Done(), totals: map[int64]*totals{}, continued: map[int64]bool{}}
	var in *interner
	err := c.inTx(ctx, func(tx *sql.Tx) error {
		if err := addMissingKeys(ctx, tx); err != nil {
			return err
		}
		if err := removeUnfinished(ctx, tx); err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, "INSERT INTO build (label, created_at) VALUES (?, ?)",
			label, time.Now().UTC().Format(time.RFC3339))
		if err != nil {
			return err
		}
		if b.id, err = res.LastInsertId(); err != nil {
			return err
		}
		if b.nextArchive, err = maxID(ctx, tx, "archive", "archive_id"); err != nil {
			return err
		}
		b.before = b.nextArchive
		if in, err = newInterner(ctx, c, tx); err != nil {
			return err
		}
		b.writer, err = newBatchWriter(ctx, c, tx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("begin build %q: %w", label, classify(err))
	}
	ready := make(chan *batch)
	ctx = b.withGrace(ctx)
	go b.intern(ctx, in, ready)
	go b.write(ctx, ready)
	return b, nil
}

// grace is how long a build that is cancelled may take to store what it has.
const grace = 2 * time.Second

// withGrace returns a context for the goroutines of the build that ends some
// time after ctx: what was completed by then is stored, but no statement that
// takes long keeps a process from ending.
func (b *Build) withGrace(ctx context.Context) context.Context {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-b.done:
		case <-time.After(grace):
		}
		cancel()
	})
	go func() {
		<-b.done
		stop()
		cancel()
	}()
	return late
}

// intern is the goroutine that hands out ids, a batch ahead of write.
func (b *Build) intern(ctx context.Context, in *interner, ready chan<- *batch) {
	defer close(ready)
	for batch := range b.queue {
		if in.full() {
			b.makeRoom(in, ready)
		}
		batch.err = rescue.Call(func() error { return in.intern(ctx, batch) })
		ready <- batch
	}
}

// makeRoom lets the interner forget, once the catalog has all that it would.
func (b *Build) makeRoom(in *interner, ready chan<- *batch) {
	written := make(chan struct{})
	ready <- &batch{written: written, interned: interned{keys: in.takeKeys()}}
	<-written
	in.forget()
}

// write is the goroutine that owns the database between Begin and stop.
func (b *Build) write(ctx context.Context, ready <-chan *batch) {
	defer close(b.done)
	for batch := range ready {
		if b.err == nil { // else drain, so that send never blocks
			last, err := b.writeGroup(ctx, batch, ready)
			if batch = last; err != nil {
				b.err = fmt.Errorf("write build %q: %w", b.label, classify(err))
				close(b.failed)
			}
		}
		if batch.written != nil {
			close(batch.written)
		}
	}
}

// maxGroup is how many batches a transaction may take. What comes in random order,
// ids of assets, changes most pages of its index with each batch; these go into
// the log once a transaction.
const maxGroup = 8

// writeGroup writes a batch, and those that wait behind it by the time it is
// written, in one transaction. It returns the last one that it took.
func (b *Build) writeGroup(ctx context.Context, batch *batch, ready <-chan *batch) (*batch, error) {
	err := b.c.inTx(ctx, func(tx *sql.Tx) error {
		t := &batchTx{batchWriter: b.writer, ctx: ctx, tx: tx}
		for n := 1; batch.err == nil; n++ {
			if err := rescue.Call(func() error { return t.write(batch) }); err != nil {
				return err
			}
			if n == maxGroup || batch.written != nil {
				break
			}
			next := b.waiting(ready)
			if next == nil {
				break
			}
			batch = next
		}
		return nil
	})
	return batch, cmp.Or(err, batch.err)
}

// waiting returns the batch that waits to be written, nil for none. When the build
// is cancelled none does: what is written is to be stored within the grace.
func (b *Build) waiting(ready <-chan *batch) *batch {
	select {
	case <-b.cancelled:
		return nil
	default:
	}
	select {
	case next := <-ready:
		return next
	default:
		return nil
	}
}

// Known is an archive that an earlier scan made.
type Known struct {
	Archive  int64
	ModTime  int64   // of the file that was scanned, Unix nanoseconds
	Digest   *Digest // of the whole file; nil when it was not computed
	Entries  int64
	Size     int64
	Stored   int64
	Problems int64
}

// Known returns the archives that were scanned the same way from files of that
// size and quick digest, the one of the same time first. Those of this build are
// not among them: whether one is in the catalog yet is a matter of chance. It
// may be called from several goroutines at once.
func (b *Build) Known(ctx context.Context, size, mtime int64, quick Digest, scan string) ([]Known, error) {
	rows, err := b.c.known.QueryContext(ctx, quick[:], size, scan, b.before, mtime)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var found []Known
	for rows.Next() {
		var k Known
		var digest []byte
		if err := rows.Scan(&k.Archive, &k.ModTime, &digest, &k.Entries, &k.Size, &k.Stored, &k.Problems); err != nil {
			return nil, err
		}
		if len(digest) == len(Digest{}) {
			d := Digest(digest)
			k.Digest = &d
		}
		found = append(found, k)
	}
	return found, rows.Err()
}

const knownSQL = `SELECT archive_id, mtime, digest, entry_count, entry_size, entry_stored, problem_count
FROM archive
WHERE quick = ? AND size = ? AND scan = ? AND archive_id <= ? AND complete = 1
ORDER BY mtime <> ?, archive_id`

// StartArchive begins an archive and returns its id.
func (b *Build) StartArchive(a Archive) int64 {
	b.nextArchive++
	l, err := lineageOf(b, b.nextArchive, &a)
	b.notStarted = cmp.Or(b.notStarted, err)
	b.totals[b.nextArchive] = &totals{Archive: a, lineage: l}
	return b.nextArchive
}

// Add stores an entry of a started archive.
func (b *Build) Add(archive int64, e *Entry) error {
	if b.notStarted != nil {
		return b.notStarted
	}
	t := b.totals[archive]
	t.entries++
	t.size += e.Size
	t.stored += e.Stored
	b.batch.entries = append(b.batch.entries, *e)
	row := &b.batch.entries[len(b.batch.entries)-1]
	row.archive = archive
	row.path = hashOf(e.Name)
	if e.File != "" {
		row.file, row.hasFile, row.File = hashOf(e.File), true, ""
		b.files = append(b.files, row.file)
	}
	row.placed, row.print = row.Offset, row.makePrint()
	b.batch.weight++
	if e.Facts != nil {
		b.batch.weight += e.Facts.rows()
	}
	if b.batch.weight >= batchWeight {
		return b.send()
	}
	return nil
}

// AddProblem stores a finding about a started archive.
func (b *Build) AddProblem(archive int64, p Problem) {
	t := b.totals[archive]
	b.batch.problems = append(b.batch.problems, problemRow{archive, t.problems, p})
	t.problems++
}

// AddName stores a public name in a started archive.
func (b *Build) AddName(archive int64, n Name) {
	b.batch.names = append(b.batch.names, nameRow{archive, n})
	b.batch.weight++
}

// EndArchive completes an archive. digest may be nil.
func (b *Build) EndArchive(archive int64, digest *Digest) {
	t := b.totals[archive]
	t.digest, t.ended = digest, true
}

// Mount places a completed archive in the build, after those placed before.
func (b *Build) Mount(m Mount) { b.mounts = append(b.mounts, m) }

// send hands the batch over, with the state of every archive it concerns.
func (b *Build) send() error {
	if b.queue == nil {
		return cmp.Or(b.err, errEnded)
	}
	for id, t := range b.totals {
		b.batch.archives = append(b.batch.archives, archiveRow{id, *t})
		if t.ended {
			delete(b.totals, id)
		}
	}
	next := newBatch(b.batch) // before the batch is another goroutine's
	select {
	case b.queue <- b.batch:
		b.batch = next
		return nil
	case <-b.failed:
		return b.err
	}
}

// flush writes what has been added so far, keys included, and waits for it. Until the next Add
// the caller may use the database.
func (b *Build) flush() error {
	written := make(chan struct{})
	b.batch.written, b.batch.keyed = written, true
	if err := b.send(); err != nil {
		return err
	}
	<-written
	select {
	case <-b.failed:
		return b.err
	default:
		return nil
	}
}

var errEnded = errors.New("the build has ended")

// end sends what is left, ends the writing goroutine and returns its error.
func (b *Build) end() error {
	b.batch.keyed = true
	err := b.send()
	if b.queue != nil {
		close(b.queue)
		b.queue = nil
		<-b.done
	}
	return cmp.Or(b.err, err)
}

// Finish makes the build visible and replaces an older one of the same label,
// in one step. Archives that no build mounts any longer are removed. A build
// that mounts the very same archives as the older one leaves that as it is. It
// returns how many problems the view "problems" shows for the build. The build
// has ended then, whether or not there was an error.
func (b *Build) Finish(ctx context.Context) (problems int64, err error) {
	if err := b.end(); err != nil {
		return 0, err
	}
	if err := b.c.inTx(ctx, b.publish(ctx)); err != nil {
		return 0, fmt.Errorf("finish build %q: %w", b.label, classify(err))
	}
	if err := b.c.inPlace(); err != nil {
		return 0, err
	}
	err = b.c.db.QueryRowContext(ctx, "SELECT problem_count FROM builds WHERE build = ?", b.label).Scan(&problems)
	return problems, err
}

func (b *Build) publish(ctx context.Context) func(*sql.Tx) error {
	return func(tx *sql.Tx) error {
		if err := b.insertMounts(ctx, tx); err != nil {
			return err
		}
		same, err := mountsTheSame(ctx, tx, b.id, b.label)
		if err != nil {
			return err
		}
		if same {
			return removeBuild(ctx, tx, b.id)
		}
		return b.replace(ctx, tx)
	}
}

// replace makes the build visible in place of the one that had its label.
func (b *Build) replace(ctx context.Context, tx *sql.Tx) error {
	if err := removeReplaced(ctx, tx, b.label); err != nil {
		return err
	}
	if err := b.insertShadows(ctx, tx); err != nil {
		return err
	}
	if err := b.insertSymbols(ctx, tx); err != nil {
		return err
	}
	if err := execAll(ctx, tx, links, problemCounts); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE build SET complete = 1 WHERE build_id = ?", b.id); err != nil {
		return err
	}
	return removeUnmounted(ctx, tx)
}

// insertSymbols says what names and ids stand for in the build. To a build that
// was only listed it is of no use.
func (b *Build) insertSymbols(ctx context.Context, tx *sql.Tx) error {
	scripts := []string{chunkNames}
	refers, err := hasReferences(ctx, tx, b.id)
	if err != nil {
		return err
	}
	if refers {
		scripts = append(scripts, symbols, namedSymbols)
	}
	for _, script := range scripts {
		if _, err := tx.ExecContext(ctx, script, b.id); err != nil {
			return err
		}
	}
	return nil
}

func (b *Build) insertMounts(ctx context.Context, tx *sql.Tx) error {
	stmt, err := tx.PrepareContext(ctx, `INSERT INTO build_archive
		(build_id, ordinal, archive_id, name, location, mount_order, place, last_wins, stem)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''))`)
	if err != nil {
		return err
	}
	defer func() { _ = stmt.Close() }()
	for ; b.mounted < len(b.mounts); b.mounted++ {
		m := b.mounts[b.mounted]
		if _, err := stmt.ExecContext(ctx, b.id, b.mounted, m.Archive, m.Name, m.Location, m.Order,
			m.Place, flag(m.LastWins), m.Stem); err != nil {
			return err
		}
	}
	return nil
}

// Abandon gives the build up. What was completed is kept, unseen, so that the
// next run need not scan it again. Its error is one that Add or Finish has
// returned already, if they had the chance. A build that has ended stays as it is.
func (b *Build) Abandon() error {
	if b.queue == nil {
		return b.err
	}
	return b.end()
}
