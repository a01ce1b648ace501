package store

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"io"
	"sync"

	"pakdb/codecs/compress"
)

// headForm says what of the bytes before a content follows from the content: the
// record that Unreal paks have before each entry.
//
//	offset u64, stored size u64, decoded size u64, method u32, SHA-1 of the
//	stored bytes, unless the method is 0 the count of blocks u32 and start and
//	end u64 of each, flags u8, block size u32
//
// The skeleton has the other fields, one behind the other.
type headForm byte

const (
	headUnreal    headForm = 1 << iota // there is one; its sizes and its SHA-1 follow
	headByte                           // its method is one byte, as in version 8 of engine 4.22
	headBlocks                         // it lists blocks, which follow
	headAbsolute                       // these count from the start of the file, not of the record
	headBlockSize                      // its block size is the recipe's
	headStored                         // the decoded size does not follow; the record is all of the gap

	headForms = headStored<<1 - 1
)

const (
	sumSize = sha1.Size
	mostGap = 64 << 10 // bytes of a gap that is a record, or has records of empty entries
)

// valid reports whether contents that a recipe codes, or does not, may have such
// a head.
func (h headForm) valid(m compress.Method) bool {
	switch {
	case h == 0:
		return true
	case h&headUnreal == 0 || m == methodTables:
		return false
	case m != compress.None:
		return h&headBlocks != 0 && h&headStored == 0
	}
	return h&(headBlocks|headAbsolute|headBlockSize) == 0
}

func (h headForm) method() int {
	if h&headByte != 0 {
		return 1
	}
	return 4
}

// literal is how many bytes of a gap are fields of the record.
func (h headForm) literal(gap int64) int64 {
	switch {
	case h == 0:
		return 0
	case h&headStored != 0:
		return gap
	case h&headBlockSize != 0:
		return int64(8 + h.method() + 1)
	}
	return int64(8 + h.method() + 1 + 4)
}

// size is how many bytes the record has, of which the skeleton has lit.
func (h headForm) size(lit, blocks int64) int64 {
	switch {
	case h&headStored != 0:
		return lit + 8 + sumSize
	case h&headBlocks != 0:
		return int64(8+8+8+h.method()+sumSize+4+1+4) + 16*blocks
	}
	return int64(8 + 8 + 8 + h.method() + sumSize + 1 + 4)
}

// least is how many bytes of the skeleton are needed at least.
func (h headForm) least() int64 {
	if h&headStored != 0 {
		return int64(8 + 8 + h.method())
	}
	return h.literal(0)
}

// fits reports whether a gap has what the record needs.
func (h headForm) fits(gap int64) bool {
	return h == 0 || gap >= h.least() && (h&headStored == 0 || gap <= mostGap)
}

// places are where the heads of entries begin in the gap before a piece, from a
// place of the file on: records of empty entries, which are no pieces, and its own.
// Without a head it is the gap that counts.
func (h headForm) places(from, gap int64) []int64 {
	if h == 0 {
		return []int64{from}
	}
	var list []int64
	pad, empty := gap-h.literal(gap), h.size(0, 0)
	if h&headBlocks != 0 {
		empty -= 4
	}
	for at := from; pad <= mostGap && pad%empty == 0 && at < from+pad; at += empty {
		list = append(list, at)
	}
	return append(list, from+pad)
}

// facts are what a head follows from.
type facts struct {
	blocks []int64 // stored bytes of each
	stored int64
	size   int64
	block  int64 // decoded bytes of one
	sum    [sumSize]byte
}

// record makes the record that begins at a place of the file, from the bytes of
// the skeleton.
func (h headForm) record(lit []byte, f *facts, at int64) []byte {
	le := binary.LittleEndian
	size := h.size(int64(len(lit)), int64(len(f.blocks)))
	b := make([]byte, 0, size)
	b = le.AppendUint64(append(b, lit[:8]...), uint64(f.stored))
	lit = lit[8:]
	if h&headStored != 0 {
		b, lit = append(b, lit[:8]...), lit[8:]
	} else {
		b = le.AppendUint64(b, uint64(f.size))
	}
	b, lit = append(b, lit[:h.method()]...), lit[h.method():]
	b = append(b, f.sum[:]...)
	if h&headBlocks != 0 {
		b = le.AppendUint32(b, uint32(len(f.blocks)))
		pos := uint64(size)
		if h&headAbsolute != 0 {
			pos += uint64(at)
		}
		for _, n := range f.blocks {
			b = le.AppendUint64(b, pos)
			pos += uint64(n)
			b = le.AppendUint64(b, pos)
		}
	}
	b = append(b, lit...)
	if h&headBlockSize != 0 {
		b = le.AppendUint32(b, uint32(f.block))
	}
	return b
}

// fields returns what record takes of the skeleton.
func (h headForm) fields(record []byte, blocks int) (lit []byte) {
	m := h.method()
	lit = append(lit, record[:8]...)
	if h&headStored != 0 {
		lit = append(lit, record[16:24]...)
	}
	lit = append(lit, record[24:24+m]...)
	tail := record[24+m+sumSize:]
	if h&headBlocks != 0 {
		tail = tail[4+16*blocks:]
	}
	if h&headBlockSize != 0 {
		tail = tail[:1]
	}
	return append(lit, tail...)
}

// maxHeadBlocks bounds the blocks that a record lists, which is made in memory: of
// 64 KiB each they are 64 GiB of one entry.
const maxHeadBlocks = 1 << 20

// findHead looks at the gap before a group and returns the form of the record that
// ends there, and what of the gap the skeleton has.
func (g *group) findHead(src io.ReaderAt, sum func() ([sumSize]byte, error)) (h headForm, skeleton []byte, err error) {
	gap := make([]byte, g.gap)
	if err := fill(src, gap, g.off-g.gap); err != nil {
		return 0, nil, err
	}
	h, skeleton = g.headIn(gap, sum)
	return h, skeleton, nil
}

func (g *group) headIn(gap []byte, sum func() ([sumSize]byte, error)) (headForm, []byte) {
	f := facts{stored: g.length(), size: g.size, block: g.block}
	forms := []headForm{0, headByte}
	if g.method != compress.None && len(g.stored) > maxHeadBlocks {
		return 0, gap
	}
	if g.method != compress.None {
		f.blocks = g.stored
		forms = []headForm{headBlocks, headBlocks | headByte, headBlocks | headAbsolute, headBlocks | headAbsolute | headByte}
	} else if len(gap) <= mostGap {
		forms = append(forms, headStored, headStored|headByte)
	}
	for _, h := range forms {
		h |= headUnreal
		n := int64(len(gap))
		if h&headStored == 0 {
			n = h.size(0, int64(len(f.blocks)))
		}
		if n > int64(len(gap)) || h&headStored != 0 && n < h.size(h.least(), 0) {
			continue
		}
		pad, rec := gap[:int64(len(gap))-n], gap[int64(len(gap))-n:]
		if binary.LittleEndian.Uint64(rec[8:]) != uint64(f.stored) {
			continue
		}
		if h&headBlocks != 0 && binary.LittleEndian.Uint32(rec[n-4:]) == uint32(f.block) {
			h |= headBlockSize
		}
		var err error
		if f.sum, err = sum(); err != nil {
			break
		}
		if lit := h.fields(rec, len(f.blocks)); bytes.Equal(h.record(lit, &f, g.off-n), rec) {
			return h, append(bytes.Clone(pad), lit...)
		}
	}
	return 0, gap
}

// storedSum returns the SHA-1 of a group's stored bytes, which is found once.
func (g *group) storedSum(src io.ReaderAt) func() ([sumSize]byte, error) {
	return sync.OnceValues(func() ([sumSize]byte, error) {
		h := sha1.New()
		_, err := io.Copy(h, io.NewSectionReader(src, g.off, g.length()))
		return [sumSize]byte(h.Sum(nil)), err
	})
}
