package delta

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/zeebo/blake3"

	"pakdb/diff/ship/internal/coder"
	"pakdb/internal/bin"
	"pakdb/internal/stored"
)

// Magic starts every patch file. A byte with the version of the format, in its
// lower half, and what the file has, in its upper one, follows.
const Magic = "pkd"

// Version is that of the patch format, which docs/pkdelta.md describes: the one that
// is written, and the only one that is read.
const Version = 1

// What the byte after the magic says.
const (
	frameSigned = 0x80 // a signature follows the root
	FrameListed = 0x40 // the header has the segments; else what is left of the file is one, or none
	frameCoded  = 0x20 // the header is compressed
	FrameModes  = 0x10 // new files say whether they are executable
	frameMask   = frameSigned | FrameListed | frameCoded | FrameModes
)

// rootStored is how many bytes of the root are in the file: enough to detect
// damage. A signature is of the whole root.
const rootStored = 8

// Marshal returns the bytes before the segments: magic, header, root, signature.
// only is the segment of a patch that has no more than that one.
func (h *Header) Marshal(only []byte) []byte {
	text, sums := h.Columns(), h.Sums()
	how, body := byte(Version), append(text, sums...)
	if coded := deflate(text); len(coded)+len(sums) < len(body) {
		how, body = how|frameCoded, append(coded, sums...)
	}
	return h.Frame(how, body, only)
}

// Frame writes the header around its fields, which how says the coding of.
func (h *Header) Frame(how byte, body, only []byte) []byte {
	if h.IsListed() {
		how |= FrameListed
	}
	if h.Modes {
		how |= FrameModes
	}
	b := append([]byte(Magic), how)
	b = binary.AppendUvarint(b, uint64(len(body)))
	b = append(b, body...)
	if h.IsListed() {
		only = nil
	}
	h.setRoot(b, only)
	b = append(b, h.RootHash[:rootStored]...)
	h.SignatureAt = int64(len(b))
	if len(h.Signature) > 0 {
		b[len(Magic)] |= frameSigned
		b = append(append(b, lengthOf(h.Signature)...), h.Signature...)
	}
	h.FrontSize = int64(len(b))
	return b
}

// setRoot hashes what is before the root, as if the patch had no signature, and
// the segment if the root covers it directly.
func (h *Header) setRoot(before, only []byte) {
	hash := blake3.New()
	_, _ = hash.Write(before)
	_, _ = hash.Write(only)
	h.RootHash = Root(hash.Sum(nil))
}

// deflate returns a text as a delta stream after that one's length.
func deflate(text []byte) []byte {
	var e coder.Encoder
	e.Reset()
	e.Number(0, uint64(len(text)))
	none := coder.NewIndex(nil)
	for at := 0; at < len(text); at += coder.MaxContent {
		e.Content(text[at:min(at+coder.MaxContent, len(text))], none, 0, 0)
	}
	coded := e.Bytes()
	return append(binary.AppendUvarint(nil, uint64(len(coded))), coded...)
}

// ReadHeader reads the bytes before the segments of a patch, and returns where
// these are read from: r, or memory.
func ReadHeader(r io.Reader, most int) (*Header, io.Reader, error) {
	front := make([]byte, len(Magic)+1, len(Magic)+8)
	if _, err := io.ReadFull(r, front); err != nil {
		return nil, nil, truncated(err, ErrNotPatch)
	}
	how := front[len(Magic)]
	if string(front[:len(Magic)]) != Magic {
		return nil, nil, ErrNotPatch
	}
	if v := how &^ frameMask; v != Version {
		return nil, nil, fmt.Errorf("%w: version %d of the patch format", errors.ErrUnsupported, v)
	}
	front[len(Magic)] &^= frameSigned
	front, size, err := appendLength(front, r, most)
	if err != nil {
		return nil, nil, err
	}
	body, err := readExact(r, size+rootStored)
	if err != nil {
		return nil, nil, err
	}
	body, stored := body[:size], body[size:]
	h := &Header{SignatureAt: int64(len(front) + size + rootStored)}
	h.FrontSize = h.SignatureAt
	if how&frameSigned != 0 {
		if err := h.readSignature(r); err != nil {
			return nil, nil, err
		}
	}
	var only []byte
	if how&FrameListed == 0 {
		if only, err = readOnly(r); err != nil {
			return nil, nil, err
		}
		r = bytes.NewReader(only)
	}
	if h.setRoot(append(front, body...), only); !bytes.Equal(h.RootHash[:rootStored], stored) {
		return nil, nil, fmt.Errorf("%w: it is not what its hash says", ErrCorrupt)
	}
	return h, r, h.Parse(body, how, only, most)
}

// readOnly reads the only segment, which ends with the file.
func readOnly(r io.Reader) ([]byte, error) {
	only, err := io.ReadAll(io.LimitReader(r, MaxSegment+1))
	if err == nil && len(only) > MaxSegment {
		err = fmt.Errorf("%w: a segment of more than %d bytes", ErrCorrupt, MaxSegment)
	}
	return only, err
}

// Parse takes apart a header whose hash has been checked.
func (h *Header) Parse(body []byte, how byte, only []byte, most int) error {
	class := fmt.Errorf("%w: header", ErrCorrupt)
	text := bin.NewFields(body, class)
	sums := text
	if how&frameCoded != 0 {
		coded := text.Bytes(text.Count("length", most, 1))
		plain, err := inflate(coded, most)
		if err != nil {
			return err
		}
		text = bin.NewFields(plain, class)
	}
	h.Modes = how&FrameModes != 0
	h.readColumns(text, how&FrameListed != 0)
	if text != sums && text.Len() > 0 {
		text.Fail("%d bytes after its end", text.Len())
	}
	if err := text.Err(); err != nil {
		return err
	}
	if len(only) > 0 {
		h.Parts = []Segment{{int64(len(only)), SumOfBytes(only), h.firstMade()}}
	}
	h.readSums(sums, how&FrameListed != 0)
	if sums.Err() == nil && sums.Len() > 0 {
		sums.Fail("%d bytes after its end", sums.Len())
	}
	if err := sums.Err(); err != nil {
		return err
	}
	return h.Check()
}

func inflate(coded []byte, most int) ([]byte, error) {
	var d coder.Decoder
	d.Reset(coded)
	size := d.Number(0)
	if size > uint64(most) {
		return nil, fmt.Errorf("%w: a header of more than %d bytes", ErrCorrupt, most)
	}
	var plain []byte
	for len(plain) < int(size) {
		part, err := d.Content(min(int(size)-len(plain), coder.MaxContent), nothing{}, 0, 0)
		if err != nil {
			return nil, fmt.Errorf("%w: header: %w", ErrCorrupt, err)
		}
		plain = append(plain, part...)
	}
	return plain, nil
}

// nothing is an old content without bytes.
type nothing struct{}

func (nothing) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }
func (nothing) Size() int64                       { return 0 }

func (h *Header) readSignature(r io.Reader) error {
	b, size, err := appendLength(nil, r, maxSignature)
	if err != nil {
		return err
	}
	h.Signature, err = readExact(r, size)
	h.FrontSize += int64(len(b) + size)
	return err
}

// appendLength reads a LEB128 number up to most and appends its bytes.
func appendLength(b []byte, r io.Reader, most int) ([]byte, int, error) {
	for n, shift := 0, 0; ; shift += 7 {
		c, err := readExact(r, 1)
		if err != nil {
			return nil, 0, err
		}
		b = append(b, c[0])
		if n |= int(c[0]&0x7f) << shift; n > most || shift > 28 {
			return nil, 0, fmt.Errorf("%w: a header or signature of more than %d bytes", ErrCorrupt, most)
		}
		if c[0] < 0x80 {
			return b, n, nil
		}
	}
}

// readExact allocates as the bytes come, not as they are announced.
func readExact(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, 0, min(n, 1<<20))
	for len(b) < n {
		k := min(n-len(b), 1<<20)
		b = append(b, make([]byte, k)...)
		if _, err := io.ReadFull(r, b[len(b)-k:]); err != nil {
			return nil, truncated(err, ErrCorrupt)
		}
	}
	return b, nil
}

func truncated(err, class error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("%w: it ends early", class)
	}
	return err
}

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
// decoded: a reader that knows the files need not hold the names of a million
// files.
func NewReaderWithin(r io.Reader, most int) (*Reader, error) {
	h, r, err := ReadHeader(r, min(most, MaxHeader))
	if err != nil {
		return nil, err
	}
	return &Reader{Header: h, r: r}, nil
}

// Segment returns the next segment and the new file it is of, until io.EOF. It
// stays valid until the next call. Bytes after the last segment are an error.
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
