package codecs

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"

	"pakdb/codecs/compress"
	"pakdb/codecs/internal/spool"
)

// holder is an entry that may be an archive.
type holder struct {
	entry   Entry
	inPlace bool // its stored bytes are its content
}

func newHolder(e *Entry) holder {
	h := holder{entry: *e}
	h.inPlace = e.Method == compress.None && e.Flags&Encrypted == 0 && e.Blocks == nil && e.Stored == e.Size
	return h
}

// inner is an open archive that lies in an entry.
type inner struct {
	*nestedArchive
	ordinal int // of the holder
	spool   *spool.Spool
	users   int
	pinned  bool // someone holds a reader that nobody closes
}

func (in *inner) close() error {
	err := in.nestedArchive.Close()
	if in.spool != nil {
		err = errors.Join(err, in.spool.Reset())
	}
	return err
}

// errNoArchive means that an entry is not what its extension promised.
var errNoArchive = errors.New("not an archive")

// The bounds of what stays open beyond its use.
const (
	maxOpen    = 16
	maxSpooled = 256 << 20 // bytes
)

// acquire opens the archive in h, for the caller to release. One goroutine at a
// time opens one.
func (a *nestedArchive) acquire(ctx context.Context, h holder) (*inner, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.open, func(in *inner) bool { return in.ordinal == h.entry.Ordinal })
	if i < 0 {
		in, err := a.openInner(ctx, h)
		if err != nil {
			return nil, err
		}
		in.users = 1
		a.open = append(a.open, in)
		a.evict()
		return in, nil
	}
	in := a.open[i]
	a.open = append(slices.Delete(a.open, i, i+1), in)
	in.users++
	return in, nil
}

func (a *nestedArchive) release(in *inner) {
	a.mu.Lock()
	defer a.mu.Unlock()
	in.users--
	a.evict()
}

// evict closes what nobody uses, the longest unused first, until the rest is
// within the bounds.
func (a *nestedArchive) evict() {
	spooled := int64(0)
	for _, in := range a.open {
		if in.spool != nil {
			spooled += in.spool.Size()
		}
	}
	for i := 0; i < len(a.open) && (len(a.open) > maxOpen || spooled > maxSpooled); {
		in := a.open[i]
		if in.users > 0 || in.pinned {
			i++
			continue
		}
		if in.spool != nil {
			spooled -= in.spool.Size()
		}
		_ = in.close() // it was only read
		a.open = slices.Delete(a.open, i, i+1)
	}
}

// openInner opens the archive in h. An entry that is none is errNoArchive.
func (a *nestedArchive) openInner(ctx context.Context, h holder) (in *inner, err error) {
	if a.depth >= nestedDepth {
		return nil, a.fail("", Errorf(ErrLimit, "more than %d archives within each other", nestedDepth))
	}
	in = &inner{ordinal: h.entry.Ordinal}
	src := Source{Name: path.Base(h.entry.Name), Size: h.entry.Size}
	if src.ReaderAt, err = a.content(ctx, h, in); err != nil {
		return nil, err
	}
	in.nestedArchive, err = a.openSource(ctx, src)
	if err != nil && in.spool != nil {
		err = errors.Join(err, in.spool.Reset())
	}
	return in, err
}

func (a *nestedArchive) openSource(ctx context.Context, src Source) (*nestedArchive, error) {
	f, err := a.registry.Detect(src)
	if errors.Is(err, ErrUnknown) || err == nil && len(f.Exts) == 0 { // the fallback has none
		return nil, errNoArchive
	}
	if err != nil {
		return nil, err
	}
	opened, err := f.Open(ctx, src, a.options)
	if err != nil {
		return nil, err
	}
	return newNested(a.ctx, opened, a.nestedEnv, a.depth+1), nil
}

// content gives access to the whole content of h: where it is stored, or in a
// spool that in keeps.
func (a *nestedArchive) content(ctx context.Context, h holder, in *inner) (io.ReaderAt, error) {
	if h.inPlace {
		return a.Archive.OpenRaw(&h.entry)
	}
	r, err := a.Archive.Open(ctx, &h.entry)
	if err != nil {
		return nil, err
	}
	in.spool = &spool.Spool{}
	err = fill(ctx, in.spool, r, h.entry.Size)
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, errors.Join(err, in.spool.Reset())
	}
	return in.spool, nil
}

// fill copies size bytes, and reads on to the end, where checksums are verified.
func fill(ctx context.Context, w io.Writer, r io.Reader, size int64) error {
	n, err := io.Copy(w, io.LimitReader(ContextReader(ctx, r), size+1))
	if err == nil && n != size {
		err = Errorf(ErrCorrupt, "decodes to other than %d bytes", size)
	}
	return err
}
