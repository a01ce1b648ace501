package delta

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"pakdb/internal/stored"
)

// Reader reads a patch from front to end, and hands out nothing that does not
// have its hash.
type Reader struct {
	Header *Header

	r    io.Reader
	next int // segment
	buf  []byte
}

// NewReader reads the header of a patch, and its segment if it has one at most.
func NewReader(r io.Reader) (*Reader, error) { return NewReaderWithin(r, MaxHeader) }

// NewReaderWithin is NewReader for a patch whose header has at most so many bytes,
// decoded: who knows what a patch is to make need not hold the names of a million
// files.
func NewReaderWithin(r io.Reader, most int) (*Reader, error) {
	h, r, err := ReadHeader(r, min(most, MaxHeader))
	if err != nil {
		return nil, err
	}
	return &Reader{Header: h, r: r}, nil
}

// Segment returns the next segment and the new file it is of, until io.EOF. It
// stays valid until the next call. Bytes behind the last segment are an error.
func (r *Reader) Segment() (stream []byte, file int, err error) {
	if r.next == len(r.Header.Parts) {
		var more [1]byte
		if n, err := io.ReadFull(r.r, more[:]); n > 0 {
			return nil, 0, fmt.Errorf("%w: bytes after its end", ErrCorrupt)
		} else if err != io.EOF {
			return nil, 0, err
		}
		return nil, 0, io.EOF
	}
	s := r.Header.Parts[r.next]
	if int64(cap(r.buf)) < s.Stored {
		r.buf = make([]byte, s.Stored)
	}
	stream = r.buf[:s.Stored]
	if _, err := io.ReadFull(r.r, stream); err != nil {
		return nil, 0, truncated(err, ErrCorrupt)
	}
	if SumOfBytes(stream) != s.Sum {
		return nil, 0, fmt.Errorf("%w: segment %d of %d is not what its hash says", ErrCorrupt, r.next+1, len(r.Header.Parts))
	}
	r.next++
	return stream, s.File, nil
}

// Verify reads a patch to its end and checks every hash in it. It needs no old
// file.
func Verify(ctx context.Context, r io.Reader) (*Header, error) {
	p, err := NewReader(bufio.NewReaderSize(r, 256<<10))
	for err == nil {
		if err = ctx.Err(); err == nil {
			var stream []byte
			stream, _, err = p.Segment()
			stored.ProgressOf(ctx).Add(int64(len(stream)))
		}
	}
	if err == io.EOF {
		return p.Header, nil
	}
	return nil, err
}
