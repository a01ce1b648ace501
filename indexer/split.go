package indexer

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/internal/asset"
	"pakdb/schema"
)

// A cooked asset of Unreal Engine 4 and 5 is split: the .uasset or .umap says
// where its exports begin and end, the .uexp beside it holds their bytes. The
// digests of exports need both. Most often the two lie beside each other in
// the archive, and the worker that reads the one has just read the other.

// split is a package whose exports lie elsewhere.
type split struct {
	content schema.Digest
	body    func(context.Context, io.ReaderAt, int64) (*codecs.PartDigest, error) // nil: they do not
	facts   *codecs.Facts                                                         // with what values are read by; nil: they are not
	path    string                                                                // of the package
	name    string                                                                // "" where it is not known
}

// isBody reports whether an entry holds the bytes of another one's exports.
func isBody(e *codecs.Entry) bool {
	_, _, part := asset.Split(e.Name)
	return part == asset.Body
}

// byAsset maps what the files of an asset have in common to one of them, whatever
// its case. Its keys are hashes: lower-casing every name of an archive took a tenth
// of a scan. What a key leads to is compared by its name, in case that two collide.
type byAsset map[uint64]*codecs.Entry

func (m byAsset) get(stem string, key uint64) *codecs.Entry {
	e := m[key]
	if e == nil {
		return nil
	}
	if other, _, _ := asset.Split(e.Name); !strings.EqualFold(other, stem) {
		return nil
	}
	return e
}

// assetKey is a hash of a stem, the same for all of its cases (FNV-1a).
func assetKey(stem string) uint64 {
	key := uint64(14695981039346656037)
	for i := range len(stem) {
		c := stem[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		case c >= utf8.RuneSelf: // rare: what EqualFold calls the same has letters of other bytes
			c = utf8.RuneSelf
			if !utf8.RuneStart(stem[i]) {
				continue
			}
		}
		key = (key ^ uint64(c)) * 1099511628211
	}
	return key
}

// keepPlain remembers, until the end of the chunk, an entry called like a package
// that no inspector takes: it need not be read again for the bytes of its exports.
func (c *chunk) keepPlain(e *codecs.Entry) {
	if _, _, part := asset.Split(e.Name); part == asset.Header {
		c.plain = append(c.plain, e)
	}
}

// isPlain reports whether e was kept as such. The last ones are the likeliest.
func (c *chunk) isPlain(e *codecs.Entry) bool {
	for i := len(c.plain) - 1; i >= 0; i-- {
		if c.plain[i] == e {
			return true
		}
	}
	return false
}

// keepPackage remembers, until the end of the chunk, a package that was inspected.
func (c *chunk) keepPackage(e *codecs.Entry, f *codecs.Facts, row *schema.Entry) {
	if f == nil {
		return
	}
	row.Digest = digestRow(f.Digest)
	stem, _, part := asset.Split(e.Name)
	if part != asset.Header || f.Body == nil {
		return
	}
	if c.packages == nil {
		c.packages = map[string]*split{}
	}
	p := &split{content: row.Content, body: f.Body, path: row.Name}
	if row.ExportsOf != nil {
		p.facts, p.name = withoutContent(f), row.ExportsOf.Name
	}
	c.packages[strings.ToLower(stem)] = p
}

func digestRow(d *codecs.PartDigest) *schema.PackageDigest {
	if d == nil {
		return nil
	}
	return &schema.PackageDigest{Essence: d.Essence, Exports: d.Parts}
}

// digestBody digests the content of a .uexp. Whatever is wrong with the package
// it belongs to is a problem of that one; there is no digest then.
func (w *worker) digestBody(ctx context.Context, c *chunk, it item, content io.ReaderAt, size int64, row *schema.Entry) (err error) {
	stem, _, _ := asset.Split(it.entry.Name)
	p := c.packages[strings.ToLower(stem)]
	if p == nil {
		if it.header != nil && c.isPlain(it.header) {
			return nil
		}
		if p = w.readSplit(ctx, c.from, it, stem); p == nil || p.body == nil {
			if h := it.header; h != nil && h.Size > maxHeader {
				c.report(it.entry, codecs.Errorf(codecs.ErrLimit, "values not read: %s has tables of %d bytes > %d", h.Name, h.Size, maxHeader))
			}
			return ctx.Err()
		}
	}
	defer guard(&err, it.entry.Name)
	d, err := p.body(ctx, content, size)
	if err != nil || d == nil {
		return err
	}
	row.Digest = digestRow(d)
	row.Digest.Header = p.content
	return w.bodyValues(ctx, it, p, content, size, row)
}

// bodyValues reads the values of a package whose exports are the content.
func (w *worker) bodyValues(ctx context.Context, it item, p *split, content io.ReaderAt, size int64, row *schema.Entry) error {
	reader := w.options.Registry.Values
	if reader == nil || p.facts == nil || p.facts.Digest == nil || !reader.Takes(p.facts) {
		return nil
	}
	row.ExportsOf = &schema.Package{Path: p.path, Name: p.name, Header: essenceKey(p.facts.Digest)}
	if w.inspected != nil && !w.inspected.wantedOf(row.Content, row.ExportsOf.Header, it.at) {
		return nil
	}
	v, err := w.readValues(ctx, it, p.facts, content, p.facts.Base, size, p.name)
	if err != nil || v == nil {
		return err
	}
	row.Values = valueRows(reader, v)
	return nil
}

// readSplit reads the package of a .uexp for its tables alone; nil when there is
// none to be read.
func (w *worker) readSplit(ctx context.Context, o *opened, it item, stem string) *split {
	header, e := o.readHeader(ctx, it, stem)
	if e == nil {
		return nil
	}
	in := w.options.Registry.Inspector(e, header[:min(len(header), codecs.HeadSize)])
	if in == nil {
		return nil
	}
	facts, err := runInspector(ctx, in, bytes.NewReader(header), int64(len(header)), e)
	if err != nil || facts == nil {
		return nil
	}
	p := &split{content: blake3.Sum256(header), body: facts.Body, path: e.Name}
	if w.options.Registry.Values != nil {
		p.facts, p.name = withoutContent(facts), packageName(w.options.Registry, o, e)
		if isLoose(o) {
			p.path = path.Join(path.Dir(o.name), e.Name)
		}
	}
	return p
}

// maxHeader bounds the tables that are read a second time.
const maxHeader = 64 << 20

// readHeader returns the content of the entry that has the tables, nil for none.
func (o *opened) readHeader(ctx context.Context, it item, stem string) ([]byte, *codecs.Entry) {
	if isLoose(o) {
		return o.readHeaderFile(stem)
	}
	e := it.header
	if e == nil {
		e = o.headers().get(stem, assetKey(stem))
	}
	if e == nil || e.Size > maxHeader || e.Flags&codecs.Deleted != 0 {
		return nil, nil
	}
	r, err := o.archive.Open(ctx, e)
	if err != nil {
		return nil, nil
	}
	defer func() { _ = r.Close() }()
	b, err := readSmall(codecs.ContextReader(ctx, r), e.Size, new([]byte))
	if err != nil {
		return nil, nil
	}
	return b, e
}

// tableFiles maps assets to the names of the files with their tables.
func tableFiles(files []file) map[string]string {
	names := map[string]string{}
	for _, f := range files {
		if _, _, part := asset.Split(f.path); part == asset.Header {
			names[asset.Of(f.path)] = filepath.Base(f.path)
		}
	}
	return names
}

// readHeaderFile looks beside a loose file, for a name in another case as well.
func (o *opened) readHeaderFile(stem string) ([]byte, *codecs.Entry) {
	names := asset.Headers(stem)
	if o.tables != nil {
		if name := o.tables()[asset.Of(filepath.Join(filepath.Dir(o.path), stem+".uexp"))]; name != "" {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if st, err := fs.Stat(o.src.Dir, name); err != nil || st.Size() > maxHeader {
			continue
		}
		if b, err := fs.ReadFile(o.src.Dir, name); err == nil {
			return b, &codecs.Entry{Name: name, Size: int64(len(b))}
		}
	}
	return nil, nil
}

// findHeaders lists, by asset, the packages that come after their .uexp, or far
// before it: those that neighbours does not hand out. Few archives have any.
func (o *opened) findHeaders() byAsset {
	wanted := map[uint64]bool{}
	var headers []uint64
	var near neighbours
	for e := range o.archive.Entries() {
		if e == nil {
			continue
		}
		header := near.header(e)
		switch stem, _, part := asset.Split(e.Name); {
		case part == asset.Header:
			headers = append(headers, assetKey(stem))
		case part == asset.Body && header == nil:
			wanted[assetKey(stem)] = true
		}
	}
	found := byAsset{}
	if !slices.ContainsFunc(headers, func(key uint64) bool { return wanted[key] }) {
		return found
	}
	for e := range o.archive.Entries() {
		if e == nil {
			continue
		}
		if stem, _, part := asset.Split(e.Name); part == asset.Header && wanted[assetKey(stem)] {
			found[assetKey(stem)] = e
		}
	}
	return found
}

// neighbours remembers the packages among the entries before, the last 128 to
// 256 of them.
type neighbours struct{ recent, older byAsset }

const nearEntries = 128

// header takes an entry in, and returns the package that a .uexp belongs to; nil
// for other entries, and when it was not met.
func (n *neighbours) header(e *codecs.Entry) *codecs.Entry {
	if e == nil {
		return nil
	}
	stem, _, part := asset.Split(e.Name)
	switch part {
	case asset.Header:
		if len(n.recent) >= nearEntries || n.recent == nil {
			n.recent, n.older = n.older, n.recent
			if clear(n.recent); n.recent == nil {
				n.recent = make(byAsset, nearEntries)
			}
		}
		n.recent[assetKey(stem)] = e
	case asset.Body:
		key := assetKey(stem)
		if found := n.recent.get(stem, key); found != nil {
			return found
		}
		return n.older.get(stem, key)
	}
	return nil
}
