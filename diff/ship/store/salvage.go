package store

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"io"
	"path"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
)

// Salvage adds to the groups of a damaged file what the records before the entries of an
// Unreal pak say, where its index is gone or says something else. What it finds is only
// where to look: contents are recognised by their hashes.
func Salvage(in delta.Input, list []Group) []Group {
	s := salvager{in: in.ReaderAt, size: in.Size, hashes: 2 * in.Size}
	var found []Group
	s.each(func(e *codecs.Entry) { found = append(found, groups(e, in.Size)...) })
	if len(found) == 0 {
		return list
	}
	known := map[int64]*Group{}
	for i := range list {
		if g := &list[i]; !g.Rest {
			known[g.Off] = g
		}
	}
	agrees := true
	for i := range found {
		if g := known[found[i].Off]; g != nil && g.Length() == found[i].Length() {
			found[i] = *g
		} else {
			agrees = false
		}
	}
	if agrees {
		return list
	}
	return cover(withOthers(found, list), in.Size, path.Base(in.Name))
}

// withOthers adds the groups of entries that overlap none that were found. Both lists are
// in the order of their offsets.
func withOthers(found, list []Group) []Group {
	all, next, end := found, 0, int64(0)
	for _, g := range list {
		for next < len(found) && found[next].Off < g.Off+g.Length() {
			end = found[next].Off + found[next].Length()
			next++
		}
		if !g.Rest && g.Off >= end {
			all = append(all, g)
		}
	}
	return all
}

const (
	salvageFirst  = 1 << 20   // bytes in which the first record must begin
	salvageWindow = 256 << 10 // bytes that are read at a time where records are looked for
	walkWindow    = 4 << 10   // from record to record
	recordFixed   = 8 + 8 + 8 + SumSize
	recordTail    = 1 + 4 // flags, block size
	recordLeast   = 64    // bytes, more than any record has without blocks
	cipherBlock   = 16
	flagEncrypted = 1
)

// salvager walks from record to record.
type salvager struct {
	in     io.ReaderAt
	size   int64
	hashes int64 // bytes that may still be hashed, whatever records claim

	window []byte
	from   int64 // where the window begins
}

// each calls use for entries, in the order in which they lie.
func (s *salvager) each(use func(*codecs.Entry)) {
	found := false
	for at := int64(0); at >= 0 && at < s.size; {
		e, end, ok := s.record(at, false)
		if !ok {
			to := s.size
			if !found {
				to = min(to, salvageFirst)
			}
			at = s.find(at, to)
			continue
		}
		found, at = true, end
		if e != nil {
			use(e)
		}
	}
}

// peek returns n bytes from a place on, or those that there are.
func (s *salvager) peek(at, n int64) []byte {
	if n = min(n, s.size-at); n <= 0 {
		return nil
	}
	if at < s.from || at+n > s.from+int64(len(s.window)) {
		s.window = sized(s.window, min(max(n, walkWindow), s.size-at))
		got, _ := s.in.ReadAt(s.window, at)
		s.window, s.from = s.window[:got], at
	}
	rest := s.window[at-s.from:]
	return rest[:min(n, int64(len(rest)))]
}

// rest returns what the window has from a place on, and moves it when that is little.
func (s *salvager) rest(at int64) []byte {
	if end := s.from + int64(len(s.window)); at < s.from || at+recordLeast > end && end < s.size {
		return s.peek(at, salvageWindow)
	}
	return s.window[min(at-s.from, int64(len(s.window))):]
}

// find returns where a record begins between two places whose entry has its SHA-1, or -1.
func (s *salvager) find(at, to int64) int64 {
	var zeros [8]byte // records name an offset of 0
	for at < to {
		w := s.rest(at)
		k := bytes.Index(w, zeros[:])
		if k < 0 {
			at += max(int64(len(w)-len(zeros)+1), 1)
			continue
		}
		run := len(w[k:]) - len(bytes.TrimLeft(w[k:], "\x00"))
		// The size after the offset is not 0: of a long run only the end may begin a record.
		if at += int64(k + max(run-15, 0)); at < to {
			if e, _, ok := s.record(at, true); ok && e != nil {
				return at
			}
		}
		at++
	}
	return -1
}

// record reads a record and returns its entry, nil for an empty one, and where that ends.
// Strictly, all of it must be there, with its SHA-1.
func (s *salvager) record(at int64, strict bool) (e *codecs.Entry, end int64, ok bool) {
	for _, width := range [2]int64{4, 1} { // of the method
		if e, end, ok = s.recordOf(at, width, strict); ok {
			return e, end, true
		}
	}
	return nil, 0, false
}

func (s *salvager) recordOf(at, width int64, strict bool) (e *codecs.Entry, end int64, ok bool) {
	le := binary.LittleEndian
	fixed := recordFixed + width
	head := s.peek(at, fixed+4)
	if int64(len(head)) < fixed+4 {
		return nil, 0, false
	}
	off, n, size := le.Uint64(head), int64(le.Uint64(head[8:])), int64(le.Uint64(head[16:]))
	if off != 0 && off != uint64(at) || n < 0 || n > s.size || size < 0 || n == 0 != (size == 0) {
		return nil, 0, false
	}
	sum := [SumSize]byte(head[fixed-SumSize:])
	packed := false
	for _, c := range head[24 : 24+width] {
		packed = packed || c != 0
	}
	length, count := fixed+recordTail, int64(0)
	if packed {
		if count = int64(le.Uint32(head[fixed:])); count == 0 || count > maxHeadBlocks || count > n {
			return nil, 0, false
		}
		length += 4 + 16*count
	}
	rec := bytes.Clone(s.peek(at, length))
	if int64(len(rec)) < length {
		return nil, 0, false
	}
	flags, block := rec[length-recordTail], int64(le.Uint32(rec[length-4:]))
	e = &codecs.Entry{Offset: at + length, Stored: n, Size: size}
	if flags == flagEncrypted {
		e.Flags, e.Stored = codecs.Encrypted, (n+cipherBlock-1)&^(cipherBlock-1)
	}
	end = e.Offset + e.Stored
	switch {
	case flags > flagEncrypted:
		return nil, 0, false
	case packed:
		if !s.blocks(e, rec[fixed+4:length-recordTail], at, block) {
			return nil, 0, false
		}
	case n != size || block > maxBlock:
		return nil, 0, false
	case n == 0:
		return nil, end, !strict && (sum == sha1.Sum(nil) || sum == [SumSize]byte{})
	}
	if strict && (end > s.size || !s.hasSum(e.Offset, n, sum)) {
		return nil, 0, false
	}
	return s.within(e), end, true
}

// blocks reads the blocks of an entry, which lie one after the other.
func (s *salvager) blocks(e *codecs.Entry, list []byte, at, block int64) bool {
	le := binary.LittleEndian
	n := int64(len(list) / 16)
	if n > 1 && (block <= 0 || block > maxBlock || (e.Size-1)/block+1 != n) {
		return false
	}
	if n == 1 {
		block = e.Size
	}
	base := int64(0)
	if le.Uint64(list) == uint64(e.Offset-at) {
		base = at
	}
	next, left := e.Offset, e.Size
	for i := range n {
		from, to := base+int64(le.Uint64(list[16*i:])), base+int64(le.Uint64(list[16*i+8:]))
		if from != next || to <= from || to > e.Offset+e.Stored {
			return false
		}
		e.Blocks = append(e.Blocks, codecs.Block{Offset: from, Stored: to - from, Size: min(block, left)})
		if left, next = left-block, to; e.Flags&codecs.Encrypted != 0 {
			next = from + (to-from+cipherBlock-1)&^(cipherBlock-1)
		}
	}
	if next != e.Offset+e.Stored {
		return false
	}
	if first := s.peek(e.Offset, 2); len(first) == 2 && first[0]&15 == 8 && binary.BigEndian.Uint16(first)%31 == 0 {
		e.Method = compress.Zlib // what else it may be only the index knows
	}
	if n == 1 {
		e.Blocks = nil
	}
	return true
}

// within cuts off what lies after the end of the file.
func (s *salvager) within(e *codecs.Entry) *codecs.Entry {
	if e.Offset+e.Stored <= s.size {
		return e
	}
	if len(e.Blocks) > 0 {
		for n := range e.Blocks {
			if b := e.Blocks[n]; b.Offset+b.Stored > s.size {
				e.Blocks = e.Blocks[:n]
				break
			}
		}
		if len(e.Blocks) == 0 {
			return nil
		}
		return e
	}
	if e.Stored, e.Method = s.size-e.Offset, compress.None; e.Stored <= 0 {
		return nil
	}
	e.Size = e.Stored
	return e
}

// hasSum reports whether bytes have a SHA-1, as long as so much may be hashed.
func (s *salvager) hasSum(off, n int64, sum [SumSize]byte) bool {
	if s.hashes -= n; s.hashes < 0 {
		return false
	}
	h := sha1.New()
	_, err := io.Copy(h, io.NewSectionReader(s.in, off, n))
	return err == nil && [SumSize]byte(h.Sum(nil)) == sum
}
