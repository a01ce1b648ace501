package unrealpak

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

// shaAt is where the SHA-1 stands in an entry record.
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

// magicDistance is how far before the end of the file the magic stands.
func (v version) magicDistance() int {
	return coreSize + v.slots()*slotSize + fixedTail(v.number())
}

// fixedTail is how many bytes stand behind the index hash beside the method
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
