package unrealpak

import (
	"encoding/binary"
	"math"
	"time"

	"pakdb/codecs"
	"pakdb/internal/aes256"
	"pakdb/internal/bin"
)

// Flags of an entry record.
const (
	flagEncrypted = 1
	flagDeleted   = 2
)

// record is what the index says about one entry, whichever form it has there.
type record struct {
	at        int64 // absolute place of the record or its encoded form, for messages
	offset    int64 // of the copy in front of the payload
	size      int64 // stored bytes, without the padding of encrypted stored data
	usize     int64
	method    uint32 // below version 8 a mask, else 0 or slot+1
	ticks     uint64 // version 1: 100 ns since 0001-01-01
	sum       [20]byte
	blocks    []blockRange // nil for stored entries
	flags     uint8
	blockSize uint32
	iv        [12]byte // version 15 with AES-CTR
}

// blockRange is a block, counted in bytes from record.offset, and from the first block
// while content is coded. Its end leaves the padding of encrypted blocks out.
type blockRange struct{ start, end int64 }

func (rec *record) encrypted() bool { return rec.flags&flagEncrypted != 0 }
func (rec *record) deleted() bool   { return rec.flags&flagDeleted != 0 }

// headerSize is the size of the copy in front of the payload.
func (rec *record) headerSize(v version) int64 {
	return v.recordSize(rec.method != 0, len(rec.blocks))
}

// stored is the number of payload bytes on disk.
func (rec *record) stored() int64 {
	if rec.encrypted() && rec.size <= math.MaxInt64-aes256.Block {
		return aes256.Align(rec.size)
	}
	return rec.size
}

// readRecord reads a full record into rec, whose block slice is reused.
func readRecord(r *bin.Reader, v version, rec *record) {
	*rec = record{at: r.Off(), blocks: rec.blocks[:0]}
	rec.offset, rec.size, rec.usize = r.I64(), r.I64(), r.I64()
	if v == fnameCompressionA {
		rec.method = uint32(r.U8())
	} else {
		rec.method = r.U32()
	}
	if v == initial {
		rec.ticks = r.U64()
	}
	copy(rec.sum[:], r.Bytes(len(rec.sum)))
	if v < compressionEncryption {
		rec.wholeBlock(v)
		return
	}
	if rec.method != 0 {
		readSpans(r, v, rec)
	}
	rec.flags = r.U8()
	rec.blockSize = r.U32()
}

// wholeBlock makes the payload one block: versions 1 and 2 know no others.
func (rec *record) wholeBlock(v version) {
	if rec.method != 0 && rec.size >= 0 && rec.size < math.MaxInt64/2 {
		start := v.recordSize(true, 1)
		rec.blocks = append(rec.blocks, blockRange{start, start + rec.size})
	}
}

func readSpans(r *bin.Reader, v version, rec *record) {
	base := rec.offset // versions 3 and 4 count from the start of the file
	if v >= relativeChunkOffsets {
		base = 0
	}
	for range r.Count(16) {
		rec.blocks = append(rec.blocks, blockRange{r.I64() - base, r.I64() - base})
	}
}

// skipRecord passes over a record.
func skipRecord(r *bin.Reader, v version) {
	start := r.Pos()
	r.Skip(v.shaAt() + 20)
	if v < compressionEncryption || r.Err() != nil {
		return
	}
	r.Seek(start + 24)
	stored := r.U8() == 0
	if v != fnameCompressionA {
		r.Seek(start + 24)
		stored = r.U32() == 0
	}
	r.Seek(start + v.shaAt() + 20)
	if !stored {
		r.Skip(16 * r.Count(16))
	}
	r.Skip(5)
}

// append is the inverse of readRecord.
func (rec *record) append(dst []byte, v version) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint64(dst, uint64(rec.offset))
	dst = le.AppendUint64(dst, uint64(rec.size))
	dst = le.AppendUint64(dst, uint64(rec.usize))
	if v == fnameCompressionA {
		dst = append(dst, byte(rec.method))
	} else {
		dst = le.AppendUint32(dst, rec.method)
	}
	dst = append(dst, rec.sum[:]...)
	if rec.method != 0 {
		dst = le.AppendUint32(dst, uint32(len(rec.blocks)))
		for _, b := range rec.blocks {
			dst = le.AppendUint64(dst, uint64(b.start))
			dst = le.AppendUint64(dst, uint64(b.end))
		}
	}
	dst = append(dst, rec.flags)
	return le.AppendUint32(dst, rec.blockSize)
}

// absolute returns rec with the block offsets that versions 3 and 4 store.
func (rec *record) absolute(v version) *record {
	if v >= relativeChunkOffsets || len(rec.blocks) == 0 {
		return rec
	}
	c := *rec
	c.blocks = make([]blockRange, len(rec.blocks))
	for i, b := range rec.blocks {
		c.blocks[i] = blockRange{b.start + rec.offset, b.end + rec.offset}
	}
	return &c
}

// mod is the time of a version 1 record. Ticks that no time.Time holds count
// as no time.
func (rec *record) mod() time.Time {
	if rec.ticks == 0 || rec.ticks > maxTicks {
		return time.Time{}
	}
	const perSecond = 10_000_000
	return time.Unix(int64(rec.ticks/perSecond)-unixEpoch, int64(rec.ticks%perSecond)*100).UTC()
}

const (
	unixEpoch = 62_135_596_800            // seconds from 0001-01-01 to 1970-01-01
	maxTicks  = 3_155_378_975_999_999_999 // the last tick of the year 9999
)

// check reports what makes rec unreadable in a file of size bytes.
func (rec *record) check(v version, size int64) error {
	corrupt := func(field string, format string, args ...any) error {
		return at(field, rec.at, codecs.Errorf(codecs.ErrCorrupt, format, args...))
	}
	switch {
	case rec.deleted():
		return nil
	case rec.offset < 0 || rec.size < 0 || rec.usize < 0:
		return corrupt("entry", "offset %d, size %d, decoded size %d", rec.offset, rec.size, rec.usize)
	case rec.method == 0 && rec.size != rec.usize:
		return corrupt("size", "stored entry of %d bytes decodes to %d", rec.size, rec.usize)
	}
	if h := rec.headerSize(v); rec.offset > size || h > size-rec.offset || rec.stored() > size-rec.offset-h {
		return at("entry", rec.at, codecs.Errorf(codecs.ErrTruncated,
			"%d bytes at 0x%x end after the file's %d", rec.stored(), rec.offset, size))
	}
	if rec.method == 0 {
		return nil
	}
	return rec.checkBlocks(v, corrupt)
}

// checkBlocks requires blocks in order, within the payload, and as many as the
// decoded size needs.
func (rec *record) checkBlocks(v version, corrupt func(field, format string, args ...any) error) error {
	n := int64(len(rec.blocks))
	pos := rec.headerSize(v)
	end := pos + rec.stored()
	for i, b := range rec.blocks {
		if b.start < pos || b.end < b.start || b.end > end {
			return corrupt("blocks", "block %d is [%d, %d), payload [%d, %d)", i, b.start, b.end, pos, end)
		}
		pos = b.end
	}
	switch bs := int64(rec.blockSize); {
	case n == 0 && rec.usize > 0:
		return corrupt("blocks", "%d bytes in no block", rec.usize)
	case n > 1 && (bs == 0 || rec.usize <= (n-1)*bs || rec.usize > n*bs):
		return corrupt("block size", "%d blocks of %d bytes do not make %d", n, bs, rec.usize)
	}
	return nil
}

// blockLen is the decoded size of block i.
func (rec *record) blockLen(i int) int64 {
	if len(rec.blocks) == 1 {
		return rec.usize
	}
	return min(int64(rec.blockSize), rec.usize-int64(i)*int64(rec.blockSize))
}
