package indexer

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"strings"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/internal/asset"
	"pakdb/schema"
)

// A cooked asset of Unreal Engine 4 and 5 is split: the .uasset or .umap says
// where its exports begin and end, the .uexp beside it holds their bytes. The
// digests of exports need both. Most often the two stand beside each other in
// the archive, and the worker that reads the one has just read the other.

// split is a package whose exports lie elsewhere.
type split struct {
	content schema.Digest
	body    func(context.Context, io.ReaderAt, int64) (*codecs.PartDigest, error) // nil: they do not
}

// isBody reports whether an entry holds the bytes of another one's exports.
func isBody(e *codecs.Entry) bool {
	_, _, part := asset.Split(e.Name)
	return part == asset.Body
}

func assetKey(stem string) string { return strings.ToLower(stem) }

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
	c.packages[assetKey(stem)] = &split{row.Content, f.Body}
}

func digestRow(d *codecs.PartDigest) *schema.PackageDigest {
	if d == nil {
		return nil
	}
	return &schema.PackageDigest{Essence: d.Essence, Exports: d.Parts}
}

// digestBody digests the content of a .uexp. Whatever is wrong with the package
// it belongs to is a problem of that one; there is no digest then.
func (s *scan) digestBody(ctx context.Context, c *chunk, it item, content io.ReaderAt, size int64, row *schema.Entry) (err error) {
	stem, _, _ := asset.Split(it.entry.Name)
	p := c.packages[assetKey(stem)]
	if p == nil {
		if p = s.readSplit(ctx, c.from, it, stem); p == nil || p.body == nil {
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
	return nil
}

// readSplit reads the package of a .uexp for its tables alone; nil when there is
// none to be read.
func (s *scan) readSplit(ctx context.Context, o *opened, it item, stem string) *split {
	header, e := o.readHeader(ctx, it, stem)
	if e == nil {
		return nil
	}
	in := s.o.Registry.Inspector(e, header[:min(len(header), codecs.HeadSize)])
	if in == nil {
		return nil
	}
	facts, err := runInspector(ctx, in, bytes.NewReader(header), int64(len(header)), e)
	if err != nil || facts == nil {
		return nil
	}
	return &split{blake3.Sum256(header), facts.Body}
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
		e = o.headers()[assetKey(stem)]
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

// readHeaderFile looks beside a loose file.
func (o *opened) readHeaderFile(stem string) ([]byte, *codecs.Entry) {
	for _, name := range asset.Headers(stem) {
		if st, err := fs.Stat(o.src.Dir, name); err != nil || st.Size() > maxHeader {
			continue
		}
		if b, err := fs.ReadFile(o.src.Dir, name); err == nil {
			return b, &codecs.Entry{Name: name, Size: int64(len(b))}
		}
	}
	return nil, nil
}

// findHeaders lists, by asset, the packages that come behind their .uexp, or far
// before it: those that neighbours does not hand out. Few archives have any.
func (o *opened) findHeaders() map[string]*codecs.Entry {
	found := map[string]*codecs.Entry{}
	bodies := map[string]bool{}
	var near neighbours
	for e := range o.archive.Entries() {
		if e == nil {
			continue
		}
		switch stem, _, part := asset.Split(e.Name); {
		case part == asset.Body && near.header(e) == nil:
			bodies[assetKey(stem)] = true
		case part == asset.Header:
			near.header(e)
			if bodies[assetKey(stem)] {
				found[assetKey(stem)] = e
			}
		}
	}
	for e := range o.archive.Entries() { // those that came long before
		if len(found) == len(bodies) {
			break
		}
		if e == nil {
			continue
		}
		if stem, _, part := asset.Split(e.Name); part == asset.Header && bodies[assetKey(stem)] && found[assetKey(stem)] == nil {
			found[assetKey(stem)] = e
		}
	}
	return found
}

// neighbours remembers the packages among the entries before, the last 128 to
// 256 of them.
type neighbours struct{ recent, older map[string]*codecs.Entry }

const nearEntries = 128

// header takes an entry in, and returns the package that a .uexp belongs to; nil
// for other entries, and when it was not met.
func (n *neighbours) header(e *codecs.Entry) *codecs.Entry {
	if e == nil {
		return nil
	}
	stem, _, part := asset.Split(e.Name)
	switch key := assetKey(stem); part {
	case asset.Header:
		if len(n.recent) >= nearEntries || n.recent == nil {
			n.recent, n.older = make(map[string]*codecs.Entry, nearEntries), n.recent
		}
		n.recent[key] = e
	case asset.Body:
		if found := n.recent[key]; found != nil {
			return found
		}
		return n.older[key]
	}
	return nil
}
