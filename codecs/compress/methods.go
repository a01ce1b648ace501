package compress

import (
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"pakdb/codecs/internal/inflate"
	"pakdb/codecs/internal/lzo"
	"pakdb/codecs/internal/oodle"
)

// The decoders hold tables of 20 KiB and more each, so they are pooled: an
// archive of small blocks would otherwise allocate more than it decodes.
var (
	inflaters   = sync.Pool{New: func() any { return new(inflate.Decoder) }}
	zstdReaders = sync.Pool{New: newZstdReader}
)

// decodeZlib takes one stream. Bytes after it are fill, as archives that align
// their blocks leave it.
func decodeZlib(dst, src []byte) error {
	d := inflaters.Get().(*inflate.Decoder)
	defer inflaters.Put(d)
	if _, err := d.Zlib(dst, src); err != nil {
		return corrupt(Zlib, "%v", err)
	}
	return nil
}

// DecodeFront decodes at least the first want bytes of a block, which dst has room for, and
// returns how many of them came out: nearly all, or none of a damaged block. It takes less
// than [Decode] where the method allows it.
func DecodeFront(m Method, dst, src []byte, want int) int {
	if m != Zlib {
		if Decode(m, dst, src) != nil {
			return 0
		}
		return want
	}
	d := inflaters.Get().(*inflate.Decoder)
	defer inflaters.Put(d)
	_, err := d.Zlib(dst[:want], src)
	var at *inflate.Error
	if errors.As(err, &at) && errors.Is(at, inflate.ErrTooLong) {
		return at.Out // the next match, perhaps, had no room
	}
	return 0 // it has an end before its size, or is damaged
}

// decodeGzip takes one member, and leaves what follows it.
func decodeGzip(dst, src []byte) error {
	d := inflaters.Get().(*inflate.Decoder)
	defer inflaters.Put(d)
	if _, err := d.Gzip(dst, src); err != nil {
		return corrupt(Gzip, "%v", err)
	}
	return nil
}

// A single-threaded decoder with bounded memory; DecodeAll never grows beyond
// the capacity it is given because of the limit option.
func newZstdReader() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(1<<32), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return err
	}
	return d
}

func decodeZstd(dst, src []byte) error {
	d, ok := zstdReaders.Get().(*zstd.Decoder)
	if !ok {
		return unsupported(Zstd, "decoder options refused")
	}
	defer zstdReaders.Put(d)
	out, err := d.DecodeAll(src, dst[:0:len(dst)])
	if err != nil {
		return corrupt(Zstd, "%v", err)
	}
	if len(out) != len(dst) {
		return corrupt(Zstd, "decoded %d bytes, declared %d", len(out), len(dst))
	}
	return nil
}

// The deflaters hold a megabyte each, and are pooled for the same reason. Reset
// makes them as new, so the output depends on the source alone.
var (
	zlibEncoders = sync.Pool{New: func() any { return new(ZlibEncoder) }}
	fastWriters  = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}
	gzipWriters  = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}
	zstdWriters  = sync.Pool{New: newZstdWriter}
)

// encodeZlib writes what compress() of zlib writes, and with it the packers of
// the engines: an archive that is packed again from its files is the archive.
func encodeZlib(dst, src []byte) ([]byte, error) {
	e := zlibEncoders.Get().(*ZlibEncoder)
	defer zlibEncoders.Put(e)
	out, err := e.Encode(dst, src, ZlibDefault)
	if err != nil {
		return dst, &Error{Method: Zlib, Detail: "encode", Err: err}
	}
	return out, nil
}

// encodeZlibFast writes the default level of klauspost's deflate: half of the CPU of zlib's
// level 6, and 3 to 6 % more bytes.
func encodeZlibFast(dst, src []byte) ([]byte, error) {
	w := fastWriters.Get().(*zlib.Writer)
	defer fastWriters.Put(w)
	return encodeWith(Zlib, w, dst, src)
}

func encodeGzip(dst, src []byte) ([]byte, error) {
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	return encodeWith(Gzip, w, dst, src)
}

// encodeWith appends one stream of w, which it resets, to dst.
func encodeWith(m Method, w interface {
	io.WriteCloser
	Reset(io.Writer)
}, dst, src []byte) ([]byte, error) {
	out := appender(dst)
	w.Reset(&out)
	if _, err := w.Write(src); err != nil {
		return dst, &Error{Method: m, Detail: "encode", Err: err}
	}
	if err := w.Close(); err != nil {
		return dst, &Error{Method: m, Detail: "encode", Err: err}
	}
	return out, nil
}

// appender is an io.Writer to the end of a slice.
type appender []byte

func (a *appender) Write(p []byte) (int, error) {
	*a = append(*a, p...)
	return len(p), nil
}

func newZstdWriter() any {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true))
	if err != nil {
		return err
	}
	return e
}

func encodeZstd(dst, src []byte) ([]byte, error) {
	e, ok := zstdWriters.Get().(*zstd.Encoder)
	if !ok {
		return dst, unsupported(Zstd, "encoder options refused")
	}
	defer zstdWriters.Put(e)
	return e.EncodeAll(src, dst), nil
}

// decodeLZ4 also accepts an empty source for an empty destination: MHPakTool
// writes empty files so, where a C encoder writes the one byte 0x00.
func decodeLZ4(dst, src []byte) error {
	if len(src) == 0 && len(dst) == 0 {
		return nil
	}
	n, err := lz4.UncompressBlock(src, dst)
	if err != nil {
		return corrupt(LZ4, "block of %d bytes does not decode to %d", len(src), len(dst))
	}
	if n != len(dst) {
		return corrupt(LZ4, "decoded %d bytes, declared %d", n, len(dst))
	}
	return nil
}

var lz4Encoders = sync.Pool{New: func() any { return new(LZ4Encoder) }}

// encodeLZ4 writes what LZ4_compress_default of a modern liblz4 writes. It always
// yields a block, also when that is larger than src: the archives that use it
// have no flag for stored data.
func encodeLZ4(dst, src []byte) ([]byte, error) {
	e := lz4Encoders.Get().(*LZ4Encoder)
	defer lz4Encoders.Put(e)
	out, err := e.Encode(dst, src, LZ4Params{})
	if err != nil {
		return dst, &Error{Method: LZ4, Detail: "encode", Err: err}
	}
	return out, nil
}

// decodeLZO1X takes one plain stream. Bytes after its end marker are fill, as
// archives that align their blocks leave it.
func decodeLZO1X(dst, src []byte) error {
	n, _, err := lzo.Decode(dst, src)
	switch {
	case err != nil:
		return corrupt(LZO1X, "%v", err)
	case n != len(dst):
		return corrupt(LZO1X, "decoded %d bytes, declared %d", n, len(dst))
	}
	return nil
}

// An oodle.Decoder keeps its tables and scratch space, about 300 KiB.
var oodleDecoders = sync.Pool{New: func() any { return new(oodle.Decoder) }}

func decodeOodle(dst, src []byte) error {
	d := oodleDecoders.Get().(*oodle.Decoder)
	defer oodleDecoders.Put(d)
	n, err := d.Decode(dst, src)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return unsupported(Oodle, err.Error())
	case err != nil:
		return corrupt(Oodle, "%v", err)
	case n != len(dst):
		return corrupt(Oodle, "decoded %d bytes, declared %d", n, len(dst))
	}
	return nil
}
