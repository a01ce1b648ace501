package query

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pakdb/codecs"
	"pakdb/internal/objects"
	"pakdb/internal/regular"
	"pakdb/schema"
)

// ErrNoContent means that the catalog does not know a content, or that its
// bytes are out of reach: not in the object store, and every archive that held
// it is gone or has changed since it was scanned.
var ErrNoContent = errors.New("content is not at hand")

// Contents finds the bytes of contents by their BLAKE3: in the object store
// beside a catalog, or in an archive that still has the size it was scanned
// with. In one of another time, a copy or a changed file, a content is read
// twice: first to see whether it is the one. It has a connection of its own, so that SQL functions can
// use it while a statement runs. All methods are safe for concurrent use.
type Contents struct {
	registry *codecs.Registry
	options  *codecs.Options
	store    *objects.Store
	below    []string // folders of archives that may be read; none: all

	db *sql.DB

	mu    sync.Mutex
	asked *schema.Statements // compiled once: to compile them takes longer than to run them
	open  []*archive         // the last is the one used last
	idle  *time.Timer        // lets go of archives that nobody reads; nil: none was opened
}

// mostIdle is how long archives stay open that nobody reads.
const mostIdle = time.Minute

// NewContents returns the contents of a catalog. It opens nothing yet. store
// and options may be nil. The caller closes it.
func NewContents(catalog string, r *codecs.Registry, store *objects.Store, options *codecs.Options) *Contents {
	db := schema.ReadLater(catalog)
	return &Contents{registry: r, store: store, options: options, db: db, asked: schema.NewStatements(db)}
}

// Only has no archives read but those below these folders, all if there are none. It is
// called before anything is read.
func (c *Contents) Only(folders ...string) error {
	for _, f := range folders {
		real, err := regular.RealPath(f)
		if err != nil {
			return err
		}
		c.below = append(c.below, real)
	}
	return nil
}

// allowed reports whether the file of an archive may be read, wherever links to it lead.
func (c *Contents) allowed(location string) bool {
	if len(c.below) == 0 {
		return true
	}
	real, err := regular.RealPath(location)
	return err == nil && slices.ContainsFunc(c.below, func(folder string) bool { return regular.IsBelow(real, folder) })
}

// Open returns a content and its size. The reader verifies the BLAKE3 and
// returns objects.ErrDigest in place of io.EOF when it differs; the caller
// closes it. ErrNoContent means that the bytes are not at hand.
func (c *Contents) Open(ctx context.Context, d [32]byte) (io.ReadCloser, int64, error) {
	if c == nil {
		return nil, 0, fmt.Errorf("content %x: %w: this server shows none", d, ErrNoContent)
	}
	var id, size int64 = 0, -1
	err := c.each(ctx, knownSQL, []driver.Value{schema.ContentKey(d[:]), d[:]}, func(v []driver.Value) {
		id, _ = v[0].(int64)
		size, _ = v[1].(int64)
	})
	if err == nil && size < 0 {
		err = fmt.Errorf("%w: not in the catalog", ErrNoContent)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("content %x: %w", d, err)
	}
	if c.store != nil {
		r, err := c.store.Open(d)
		if !errors.Is(err, fs.ErrNotExist) {
			return r, size, err
		}
	}
	r, err := c.fromArchive(ctx, id, d)
	if err != nil {
		return nil, 0, fmt.Errorf("content %x: %w", d, err)
	}
	return objects.Verify(r, d), size, nil
}

// ErrTooLarge means that a content is larger than what was asked to be held in
// memory.
var ErrTooLarge = errors.New("content is too large")

// Bytes returns a whole content of at most limit bytes, verified.
func (c *Contents) Bytes(ctx context.Context, d [32]byte, limit int64) ([]byte, error) {
	r, size, err := c.Open(ctx, d)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	if size > limit {
		return nil, fmt.Errorf("content %x: %w: %d > %d bytes", d, ErrTooLarge, size, limit)
	}
	b := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead)) // the size is bounded, and the writer's own count
	n, err := b.ReadFrom(io.LimitReader(r, size+1))
	if err == nil && n != size {
		err = fmt.Errorf("%w: not %d bytes", objects.ErrDigest, size)
	}
	if err != nil {
		return nil, fmt.Errorf("content %x: %w", d, err)
	}
	return b.Bytes(), nil
}

// Close closes the catalog and the archives. Readers that are still open keep
// their archive until they are closed.
func (c *Contents) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle != nil {
		c.idle.Stop()
	}
	return errors.Join(c.letGo(0), c.asked.Close(), c.db.Close())
}

// holdersSQL has its limit in it: SQLite compiles a statement anew for every value of a
// limit that is bound, which took a quarter of a comparison of contents. That many archives
// are tried for one content.
const (
	knownSQL = `SELECT c.content_id, c.size FROM x_content_key k
		JOIN x_content c ON c.content_id = k.content_id WHERE k.key = ? AND c.hash = ?`
	holdersSQL = `SELECT a.archive_id, min(e.ordinal), a.size, a.mtime, ba.location
		FROM x_entry e JOIN x_archive a ON a.archive_id = e.archive_id
		JOIN x_build_archive ba ON ba.archive_id = a.archive_id
		WHERE e.content_id = ? GROUP BY a.archive_id, ba.location ORDER BY a.archive_id DESC LIMIT 64`
)

// each runs a query of the catalog.
func (c *Contents) each(ctx context.Context, query string, args []driver.Value, row func([]driver.Value)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked.EachRow(ctx, query, args, row)
}

// place is where an entry with a content lies.
type place struct {
	id, ordinal int64 // of the archive, in the archive
	size, mtime int64 // of the file when it was scanned
	location    string
}

// fromArchive opens a content in the first archive that can be read. An error
// other than that an archive is gone is returned only when no other has it.
func (c *Contents) fromArchive(ctx context.Context, content int64, d [32]byte) (io.ReadCloser, error) {
	var all []place
	err := c.each(ctx, holdersSQL, []driver.Value{content}, func(v []driver.Value) {
		var p place
		p.id, _ = v[0].(int64)
		p.ordinal, _ = v[1].(int64)
		p.size, _ = v[2].(int64)
		p.mtime, _ = v[3].(int64)
		p.location, _ = v[4].(string)
		all = append(all, p)
	})
	if err != nil {
		return nil, err
	}
	reason := fmt.Errorf("%w: no archive holds it", ErrNoContent)
	for _, p := range all {
		r, err := c.openPlace(ctx, p, d)
		if err == nil || ctx.Err() != nil {
			return r, err
		}
		reason = err
	}
	return nil, reason
}

func (c *Contents) openPlace(ctx context.Context, p place, d [32]byte) (io.ReadCloser, error) {
	if !c.allowed(p.location) {
		return nil, fmt.Errorf("%w: its archive may not be read", ErrNoContent)
	}
	a, e, err := c.entry(ctx, p)
	if err != nil {
		return nil, err
	}
	if a.touched {
		err = a.check(ctx, e, d)
	}
	var r io.ReadCloser
	if err == nil {
		r, err = a.Open(ctx, e)
	}
	if err != nil {
		return nil, errors.Join(err, a.release())
	}
	return entryReader{r, sync.OnceValue(func() error { return errors.Join(r.Close(), a.release()) })}, nil
}

// check reads an entry to see whether it still is the content d.
func (a *archive) check(ctx context.Context, e *codecs.Entry, d [32]byte) error {
	r, err := a.Open(ctx, e)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	if _, err := io.Copy(io.Discard, objects.Verify(r, d)); err != nil {
		return errors.Join(a.changed(), ctx.Err())
	}
	return nil
}

// entryReader keeps an archive open until its entry is closed.
type entryReader struct {
	io.Reader
	close func() error
}

func (r entryReader) Close() error { return r.close() }

const (
	// maxArchives is how many archives stay open.
	maxArchives = 4
	// maxEntries bounds the entry lists that are kept, about 250 bytes an
	// entry. A larger archive is gone through for each content beyond them anew.
	maxEntries = 1 << 20
)

// archive is an opened archive, shared by the cache and by readers.
type archive struct {
	place
	codecs.Archive
	own     codecs.Archive // without those within it
	file    *os.File
	touched bool            // its time is not the one it was scanned with
	entries []*codecs.Entry // by ordinal, as far as they were listed
	deep    bool            // they were listed with those of archives within
	refs    atomic.Int32
}

// release closes the archive with its last user.
func (a *archive) release() error {
	if a.refs.Add(-1) > 0 {
		return nil
	}
	return errors.Join(a.Archive.Close(), a.file.Close())
}

// entry returns the entry of a place and its archive, for the caller to release. One
// goroutine at a time opens an archive.
func (c *Contents) entry(ctx context.Context, p place) (*archive, *codecs.Entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle == nil {
		c.idle = time.AfterFunc(mostIdle, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			_ = c.letGo(0) // they were only read
		})
	}
	c.idle.Reset(mostIdle)
	if i := slices.IndexFunc(c.open, func(a *archive) bool { return a.id == p.id }); i >= 0 {
		a := c.open[i]
		c.open = append(slices.Delete(c.open, i, i+1), a)
	} else {
		a, err := c.openArchive(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		a.refs.Store(1) // until it is let go
		c.open = append(c.open, a)
	}
	a := c.open[len(c.open)-1]
	e := a.entry(int(p.ordinal))
	kept, most := 0, maxArchives
	for _, a := range c.open {
		kept += len(a.entries)
	}
	if kept > maxEntries {
		most = 1
	}
	_ = c.letGo(most)
	if e == nil {
		return nil, nil, fmt.Errorf("%w: %s has no entry %d", ErrNoContent, a.location, p.ordinal)
	}
	a.refs.Add(1)
	return a, e, nil
}

// letGo closes archives, those first that were not used for longest, until so many are left
// open. One that someone reads is closed after that.
func (c *Contents) letGo(most int) (err error) {
	for len(c.open) > most {
		err = errors.Join(err, c.open[0].release())
		c.open = c.open[1:]
	}
	return err
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
	if a.own, _, err = c.registry.Open(ctx, src, c.options); err != nil {
		return nil, err
	}
	a.Archive = codecs.WrapNested(context.WithoutCancel(ctx), a.own, src.Name, c.registry, c.options)
	return a, nil
}

func (a *archive) changed() error {
	return fmt.Errorf("%w: %s has changed since it was scanned", ErrNoContent, a.location)
}

// entry returns an entry, nil for none. Those of archives within are listed when one of them is
// asked for, because these are decoded for it.
func (a *archive) entry(ordinal int) *codecs.Entry {
	indexed, ok := a.own.(codecs.Indexed)
	if ok {
		if e, _ := indexed.At(ordinal); e != nil { // what is wrong with it the scan has recorded
			return e
		}
	} else if a.entries == nil {
		a.entries = list(a.own)
	}
	if ordinal >= len(a.entries) && !a.deep {
		a.entries, a.deep = list(a.Archive), true
	}
	if ordinal >= 0 && ordinal < len(a.entries) {
		return a.entries[ordinal]
	}
	for e := range a.Entries() {
		if e != nil && e.Ordinal == ordinal {
			return e
		}
	}
	return nil
}

// list returns entries of an archive by ordinal, as far as there is room.
func list(a codecs.Archive) (all []*codecs.Entry) {
	for e := range a.Entries() {
		if e == nil {
			continue // of the table, whose error the scan has recorded
		}
		if e.Ordinal < len(all) || e.Ordinal >= maxEntries {
			break
		}
		for len(all) < e.Ordinal {
			all = append(all, nil) // an entry that could not be read
		}
		all = append(all, e)
	}
	return all
}
