//go:build !race

package compress_test

import (
	"runtime"
	"testing"
	"unsafe"

	"modernc.org/libc"
	zlib "modernc.org/z/lib"

	"pakdb/codecs/compress"
)

// oracle deflates with zlib 1.2.11, translated from C to Go. chunk limits what
// each call of deflate may write; 0 means all at once.
func oracle(t testing.TB, src []byte, p compress.ZlibParams, chunk int) []byte {
	t.Helper()
	tls := libc.NewTLS()
	defer tls.Close()
	var pin runtime.Pinner
	defer pin.Unpin()

	version := append([]byte(zlib.ZLIB_VERSION), 0)
	strm := new(zlib.Z_stream)
	in, out := append([]byte(nil), src...), make([]byte, len(src)+len(src)/8+1000)
	in = append(in, 0) // so that it has an address
	pin.Pin(strm)
	pin.Pin(&version[0])
	pin.Pin(&in[0])
	pin.Pin(&out[0])
	strm.Fnext_in, strm.Favail_in = uintptr(unsafe.Pointer(&in[0])), uint32(len(src))
	strm.Fnext_out = uintptr(unsafe.Pointer(&out[0]))

	window := int32(p.WindowBits)
	if p.Raw {
		window = -window
	}
	z := uintptr(unsafe.Pointer(strm))
	if rc := zlib.XdeflateInit2_(tls, z, int32(p.Level), zlib.Z_DEFLATED, window, int32(p.MemLevel), int32(p.Strategy),
		uintptr(unsafe.Pointer(&version[0])), int32(unsafe.Sizeof(*strm))); rc != zlib.Z_OK {
		t.Fatalf("deflateInit2(%v) = %d", p, rc)
	}
	defer zlib.XdeflateEnd(tls, z)
	for {
		strm.Favail_out = uint32(len(out) - int(strm.Ftotal_out))
		if chunk > 0 {
			strm.Favail_out = min(strm.Favail_out, uint32(chunk))
		}
		switch rc := zlib.Xdeflate(tls, z, zlib.Z_FINISH); {
		case rc == zlib.Z_STREAM_END:
			return out[:strm.Ftotal_out]
		case rc != zlib.Z_OK || int(strm.Ftotal_out) == len(out):
			t.Fatalf("deflate = %d after %d bytes", rc, strm.Ftotal_out)
		}
	}
}
