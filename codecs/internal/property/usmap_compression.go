package property

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"pakdb/codecs"
	"pakdb/codecs/internal/oodle"
	"pakdb/internal/bin"
)

// Compressions, as stored.
const (
	compressNone = iota
	compressOodle
	compressBrotli
	compressZstd
)

// decode reads how the body is stored, and returns it decoded.
func (m *Mappings) decode(r *bin.Reader, data []byte) ([]byte, error) {
	method := r.U8()
	stored, size := int64(r.U32()), int64(r.U32())
	at := r.Off()
	if r.Err() != nil {
		return nil, failure("size", at, r.Err())
	}
	if rest := int64(r.Len()); stored > rest {
		err := codecs.Errorf(codecs.ErrTruncated, "%d bytes of data, the header says %d", rest, stored)
		if !bytes.Contains(data, []byte("\r\n")) {
			// A file of this size has some 10 pairs of CR LF by chance.
			err = codecs.Errorf(codecs.ErrTruncated, "%d bytes of data, the header says %d, and no CR LF in them: was it stored as text?", rest, stored)
		}
		return nil, failure("stored_size", at-8, err)
	}
	if size > MaxSize {
		return nil, failure("size", at-4, codecs.Errorf(codecs.ErrLimit, "%d > %d", size, MaxSize))
	}
	body, err := m.decompress(method, r.Bytes(int(stored)), int(size))
	if err != nil {
		return nil, failure("data", at, err)
	}
	return body, nil
}

func (m *Mappings) decompress(method uint8, src []byte, size int) (dst []byte, err error) {
	switch method {
	case compressNone:
		dst = src
	case compressOodle:
		m.Compression = "oodle"
		dst = make([]byte, size)
		_, err = oodle.Decode(dst, src)
	case compressBrotli:
		m.Compression = "brotli"
		dst, err = readAll(brotli.NewReader(bytes.NewReader(src)), size)
	case compressZstd:
		m.Compression = "zstd"
		dst, err = decodeZstd(src, size)
	default:
		return nil, codecs.Errorf(codecs.ErrUnknown, "compression %d", method)
	}
	if err != nil {
		return nil, codecs.Errorf(codecs.ErrCorrupt, "%s: %v", m.Compression, err)
	}
	if len(dst) != size {
		return nil, codecs.Errorf(codecs.ErrCorrupt, "%d bytes decoded, the header says %d", len(dst), size)
	}
	return dst, nil
}

func decodeZstd(src []byte, size int) ([]byte, error) {
	d, err := zstd.NewReader(bytes.NewReader(src), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(MaxSize))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return readAll(d, size)
}

// readAll reads at most one byte more than size, and has no more memory than was
// decoded.
func readAll(r io.Reader, size int) ([]byte, error) {
	dst, err := io.ReadAll(io.LimitReader(r, int64(size)+1))
	if err == nil || len(dst) <= size {
		return dst, err
	}
	return nil, fmt.Errorf("more than %d bytes", size)
}

// isText reports a name that can be one: extensions are four printable characters.
func isText(b []byte) bool {
	return strings.IndexFunc(string(b), func(r rune) bool { return r < ' ' || r > '~' }) < 0
}
