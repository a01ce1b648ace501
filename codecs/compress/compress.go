package compress

import (
	"errors"
	"fmt"
)

// Method names how a block is stored. The empty Method is [None].
type Method string

// The methods that pakdb knows. An archive may name others: they are carried
// as they are, and decoding them is [errors.ErrUnsupported].
const (
	None  Method = ""      // stored as it is
	Zlib  Method = "zlib"  // RFC 1950
	Gzip  Method = "gzip"  // RFC 1952, one member
	LZ4   Method = "lz4"   // one raw LZ4 block, no frame
	Zstd  Method = "zstd"  // RFC 8878, one frame
	LZO1X Method = "lzo1x" // one LZO1X stream
	Oodle Method = "oodle" // Kraken and its family
)

// String returns the method's name, "none" for [None].
func (m Method) String() string {
	if m == None {
		return "none"
	}
	return string(m)
}

// ErrCorrupt means that a block does not decode to what its archive declares.
var ErrCorrupt = errors.New("corrupt block")

// Error reports why a block failed. It unwraps to [ErrCorrupt] or
// [errors.ErrUnsupported].
type Error struct {
	Method Method
	Detail string
	Err    error
}

// Error leaves the class out: errors that wrap it say "corrupt" already.
func (e *Error) Error() string {
	if e.Err == ErrCorrupt {
		return fmt.Sprintf("%s: %s", e.Method, e.Detail)
	}
	return fmt.Sprintf("%s: %v: %s", e.Method, e.Err, e.Detail)
}
func (e *Error) Unwrap() error { return e.Err }

func corrupt(m Method, format string, args ...any) error {
	return &Error{Method: m, Detail: fmt.Sprintf(format, args...), Err: ErrCorrupt}
}

func unsupported(m Method, detail string) error {
	return &Error{Method: m, Detail: detail, Err: errors.ErrUnsupported}
}

// method is what pakdb does with the blocks of a method.
type method struct {
	decode     func(dst, src []byte) error
	encode     func(dst, src []byte) ([]byte, error) // nil: there is no encoder
	encodeFast func(dst, src []byte) ([]byte, error) // nil: there is one effort
	maxRatio   int64                                 // 0: no useful bound
}

var methods = map[Method]method{
	None:  {decode: decodeNone, encode: encodeNone, maxRatio: 1},
	Zlib:  {decode: decodeZlib, encode: encodeZlib, encodeFast: encodeZlibFast, maxRatio: 1032},
	Gzip:  {decode: decodeGzip, encode: encodeGzip, maxRatio: 1032},
	LZ4:   {decode: decodeLZ4, encode: encodeLZ4, maxRatio: 255},
	Zstd:  {decode: decodeZstd, encode: encodeZstd},
	LZO1X: {decode: decodeLZO1X, maxRatio: 255},
	Oodle: {decode: decodeOodle},
}

// Decode decodes one block. It fills dst exactly, or fails: a block that
// yields fewer or more bytes is corrupt. dst and src must not overlap.
// What dst holds after a failure is undefined.
func Decode(m Method, dst, src []byte) error {
	if known, ok := methods[m]; ok {
		return known.decode(dst, src)
	}
	return unsupported(m, "no decoder")
}

// Encode appends the encoded src to dst and returns the extended slice. The
// output is deterministic: it depends on m and src alone.
func Encode(m Method, dst, src []byte) ([]byte, error) {
	if encode := methods[m].encode; encode != nil {
		return encode(dst, src)
	}
	return dst, unsupported(m, "no encoder")
}

// EncodeFast is [Encode] with less effort. Zlib takes about half of the CPU for 3 to 6 %
// more bytes, which are not those that zlib writes. The other methods have one effort.
func EncodeFast(m Method, dst, src []byte) ([]byte, error) {
	if encode := methods[m].encodeFast; encode != nil {
		return encode(dst, src)
	}
	return Encode(m, dst, src)
}

// CanDecode reports whether [Decode] knows m.
func CanDecode(m Method) bool {
	_, ok := methods[m]
	return ok
}

// CanEncode reports whether [Encode] knows m, or m is "none", which writers store.
func CanEncode(m Method) bool { return m == "none" || methods[m].encode != nil }

// MaxRatio returns the most bytes that one stored byte of m can decode to, or
// 0 when there is no useful bound. A reader uses it to refuse a declared size
// that no stored block can reach, before allocating for it.
func MaxRatio(m Method) int64 { return methods[m].maxRatio }

func encodeNone(dst, src []byte) ([]byte, error) { return append(dst, src...), nil }

func decodeNone(dst, src []byte) error {
	if len(dst) != len(src) {
		return corrupt(None, "%d stored bytes for %d decoded", len(src), len(dst))
	}
	copy(dst, src)
	return nil
}
