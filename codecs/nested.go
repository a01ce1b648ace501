package codecs

import (
	"context"
	"errors"
	"iter"
	"path"
	"strings"
	"sync"
)

// NestedSeparator separates the path of an archive from a path in it. With the
// slash the last part of a path remains what it is.
const NestedSeparator = "!/"

// The bounds. They are far above what people ship, and far below what hostile
// files could ask for.
const (
	nestedDepth    = 4        // archives around an entry, the file's own not counted
	nestedArchives = 10_000   // inside one file
	nestedEntries  = 4 << 20  // of all of them
	nestedDecoded  = 64 << 30 // bytes decoded to list them
)

// NestedRevision is raised when other entries are found inside archives.
const NestedRevision = 1

// WrapNested returns an archive that also lists the archives among the entries of a, as an
// installer in a pak, and those inside them. file is the base name of a's file, for messages.
// The context ends what Entries does. Closing the result closes a.
//
// After the entries of a come those of the archives inside, in the order of the entries that
// hold them, flagged [Nested] and named by both paths:
//
//	Mods/DropStuff.umod!/System/DropStuff.u
//
// Their ordinals go on after a's own. Their offsets are those within the archive that holds
// them.
//
// The extension of an entry selects candidates, and its bytes decide, as for files. A stored
// entry is read in place; one that is compressed or encrypted is decoded into memory or, if it
// is large, into a temporary file. Depth, number and decoded bytes of archives are bounded.
// Beyond that there is an error of class [ErrLimit] among the entries, after all others.
func WrapNested(ctx context.Context, a Archive, file string, r *Registry, o *Options) Archive {
	return newNested(ctx, a, &nestedEnv{file: file, registry: r, options: o, exts: nestedExts(r)}, 0)
}

// nestedExts returns the extensions, in lower case, of entries that are looked into.
func nestedExts(r *Registry) map[string]bool {
	exts := map[string]bool{}
	for _, f := range r.Formats {
		for _, ext := range f.Exts {
			exts[strings.ToLower(ext)] = true
		}
	}
	return exts
}

func newNested(ctx context.Context, a Archive, e *nestedEnv, depth int) *nestedArchive {
	return &nestedArchive{Archive: a, ctx: ctx, nestedEnv: e, depth: depth, own: -1}
}

// nestedEnv is what all archives inside one file share.
type nestedEnv struct {
	file     string
	registry *Registry
	options  *Options
	exts     map[string]bool
}

// nestedArchive is an archive and those in it.
type nestedArchive struct {
	Archive // what it holds itself
	*nestedEnv
	ctx   context.Context // Entries has none of its own
	depth int

	mu     sync.Mutex
	own    int           // ordinals that its own entries take; -1: not known yet
	places []nestedPlace // of the archives found so far, in order
	open   []*inner      // those that are open, the one used last at the end
}

// nestedPlace is where the entries of an inner archive are among all.
type nestedPlace struct {
	holder  holder
	base, n int // first ordinal, and how many there are
}

// Unwrap returns the archive without what is nested in its entries, which has
// the abilities of its format; see [ArchiveAs].
func (a *nestedArchive) Unwrap() Archive { return a.Archive }

// Info describes the archive without those in it. The number of entries is unknown until
// Entries has listed them.
func (a *nestedArchive) Info() Info {
	info := a.Archive.Info()
	info.EntryCount = -1
	return info
}

// Entries implements Archive.
func (a *nestedArchive) Entries() iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		b := &budget{archives: nestedArchives, entries: nestedEntries, decoded: nestedDecoded}
		if a.walk(b, yield) && b.spent() {
			yield(nil, a.fail("", Errorf(ErrLimit, "too many archives within archives: the rest of them is not listed")))
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
func (a *nestedArchive) walk(b *budget, yield func(*Entry, error) bool) bool {
	next := 0
	var holders []holder
	ext, is := "/", false // most entries have the extension of the one before
	for e, err := range a.Archive.Entries() {
		if e != nil {
			next = max(next, e.Ordinal+1)
			if of := path.Ext(e.Name); of != ext {
				ext, is = of, a.exts[strings.ToLower(of)]
			}
			if err == nil && is && mayHold(e) {
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

// mayHold reports whether an entry whose name is that of an archive could be one.
func mayHold(e *Entry) bool {
	const smallest = 16 // bytes; none of the formats has smaller files
	return e.Flags&Deleted == 0 && e.Size >= smallest
}

// walkInner yields the entries of the archive that h holds, if it is one, and
// returns how many ordinals they take from base on. index counts the holders.
func (a *nestedArchive) walkInner(h holder, index, base int, b *budget, yield func(*Entry, error) bool) (n int, more bool) {
	defer func() { a.note(index, nestedPlace{h, base, n}) }()
	in, err := a.acquire(a.ctx, h)
	switch {
	case errors.Is(err, errNoArchive):
		return 0, true
	case err != nil:
		return 0, yield(nil, a.relabel(h, err))
	}
	defer a.release(in)
	more = true
	in.walk(b, func(e *Entry, err error) bool {
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
func (a *nestedArchive) note(index int, p nestedPlace) {
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
func (h *holder) outward(e *Entry, base int) {
	e.Flags |= Nested
	e.Ordinal += base
	if e.Name != "" {
		e.Name = h.entry.Name + NestedSeparator + e.Name
	}
}

// inward undoes outward on a copy.
func (p *nestedPlace) inward(e *Entry) *Entry {
	in := *e
	in.Ordinal -= p.base
	in.Name = strings.TrimPrefix(e.Name, p.holder.entry.Name+NestedSeparator)
	return &in
}

// Close implements Archive.
func (a *nestedArchive) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var errs []error
	for _, in := range a.open {
		errs = append(errs, in.close())
	}
	a.open = nil
	return errors.Join(append(errs, a.Archive.Close())...)
}

func (a *nestedArchive) fail(entry string, err error) *FormatError {
	return &FormatError{Format: "nested", File: a.file, Entry: entry, Off: -1, Err: err}
}

// relabel adds the place of the archive in h to an error of it.
func (a *nestedArchive) relabel(h holder, err error) error {
	var fe *FormatError
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case !errors.As(err, &fe):
		return a.fail(h.entry.Name, err)
	}
	outer := *fe
	outer.File, outer.Entry = a.file, h.entry.Name
	if fe.Entry != "" {
		outer.Entry += NestedSeparator + fe.Entry
	}
	return &outer
}
