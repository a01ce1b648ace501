package query

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"pakdb/codecs"
	"pakdb/internal/objects"
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
	catalog  string
	registry *codecs.Registry
	options  *codecs.Options
	store    *objects.Store
	below    []string // folders of archives that may be read; none: all

	mu    sync.Mutex
	db    *sql.DB            // opened when first needed
	asked *schema.Statements // compiled once: to compile them takes longer than to run them
	open  []*archive
	idle  *time.Timer // lets go of archives that nobody reads; nil: none was opened
}

// mostIdle is how long archives stay open that nobody reads.
const mostIdle = time.Minute

// NewContents returns the contents of a catalog. It opens nothing yet. store
// and options may be nil. The caller closes it.
func NewContents(catalog string, r *codecs.Registry, store *objects.Store, options *codecs.Options) *Contents {
	return &Contents{catalog: catalog, registry: r, store: store, options: options}
}

// Only has no archives read but those below these folders, all if there are none. It is
// called before anything is read.
func (c *Contents) Only(folders ...string) error {
	for _, f := range folders {
		real, err := filepath.Abs(f)
		if err == nil {
			real, err = filepath.EvalSymlinks(real)
		}
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
	real, err := filepath.EvalSymlinks(location)
	return err == nil && slices.ContainsFunc(c.below, func(folder string) bool {
		below, err := filepath.Rel(folder, real)
		return err == nil && filepath.IsLocal(below)
	})
}

// Open returns a content and its size. The reader verifies the BLAKE3 and
// returns objects.ErrDigest in place of io.EOF when it differs; the caller
// closes it. ErrNoContent means that the bytes are not at hand.
func (c *Contents) Open(ctx context.Context, d [32]byte) (io.ReadCloser, int64, error) {
	if c == nil {
		return nil, 0, fmt.Errorf("content %x: %w: this server shows none", d, ErrNoContent)
	}
	id, size, err := c.find(ctx, d)
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
	b := make([]byte, size) // the size is bounded, and the writer's own count
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, fmt.Errorf("content %x: %w", d, err)
	}
	var more [1]byte
	switch n, err := io.ReadFull(r, more[:]); {
	case n > 0:
		return nil, fmt.Errorf("content %x: %w: more than %d bytes", d, objects.ErrDigest, size)
	case err != io.EOF:
		return nil, err
	}
	return b, nil
}

// Close closes the catalog and the archives. Readers that are still open keep
// their archive until they are closed.
func (c *Contents) Close() error {
	errs := []error{c.letGo()}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle != nil {
		c.idle.Stop()
	}
	if c.db != nil {
		errs = append(errs, c.asked.Close(), c.db.Close())
		c.db = nil
	}
	return errors.Join(errs...)
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

// each runs a query of the catalog, which is opened by the first.
func (c *Contents) each(ctx context.Context, query string, args []driver.Value, row func([]driver.Value)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.db == nil {
		db, err := schema.OpenReadOnly(context.WithoutCancel(ctx), c.catalog)
		if err != nil {
			return catalogError(err)
		}
		c.db, c.asked = db, schema.NewStatements(db)
	}
	return c.asked.EachRow(ctx, query, args, row)
}

// find looks a content up by its key, the first eight bytes of its hash.
func (c *Contents) find(ctx context.Context, d [32]byte) (id, size int64, err error) {
	known := false
	err = c.each(ctx, knownSQL, []driver.Value{schema.ContentKey(d[:]), d[:]}, func(v []driver.Value) {
		known = true
		id, _ = v[0].(int64)
		size, _ = v[1].(int64)
	})
	if err == nil && !known {
		err = fmt.Errorf("%w: not in the catalog", ErrNoContent)
	}
	return id, size, err
}

// place is where an entry with a content lies.
type place struct {
	id, ordinal int64 // of the archive, in the archive
	size, mtime int64 // of the file when it was scanned
	location    string
}

func (c *Contents) places(ctx context.Context, content int64) (all []place, err error) {
	return all, c.each(ctx, holdersSQL, []driver.Value{content}, func(v []driver.Value) {
		var p place
		p.id, _ = v[0].(int64)
		p.ordinal, _ = v[1].(int64)
		p.size, _ = v[2].(int64)
		p.mtime, _ = v[3].(int64)
		p.location, _ = v[4].(string)
		all = append(all, p)
	})
}

// fromArchive opens a content in the first archive that can be read. An error
// other than that an archive is gone is returned only when no other has it.
func (c *Contents) fromArchive(ctx context.Context, content int64, d [32]byte) (io.ReadCloser, error) {
	all, err := c.places(ctx, content)
	if err != nil {
		return nil, err
	}
	reason := fmt.Errorf("%w: no archive holds it", ErrNoContent)
	for _, p := range all {
		if !c.allowed(p.location) {
			reason = fmt.Errorf("%w: its archive may not be read", ErrNoContent)
			continue
		}
		r, err := c.openPlace(ctx, p, d)
		if err == nil || ctx.Err() != nil {
			return r, err
		}
		reason = err
	}
	return nil, reason
}

func (c *Contents) openPlace(ctx context.Context, p place, d [32]byte) (io.ReadCloser, error) {
	a, err := c.archive(ctx, p)
	if err != nil {
		return nil, err
	}
	if a.touched {
		err = a.check(ctx, p.ordinal, d)
	}
	var r io.ReadCloser
	if err == nil {
		r, err = a.openEntry(ctx, p.ordinal)
	}
	if err != nil {
		return nil, errors.Join(err, a.release())
	}
	return &entryReader{ReadCloser: r, archive: a}, nil
}

// check reads an entry to see whether it still is the content d.
func (a *archive) check(ctx context.Context, ordinal int64, d [32]byte) error {
	r, err := a.openEntry(ctx, ordinal)
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
	io.ReadCloser
	archive *archive
	once    sync.Once
}

func (h *entryReader) Close() error {
	err := h.ReadCloser.Close()
	h.once.Do(func() { err = errors.Join(err, h.archive.release()) })
	return err
}
