// Package nested reads archives that are entries of other archives: an
// installer that a pak brings along, a compressed package in an installer.
//
// [Wrap] puts an Archive around another. It yields the entries of that one as
// they are, and after them those of the archives inside, in the order of the
// entries that hold them, flagged [codecs.Nested] and named by both paths:
//
//	Mods/DropStuff.umod!/System/DropStuff.u
//
// Their ordinals go on where those of the file's own entries end. Their offsets
// are those within the archive that holds them.
//
// What may be an archive is told by its extension, and what is one by its bytes,
// as for files. An entry that is stored as it is gets read in place; one that is
// compressed or encrypted is decoded into memory or, when it is large, into a
// temporary file. How deep archives may lie, how many there may be, and how much
// is decoded for them is bounded; what is beyond is an error of class
// [codecs.ErrLimit] among the entries, and everything else is listed.
package nested

import (
	"context"
	"errors"
	"iter"
	"path"
	"strings"
	"sync"

	"pakdb/codecs"
)

// Separator separates the path of an archive from a path in it. With the
// slash the last part of a path remains what it is.
const Separator = "!/"

// The bounds. They are far above what people ship, and far below what hostile
// files could ask for.
const (
	maxDepth    = 4        // archives around an entry, the file's own not counted
	maxArchives = 10_000   // inside one file
	maxEntries  = 4 << 20  // of all of them
	maxDecoded  = 64 << 30 // bytes decoded to list them
)

// Revision is raised when other entries are found inside archives.
const Revision = 1

// Wrap returns an archive that lists what is inside a, and inside that. file is
// the base name of a's file, for messages. The context ends what Entries does.
// Closing the result closes a.
func Wrap(ctx context.Context, a codecs.Archive, file string, r *codecs.Registry, o *codecs.Options) codecs.Archive {
	return newArchive(ctx, a, &env{file: file, registry: r, options: o, exts: Exts(r)}, 0)
}

// Exts returns the extensions, in lower case, of entries that are looked into.
func Exts(r *codecs.Registry) map[string]bool {
	exts := map[string]bool{}
	for _, f := range r.Formats {
		for _, ext := range f.Exts {
			exts[strings.ToLower(ext)] = true
		}
	}
	return exts
}

func newArchive(ctx context.Context, a codecs.Archive, e *env, depth int) *archive {
	return &archive{Archive: a, ctx: ctx, env: e, depth: depth, own: -1}
}

// env is what all archives inside one file share.
type env struct {
	file     string
	registry *codecs.Registry
	options  *codecs.Options
	exts     map[string]bool
}

// archive is an archive and those in it.
type archive struct {
	codecs.Archive // what it holds itself
	*env
	ctx   context.Context // Entries has none of its own
	depth int

	mu     sync.Mutex
	own    int      // ordinals that its own entries take; -1: not known yet
	places []place  // of the archives found so far, in order
	open   []*inner // those that are open, the one used last at the end
}

// place is where the entries of an inner archive are among all.
type place struct {
	holder  holder
	base, n int // first ordinal, and how many there are
}

// Unwrap returns the archive without what is nested in its entries, which has
// the abilities of its format; see [codecs.ArchiveAs].
func (a *archive) Unwrap() codecs.Archive { return a.Archive }

// Info describes the archive without those in it, but that only Entries tells
// how many entries there are.
func (a *archive) Info() codecs.Info {
	info := a.Archive.Info()
	info.EntryCount = -1
	return info
}

// Entries implements codecs.Archive.
func (a *archive) Entries() iter.Seq2[*codecs.Entry, error] {
	return func(yield func(*codecs.Entry, error) bool) {
		b := &budget{archives: maxArchives, entries: maxEntries, decoded: maxDecoded}
		if a.walk(b, yield) && b.spent() {
			yield(nil, a.fail("", codecs.Errorf(codecs.ErrLimit, "too many archives within archives: the rest of them is not listed")))
		}
	}
}

// budget is what listing may still cost.
type budget struct {
	archives, entries int
	decoded           int64
}

func (b *budget) spent() bool { return b.archives < 0 || b.entries < 0 || b.decoded < 0 }

// walk yields all entries, as long as there is a budget. It returns false when
// yield has seen enough.
func (a *archive) walk(b *budget, yield func(*codecs.Entry, error) bool) bool {
	next := 0
	var holders []holder
	for e, err := range a.Archive.Entries() {
		if e != nil {
			next = max(next, e.Ordinal+1)
			if err == nil && a.mayHold(e) {
				holders = append(holders, newHolder(e))
			}
		}
		if !yield(e, err) {
			return false
		}
	}
	a.mu.Lock()
	a.own = next
	a.mu.Unlock()
	for i, h := range holders {
		if b.take(h); b.spent() {
			return true
		}
		n, more := a.walkInner(h, i, next, b, yield)
		if !more {
			return false
		}
		next += n
	}
	return true
}

func (b *budget) take(h holder) {
	b.archives--
	if !h.inPlace {
		b.decoded -= h.entry.Size
	}
}

// mayHold reports whether an entry could be an archive, as far as its name says.
func (a *archive) mayHold(e *codecs.Entry) bool {
	const smallest = 16 // bytes; none of the formats has smaller files
	return e.Flags&codecs.Deleted == 0 && e.Size >= smallest && a.exts[strings.ToLower(path.Ext(e.Name))]
}

// walkInner yields the entries of the archive that h holds, if it is one, and
// returns how many ordinals they take from base on. index counts the holders.
func (a *archive) walkInner(h holder, index, base int, b *budget, yield func(*codecs.Entry, error) bool) (n int, more bool) {
	defer func() { a.note(index, place{h, base, n}) }()
	in, err := a.acquire(a.ctx, h)
	switch {
	case errors.Is(err, errNoArchive):
		return 0, true
	case err != nil:
		return 0, yield(nil, a.relabel(h, err))
	}
	defer a.release(in)
	more = true
	in.walk(b, func(e *codecs.Entry, err error) bool {
		if e != nil {
			b.entries--
			n = max(n, e.Ordinal+1)
			h.outward(e, base)
		}
		more = yield(e, a.relabel(h, err))
		return more && !b.spent()
	})
	return n, more
}

// note remembers where the entries of holder number index are.
func (a *archive) note(index int, p place) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if index == len(a.places) {
		a.places = append(a.places, p)
	} else if index < len(a.places) && p.n > a.places[index].n {
		a.places[index] = p
	}
}

// outward gives an entry of the inner archive the name and ordinal that it has
// outside.
func (h *holder) outward(e *codecs.Entry, base int) {
	e.Flags |= codecs.Nested
	e.Ordinal += base
	if e.Name != "" {
		e.Name = h.entry.Name + Separator + e.Name
	}
}

// inward undoes outward on a copy.
func (p *place) inward(e *codecs.Entry) *codecs.Entry {
	in := *e
	in.Ordinal -= p.base
	in.Name = strings.TrimPrefix(e.Name, p.holder.entry.Name+Separator)
	return &in
}

// Close implements codecs.Archive.
func (a *archive) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var errs []error
	for _, in := range a.open {
		errs = append(errs, in.close())
	}
	a.open = nil
	return errors.Join(append(errs, a.Archive.Close())...)
}

func (a *archive) fail(entry string, err error) *codecs.FormatError {
	return &codecs.FormatError{Format: "nested", File: a.file, Entry: entry, Off: -1, Err: err}
}

// relabel makes an error of the archive in h tell where that lies.
func (a *archive) relabel(h holder, err error) error {
	var fe *codecs.FormatError
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case !errors.As(err, &fe):
		return a.fail(h.entry.Name, err)
	}
	outer := *fe
	outer.File, outer.Entry = a.file, h.entry.Name
	if fe.Entry != "" {
		outer.Entry += Separator + fe.Entry
	}
	return &outer
}
