package operand

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync"

	"pakdb/codecs"
	"pakdb/internal/atomicfile"
)

// Content is the decoded bytes of a package.
type Content struct {
	io.ReaderAt
	Size   int64
	Path   string // in the game, as far as it is known
	Folder string // of the file that it is in
	Chunk  bool   // of an IoStore container
	// Exports is the .uexp beside a package, for readers of exports;
	// nil: none.
	Exports *Content
	Close   func()
}

// SpoolEntry decodes an entry into a temporary file: packages are read from
// all their ends, and are as large as an entry may be.
func SpoolEntry(ctx context.Context, ar *Archive, e *codecs.Entry) (*Content, error) {
	r, err := ar.Open(ctx, e)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	f, err := atomicfile.NewScratch("")
	if err != nil {
		return nil, err
	}
	c := &Content{ReaderAt: f, Size: e.Size, Path: ar.Info().MountPoint + e.Name, Folder: filepath.Dir(ar.File.Name()),
		Chunk: e.ID.Bits == codecs.ChunkBits, Close: func() { _ = f.Close() }}
	contentErr, writeErr := Copy(ctx, f, r, e.Size)
	if err := errors.Join(contentErr, writeErr); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Copy copies the content of e to w and checks that it has the size that the
// archive declares. Errors of w are not those of the content.
func Copy(ctx context.Context, w io.Writer, r io.Reader, want int64) (contentErr, writeErr error) {
	out, buf := &errWriter{w: w}, copyBuffers.Get().(*[copySize]byte)
	defer copyBuffers.Put(buf)
	n, err := io.CopyBuffer(out, codecs.ContextReader(ctx, r), buf[:])
	switch {
	case out.err != nil:
		return nil, out.err
	case err == nil && n != want:
		err = codecs.Errorf(codecs.ErrCorrupt, "decodes to %d bytes, %d are declared", n, want)
	}
	return err, nil
}

// copySize is how much Copy reads and writes at once: what is hashed in between is
// still in the cache of the core.
const copySize = 256 << 10

var copyBuffers = sync.Pool{New: func() any { return new([copySize]byte) }}

// errWriter remembers its first error.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) Write(p []byte) (int, error) {
	n, err := e.w.Write(p)
	if e.err == nil {
		e.err = err
	}
	return n, err
}
