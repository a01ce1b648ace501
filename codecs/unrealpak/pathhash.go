package unrealpak

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// primary is the primary index of version 10 on.
type primary struct {
	mount    string
	count    int64 // delete records included
	countAt  int64
	seed     uint64
	pathHash *region
	fullDir  *region
	regionAt [2]int64 // where the two regions are declared
	encoded  []byte
	encAt    int64 // absolute offset of encoded
	records  []byte
	recAt    int64
	nRecords int
	ivs      []byte // version 15 with AES-CTR: 12 bytes a record
}

func parsePrimary(buf []byte, base int64, v version, ctr bool) (*primary, error) {
	r := bin.NewReader(buf, base, binary.LittleEndian)
	p := &primary{mount: normalSlashes(unreal.FString(r).String())}
	p.countAt = r.Off()
	p.count = int64(r.I32())
	p.seed = r.U64()
	p.regionAt[0], p.pathHash = r.Off(), optionalRegion(r)
	p.regionAt[1], p.fullDir = r.Off(), optionalRegion(r)
	n := r.Count(1)
	p.encAt = r.Off()
	p.encoded = r.Bytes(n)
	p.nRecords = r.Count(int(v.recordSize(false, 0)))
	p.recAt = r.Off()
	start := r.Pos()
	for range p.nRecords {
		skipRecord(r, v)
	}
	if r.Err() == nil {
		p.records = buf[start:r.Pos()]
	}
	if ctr {
		p.ivs = r.Bytes(12 * p.nRecords)
	}
	return p, at("index", r.Off(), r.Err())
}

func optionalRegion(r *bin.Reader) *region {
	if r.U32() == 0 {
		return nil
	}
	g := readRegion(r)
	return &g
}

// deletedLocation in a directory marks a delete record.
const deletedLocation = math.MinInt32

// item is one file of a directory index, 12 bytes.
type item struct {
	location int32 // >= 0: in the encoded entries; -1-i: record i; deletedLocation
	dir      uint32
	name     uint32 // within the names
}

// hashIndex is the table of version 10 on. Its order is that of the encoded
// entries, which is the order in which the packer added the files, then the
// records, then the delete records. The order of the directory, which the
// engine does not care about, only breaks ties.
type hashIndex struct {
	version  version
	ctr      bool
	primary  *primary
	recordAt []uint32 // of each record within primary.records
	items    []item
	dirs     []string // "" or with a trailing slash
	names    nameStore
	hashes   int      // path hashes in the file
	itemHash []uint64 // of each item; nil without path hashes
	known    []bool   // whether itemHash[i] is in the file
	overlap  []bool   // nil, or items whose encoded form overlaps another's
}

// nameStore decodes the file name that an item refers to.
type nameStore interface{ text(name uint32) unreal.Text }

// pathHash is one pair of the path hash region.
type pathHash struct {
	hash     uint64
	location int32
}

// place orders locations as ordinals do.
func place(location int32) uint32 {
	switch {
	case location >= 0:
		return uint32(location)
	case location == deletedLocation:
		return math.MaxUint32
	}
	return 1<<31 + uint32(-1-location)
}

func newHashIndex(v version, ctr bool, p *primary) *hashIndex {
	t := &hashIndex{version: v, ctr: ctr, primary: p, recordAt: make([]uint32, p.nRecords)}
	r := bin.NewReader(p.records, p.recAt, binary.LittleEndian)
	for i := range t.recordAt {
		t.recordAt[i] = uint32(r.Pos())
		skipRecord(r, v)
	}
	return t
}

func (t *hashIndex) len() int { return len(t.items) }

func (t *hashIndex) name(i int) string {
	if t.names == nil {
		return ""
	}
	it := t.items[i]
	text := t.names.text(it.name)
	if text.Plain() {
		return normalSlashes(t.dirs[it.dir] + string(text.Bytes))
	}
	return normalSlashes(t.dirs[it.dir] + text.String())
}

func (t *hashIndex) hash(i int) (uint64, bool) {
	if t.itemHash == nil {
		return 0, false
	}
	return t.itemHash[i], t.known[i]
}

func (t *hashIndex) record(i int, rec *record) error {
	if d, ok := t.names.(directoryNames); ok && d.bytes.Err() != nil {
		return at("directory index", -1, d.bytes.Err())
	}
	location := t.items[i].location
	if location == deletedLocation {
		*rec = record{at: -1, offset: -1, flags: flagDeleted, blocks: rec.blocks[:0]}
		return nil
	}
	if location < 0 {
		return t.plainRecord(int64(-1-int64(location)), rec)
	}
	if int64(location) >= int64(len(t.primary.encoded)) || (t.overlap != nil && t.overlap[i]) {
		return at("location", t.primary.encAt, codecs.Errorf(codecs.ErrCorrupt,
			"%d is no start of one of the encoded entries (%d bytes)", location, len(t.primary.encoded)))
	}
	r := bin.NewReader(t.primary.encoded[location:], t.primary.encAt+int64(location), binary.LittleEndian)
	readEncoded(r, t.version, t.ctr, rec)
	return at("entry", rec.at, r.Err())
}

func (t *hashIndex) plainRecord(i int64, rec *record) error {
	if i >= int64(len(t.recordAt)) {
		return at("location", t.primary.recAt, codecs.Errorf(codecs.ErrCorrupt, "record %d of %d", i, len(t.recordAt)))
	}
	start := t.recordAt[i]
	r := bin.NewReader(t.primary.records[start:], t.primary.recAt+int64(start), binary.LittleEndian)
	readRecord(r, t.version, rec)
	if t.primary.ivs != nil {
		copy(rec.iv[:], t.primary.ivs[12*i:])
	}
	return at("entry", rec.at, r.Err())
}

// parsePathHashes reads the region's pairs; what follows them is the pruned
// directory index, which leaves files out and is no list.
func parsePathHashes(buf []byte, base int64) (pairs []pathHash, rest *bin.Reader, err error) {
	r := bin.NewReader(buf, base, binary.LittleEndian)
	pairs = make([]pathHash, r.Count(12))
	for i := range pairs {
		pairs[i] = pathHash{r.U64(), r.I32()}
	}
	return pairs, r, at("path hash index", r.Off(), r.Err())
}

// finish sorts the table and connects it with its path hashes.
func (t *hashIndex) finish(pairs []pathHash) {
	slices.SortFunc(pairs, comparePairs)
	t.hashes = len(pairs)
	if t.names == nil {
		for _, p := range pairs {
			t.items = append(t.items, item{location: p.location})
		}
	}
	if !slices.IsSortedFunc(t.items, compareItems) {
		slices.SortFunc(t.items, compareItems)
	}
	t.markOverlaps()
	t.matchHashes(pairs)
}

func comparePairs(a, b pathHash) int {
	return cmp.Or(cmp.Compare(place(a.location), place(b.location)), cmp.Compare(a.hash, b.hash))
}

func compareItems(a, b item) int {
	return cmp.Or(cmp.Compare(place(a.location), place(b.location)), cmp.Compare(a.dir, b.dir), cmp.Compare(a.name, b.name))
}

// matchHashes gives each item the path hash that the file stores for its
// location. Where several share one, as delete records do, the name decides.
func (t *hashIndex) matchHashes(pairs []pathHash) {
	if len(pairs) == 0 {
		return
	}
	t.itemHash, t.known = make([]uint64, len(t.items)), make([]bool, len(t.items))
	if t.names == nil {
		for i, p := range pairs {
			t.itemHash[i], t.known[i] = p.hash, true
		}
		return
	}
	lo, hi := 0, 0
	for i, it := range t.items {
		for lo < len(pairs) && place(pairs[lo].location) < place(it.location) {
			lo++
		}
		for hi = max(hi, lo); hi < len(pairs) && pairs[hi].location == it.location; {
			hi++
		}
		t.itemHash[i], t.known[i] = t.pick(i, pairs[lo:hi])
	}
}

func (t *hashIndex) pick(i int, same []pathHash) (uint64, bool) {
	if len(same) == 1 {
		return same[0].hash, true
	}
	if len(same) == 0 {
		return 0, false
	}
	want := pathHash{t.hashOf(t.name(i)), same[0].location}
	_, found := slices.BinarySearchFunc(same, want, comparePairs)
	return want.hash, found
}

// hashOf is the path hash that a name should have in this pak.
func (t *hashIndex) hashOf(name string) uint64 {
	if t.version == pathHashIndex {
		return unreal.PathHashSwapped(name, t.primary.seed)
	}
	return unreal.PathHash(name, t.primary.seed)
}

// markOverlaps finds encoded entries that reach into each other: no packer
// writes them, and a hostile file could make a few bytes mean any number
// of blocks. Several names for one entry are let through while the blocks they
// mean remain within what the bytes can hold.
func (t *hashIndex) markOverlaps() {
	end, budget := int64(0), int64(len(t.primary.encoded))+1<<16
	for i, it := range t.items {
		if it.location < 0 || int64(it.location)+4 > int64(len(t.primary.encoded)) {
			continue
		}
		bits := binary.LittleEndian.Uint32(t.primary.encoded[it.location:])
		repeats := i > 0 && t.items[i-1].location == it.location
		if hasLengths(bits) {
			budget -= 4 * int64(bits>>shiftBlocks&maskBlocks)
		}
		if bad := !repeats && int64(it.location) < end; bad || budget < 0 || (repeats && t.overlap != nil && t.overlap[i-1]) {
			t.markOverlap(i)
			continue
		}
		end = max(end, int64(it.location)+encodedLen(bits, t.ctr))
	}
}

func (t *hashIndex) markOverlap(i int) {
	if t.overlap == nil {
		t.overlap = make([]bool, len(t.items))
	}
	t.overlap[i] = true
}
