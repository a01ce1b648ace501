package unrealpak

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

const (
	magic      = 0x5A6F12E1
	tailWindow = 512 // the last magic must be within so many bytes
	coreSize   = 44  // magic, version, offset, size, hash
	slotSize   = 32
	maxSlots   = 5
	maxMount   = 65535
)

// footer is the end of a pak, which has the places of everything else.
type footer struct {
	version   version
	at        int64 // of the magic
	start     int64 // of the first byte of the footer
	number    int32 // version as stored; lets an unknown one be named
	keyID     unreal.GUID
	encrypted bool // the index
	index     region
	frozen    bool
	slots     []string          // method names; index i is method i+1
	methods   []compress.Method // what they mean
	chunk     int32             // -1: from the file's name
	method    uint8             // of encryption: 0 none, 1 AES-ECB, 2 AES-CTR
	ivs       [3][12]byte
	extra     int // bytes after the footer that no version has
}

// region is a hashed part of the index.
type region struct {
	off, size int64
	sum       [20]byte
}

const (
	methodECB = 1
	methodCTR = 2
)

// readFooter finds the footer by the last magic in the file's last bytes: its
// distance from the end follows from the version, so nothing is tried out. The
// error is ErrUnknown when there is no magic.
func readFooter(src codecs.Source) (*footer, error) {
	n := min(src.Size, tailWindow)
	if n < coreSize {
		return nil, codecs.Errorf(codecs.ErrUnknown, "%d bytes are too few for a footer", n)
	}
	tail := make([]byte, n)
	base := src.Size - n
	if err := bin.Fill(src, tail, base); err != nil {
		return nil, err
	}
	pos := bytes.LastIndex(tail[:n-coreSize+4], binary.LittleEndian.AppendUint32(nil, magic))
	if pos < 0 {
		return nil, codecs.Errorf(codecs.ErrUnknown, "no footer magic in the last %d bytes", n)
	}
	f := &footer{at: base + int64(pos), chunk: -1, method: methodECB}
	return f, f.parse(tail, pos, base)
}

// fieldError is an error that knows the field and place it is about.
type fieldError struct {
	field string
	off   int64
	err   error
}

func (e *fieldError) Error() string { return fmt.Sprintf("%s at 0x%x: %v", e.field, e.off, e.err) }
func (e *fieldError) Unwrap() error { return e.err }

// at says which field, at which absolute offset, err is about; nil stays nil.
func at(field string, off int64, err error) error {
	if err == nil {
		return nil
	}
	return &fieldError{field, off, err}
}

func (f *footer) parse(tail []byte, pos int, base int64) error {
	r := bin.NewReader(tail, base, binary.LittleEndian)
	r.Seek(pos + 4)
	f.number = r.I32()
	f.index = readRegion(r)
	rest := tail[pos+coreSize:]
	if !f.known() {
		return at("version", f.at+4, codecs.Errorf(errors.ErrUnsupported, "version %d; known are 1 to %d", f.number, lastNumber))
	}
	f.split(rest)
	f.before(tail[:pos])
	if f.version == noVersion {
		return at("footer", f.at, codecs.Errorf(errors.ErrUnsupported,
			"%d bytes follow the index hash, which version %d does not explain (game fork?)", len(rest), f.number))
	}
	return f.after(bin.NewReader(rest, f.at+coreSize, binary.LittleEndian))
}

// known: the version's number has a layout.
func (f *footer) known() bool { return f.number >= 1 && f.number <= lastNumber }

// split finds how many of the bytes after the index hash are method
// names, and so which version it is. A few bytes after the footer are taken
// for a fork's addition (ARK has 8).
func (f *footer) split(rest []byte) {
	left := len(rest) - fixedTail(f.number)
	if left < 0 {
		return
	}
	slots := 0
	if f.number >= 8 {
		slots = min(left/slotSize, maxSlots)
	}
	if f.extra = left - slots*slotSize; f.extra > 16 {
		return
	}
	f.version = byNumber(f.number, slots)
	f.slots = make([]string, slots)
}

// before reads the fields before the magic.
func (f *footer) before(head []byte) {
	f.start = f.at
	if f.version >= indexEncryption && len(head) >= 1 {
		f.encrypted = head[len(head)-1] != 0
		f.start--
	}
	if f.version >= encryptionKeyGUID && len(head) >= 17 {
		copy(f.keyID[:], head[len(head)-17:])
		f.start -= 16
	}
}

// after reads the fields after the index hash.
func (f *footer) after(r *bin.Reader) error {
	if f.version == frozenIndex {
		f.frozen = r.U8() != 0
	}
	for i := range f.slots {
		name, _, _ := bytes.Cut(r.Bytes(slotSize), []byte{0})
		f.slots[i] = strings.ToValidUTF8(string(name), "\ufffd")
		f.methods = append(f.methods, unreal.MethodNamed(f.slots[i]))
	}
	if f.version >= pakchunkIndex {
		f.chunk = r.I32()
	}
	if f.version >= encryptionMethod {
		f.method = r.U8()
		for i := range f.ivs {
			copy(f.ivs[i][:], r.Bytes(len(f.ivs[i])))
		}
		if f.method > methodCTR {
			return at("encryption method", r.Off()-37, codecs.Errorf(errors.ErrUnsupported, "method %d", f.method))
		}
	}
	return r.Err()
}

func readRegion(r *bin.Reader) region {
	g := region{off: r.I64(), size: r.I64()}
	copy(g.sum[:], r.Bytes(len(g.sum)))
	return g
}

// check is the engine's own sanity test of the index place.
func (f *footer) check() error {
	if f.frozen {
		return at("frozen index", f.at+coreSize, codecs.Errorf(errors.ErrUnsupported,
			"the index is a memory image; the engine refuses it too since 4.26: make the pak again"))
	}
	return f.index.check(f.start, f.at+8)
}

// check requires g to lie before end, the start of the footer. field is where
// the region is declared.
func (g region) check(end, field int64) error {
	switch {
	case g.off < 0 || g.size < 0 || g.size > math.MaxInt32:
		return at("index", field, codecs.Errorf(codecs.ErrCorrupt, "offset %d, size %d", g.off, g.size))
	case g.off > end || g.size > end-g.off:
		return at("index", field, codecs.Errorf(codecs.ErrTruncated,
			"offset 0x%x and size %d end after the footer's start 0x%x; was the file cut, or changed?", g.off, g.size, end))
	}
	return nil
}

// append is the inverse of readFooter, for the versions that are written.
func (f *footer) append(dst []byte) []byte {
	if f.version >= encryptionKeyGUID {
		dst = append(dst, f.keyID[:]...)
	}
	if f.version >= indexEncryption {
		dst = append(dst, bool8(f.encrypted))
	}
	dst = binary.LittleEndian.AppendUint32(dst, magic)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(f.version.number()))
	dst = f.index.append(dst)
	if f.version == frozenIndex {
		dst = append(dst, 0)
	}
	for _, name := range f.slots {
		dst = append(dst, name...)
		dst = append(dst, make([]byte, slotSize-len(name))...)
	}
	return dst
}

func (g region) append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(g.off))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(g.size))
	return append(dst, g.sum[:]...)
}

func bool8(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// custom is the method of versions below 8 that the game defines: Oodle in
// most, LZ4 in Sea of Thieves.
const custom compress.Method = "custom"

// Methods of versions below 8: a mask, in which 0x10 and 0x20 only say whether
// the packer preferred size or speed.
const (
	maskZlib   = 1
	maskGzip   = 2
	maskCustom = 4
	maskBias   = 0x30
)

// methodOf resolves the method field of a record.
func (f *footer) methodOf(field uint32) (compress.Method, error) {
	if field == 0 {
		return compress.None, nil
	}
	if f.version < fnameCompressionA {
		switch field &^ maskBias {
		case maskZlib:
			return compress.Zlib, nil
		case maskGzip:
			return compress.Gzip, nil
		case maskCustom:
			return custom, nil
		}
		return "", codecs.Errorf(errors.ErrUnsupported, "compression flags 0x%x", field)
	}
	if int64(field) > int64(len(f.slots)) || f.slots[field-1] == "" {
		return "", codecs.Errorf(codecs.ErrCorrupt, "number %d, but the footer names %s", field, slotList(f.slots))
	}
	return f.methods[field-1], nil
}

func slotList(slots []string) string {
	var named []string
	for i, name := range slots {
		if name != "" {
			named = append(named, fmt.Sprintf("%d %s", i+1, name))
		}
	}
	if named == nil {
		return "none"
	}
	return strings.Join(named, ", ")
}

// resolveCustom reports what a custom block is. Oodle blocks start with 0x8C, or
// 0xCC when stored; decoding to exactly the declared size confirms the guess.
func resolveCustom(m compress.Method, block []byte) compress.Method {
	if m != custom {
		return m
	}
	if len(block) > 0 && (block[0] == 0x8C || block[0] == 0xCC) {
		return compress.Oodle
	}
	return compress.LZ4
}

// version is the layout of a pak. Its values are in the order of their
// appearance, so that "since" is a comparison; the number in the file is
// [version.number], which 8A and 8B share.
type version uint8

const (
	noVersion             version = iota
	initial                       // 1
	noTimestamps                  // 2
	compressionEncryption         // 3
	indexEncryption               // 4
	relativeChunkOffsets          // 5
	deleteRecords                 // 6
	encryptionKeyGUID             // 7
	fnameCompressionA             // 8, four method names and a one-byte method
	fnameCompressionB             // 8, five method names
	frozenIndex                   // 9
	pathHashIndex                 // 10
	fnv64BugFix                   // 11
	utf8PakDirectory              // 12
	sortedDirectoryIndex          // 13
	pakchunkIndex                 // 14
	encryptionMethod              // 15
	versionEnd
)

// lastNumber is the highest version number that has a known layout.
const lastNumber = 15

type traits struct {
	number int32
	text   string
	name   string // as the engine and its tools call it
	engine string
}

func (v version) traits() traits {
	return [versionEnd]traits{
		initial:               {1, "1", "Initial", "before 4.0"},
		noTimestamps:          {2, "2", "NoTimestamps", "4.0 to 4.2"},
		compressionEncryption: {3, "3", "CompressionEncryption", "4.3 to 4.15"},
		indexEncryption:       {4, "4", "IndexEncryption", "4.16 to 4.19"},
		relativeChunkOffsets:  {5, "5", "RelativeChunkOffsets", "4.20"},
		deleteRecords:         {6, "6", "DeleteRecords", "after 4.20"},
		encryptionKeyGUID:     {7, "7", "EncryptionKeyGuid", "4.21"},
		fnameCompressionA:     {8, "8A", "FNameBasedCompression", "4.22"},
		fnameCompressionB:     {8, "8B", "FNameBasedCompression", "4.23 and 4.24"},
		frozenIndex:           {9, "9", "FrozenIndex", "4.25"},
		pathHashIndex:         {10, "10", "PathHashIndex", "never shipped alone"},
		fnv64BugFix:           {11, "11", "Fnv64BugFix", "4.26 to 5.6"},
		utf8PakDirectory:      {12, "12", "Utf8PakDirectory", "5.7 and 5.8"},
		sortedDirectoryIndex:  {13, "13", "SortedDirectoryIndex", "after 5.8"},
		pakchunkIndex:         {14, "14", "PakchunkIndex", "after 5.8"},
		encryptionMethod:      {15, "15", "EncryptionMethod", "6.0"},
	}[v]
}

func (v version) number() int32  { return v.traits().number }
func (v version) String() string { return v.traits().text }

// byText returns the version that String prints as s.
func byText(s string) (version, bool) {
	for v := initial; v < versionEnd; v++ {
		if v.String() == s {
			return v, true
		}
	}
	return noVersion, false
}

// byNumber returns the version of a footer with that many name slots.
func byNumber(n int32, slots int) version {
	switch {
	case n < 1 || n > lastNumber:
		return noVersion
	case n < 8:
		return version(n)
	case n == 8 && slots <= 4:
		return fnameCompressionA
	}
	return version(n) + 1
}

// slots is how many method names the engine's own footer has.
func (v version) slots() int {
	switch {
	case v < fnameCompressionA:
		return 0
	case v == fnameCompressionA:
		return 4
	}
	return 5
}

// shaAt is where an entry record has the SHA-1.
func (v version) shaAt() int {
	switch v {
	case initial:
		return 36
	case fnameCompressionA:
		return 25
	}
	return 28
}

// recordSize is the size of an entry record, and so of the copy in front of
// the payload.
func (v version) recordSize(compressed bool, blocks int) int64 {
	n := int64(v.shaAt() + 20)
	if v < compressionEncryption {
		return n
	}
	n += 5
	if compressed {
		n += 4 + 16*int64(blocks)
	}
	return n
}

// magicDistance is the distance of the magic from the end of the file.
func (v version) magicDistance() int {
	return coreSize + v.slots()*slotSize + fixedTail(v.number())
}

// fixedTail is how many bytes follow the index hash beside the method
// names: whether the index is frozen, the pakchunk, the encryption.
func fixedTail(number int32) int {
	switch {
	case number == 9:
		return 1
	case number == 14:
		return 4
	case number >= 15:
		return 4 + 37
	}
	return 0
}
