package program

import (
	"crypto/cipher"
	"fmt"
	"io"
	"sort"

	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
	"pakdb/internal/aes256"
	"pakdb/internal/stored"
)

// Range is a part of an old file that holds content: one stored block, or any
// run of bytes that are not compressed.
type Range struct {
	File   int // of the old files; -1: the names in the header
	Off    int64
	Stored int64           // without what pads it for encryption
	Method compress.Method // None: Size is Stored
	Size   int64           // decoded
	Key    int             // number of the key that it is encrypted with; 0: none
}

// ListedFile is what has the names in the header: paths that archives and lists of
// files have as well.
const ListedFile = -1

// end is where it ends in the file.
func (r *Range) end() int64 {
	if r.Key > 0 {
		return r.Off + aes256.Align(r.Stored)
	}
	return r.Off + r.Stored
}

// endIn is where what follows it in a file begins: in another one the start.
func (r *Range) endIn(file int) int64 {
	if r.File != file {
		return 0
	}
	return r.end()
}

// Bounds of a source.
const (
	MaxBlock   = 16 << 20 // decoded or stored bytes of a compressed range
	MaxRanges  = 1 << 16
	cacheBytes = 4 << 20
)

// check refuses a range that is not in the old files, or costs too much.
func (r *Range) check(c side, old []delta.File) {
	switch f := &old[r.File]; {
	case r.Off < 0 || r.Stored < 0 || r.Off > f.Size || r.Stored > f.Size-r.Off || r.end() > f.Size:
		c.fail(corrupt("range of %d bytes at %d, %s has %d", r.Stored, r.Off, f.Name, f.Size))
	case r.Method != compress.None && (r.Size < 0 || r.Size > MaxBlock || r.Stored > MaxBlock):
		c.fail(corrupt("block of %d bytes", max(r.Size, r.Stored)))
	}
}

// OldFiles reads old files, and decodes blocks of them, of which it keeps some.
type OldFiles struct {
	Files  []io.ReaderAt
	Names  []string
	Listed []byte         // the names in the header
	Keys   []cipher.Block // of ranges, by their numbers less one
	cache  map[Range][]byte
	recent []Range // in the cache, the oldest first
	cached int64
	Most   int64  // that is held, if that is more than cacheBytes
	spare  []byte // of a block that is held no longer
	stored []byte
	Work   work
}

// Block returns the decoded bytes of a compressed range, which has been
// checked. They are valid until the next call.
func (o *OldFiles) Block(r Range) ([]byte, error) {
	if b, ok := o.cache[r]; ok {
		return b, nil
	}
	if err := o.Work.spend(r.Size + r.Stored); err != nil {
		return nil, err
	}
	stored, err := o.read(r, 0, r.Stored)
	if err != nil {
		return nil, err
	}
	b := o.room(r.Size)
	if err := compress.Decode(r.Method, b, stored); err != nil {
		return nil, fmt.Errorf("%w: %s at 0x%x: %w", delta.ErrCorrupt, o.Names[r.File], r.Off, err)
	}
	o.keep(r, b)
	return b, nil
}

// read returns n of the stored bytes of a range, which has been checked, from at
// on, decrypted. They are valid until the next call.
func (o *OldFiles) read(r Range, at, n int64) ([]byte, error) {
	skip, size := int64(0), n
	if r.Key > 0 {
		skip = at & (aes256.Block - 1)
		size = aes256.Align(skip + n)
	}
	if int64(cap(o.stored)) < size {
		o.stored = make([]byte, size)
	}
	p := o.stored[:size]
	if err := stored.ReadAt(o.Files[r.File], p, r.Off+at-skip); err != nil {
		return nil, fmt.Errorf("%s at 0x%x: %w", o.Names[r.File], r.Off, err)
	}
	if r.Key > 0 {
		aes256.DecryptECB(o.Keys[r.Key-1], p)
	}
	return p[skip : skip+n], nil
}

// room returns place for a block, in that of one that has to go.
func (o *OldFiles) room(n int64) []byte {
	for o.cached+n > max(o.Most, cacheBytes) && len(o.recent) > 0 {
		r := o.recent[0]
		o.cached -= r.Size
		o.spare = o.cache[r]
		delete(o.cache, r)
		o.recent = o.recent[1:]
	}
	b := o.spare
	if c := int64(cap(b)); c < n || c > 2*n {
		return make([]byte, n)
	}
	o.spare = nil
	return b[:n]
}

func (o *OldFiles) keep(r Range, b []byte) {
	if o.cache == nil {
		o.cache = map[Range][]byte{}
	}
	o.cache[r] = b
	o.recent = append(o.recent, r)
	o.cached += r.Size
}

// source is the content of ranges, one after the other. It is a delta.Old.
type source struct {
	old    *OldFiles
	ranges []Range
	ends   []int64 // of each range in the content
}

// NewSource returns the content of ranges, which have been checked.
func NewSource(old *OldFiles, ranges []Range) *source {
	s := &source{old: old, ranges: ranges, ends: make([]int64, len(ranges))}
	end := int64(0)
	for i, r := range ranges {
		end += r.Size
		s.ends[i] = end
	}
	return s
}

// Size implements delta.Old.
func (s *source) Size() int64 {
	if len(s.ends) == 0 {
		return 0
	}
	return s.ends[len(s.ends)-1]
}

// ReadAt implements delta.Old.
func (s *source) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 || off >= s.Size() {
		return 0, io.EOF
	}
	i := sort.Search(len(s.ends), func(i int) bool { return s.ends[i] > off })
	for i < len(s.ranges) && n < len(p) {
		r := s.ranges[i]
		skip := off + int64(n) - (s.ends[i] - r.Size)
		k := int(min(r.Size-skip, int64(len(p)-n)))
		var b []byte
		switch {
		case r.File == ListedFile:
			copy(p[n:n+k], s.old.Listed[skip:])
		case r.Method == compress.None && r.Key == 0:
			err = stored.ReadAt(s.old.Files[r.File], p[n:n+k], r.Off+skip)
		case r.Method == compress.None:
			k = min(k, FlushSize)
			b, err = s.old.read(r, skip, int64(k))
			copy(p[n:n+k], b)
		default:
			if b, err = s.old.Block(r); err == nil {
				copy(p[n:n+k], b[skip:])
			}
		}
		if err != nil {
			return n, err
		}
		n += k
		if skip+int64(k) == r.Size {
			i++
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// What archives encrypt they cut into units: an entry, a block of one. A unit is
// padded to whole AES blocks by repeating it from its start, each block of an
// entry by repeating the first one. Between opSeal and the next one, what is
// written is encrypted on its way out. Copies are of stored bytes, and are
// outside of units.

// seal is the unit that is being written.
type seal struct {
	key     cipher.Block // nil: nothing is encrypted
	head    []byte       // the first bytes of the unit, up to an AES block
	known   bool         // head is complete
	partial []byte       // bytes that do not fill an AES block yet
	out     []byte
}

// add takes bytes, and returns what can be written of the unit. It is valid until
// the next call.
func (s *seal) add(p []byte) []byte {
	if n := aes256.Block - len(s.head); n > 0 && !s.known {
		s.head = append(s.head, p[:min(n, len(p))]...)
	}
	s.out = append(append(s.out[:0], s.partial...), p...)
	whole := len(s.out) &^ (aes256.Block - 1)
	s.partial = append(s.partial[:0], s.out[whole:]...)
	aes256.EncryptECB(s.key, s.out[:whole])
	return s.out[:whole]
}

// begin starts a unit. head, which may be empty, is how one began that goes on.
func (s *seal) begin(key cipher.Block, head []byte) {
	s.key, s.known = key, len(head) > 0
	s.head = append(s.head[:0], head...)
	s.partial = s.partial[:0]
}

// lacks returns how many bytes the last block of a unit lacks; 0 without a unit.
func (s *seal) lacks() int64 {
	if s.key == nil {
		return 0
	}
	return -int64(len(s.partial)) & (aes256.Block - 1)
}

// reset leaves a unit as it is, without completing it.
func (s *seal) reset() { s.key, s.partial = nil, s.partial[:0] }

// padding returns the bytes that the last block of a unit lacks.
func (s *seal) padding() []byte {
	s.known = true
	return aes256.AppendPadding(nil, s.head, int64(len(s.partial)))
}

// Sealing is what an emitter knows of the unit at hand.
type Sealing struct {
	Key   int
	Start int64 // of the unit, in the output
}

// Seal makes sure that what is written next is in a unit, or, with key 0, is in
// none.
func (e *Emitter) Seal(s Sealing) {
	if !e.Open {
		e.Unit = Sealing{}
	}
	if e.Open && e.Unit == s || s.Key == 0 && e.Unit.Key == 0 {
		return
	}
	e.FlushCopy()
	if e.Unit.Key > 0 {
		e.Pos += (e.Unit.Start - e.Pos) & (aes256.Block - 1)
	}
	back := int64(0)
	if s.Key > 0 {
		back = (e.Pos - s.Start) / aes256.Block
	}
	e.op(opSeal)
	codeUnit(&e.w, e.output(), unit{int64(s.Key), back})
	e.Unit = s
}

// Move writes old bytes anew. stored is what they take.
func (e *Emitter) Move(r Range, stored int64) {
	e.FlushCopy()
	e.op(opMove)
	e.state.codeRange(&e.w, e.output(), r)
	e.Pos += stored
}
