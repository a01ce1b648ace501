package unrealpak

import (
	"encoding/binary"
	"math"

	"pakdb/internal/aes256"
	"pakdb/internal/bin"
)

// Encoded entries (version 10 on) start with a u32:
//
//	31 offset is u32 | 30 decoded size is u32 | 29 size is u32 | 28..23 method |
//	22 encrypted | 21..6 block count | 5..0 block size / 2048, 0x3f: u32 follows
const (
	bitsBlockSize  = 0x3f
	bitEncrypted   = 1 << 22
	bitSize32      = 1 << 29
	bitUsize32     = 1 << 30
	bitOffset32    = 1 << 31
	shiftBlocks    = 6
	shiftMethod    = 23
	maskBlocks     = 0xffff
	maskMethod     = 0x3f
	blockSizeShift = 11
)

// header of an encoded entry: where its fields are, without decoding it.
func encodedLen(bits uint32, ctr bool) int64 {
	n := int64(4)
	if bits&bitsBlockSize == bitsBlockSize {
		n += 4
	}
	n += width(bits&bitOffset32 != 0) + width(bits&bitUsize32 != 0)
	if bits>>shiftMethod&maskMethod != 0 {
		n += width(bits&bitSize32 != 0)
	}
	if ctr && bits&bitEncrypted != 0 {
		n += 12
	}
	if hasLengths(bits) {
		n += 4 * int64(bits>>shiftBlocks&maskBlocks)
	}
	return n
}

// hasLengths: a single plain block is as long as the entry.
func hasLengths(bits uint32) bool {
	n := bits >> shiftBlocks & maskBlocks
	return n > 1 || (n == 1 && bits&bitEncrypted != 0)
}

func width(narrow bool) int64 {
	if narrow {
		return 4
	}
	return 8
}

func readVar(r *bin.Reader, narrow bool) int64 {
	if narrow {
		return int64(r.U32())
	}
	return r.I64()
}

// readEncoded reads an encoded entry into rec, whose block slice is reused.
func readEncoded(r *bin.Reader, v version, ctr bool, rec *record) {
	*rec = record{at: r.Off(), blocks: rec.blocks[:0]}
	bits := r.U32()
	rec.method = bits >> shiftMethod & maskMethod
	rec.blockSize = bits & bitsBlockSize << blockSizeShift
	if bits&bitsBlockSize == bitsBlockSize {
		rec.blockSize = r.U32()
	}
	rec.offset = readVar(r, bits&bitOffset32 != 0)
	rec.usize = readVar(r, bits&bitUsize32 != 0)
	rec.size = rec.usize
	if bits&bitEncrypted != 0 {
		rec.flags = flagEncrypted
		if ctr {
			copy(rec.iv[:], r.Bytes(len(rec.iv)))
		}
	}
	if rec.method == 0 {
		return
	}
	rec.size = readVar(r, bits&bitSize32 != 0)
	rec.readLengths(r, v, bits)
}

// readLengths rebuilds the blocks: they follow each other, aligned when they
// are encrypted.
func (rec *record) readLengths(r *bin.Reader, v version, bits uint32) {
	n := int(bits >> shiftBlocks & maskBlocks)
	pos := v.recordSize(true, n)
	if n == 1 {
		rec.blockSize = uint32(min(max(rec.usize, 0), math.MaxUint32))
	}
	if n == 1 && !hasLengths(bits) {
		rec.blocks = append(rec.blocks, blockRange{pos, pos + min(max(rec.size, 0), math.MaxInt64/2)})
		return
	}
	for range r.CheckCount(int64(n), 4) {
		end := pos + int64(r.U32())
		rec.blocks = append(rec.blocks, blockRange{pos, end})
		if pos = end; rec.encrypted() {
			// Payloads start 16-aligned relative to themselves, not to the file.
			first := v.recordSize(true, n)
			pos = first + aes256.Align(end-first)
		}
	}
}

// encodable reports whether rec has an encoded form; if not, it goes into the
// list of records.
func (rec *record) encodable(v version) bool {
	pos := rec.headerSize(v)
	for _, b := range rec.blocks {
		if b.start != pos || b.end-b.start > math.MaxUint32 {
			return false
		}
		if pos = b.end; rec.encrypted() {
			first := rec.headerSize(v)
			pos = first + aes256.Align(b.end-first)
		}
	}
	single := len(rec.blocks) == 1 && (rec.encrypted() || rec.blocks[0].end-rec.blocks[0].start == rec.size)
	return rec.method <= maskMethod && len(rec.blocks) <= maskBlocks && (rec.method == 0 || single || len(rec.blocks) > 1)
}

// blockForm is how a writer puts the block size of a single-block entry, which
// no reader needs.
type blockForm uint8

const (
	formExact blockForm = iota // UnrealPak 4.27: the decoded size
	formZero                   // UE 5: nothing
	formRepak                  // repak: 0x3e
)

// appendEncoded is the inverse of readEncoded without AES-CTR.
func (rec *record) appendEncoded(dst []byte, form blockForm) []byte {
	le := binary.LittleEndian
	bits := rec.method<<shiftMethod | uint32(len(rec.blocks))<<shiftBlocks
	if rec.encrypted() {
		bits |= bitEncrypted
	}
	bits |= sizeBits(rec.offset, bitOffset32) | sizeBits(rec.usize, bitUsize32) | sizeBits(rec.size, bitSize32)
	small, explicit := rec.blockBits(form)
	dst = le.AppendUint32(dst, bits|small)
	if small == bitsBlockSize {
		dst = le.AppendUint32(dst, explicit)
	}
	dst = appendVar(dst, rec.offset)
	dst = appendVar(dst, rec.usize)
	if rec.method != 0 {
		dst = appendVar(dst, rec.size)
	}
	if !hasLengths(bits) {
		return dst
	}
	for _, b := range rec.blocks {
		dst = le.AppendUint32(dst, uint32(b.end-b.start))
	}
	return dst
}

func (rec *record) blockBits(form blockForm) (small, explicit uint32) {
	bs := rec.blockSize
	switch {
	case len(rec.blocks) == 0:
		return 0, 0
	case len(rec.blocks) == 1 && form == formZero:
		return 0, 0
	case len(rec.blocks) == 1 && form == formRepak:
		return 0x3e, 0
	case bs&(1<<blockSizeShift-1) == 0 && bs>>blockSizeShift < bitsBlockSize:
		return bs >> blockSizeShift, 0
	}
	return bitsBlockSize, bs
}

func sizeBits(n int64, bit uint32) uint32 {
	if n <= math.MaxUint32 {
		return bit
	}
	return 0
}

func appendVar(dst []byte, n int64) []byte {
	if n <= math.MaxUint32 {
		return binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(n))
}
