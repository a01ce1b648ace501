package iostore

import "strconv"

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
