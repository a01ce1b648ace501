package indexer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/internal/atomicfile"
	"pakdb/internal/sketch"
	"pakdb/schema"
)

// worker turns entries into rows; several goroutines share one.
type worker struct {
	options      *Options
	progress     *Progress
	inspected    *inspected // nil: every content is wanted
	dictionaries *dictionaries
	ahead        *ahead
	checks       bool // problems of values are those of contents: there is no catalog that joins both
}

// work decodes, hashes and inspects the entries of a chunk.
func (w *worker) work(ctx context.Context, c *chunk) {
	o := c.from
	defer func() {
		for _, f := range c.problems {
			_ = w.ahead.open.failures.note(f.err)
		}
	}()
	if o.known != nil {
		w.progress.BytesDone.Add(o.size)
		return
	}
	if w.ahead.open.build != nil && o.f != nil && !isLoose(o) && !o.skim {
		o.startDigest(ctx)
	}
	if !o.skim {
		defer o.windows.hold(c.items)()
	}
	c.rows = slices.Grow(*rowLists.Get().(*[]schema.Entry), len(c.items))
	for _, it := range c.items {
		if c.err = ctx.Err(); c.err != nil {
			return
		}
		if w.workItem(ctx, c, it); c.err != nil {
			return
		}
	}
	if c.last {
		w.complete(ctx, c)
	}
}

// rowLists are empty lists for the rows of chunks, of which targets other than a catalog
// keep none.
var rowLists = sync.Pool{New: func() any { return new([]schema.Entry) }}

// complete gathers what concerns the file as a whole.
func (w *worker) complete(ctx context.Context, c *chunk) {
	o := c.from
	if o.err != nil {
		c.reportDamage(o.err, codecs.DamagesFile(o.err))
	}
	if o.f != nil && isLoose(o) {
		if why := w.options.Registry.Explain(o.src); why != nil {
			c.reportDamage(why, codecs.DamagesFile(why))
		}
	}
	if o.archive != nil {
		for _, warning := range o.archive.Info().Warnings {
			c.reportDamage(warning, codecs.DamagesTables(nil, warning))
		}
		c.addNames()
	}
	if o.f == nil {
		return
	}
	if w.ahead.open.build != nil && !isLoose(o) && !o.skim { // collect takes the digest of a loose file from its entry
		c.err = c.awaitDigest(ctx)
	}
	if err := o.checkUnchanged(); err != nil {
		o.changed = true
		c.reportDamage(err, true)
	}
}

func (c *chunk) awaitDigest(ctx context.Context) error {
	select {
	case r := <-c.from.digest:
		if r.err != nil {
			c.reportDamage(r.err, true)
			return nil
		}
		c.digest = &r.digest
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// addNames lists the public names of entries.
func (c *chunk) addNames() {
	namer, ok := codecs.ArchiveAs[codecs.Namer](c.from.archive)
	if !ok {
		return
	}
	for n, err := range namer.Named() {
		if err != nil {
			c.report(nil, err)
			continue
		}
		c.names = append(c.names, schema.Name{Ordinal: int64(n.Ordinal), Name: n.Name, Type: n.Type,
			ID: [2]uint64{n.ID.Hi, n.ID.Lo}, IDBits: int64(n.ID.Bits)})
	}
}

// workItem turns one entry into a row, and what is wrong with it into problems.
func (w *worker) workItem(ctx context.Context, c *chunk, it item) {
	if it.err != nil {
		c.problems = append(c.problems, finding{entry: it.entry, err: it.err, whole: codecs.DamagesTables(it.entry, it.err)})
	}
	e := it.entry
	if e == nil {
		return
	}
	if isLoose(c.from) { // one of many of its name: it is called by where it lies
		file := *e
		file.Name = c.from.name
		e = &file
	}
	c.rows = append(c.rows, rowOf(e))
	row := &c.rows[len(c.rows)-1]
	row.Flags |= c.from.ownFlag(e)
	row.Symbols = symbolRows(entrySymbols(w.options.Registry, e))
	if it.err == nil && e.Flags&codecs.Deleted == 0 {
		err := w.readOrSkim(ctx, c, it, row)
		switch {
		case ctx.Err() != nil:
			c.err = ctx.Err()
		case errors.Is(err, errKeep):
			c.err = err
		case err != nil:
			c.report(e, err)
		}
	}
	if row.PlaceSymbols == nil && row.Same.Row == 0 && !(w.options.Quick && row.Stated) { // there, names of packages cost as much as all else
		addPlaceSymbols(w.options.Registry, c.from, it.entry, nil, row)
	}
	w.progress.Entries.Add(1)
	c.from.count(w.progress, e.Stored)
}

// catalogFlags are those that the catalog knows.
const catalogFlags = codecs.Encrypted | codecs.Deleted | codecs.Nested | codecs.Unnamed

func rowOf(e *codecs.Entry) schema.Entry {
	row := schema.Entry{
		Ordinal: int64(e.Ordinal), Name: e.Name, Type: e.Type, Method: e.Method.String(),
		Offset: e.Offset, Stored: e.Stored, Size: e.Size, Flags: int64(e.Flags & catalogFlags),
		ID: [2]uint64{e.ID.Hi, e.ID.Lo}, IDBits: int64(e.ID.Bits),
		PathHash: e.PathHash.Lo, HasPathHash: !e.PathHash.IsZero(),
	}
	if !e.Mod.IsZero() {
		row.ModTime, row.HasTime = e.Mod.Unix(), true
	}
	return row
}

// inMemory is the largest content that is held as a whole. Larger ones pass
// through in pieces; if an inspector wants one, it goes to a temporary file.
const inMemory = 4 << 20

// buffer reads a content in memory, which may be in room of its own.
type buffer struct {
	bytes.Reader
	content, b []byte
}

// Bytes implements [codecs.Whole].
func (b *buffer) Bytes() []byte { return b.content }

func (b *buffer) hold(content []byte) {
	b.content = content
	b.Reset(content)
}

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// read decodes an entry once, for all users of its content.
func (w *worker) read(ctx context.Context, c *chunk, it item, row *schema.Entry) (err error) {
	o := c.from
	defer guard(&err, o.src.Name)
	r, err := o.archive.Open(ctx, it.entry)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	whole, _ := r.(codecs.Whole)
	if whole == nil && it.entry.Size > inMemory {
		return w.readLarge(ctx, c, r, it, row)
	}
	buf := buffers.Get().(*buffer)
	defer func() {
		buf.hold(nil)
		buffers.Put(buf)
	}()
	var content []byte
	if whole != nil {
		content = whole.Bytes()
	} else if content, err = readSmall(r, it.entry.Size, &buf.b); err != nil {
		return err
	}
	buf.hold(content)
	hashContent(o.archive, it.entry, content, row)
	if w.options.Sketch && len(content) >= sketch.MinSize {
		row.Sketch = sketch.Of(content).Marshal()
	}
	if err := w.inspect(ctx, c, it, content[:min(len(content), codecs.HeadSize)], buf, int64(len(content)), row); err != nil {
		return err
	}
	return w.keep(row, buf)
}

// readSmall reads size bytes, and on to the end where checksums are verified.
func readSmall(r io.Reader, size int64, buf *[]byte) ([]byte, error) {
	if int64(cap(*buf)) <= size {
		*buf = make([]byte, size+1)
	}
	b := (*buf)[:size+1] // one more: a full read up to it would be too long
	n, err := io.ReadFull(r, b)
	switch {
	case err == nil:
		return nil, codecs.Errorf(codecs.ErrCorrupt, "decodes to more than %d bytes", size)
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return nil, err
	case int64(n) != size:
		return nil, codecs.Errorf(codecs.ErrTruncated, "decodes to %d of %d bytes", n, size)
	}
	return b[:n], nil
}

// readLarge streams a content through the hash, and to a temporary file if
// someone needs it as a whole.
func (w *worker) readLarge(ctx context.Context, c *chunk, r io.Reader, it item, row *schema.Entry) error {
	h := blake3.New()
	head := make([]byte, codecs.HeadSize)
	n, err := io.ReadFull(r, head)
	if err != nil {
		return err
	}
	_, _ = h.Write(head[:n])
	all := io.Writer(h)
	var sketched *sketch.Builder
	if w.options.Sketch {
		sketched = &sketch.Builder{}
		_, _ = sketched.Write(head[:n])
		all = io.MultiWriter(h, sketched)
	}
	wanted := w.options.Store != nil || w.options.Registry.Inspector(it.entry, head) != nil || isBody(it.entry)
	var spool *atomicfile.Scratch
	if wanted {
		if spool, err = atomicfile.NewScratch(""); err != nil {
			return fmt.Errorf("%w: %w", errKeep, err)
		}
		defer func() { _ = spool.Close() }()
		if _, err := spool.Write(head[:n]); err != nil {
			return fmt.Errorf("%w: %w", errKeep, err)
		}
		all = io.MultiWriter(all, spool)
	}
	copied, err := io.Copy(all, codecs.ContextReader(ctx, r))
	if err != nil {
		return err
	}
	row.ContentSize, row.HasContent = copied+int64(n), true
	var fill []byte
	fill, row.HasPadded = padding(c.from.archive, it.entry, row.ContentSize)
	sumContent(h, fill, row)
	if sketched != nil {
		row.Sketch = sketched.Sketch().Marshal()
	}
	if spool == nil {
		return nil
	}
	if err := w.inspect(ctx, c, it, head, spool, row.ContentSize, row); err != nil {
		return err
	}
	return w.keep(row, io.NewSectionReader(spool, 0, row.ContentSize))
}

// inspect adds the facts of the content, which begins with head, to the row. What an
// inspector cannot read is a problem of the content; the entry keeps its hash.
func (w *worker) inspect(ctx context.Context, c *chunk, it item, head []byte, content io.ReaderAt, size int64, row *schema.Entry) error {
	addPlaceSymbols(w.options.Registry, c.from, it.entry, head, row)
	if isBody(it.entry) {
		if err := w.digestBody(ctx, c, it, content, size, row); err != nil {
			return err
		}
	}
	in := w.options.Registry.Inspector(it.entry, head)
	if in == nil {
		c.keepPlain(it.entry)
		return nil
	}
	row.ExportsOf = w.exportsOf(c.from, it.entry, row)
	table := in.Table != nil && in.Table(it.entry)
	if !table && w.inspected != nil && !w.inspected.wanted(row.Content, it.entry, it.at) {
		return nil
	}
	facts, err := runInspector(ctx, in, content, size, it.entry)
	if err := cmp.Or(ctx.Err(), w.failed(facts, err)); err != nil {
		return err
	}
	facts = w.dictionaries.resolved(ctx, in, facts)
	row.Facts = factsOf(in, facts, err)
	if table {
		c.reportTable(it.entry, facts, err)
		row.Facts.Problems = nil
	}
	c.keepPackage(it.entry, facts, row)
	if err := w.ownValues(ctx, it, facts, content, size, row); err != nil {
		return err
	}
	return w.ahead.search(ctx, it.entry, content, size, row.Facts)
}

// failed returns the failure of the machine that kept an inspector from reading a content.
func (w *worker) failed(facts *codecs.Facts, err error) error {
	noted := w.ahead.open.failures
	_ = noted.note(err)
	if facts != nil {
		for _, p := range facts.Problems {
			_ = noted.note(p)
		}
	}
	return noted.err()
}

func runInspector(ctx context.Context, in *codecs.Inspector, content io.ReaderAt, size int64, e *codecs.Entry) (f *codecs.Facts, err error) {
	defer guard(&err, e.Name)
	return in.Inspect(ctx, content, size, e)
}

// exportsOf returns the package that an entry is, for its values.
func (w *worker) exportsOf(o *opened, e *codecs.Entry, row *schema.Entry) *schema.Package {
	if w.options.Registry.Values == nil {
		return nil
	}
	name := ""
	for _, s := range row.PlaceSymbols {
		if s.Space == packageSpace {
			name = s.Name
		}
	}
	return &schema.Package{Path: row.Name, Name: cmp.Or(name, packageName(w.options.Registry, o, e))}
}

// ownValues reads the values of a package that holds its exports itself.
func (w *worker) ownValues(ctx context.Context, it item, facts *codecs.Facts, content io.ReaderAt, size int64, row *schema.Entry) error {
	reader := w.options.Registry.Values
	if reader == nil || facts == nil || facts.Body != nil || !reader.Takes(facts) {
		return nil
	}
	if facts.Decoded != nil {
		content, size = facts.Decoded, facts.DecodedSize
	}
	v, err := w.readValues(ctx, it, facts, content, 0, size, row.ExportsOf.Name)
	if err != nil || v == nil {
		return err
	}
	row.Values = valueRows(reader, v)
	if w.checks {
		for _, p := range v.Problems {
			row.Facts.Problems = append(row.Facts.Problems, problem(nil, p))
		}
	}
	row.Facts.Refs = slices.Concat(row.Facts.Refs, newRefs(row.Facts.Refs, v.Refs))
	return nil
}

// readValues reads the values in exports.
func (w *worker) readValues(ctx context.Context, it item, facts *codecs.Facts, content io.ReaderAt, base, size int64, name string) (v *codecs.Values, err error) {
	defer guard(&err, it.entry.Name)
	return w.options.Registry.Values.Read(ctx, facts, content, base, size, &codecs.ValueOptions{Package: name})
}

// keep puts the content into the store, if there is one.
func (w *worker) keep(row *schema.Entry, content io.ReadSeeker) error {
	if w.options.Store == nil {
		return nil
	}
	if err := w.options.Store.Put(row.Content, content); err != nil {
		return fmt.Errorf("%w: %w", errKeep, err)
	}
	return nil
}
