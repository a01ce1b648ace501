package bin

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Fields reads from a slice. The first failure stays; afterwards everything is
// zero. It is not safe for concurrent use.
type Fields struct {
	rest  []byte
	class error
	err   error
}

// NewFields returns a reader of b whose failures wrap class.
func NewFields(b []byte, class error) *Fields { return &Fields{rest: b, class: class} }

// Err returns the first failure.
func (r *Fields) Err() error { return r.err }

// Len returns how many bytes are left, after a failure none.
func (r *Fields) Len() int { return len(r.rest) }

// Fail makes what is said the failure, unless there is one.
func (r *Fields) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", r.class, fmt.Sprintf(format, args...))
	}
	r.rest = nil
}

// Number reads a number up to limit.
func (r *Fields) Number(what string, limit int64) int64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > uint64(limit) {
		r.Fail("%s", what)
		return 0
	}
	r.rest = r.rest[n:]
	return int64(v)
}

// Signed reads a number between -limit and limit, zigzag-coded.
func (r *Fields) Signed(what string, limit int64) int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 || v > limit || v < -limit {
		r.Fail("%s", what)
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// Count reads how many things follow, up to limit, of at least so many bytes each.
func (r *Fields) Count(what string, limit, least int) int {
	n := r.Number(what, int64(limit))
	if n > int64(len(r.rest)/least) {
		r.Fail("%d %s in %d bytes", n, what, len(r.rest))
		return 0
	}
	return int(n)
}

// Bytes reads n bytes, which belong to the slice that is read. n must be the
// caller's own or checked: so many zeros come back when they are not there.
func (r *Fields) Bytes(n int) []byte {
	if n > len(r.rest) {
		r.Fail("ends early")
		return make([]byte, n)
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// Text reads a length up to limit, and so many bytes.
func (r *Fields) Text(what string, limit int) string { return string(r.Bytes(r.Count(what, limit, 1))) }

// Line reads up to limit bytes that end where an end byte follows, which it passes
// over.
func (r *Fields) Line(what string, end byte, limit int) string {
	n := bytes.IndexByte(r.rest[:min(len(r.rest), limit+1)], end)
	if n < 0 {
		r.Fail("%s", what)
		return ""
	}
	line := string(r.rest[:n])
	r.rest = r.rest[n+1:]
	return line
}

// Uint64 reads eight bytes.
func (r *Fields) Uint64() uint64 { return binary.LittleEndian.Uint64(r.Bytes(8)) }
