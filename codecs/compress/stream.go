package compress

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"pakdb/codecs/compress/exactzlib"
)

// The inflaters hold 40 KiB of tables each, so they are pooled: an archive of
// 64 KiB blocks would otherwise allocate more than it decodes.
var (
	zlibReaders = sync.Pool{New: func() any { return new(zlibReader) }}
	gzipReaders = sync.Pool{New: func() any { return new(gzip.Reader) }}
	zstdReaders = sync.Pool{New: newZstdReader}
)

type zlibReader struct{ r io.ReadCloser }

func (z *zlibReader) reset(src io.Reader) (err error) {
	if z.r == nil {
		z.r, err = zlib.NewReader(src)
		return err
	}
	return z.r.(zlib.Resetter).Reset(src, nil)
}

func decodeZlib(dst, src []byte) error {
	z := zlibReaders.Get().(*zlibReader)
	if err := z.reset(bytes.NewReader(src)); err != nil {
		return corrupt(Zlib, "%v", err) // a reader that failed to reset is not reused
	}
	defer zlibReaders.Put(z)
	return readExactly(Zlib, z.r, dst)
}

func decodeGzip(dst, src []byte) error {
	z := gzipReaders.Get().(*gzip.Reader)
	defer gzipReaders.Put(z)
	if err := z.Reset(bytes.NewReader(src)); err != nil {
		return corrupt(Gzip, "%v", err)
	}
	z.Multistream(false)
	return readExactly(Gzip, z, dst)
}

// readExactly fills dst from r and requires that r ends there, which is also
// where a stream's own checksum is verified.
func readExactly(m Method, r io.Reader, dst []byte) error {
	n, err := io.ReadFull(r, dst)
	if err != nil && !(errors.Is(err, io.EOF) && len(dst) == 0) {
		return corrupt(m, "decoded %d of %d bytes: %v", n, len(dst), err)
	}
	var more [1]byte
	switch _, err := io.ReadFull(r, more[:]); {
	case err == nil:
		return corrupt(m, "decodes to more than the declared %d bytes", len(dst))
	case !errors.Is(err, io.EOF):
		return corrupt(m, "after %d bytes: %v", len(dst), err)
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
	zlibEncoders = sync.Pool{New: func() any { return new(exactzlib.Encoder) }}
	gzipWriters  = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}
	zstdWriters  = sync.Pool{New: newZstdWriter}
)

// encodeZlib writes what compress() of zlib writes, and with it the packers of
// the engines: an archive that is packed again from its files is the archive.
func encodeZlib(dst, src []byte) ([]byte, error) {
	e := zlibEncoders.Get().(*exactzlib.Encoder)
	defer zlibEncoders.Put(e)
	out, err := e.Encode(dst, src, exactzlib.Default)
	if err != nil {
		return dst, &Error{Method: Zlib, Detail: "encode", Err: err}
	}
	return out, nil
}

func encodeGzip(dst, src []byte) ([]byte, error) {
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	out := appender(dst)
	w.Reset(&out)
	if _, err := w.Write(src); err != nil {
		return dst, &Error{Method: Gzip, Detail: "encode", Err: err}
	}
	if err := w.Close(); err != nil {
		return dst, &Error{Method: Gzip, Detail: "encode", Err: err}
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
