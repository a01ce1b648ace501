package update

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/zeebo/blake3"

	"pakdb/diff/delta"
	"pakdb/diff/store"
)

// What was fetched is compared with its hash when it is used, too: it may have
// been kept by an earlier try, or be a sound frame of something else. What is
// wrong is fetched again.

// mostPackFile bounds a pack that is fetched as a whole. Some 3 MiB are usual.
const mostPackFile = 8 << 20

// getRange fetches a range. Where a server answers wrongly to requests for a range
// of a pack, the whole pack is asked for, which caches hold apart.
func (u *Update) getRange(ctx context.Context, r *fetchRange, check func([]byte) error) ([]byte, error) {
	b, err := u.r.get(ctx, &want{name: r.file, off: r.off, n: r.n, check: check})
	var wrong *wrongError
	if !errors.As(err, &wrong) || !strings.HasPrefix(r.file, "p/") || u.r.inVain() {
		return b, err
	}
	u.whole.Lock() // one at a time is held
	defer u.whole.Unlock()
	b, again := u.r.get(ctx, &want{name: r.file, n: -1, most: mostPackFile, fresh: true, check: func(b []byte) error {
		if store.KeyOf(b) != r.sum || int64(len(b)) < r.off+r.n {
			return fmt.Errorf("%w: %s is not what the build's tables say", store.ErrCorrupt, r.file)
		}
		return nil
	}})
	if again != nil {
		return nil, err
	}
	b = b[r.off : r.off+r.n]
	if check != nil {
		err = check(b)
	} else {
		err = nil
	}
	return b, err
}

// framesIn returns the frames of each range.
func (u *Update) framesIn() map[*fetchRange][]located {
	in := map[*fetchRange][]located{}
	for _, l := range u.frames {
		in[l.in] = append(in[l.in], l)
	}
	return in
}

// inflateAll fails unless all frames of a range can be decoded, which have
// checksums.
func inflateAll(b []byte, frames []located) error {
	for _, l := range frames {
		if _, err := store.InflateFrame(b[l.off : l.off+l.n]); err != nil {
			return err
		}
	}
	return nil
}

// chunk returns a chunk, from the folder or from what was fetched.
func (u *Update) chunk(ctx context.Context, c store.ChunkRef) ([]byte, error) {
	if have, ok := u.local.chunk(c); ok {
		return u.local.readChunk(have, c.ID)
	}
	id := c.Place.ID()
	frame, ok := u.recent.Frames[id]
	if !ok {
		at := u.frames[id]
		stored, err := at.read()
		if err == nil {
			frame, err = c.Frame(stored)
		}
		if errors.Is(err, store.ErrCorrupt) && at.in != nil {
			frame, err = u.frameAgain(ctx, at, c)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", store.PackName(id.Pack), err)
		}
		u.recent.Keep(id, frame)
	}
	return c.In(frame)
}

// frameAgain fetches the range anew in which a frame is.
func (u *Update) frameAgain(ctx context.Context, at located, c store.ChunkRef) (frame []byte, err error) {
	err = u.fetchAgain(ctx, at.in, func(b []byte) (err error) {
		frame, err = c.Frame(b[at.off : at.off+at.n])
		return err
	})
	return frame, err
}

// fetchAgain fetches a range anew.
func (u *Update) fetchAgain(ctx context.Context, r *fetchRange, check func([]byte) error) error {
	u.r.isWrong(int(r.n))
	err := r.close()
	if err == nil {
		err = u.out.Remove(r.name())
	}
	if err != nil {
		return err
	}
	return u.fetchRange(ctx, r, check)
}

func (r *fetchRange) close() error {
	if r.data == nil {
		return nil
	}
	err := r.data.Close()
	r.data = nil
	return err
}

// chunkReader reads chunks one behind the other.
type chunkReader struct {
	next   func(store.ChunkRef) ([]byte, error)
	chunks []store.ChunkRef
	rest   []byte
}

func (r *chunkReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if len(r.chunks) == 0 {
			return 0, io.EOF
		}
		var err error
		if r.rest, err = r.next(r.chunks[0]); err != nil {
			return 0, err
		}
		r.chunks = r.chunks[1:]
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// content reads a content of a file that is made.
func (u *Update) content(ctx context.Context, c store.ContentRef) (io.Reader, error) {
	if c.Size == 0 {
		return eof{}, nil
	}
	if have, ok := u.local.find(c.ID, c.Size); ok {
		return have.g.Open(have.src), nil
	}
	w := u.wanted[contentID{id: c.ID, size: c.Size}]
	if w == nil {
		return nil, fmt.Errorf("%w: a content that was not planned", store.ErrCorrupt)
	}
	if !w.coded {
		return &chunkReader{next: func(c store.ChunkRef) ([]byte, error) { return u.chunk(ctx, c) }, chunks: w.chunks}, nil
	}
	old, ok := u.local.find(w.delta.Old, w.delta.OldSize)
	if !ok {
		return nil, ErrChanged
	}
	stream, err := w.stream.read()
	if err != nil {
		return nil, err
	}
	return &codedReader{store.NewDeltaReader(&delta.Decoder{}, stream, &localOld{l: u.local, localContent: old}, c.Size), w, blake3.New(), c.Size}, nil
}

// codedReader reads what a delta makes, and compares it with the content's id
// before it gives the last of it.
type codedReader struct {
	*store.DeltaReader
	of   *wanted
	hash *blake3.Hasher
	left int64
}

func (r *codedReader) Read(p []byte) (int, error) {
	n, err := r.DeltaReader.Read(p)
	_, _ = r.hash.Write(p[:n])
	r.left -= int64(n)
	if n > 0 && r.left == 0 && store.Key(r.hash.Sum(nil)[:16]).Short() != r.of.ID {
		n, err = 0, fmt.Errorf("%w: it makes another content", store.ErrCorrupt)
	}
	if errors.Is(err, store.ErrCorrupt) {
		err = &wrongDelta{r.of, err}
	}
	return n, err
}

// wrongDelta means that a delta does not make its content.
type wrongDelta struct {
	of  *wanted
	err error
}

func (e *wrongDelta) Error() string { return fmt.Sprintf("a delta of %s: %v", e.of.from.Name(), e.err) }
func (e *wrongDelta) Unwrap() error { return e.err }

// mend fetches a delta again that is wrong, and the second time the content's
// chunks in place of it.
func (u *Update) mend(ctx context.Context, w *wanted) error {
	if w.mended++; w.mended == 1 {
		var wrong *wrongError
		if err := u.fetchAgain(ctx, w.stream.in, nil); !errors.As(err, &wrong) {
			return err
		}
		w.mended++
	}
	return u.byChunks(ctx, []*wanted{w})
}

// withoutAbsent has contents made of chunks whose deltas nobody gives.
func (u *Update) withoutAbsent(ctx context.Context) error {
	var list []*wanted
	for _, id := range u.sorted() {
		if w := u.wanted[id]; w.coded && w.stream.in.absent {
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		return nil
	}
	u.ranges = slices.DeleteFunc(u.ranges, func(r *fetchRange) bool { return r.absent })
	return u.byChunks(ctx, list)
}

// byChunks fetches the chunks of contents for which a delta was planned.
func (u *Update) byChunks(ctx context.Context, list []*wanted) error {
	var deep []*wanted
	for _, w := range list {
		w.coded = false
		if w.Depth == 0 {
			w.listed, w.chunks = true, []store.ChunkRef{{ID: w.ID, Place: w.Place}}
		} else if !w.listed {
			deep = append(deep, w)
		}
	}
	if err := u.listsOf(ctx, deep); err != nil {
		return err
	}
	need := map[store.FrameID]bool{}
	for _, w := range list {
		u.missing(w, func(c store.ChunkRef) {
			if _, there := u.frames[c.Place.ID()]; !there {
				need[c.Place.ID()] = true
			}
		})
	}
	spans, err := u.frameSpans(ctx, need, func(id store.FrameID, l located) { u.frames[id] = l })
	if err != nil {
		return err
	}
	for _, r := range join(spans, nearby) {
		u.ranges = append(u.ranges, r)
		if err := u.fetchRange(ctx, r, nil); err != nil {
			return err
		}
	}
	return nil
}
