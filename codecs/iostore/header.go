package iostore

import (
	"bytes"
	"errors"
	"strconv"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

const (
	headerSize   = 144
	idSize       = 12
	extentSize   = 10
	blockSize    = 12
	ivSize       = 12
	sumSize      = 20      // SHA-1 of a block
	maxBlockSize = 1 << 24 // sizes of blocks are 24 bits
	maxMethods   = 255     // the number of a block's method is 8 bits
)

// The flags of a container.
const (
	flagCompressed = 1 << iota
	flagEncrypted
	flagSigned
	flagIndexed
	flagOnDemand
)

// The methods of encryption, from version 10 on.
const (
	methodECB = 1
	methodCTR = 2
)

// header is the start of a .utoc. Counts are as stored, not yet checked
// against the file.
type header struct {
	version       version
	size          uint32
	entries       uint32
	blocks        uint32
	blockEntry    uint32
	methods       uint32
	methodLen     uint32
	blockSize     uint32 // decoded bytes of every block but a chunk's last
	dirSize       uint32
	partitions    uint32
	container     uint64
	keyID         unreal.GUID
	flags         uint8
	method        uint8 // of encryption
	seeds         uint32
	partitionSize uint64
	unhashed      uint32 // chunks that the perfect hash leaves out
	sourceHashes  uint32
	ivs           uint32
}

// The offsets of the fields that errors are about.
const (
	offVersion       = 16
	offHeaderSize    = 20
	offEntries       = 24
	offBlocks        = 28
	offBlockEntry    = 32
	offMethods       = 36
	offMethodLen     = 40
	offBlockSize     = 44
	offDirSize       = 48
	offPartitions    = 52
	offFlags         = 80
	offMethod        = 81
	offSeeds         = 84
	offPartitionSize = 88
	offUnhashed      = 96
	offSourceHashes  = 100
	offIVs           = 104
)

// parseHeader reads the first headerSize bytes of a .utoc.
func parseHeader(b []byte) (*header, error) {
	r := bin.NewReader(b, 0, leOrder)
	if !bytes.Equal(r.Bytes(len(magic)), magic) {
		return nil, at("magic", 0, codecs.Errorf(codecs.ErrUnknown, "no IoStore TOC"))
	}
	h := &header{version: version(r.U8())}
	r.Skip(3)
	if h.version < initial || h.version >= versionEnd {
		return nil, at("version", offVersion, codecs.Errorf(errors.ErrUnsupported, "version %d; known are 1 to %d", h.version, versionEnd-1))
	}
	for _, field := range []*uint32{&h.size, &h.entries, &h.blocks, &h.blockEntry, &h.methods, &h.methodLen, &h.blockSize, &h.dirSize, &h.partitions} {
		*field = r.U32()
	}
	h.container = r.U64()
	copy(h.keyID[:], r.Bytes(16))
	h.flags, h.method = r.U8(), r.U8()
	r.Skip(2)
	h.seeds = r.U32()
	h.partitionSize = r.U64()
	h.unhashed, h.sourceHashes, h.ivs = r.U32(), r.U32(), r.U32()
	h.forget()
	return h, h.check()
}

// forget clears what the version does not have yet, whatever the bytes hold.
func (h *header) forget() {
	if h.version < partitionSize {
		h.partitions, h.partitionSize = 1, wholePartition
	}
	if h.version < perfectHash {
		h.seeds = 0
	}
	if h.version < perfectHashLeft {
		h.unhashed = 0
	}
	if h.version < sourceHashes {
		h.sourceHashes = 0
	}
	if h.version < encryptionMethod {
		h.ivs, h.method = 0, methodECB
	}
	if h.partitions <= 1 {
		h.partitions, h.partitionSize = 1, wholePartition
	}
}

func (h *header) check() error {
	corrupt := func(field string, off int64, v uint32) error {
		return at(field, off, codecs.Errorf(codecs.ErrCorrupt, "%d", v))
	}
	switch {
	case h.size < headerSize:
		return corrupt("header size", offHeaderSize, h.size)
	case h.blockEntry != blockSize:
		return at("block entry size", offBlockEntry, codecs.Errorf(errors.ErrUnsupported, "%d bytes, %d known", h.blockEntry, blockSize))
	case h.methods > maxMethods:
		return corrupt("method count", offMethods, h.methods)
	case h.blockSize == 0 || h.blockSize > maxBlockSize:
		return corrupt("compression block size", offBlockSize, h.blockSize)
	case h.partitionSize == 0:
		return at("partition size", offPartitionSize, codecs.Errorf(codecs.ErrCorrupt, "0"))
	case h.entries > 0 && h.version >= perfectHash && h.seeds > 0 && h.unhashed > h.entries:
		return corrupt("chunks without perfect hash", offUnhashed, h.unhashed)
	case h.encrypted() && h.method > methodCTR:
		return at("encryption method", offMethod, codecs.Errorf(errors.ErrUnsupported, "%d", h.method))
	}
	return nil
}

func (h *header) encrypted() bool { return h.flags&flagEncrypted != 0 }
func (h *header) signed() bool    { return h.flags&flagSigned != 0 }

func (h *header) append(b []byte) []byte {
	b = append(b, magic...)
	b = append(b, byte(h.version), 0, 0, 0)
	for _, field := range []uint32{h.size, h.entries, h.blocks, h.blockEntry, h.methods, h.methodLen, h.blockSize, h.dirSize, h.partitions} {
		b = leOrder.AppendUint32(b, field)
	}
	b = leOrder.AppendUint64(b, h.container)
	b = append(b, h.keyID[:]...)
	b = append(b, h.flags, 0, 0, 0)
	b = leOrder.AppendUint32(b, h.seeds)
	b = leOrder.AppendUint64(b, h.partitionSize)
	b = leOrder.AppendUint32(b, h.unhashed)
	return append(b, make([]byte, headerSize-offSourceHashes)...)
}

// version is that of the TOC.
type version uint8

// The versions, by what each brought.
const (
	initial            version = 1
	directoryIndex     version = 2
	partitionSize      version = 3
	perfectHash        version = 4
	perfectHashLeft    version = 5 // chunks that the perfect hash leaves out
	onDemandMeta       version = 6
	removedOnDemand    version = 7
	shortHash          version = 8
	sourceHashes       version = 9
	encryptionMethod   version = 10
	versionEnd         version = 11
	defaultVersion             = shortHash
	longMetaSize               = 33
	shortMetaSize              = 24
	longHashSize               = 32
	shortHashSize              = 20
	wholePartition             = 1<<64 - 1 // partition size of a container with one partition
	unknownContainerID         = 1<<64 - 1 // of a container that holds no packages
)

func (v version) String() string { return strconv.Itoa(int(v)) }

// traits is what people call a version, and the engine that wrote it.
func (v version) traits() (name, engine string) {
	t := [versionEnd][2]string{
		initial:          {"Initial", "4.25"},
		directoryIndex:   {"DirectoryIndex", "4.25, 4.26"},
		partitionSize:    {"PartitionSize", "4.27, 5.0 Early Access"},
		perfectHash:      {"PerfectHash", "5.0"},
		perfectHashLeft:  {"PerfectHashWithOverflow", "5.0 to 5.3"},
		onDemandMeta:     {"OnDemandMetaData", "5.4"},
		removedOnDemand:  {"RemovedOnDemandMetaData", "5.4"},
		shortHash:        {"ReplaceIoChunkHashWithIoHash", "5.5 to 5.8"},
		sourceHashes:     {"SourceHashes", "after 5.8"},
		encryptionMethod: {"EncryptionMethod", "6.0"},
	}
	return t[v][0], t[v][1]
}

// metaSize is how many bytes the table holds on a chunk's content, hashSize how
// many of them are its hash.
func (v version) metaSize() int {
	if v < shortHash {
		return longMetaSize
	}
	return shortMetaSize
}

func (v version) hashSize() int {
	if v < shortHash {
		return longHashSize
	}
	return shortHashSize
}

// writable are the versions that Create accepts, the default first. Version 9
// on keeps things at places that no file at hand settles.
func writable() []string { return []string{"8", "7", "6", "5", "4", "3", "2", "1"} }
