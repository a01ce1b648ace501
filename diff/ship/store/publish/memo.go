package publish

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/zeebo/blake3"

	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/internal/bin"
)

// The memo remembers what stored blocks of published files were found to be: which
// recipe makes them, of which content, cut into which chunks. A next build has most of
// them again, and what is remembered is neither decoded nor coded anew.
//
// A file that somebody else wrote, or that is damaged, is as good as none. It is read by
// publishers alone, and says nothing of the store that its packs and recipes do not.

// MemoName is the name of the file in a store.
const MemoName = ".memo"

// header ends with a revision, which is raised when blocks are recognized or contents are
// cut in another way.
const header = "pakdb memo 1\n"

const (
	maxMethod = 64
	maxChunks = 1 << 24
	maxSize   = 1 << 50

	sumSize = 32 // of the BLAKE3 of all before it, at the end
)

var errDamaged = errors.New("damaged memo")

// MemoEntry is what blocks were found to be.
type MemoEntry struct {
	Recipe delta.Recipe // makes all of them; zero: none does, and they are a content as they are stored
	ID     store.Key    // of the content
	Chunks []MemoChunk  // of it, in order
}

// MemoChunk is a part of a content.
type MemoChunk struct {
	Key  store.Key
	Size int // in bytes
}

// Memo has entries by the keys of [MemoKeyOf]. Find may be called by several goroutines at
// once, unless Add is called meanwhile.
type Memo struct {
	old, fresh map[store.Key]spot
	read       []byte   // where old ones lie, as they are written
	added      [][]byte // and fresh ones, in blocks
}

// spot is where an entry lies. A store may have millions, of which the garbage collector should
// have nothing to look at.
type spot struct{ block, from, to uint32 }

// addedBlock is how large a block of entries becomes.
const addedBlock = 1 << 20

// MemoKeyOf is the key of a group: the BLAKE3 of how its blocks lie and of their stored bytes.
func MemoKeyOf(src io.ReaderAt, g *store.Group) (k store.Key, err error) {
	h := blake3.New()
	b := appendText(nil, string(g.Method))
	for _, n := range append([]int64{g.Block, g.Size, int64(len(g.Stored))}, g.Stored...) {
		b = binary.AppendUvarint(b, uint64(n))
	}
	_, _ = h.Write(b)
	n, err := io.Copy(h, io.NewSectionReader(src, g.Off, g.Length()))
	if err == nil && n < g.Length() {
		err = io.ErrUnexpectedEOF
	}
	return store.Key(h.Sum(nil)[:len(k)]), err
}

// ReadMemo reads the file of a store, by a function that reads files, but for entries of which
// there says that chunks are gone. One that is not there, is no memo, or is damaged, has no
// entries.
func ReadMemo(read func(name string) (b []byte, version string, err error), there func([]MemoChunk) bool) *Memo {
	m := &Memo{fresh: map[store.Key]spot{}}
	b, _, err := read(MemoName)
	if err != nil || len(b) < len(header)+sumSize || len(b) > math.MaxUint32 || string(b[:len(header)]) != header {
		return m
	}
	b = bytes.Clone(b) // what was read may have twice the room, and entries stay in it
	b, end := b[:len(b)-sumSize], b[len(b)-sumSize:]
	if sum := blake3.Sum256(b); !bytes.Equal(sum[:], end) {
		return m
	}
	old := map[store.Key]spot{}
	for r := bin.NewFields(b[len(header):], errDamaged); r.Len() > 0; {
		k := store.Key(r.Bytes(len(store.Key{})))
		from := len(b) - r.Len()
		e := entry(r)
		if r.Err() != nil {
			return m
		}
		if there(e.Chunks) {
			old[k] = spot{0, uint32(from), uint32(len(b) - r.Len())}
		}
	}
	m.old, m.read = old, b
	return m
}

// Find returns the entry of a key.
func (m *Memo) Find(k store.Key) (e MemoEntry, ok bool) {
	at, ok := m.old[k]
	if !ok {
		return e, false
	}
	r := bin.NewFields(m.read[at.from:at.to], errDamaged)
	e = entry(r)
	return e, r.Err() == nil
}

// Add adds an entry, which Find does not find before it was written and read.
func (m *Memo) Add(k store.Key, e MemoEntry) {
	if _, ok := m.old[k]; ok {
		return
	}
	last := len(m.added) - 1
	if last < 0 || len(m.added[last]) >= addedBlock {
		m.added = append(m.added, make([]byte, 0, addedBlock+addedBlock/8))
		last++
	}
	from := len(m.added[last])
	m.added[last] = e.append(m.added[last])
	m.fresh[k] = spot{uint32(last), uint32(from), uint32(len(m.added[last]))}
}

// Marshal returns the bytes of a file. The same entries give the same bytes.
func (m *Memo) Marshal() []byte {
	b := []byte(header)
	keys := slices.AppendSeq(slices.Collect(maps.Keys(m.old)), maps.Keys(m.fresh)) // none is in both
	slices.SortFunc(keys, func(a, b store.Key) int { return bytes.Compare(a[:], b[:]) })
	for _, k := range keys {
		text := m.read
		at, ok := m.old[k]
		if !ok {
			at = m.fresh[k]
			text = m.added[at.block]
		}
		b = append(append(b, k[:]...), text[at.from:at.to]...)
	}
	sum := blake3.Sum256(b)
	return append(b, sum[:]...)
}

func entry(r *bin.Fields) (e MemoEntry) {
	e.Recipe.Method = compress.Method(r.Text("method", maxMethod))
	e.Recipe.Params = [4]uint8(r.Bytes(len(e.Recipe.Params)))
	e.ID = store.Key(r.Bytes(len(e.ID)))
	n := r.Count("chunks", maxChunks, len(store.Key{})+1)
	e.Chunks = make([]MemoChunk, n)
	for i := range e.Chunks {
		e.Chunks[i] = MemoChunk{store.Key(r.Bytes(len(store.Key{}))), int(r.Number("size", maxSize))}
	}
	return e
}

func (e *MemoEntry) append(b []byte) []byte {
	b = appendText(b, string(e.Recipe.Method))
	b = append(append(b, e.Recipe.Params[:]...), e.ID[:]...)
	b = binary.AppendUvarint(b, uint64(len(e.Chunks)))
	for _, c := range e.Chunks {
		b = binary.AppendUvarint(append(b, c.Key[:]...), uint64(c.Size))
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
