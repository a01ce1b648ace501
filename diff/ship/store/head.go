package store

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"io"
	"sync"

	"pakdb/codecs/compress"
	"pakdb/internal/stored"
)

// HeadForm says which bytes before a content follow from the content: the
// record that Unreal paks have before each entry.
//
//	offset u64, stored size u64, decoded size u64, method u32, SHA-1 of the
//	stored bytes, unless the method is 0 the count of blocks u32 and start and
//	end u64 of each, flags u8, block size u32
//
// The skeleton has the other fields, one after the other.
type HeadForm byte

const (
	HeadUnreal    HeadForm = 1 << iota // there is one; its sizes and its SHA-1 follow
	headByte                           // its method is one byte, as in version 8 of engine 4.22
	HeadBlocks                         // it lists blocks, which follow
	headAbsolute                       // these count from the start of the file, not of the record
	HeadBlockSize                      // its block size is the recipe's
	headStored                         // the decoded size does not follow; the record is all of the gap

	headForms = headStored<<1 - 1
)

const (
	// SumSize is how many bytes the digest in a record has.
	SumSize = sha1.Size
	mostGap = 64 << 10 // bytes of a gap that is a record, or has records of empty entries
)

// valid reports whether contents that a recipe codes, or does not, may have such
// a head.
func (h HeadForm) valid(m compress.Method) bool {
	switch {
	case h == 0:
		return true
	case h&HeadUnreal == 0 || m == MethodTables:
		return false
	case m != compress.None:
		return h&HeadBlocks != 0 && h&headStored == 0
	}
	return h&(HeadBlocks|headAbsolute|HeadBlockSize) == 0
}

func (h HeadForm) method() int {
	if h&headByte != 0 {
		return 1
	}
	return 4
}

// Literal is how many bytes of a gap are fields of the record.
func (h HeadForm) Literal(gap int64) int64 {
	switch {
	case h == 0:
		return 0
	case h&headStored != 0:
		return gap
	case h&HeadBlockSize != 0:
		return int64(8 + h.method() + 1)
	}
	return int64(8 + h.method() + 1 + 4)
}

// Size is how many bytes the record has, of which the skeleton has lit.
func (h HeadForm) Size(lit, blocks int64) int64 {
	switch {
	case h&headStored != 0:
		return lit + 8 + SumSize
	case h&HeadBlocks != 0:
		return int64(8+8+8+h.method()+SumSize+4+1+4) + 16*blocks
	}
	return int64(8 + 8 + 8 + h.method() + SumSize + 1 + 4)
}

// least is how many bytes of the skeleton are needed at least.
func (h HeadForm) least() int64 {
	if h&headStored != 0 {
		return int64(8 + 8 + h.method())
	}
	return h.Literal(0)
}

// fits reports whether a gap has what the record needs.
func (h HeadForm) fits(gap int64) bool {
	return h == 0 || gap >= h.least() && (h&headStored == 0 || gap <= mostGap)
}

// Places are where the heads of entries begin in the gap before a piece, from a
// place of the file on: records of empty entries, which are no pieces, and its own.
// Without a head it is the gap that counts.
func (h HeadForm) Places(from, gap int64) []int64 {
	if h == 0 {
		return []int64{from}
	}
	var list []int64
	pad, empty := gap-h.Literal(gap), h.Size(0, 0)
	if h&HeadBlocks != 0 {
		empty -= 4
	}
	for at := from; pad <= mostGap && pad%empty == 0 && at < from+pad; at += empty {
		list = append(list, at)
	}
	return append(list, from+pad)
}

// Facts are the inputs of a head.
type Facts struct {
	Blocks []int64 // stored bytes of each
	Stored int64
	Size   int64
	Block  int64 // decoded bytes of one
	Sum    [SumSize]byte
}

// Record makes the record that begins at a place of the file, from the bytes of
// the skeleton.
func (h HeadForm) Record(lit []byte, f *Facts, at int64) []byte {
	le := binary.LittleEndian
	size := h.Size(int64(len(lit)), int64(len(f.Blocks)))
	b := make([]byte, 0, size)
	b = le.AppendUint64(append(b, lit[:8]...), uint64(f.Stored))
	lit = lit[8:]
	if h&headStored != 0 {
		b, lit = append(b, lit[:8]...), lit[8:]
	} else {
		b = le.AppendUint64(b, uint64(f.Size))
	}
	b, lit = append(b, lit[:h.method()]...), lit[h.method():]
	b = append(b, f.Sum[:]...)
	if h&HeadBlocks != 0 {
		b = le.AppendUint32(b, uint32(len(f.Blocks)))
		pos := uint64(size)
		if h&headAbsolute != 0 {
			pos += uint64(at)
		}
		for _, n := range f.Blocks {
			b = le.AppendUint64(b, pos)
			pos += uint64(n)
			b = le.AppendUint64(b, pos)
		}
	}
	b = append(b, lit...)
	if h&HeadBlockSize != 0 {
		b = le.AppendUint32(b, uint32(f.Block))
	}
	return b
}

// fields returns what record takes of the skeleton.
func (h HeadForm) fields(record []byte, blocks int) (lit []byte) {
	m := h.method()
	lit = append(lit, record[:8]...)
	if h&headStored != 0 {
		lit = append(lit, record[16:24]...)
	}
	lit = append(lit, record[24:24+m]...)
	tail := record[24+m+SumSize:]
	if h&HeadBlocks != 0 {
		tail = tail[4+16*blocks:]
	}
	if h&HeadBlockSize != 0 {
		tail = tail[:1]
	}
	return append(lit, tail...)
}

// maxHeadBlocks bounds the blocks that a record lists, which is made in memory: of
// 64 KiB each they are 64 GiB of one entry.
const maxHeadBlocks = 1 << 20

// FindHead looks at the gap before a group and returns the form of the record that
// ends there, and what of the gap the skeleton has.
func (g *Group) FindHead(src io.ReaderAt, sum func() ([SumSize]byte, error)) (h HeadForm, skeleton []byte, err error) {
	gap := make([]byte, g.Gap)
	if err := stored.ReadAt(src, gap, g.Off-g.Gap); err != nil {
		return 0, nil, err
	}
	h, skeleton = g.headIn(gap, sum)
	return h, skeleton, nil
}

func (g *Group) headIn(gap []byte, sum func() ([SumSize]byte, error)) (HeadForm, []byte) {
	f := Facts{Stored: g.Length(), Size: g.Size, Block: g.Block}
	forms := []HeadForm{0, headByte}
	if g.Method != compress.None && len(g.Stored) > maxHeadBlocks {
		return 0, gap
	}
	if g.Method != compress.None {
		f.Blocks = g.Stored
		forms = []HeadForm{HeadBlocks, HeadBlocks | headByte, HeadBlocks | headAbsolute, HeadBlocks | headAbsolute | headByte}
	} else if len(gap) <= mostGap {
		forms = append(forms, headStored, headStored|headByte)
	}
	for _, h := range forms {
		h |= HeadUnreal
		n := int64(len(gap))
		if h&headStored == 0 {
			n = h.Size(0, int64(len(f.Blocks)))
		}
		if n > int64(len(gap)) || h&headStored != 0 && n < h.Size(h.least(), 0) {
			continue
		}
		pad, rec := gap[:int64(len(gap))-n], gap[int64(len(gap))-n:]
		if binary.LittleEndian.Uint64(rec[8:]) != uint64(f.Stored) {
			continue
		}
		if h&HeadBlocks != 0 && binary.LittleEndian.Uint32(rec[n-4:]) == uint32(f.Block) {
			h |= HeadBlockSize
		}
		var err error
		if f.Sum, err = sum(); err != nil {
			break
		}
		if lit := h.fields(rec, len(f.Blocks)); bytes.Equal(h.Record(lit, &f, g.Off-n), rec) {
			return h, append(bytes.Clone(pad), lit...)
		}
	}
	return 0, gap
}

// StoredSum returns the SHA-1 of a group's stored bytes, which is found once.
func (g *Group) StoredSum(src io.ReaderAt) func() ([SumSize]byte, error) {
	return sync.OnceValues(func() ([SumSize]byte, error) {
		h := sha1.New()
		_, err := io.Copy(h, io.NewSectionReader(src, g.Off, g.Length()))
		return [SumSize]byte(h.Sum(nil)), err
	})
}
