package gpak

import (
	"bytes"
	"context"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"pakdb/codecs"
	"pakdb/codecs/compress"
)

// Limits of what the game's readers can hold. All of KAPG's numbers are signed
// 32-bit; SQLite's are those of its default build.
const (
	maxKAPGContent   = math.MaxInt32
	maxSQLiteContent = 1_000_000_000
	maxName          = 64 << 10 // what a reader takes by default
)

// stored is an entry as both writers keep it.
type stored struct {
	path string
	hash uint64
	mod  int64
	size int64
	data []byte // valid until the next entry
}

// intake turns what Add and AddRaw are given into stored entries: names and
// times checked, content compressed. Its buffers serve every entry.
type intake struct {
	method compress.Method
	most   int64 // bytes of a content, stored or decoded
	taken  map[uint64]string
	in     bytes.Buffer
	out    []byte
	failed error // the first failure; a writer is worthless after it
}

func newIntake(m compress.Method, most int64) intake {
	return intake{method: m, most: most, taken: map[uint64]string{}}
}

// add reads and encodes a content.
func (w *intake) add(ctx context.Context, e *codecs.Entry, r io.Reader) (*stored, error) {
	s, err := w.begin(ctx, e, r, e.Size)
	if err != nil {
		return nil, w.fail(err)
	}
	s.size = int64(w.in.Len())
	if s.data = w.in.Bytes(); w.method == compress.None {
		return s, nil
	}
	if w.out, err = compress.Encode(w.method, w.out[:0], s.data); err != nil {
		return nil, w.fail(&codecs.FormatError{Format: name, Entry: e.Name, Field: "data", Off: -1, Err: err})
	}
	if s.data = w.out; int64(len(s.data)) > w.most {
		return nil, w.fail(tooLarge(e, "compressed size", int64(len(s.data)), w.most))
	}
	return s, nil
}

// addRaw takes stored bytes as they are.
func (w *intake) addRaw(ctx context.Context, e *codecs.Entry, r io.Reader) (*stored, error) {
	if e.Method != w.method || len(e.Blocks) > 1 {
		return nil, w.fail(refuse(e.Name, "method", e.Method.String()+", entries here are one block of "+w.method.String()))
	}
	s, err := w.begin(ctx, e, r, e.Stored)
	if err != nil {
		return nil, w.fail(err)
	}
	s.size, s.data = e.Size, w.in.Bytes()
	if got := int64(len(s.data)); got != e.Stored {
		err = codecs.Errorf(codecs.ErrTruncated, "%d bytes, Stored says %d", got, e.Stored)
	} else if e.Size > w.most {
		return nil, w.fail(tooLarge(e, "size", e.Size, w.most))
	} else {
		err = checkRatio(w.method, e.Stored, e.Size)
	}
	if err != nil {
		return nil, w.fail(&codecs.FormatError{Format: name, Entry: e.Name, Field: "size", Off: -1, Err: err})
	}
	return s, nil
}

// begin checks e and reads r into w.in, one byte further than allowed so that
// too much is seen. It has likely as many bytes.
func (w *intake) begin(ctx context.Context, e *codecs.Entry, r io.Reader, likely int64) (*stored, error) {
	if w.failed != nil {
		return nil, w.failed
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := &stored{path: e.Name, hash: Hash(e.Name)}
	if err := w.check(e, s); err != nil {
		return nil, err
	}
	w.in.Reset()
	// ReadFrom wants 512 bytes more than there are, and doubles what falls short.
	w.in.Grow(int(min(max(likely, 0), w.most-513)) + 513)
	n, err := w.in.ReadFrom(io.LimitReader(r, w.most+1))
	if err != nil {
		return nil, err
	}
	if n > w.most {
		return nil, tooLarge(e, "size", n, w.most)
	}
	w.taken[s.hash] = s.path
	return s, ctx.Err()
}

// release lets go of what a large entry took, once it is kept.
func (w *intake) release() {
	if w.in.Cap() > large {
		w.in = bytes.Buffer{}
	}
	if cap(w.out) > large {
		w.out = nil
	}
}

// check refuses what no pak can say.
func (w *intake) check(e *codecs.Entry, s *stored) error {
	if !utf8.ValidString(e.Name) || strings.ContainsAny(e.Name, "\\\x00") {
		return &codecs.FormatError{Format: name, Entry: e.Name, Field: "name", Off: -1,
			Err: codecs.Errorf(codecs.ErrName, "not UTF-8 with forward slashes")}
	}
	if len(e.Name) > maxName {
		return tooLarge(&codecs.Entry{Name: e.Name[:32] + "..."}, "name length", int64(len(e.Name)), maxName)
	}
	if e.Flags != 0 {
		return refuse(e.Name, "flags", "a pak has neither encrypted entries nor delete records")
	}
	if other, twice := w.taken[s.hash]; twice {
		return refuse(e.Name, "path hash", sameHash(other, e.Name))
	}
	if !e.Mod.IsZero() {
		s.mod = e.Mod.Unix()
	}
	if s.mod != int64(int32(s.mod)) {
		return tooLarge(e, "mod time", s.mod, math.MaxInt32)
	}
	return nil
}

// fail remembers the first failure.
func (w *intake) fail(err error) error {
	if w.failed == nil {
		w.failed = err
	}
	return err
}

func tooLarge(e *codecs.Entry, field string, n, most int64) error {
	return &codecs.FormatError{Format: name, Entry: e.Name, Field: field, Off: -1,
		Err: codecs.Errorf(codecs.ErrLimit, "%d > %d, the most that the format holds", n, most)}
}
