package table

import (
	"encoding/binary"
	"slices"
)

// pakVersion identifies records of Unreal paks: the number of the footer, with
// 8 for 4.22, whose method is one byte, and from there on one more.
type pakVersion int

const (
	pakTimestamps  pakVersion = 1 // records have a time
	pakFlags       pakVersion = 3 // records have blocks, flags and a block size
	pakFlagIndex   pakVersion = 4 // the footer says whether the index is encrypted
	pakRelative    pakVersion = 5 // blocks count from the record, before from the file
	pakKeyID       pakVersion = 7
	pakByteMethods pakVersion = 8
	pakFrozen      pakVersion = 10 // 9 in the footer
	pakHashed      pakVersion = 11 // 10: path hashes and folders
	pakUTF8        pakVersion = 13 // 12
)

func (v pakVersion) sumAt() int {
	switch v {
	case pakTimestamps:
		return 36
	case pakByteMethods:
		return 25
	}
	return 28
}

// pakRecord is the record before an entry's bytes, and of its index up to
// version 9.
type pakRecord struct {
	raw       []byte // all of it
	size      int64  // stored
	usize     int64
	method    uint32
	blocks    [][2]uint64 // start and end
	flags     byte
	blockSize uint32
}

const (
	pakEncrypted = 1
	pakDeleted   = 2
	maxBlocks    = 1 << 20 // of an entry
)

// parsePakRecord reads a record at the front of b. ok is false when b ends before
// it does; n is then how many bytes it has at least.
func parsePakRecord(b []byte, v pakVersion) (r pakRecord, n int, ok bool) {
	le := binary.LittleEndian
	n = v.sumAt() + 20
	if v >= pakFlags {
		n += 5
	}
	if len(b) < n {
		return r, n, false
	}
	r.size, r.usize = int64(le.Uint64(b[8:])), int64(le.Uint64(b[16:]))
	if r.method = le.Uint32(b[24:]); v == pakByteMethods {
		r.method = uint32(b[24])
	}
	if v < pakFlags {
		r.raw = b[:n:n]
		return r, n, r.size >= 0
	}
	at := n - 5
	if r.method != 0 {
		count := le.Uint32(b[at:])
		if count > maxBlocks {
			return r, 0, false
		}
		n += 4 + 16*int(count)
		if len(b) < n {
			return r, n, false
		}
		r.blocks = make([][2]uint64, count)
		for i := range r.blocks {
			r.blocks[i] = [2]uint64{le.Uint64(b[at+4+16*i:]), le.Uint64(b[at+12+16*i:])}
		}
	}
	r.raw = b[:n:n]
	r.flags, r.blockSize = b[n-5], le.Uint32(b[n-4:])
	return r, n, r.size >= 0
}

// stored is how many bytes follow the record.
func (r *pakRecord) stored() int64 {
	if r.flags&pakEncrypted != 0 {
		return r.size + (-r.size & 15)
	}
	return r.size
}

// lengths returns the blocks' lengths, and whether they follow the record, and
// each other, as an encoded entry needs it.
func (r *pakRecord) lengths() (list []uint32, ok bool) {
	first := uint64(len(r.raw))
	pos := first
	for _, b := range r.blocks {
		n := b[1] - b[0]
		if b[0] != pos || n > 1<<32-1 {
			return nil, false
		}
		list = append(list, uint32(n))
		if pos = b[1]; r.flags&pakEncrypted != 0 {
			pos += -(pos - first) & 15
		}
	}
	return list, true
}

// Encoded entries of versions 10 to 12 begin with 32 bits: block size / 2048 in
// 6 (0x3f: in the next 4 bytes), blocks in 16, encrypted, method in 6, and
// whether size, decoded size and offset have 4 bytes each, or 8.
type pakEncoded struct {
	raw    []byte
	bits   uint32
	offset int64
	usize  int64
	size   int64
	blocks []uint32 // lengths, where they are there
}

func (e *pakEncoded) method() uint32  { return e.bits >> 23 & 0x3f }
func (e *pakEncoded) count() int      { return int(e.bits >> 6 & 0xffff) }
func (e *pakEncoded) encrypted() bool { return e.bits&(1<<22) != 0 }

// hasLengths: a single plain block is as long as the entry.
func (e *pakEncoded) hasLengths() bool { return e.count() > 1 || e.count() == 1 && e.encrypted() }

// offsetAt is where the offset is.
func (e *pakEncoded) offsetAt() int {
	if e.bits&0x3f == 0x3f {
		return 8
	}
	return 4
}

func parsePakEncoded(b []byte) (e pakEncoded, ok bool) {
	le := binary.LittleEndian
	at := 4
	number := func(short bool) (v int64) {
		switch {
		case short && len(b)-at >= 4:
			v, at = int64(le.Uint32(b[at:])), at+4
		case !short && len(b)-at >= 8:
			v, at = int64(le.Uint64(b[at:])), at+8
		default:
			at = len(b) + 1
		}
		return v
	}
	if len(b) < 8 {
		return e, false
	}
	e.bits = le.Uint32(b)
	at = e.offsetAt()
	e.offset = number(e.bits&(1<<31) != 0)
	if at <= len(b) {
		e.usize = number(e.bits&(1<<30) != 0)
	}
	e.size = e.usize
	if e.method() != 0 && at <= len(b) {
		e.size = number(e.bits&(1<<29) != 0)
	}
	if at > len(b) || e.offset < 0 || e.usize < 0 || e.size < 0 || e.size > 1<<62 {
		return e, false
	}
	if e.hasLengths() {
		if e.count() > (len(b)-at)/4 {
			return e, false
		}
		e.blocks = make([]uint32, e.count())
		for i := range e.blocks {
			e.blocks[i] = le.Uint32(b[at+4*i:])
		}
		at += 4 * e.count()
	}
	e.raw = b[:at:at]
	return e, true
}

// extent is how many bytes the entry has with the record before it.
func (e *pakEncoded) extent(v pakVersion) int64 {
	n := int64(v.sumAt() + 25)
	if e.method() != 0 {
		n += 4 + 16*int64(e.count())
	}
	if e.encrypted() {
		return n + e.size + (-e.size & 15)
	}
	return n + e.size
}

// says reports that the entry says what a record does, but for the offset.
func (e *pakEncoded) says(r *pakRecord, lengths []uint32) bool {
	return e.method() == r.method && e.size == r.size && e.usize == r.usize && e.encrypted() == (r.flags&pakEncrypted != 0) &&
		e.count() == len(lengths) && (!e.hasLengths() || slices.Equal(e.blocks, lengths))
}

// blockForm is how a packer puts the block size of an entry of one block.
type blockForm uint32

const (
	blockExact blockForm = iota
	blockZero
	blockLarge // 0x3e, whatever it is
)

// appendPakEncoded encodes a record that lies at an offset. ok is false for one
// that has no such form.
func appendPakEncoded(b []byte, r *pakRecord, offset int64, form blockForm) (_ []byte, ok bool) {
	lengths, ok := r.lengths()
	n := len(lengths)
	encrypted := r.flags&pakEncrypted != 0
	if !ok || r.method > 0x3f || n > 0xffff || r.method != 0 && n == 0 || n == 1 && !encrypted && int64(lengths[0]) != r.size {
		return b, false
	}
	bits, size := blockBits(r, n, form)
	bits |= r.method<<23 | uint32(n)<<6
	if encrypted {
		bits |= 1 << 22
	}
	numbers := []int64{offset, r.usize, r.size}
	for i, v := range numbers {
		if v <= 1<<32-1 {
			bits |= 1 << (31 - i)
		}
	}
	le := binary.LittleEndian
	if b = le.AppendUint32(b, bits); bits&0x3f == 0x3f {
		b = le.AppendUint32(b, size)
	}
	if r.method == 0 {
		numbers = numbers[:2]
	}
	for _, v := range numbers {
		b = appendShort(b, v)
	}
	if n > 1 || n == 1 && encrypted {
		for _, v := range lengths {
			b = le.AppendUint32(b, v)
		}
	}
	return b, true
}

func appendShort(b []byte, v int64) []byte {
	if v <= 1<<32-1 {
		return binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return binary.LittleEndian.AppendUint64(b, uint64(v))
}

func blockBits(r *pakRecord, blocks int, form blockForm) (bits, size uint32) {
	switch {
	case blocks == 0 || blocks == 1 && form == blockZero:
		return 0, 0
	case blocks == 1 && form == blockLarge:
		return 0x3e, 0
	case r.blockSize&0x7ff == 0 && r.blockSize>>11 < 0x3f:
		return r.blockSize >> 11, 0
	}
	return 0x3f, r.blockSize
}

// moved returns the entry's bytes with another offset.
func (e *pakEncoded) moved(b []byte, offset int64) []byte {
	at, width := e.offsetAt(), 4
	if e.bits&(1<<31) == 0 {
		width = 8
	}
	bits := e.bits &^ (1 << 31)
	if offset <= 1<<32-1 {
		bits |= 1 << 31
	}
	b = binary.LittleEndian.AppendUint32(b, bits)
	b = append(b, e.raw[4:at]...)
	return append(appendShort(b, offset), e.raw[at+width:]...)
}
