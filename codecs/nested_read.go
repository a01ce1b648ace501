package codecs

import (
	"context"
	"errors"
	"io"
	"slices"
)

// Open implements Archive.
func (a *nestedArchive) Open(ctx context.Context, e *Entry) (io.ReadCloser, error) {
	p, in, err := a.enter(ctx, e)
	if in == nil || err != nil {
		return orOwn(err, func() (io.ReadCloser, error) { return a.Archive.Open(ctx, e) })
	}
	r, err := in.Open(ctx, p.inward(e))
	if err != nil {
		a.release(in)
		return nil, a.relabel(p.holder, err)
	}
	return &nestedReader{a: a, in: in, holder: p.holder, r: r}, nil
}

// OpenRaw implements Archive. The archive that holds e stays open until a
// is closed.
func (a *nestedArchive) OpenRaw(e *Entry) (*io.SectionReader, error) {
	p, in, err := a.enter(a.ctx, e)
	if in == nil || err != nil {
		return orOwn(err, func() (*io.SectionReader, error) { return a.Archive.OpenRaw(e) })
	}
	defer a.release(in)
	r, err := in.OpenRaw(p.inward(e))
	if err != nil {
		return nil, a.relabel(p.holder, err)
	}
	a.mu.Lock()
	in.pinned = true
	a.mu.Unlock()
	return r, nil
}

func orOwn[R any](err error, open func() (R, error)) (R, error) {
	if err != nil {
		var none R
		return none, err
	}
	return open()
}

// enter opens the inner archive that e lies in, for the caller to release. It
// returns none for an entry of the archive itself.
func (a *nestedArchive) enter(ctx context.Context, e *Entry) (p nestedPlace, in *inner, err error) {
	if e.Flags&Nested == 0 {
		return p, nil, nil
	}
	p, own, found := a.find(e.Ordinal)
	if !own && !found {
		if err := a.list(ctx); err != nil {
			return p, nil, err
		}
		p, own, found = a.find(e.Ordinal)
	}
	switch {
	case own: // the flag says that a is nested itself
		return p, nil, nil
	case !found:
		return p, nil, a.fail(e.Name, Errorf(ErrNotFound, "ordinal %d", e.Ordinal))
	}
	if in, err = a.acquire(ctx, p.holder); err != nil {
		err = a.relabel(p.holder, err)
	}
	return p, in, err
}

// list goes through the entries, to find the places of the archives inside.
func (a *nestedArchive) list(ctx context.Context) error {
	for range a.Entries() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// find returns where an ordinal belongs, as far as the entries have been listed.
func (a *nestedArchive) find(ordinal int) (p nestedPlace, own, found bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if ordinal < a.own {
		return p, true, false
	}
	for _, p := range a.places {
		if ordinal >= p.base && ordinal-p.base < p.n {
			return p, false, true
		}
	}
	return p, false, false
}

// reader reads an entry of an inner archive and keeps that open.
type nestedReader struct {
	a      *nestedArchive
	in     *inner
	holder holder
	r      io.ReadCloser
}

func (r *nestedReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.a.relabel(r.holder, err)
	}
	return n, err
}

func (r *nestedReader) Close() error {
	if r.in == nil {
		return nil
	}
	err := r.r.Close()
	r.a.release(r.in)
	r.in = nil
	return err
}

// Verify implements Verifier: for the file itself, where its format has
// something to verify, and then for every archive inside.
func (a *nestedArchive) Verify(ctx context.Context, report func(*FormatError)) error {
	if v, ok := ArchiveAs[Verifier](a.Archive); ok {
		if err := v.Verify(ctx, report); err != nil {
			return err
		}
	}
	if err := a.list(ctx); err != nil {
		return err
	}
	a.mu.Lock()
	places := slices.Clone(a.places)
	a.mu.Unlock()
	for _, p := range places {
		if err := a.verifyInner(ctx, p, report); err != nil {
			return err
		}
	}
	return nil
}

func (a *nestedArchive) verifyInner(ctx context.Context, p nestedPlace, report func(*FormatError)) error {
	in, err := a.acquire(ctx, p.holder)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return nil // Entries has reported it
	}
	defer a.release(in)
	found := func(fe *FormatError) {
		var outer *FormatError
		if errors.As(a.relabel(p.holder, fe), &outer) {
			report(outer)
		}
	}
	for _, w := range in.nestedArchive.Info().Warnings {
		found(w)
	}
	return in.Verify(ctx, found)
}
