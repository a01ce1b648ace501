package record

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/zeebo/blake3"

	"pakdb/internal/mount"
)

// Digest is a BLAKE3-256 hash.
type Digest = [32]byte

// StatedSize is how many bytes of a content's hash are known when an archive
// states it and nobody has read the content: a BLAKE3-160. The rest of it follows
// with the first scan that reads.
const StatedSize = 20

// PackageDigest says whether two Unreal packages differ in more than
// noise; see table package_digest.
type PackageDigest struct {
	// Header is the BLAKE3 of the package whose exports the content holds; zero
	// for a content that is itself the package.
	Header  Digest
	Essence [16]byte
	Exports []uint64
}

// Half is the first half of a BLAKE3: wide enough that two paths, or two
// contents, never share one, also when someone tries.
type Half [16]byte

// HashOf returns the first half of the BLAKE3 of a text.
func HashOf[T string | []byte](text T) Half {
	var short [192]byte // most paths fit, and need no memory of their own
	sum := blake3.Sum256(append(short[:0], text...))
	return Half(sum[:16])
}

// HalfOf returns the first half of a digest.
func HalfOf(d *Digest) Half { return Half(d[:16]) }

// Key returns the first 8 bytes, little-endian, signed: what key tables find rows by.
func (h Half) Key() int64 { return int64(binary.LittleEndian.Uint64(h[:8])) }

// Ext returns the extension of a file name in lower case, without the dot:
// "uasset". A name that only starts with a dot has none.
func Ext(name string) string {
	i := strings.LastIndexByte(name, '.')
	if i <= 0 {
		return ""
	}
	return strings.ToLower(name[i+1:])
}

// GameRoot returns where the entries of an archive with that mount point are in the
// game's file system: "" for its root, otherwise a path with a slash at its end.
func GameRoot(mountPoint string) string {
	root := mount.Path(mountPoint, "")
	if root == "" {
		return ""
	}
	return root + "/"
}

// flagOwn marks an entry that describes its archive.
const flagOwn = 32

// chunkBits is how long the ids of chunks of IoStore containers are, by which a game finds
// them whatever paths a container gives them.
const chunkBits = 96

// AppendFile appends the file of the game that an entry of the archive is: entries of one text
// are the same file. It appends nothing for entries that are no file: those without a name,
// and those that describe the archive.
func (a *Archive) AppendFile(b []byte, e *Entry) []byte {
	switch {
	case e.Flags&flagOwn != 0:
		return b
	case e.IDBits == chunkBits:
		return fmt.Appendf(b, "chunk %x %x", e.ID[0], e.ID[1])
	case e.Name == "":
		return b
	}
	return mount.AppendFileKey(b, a.MountPoint, e.Name)
}

// PathKey returns the key of a path in table path_key: the first 8 bytes of its
// BLAKE3, little-endian, signed.
func PathKey(path string) int64 {
	return HashOf(path).Key()
}

// SumKey returns the key of a checksum in table sum_key: its first 8 bytes,
// little-endian, signed, filled up with zeros.
func SumKey(sum []byte) int64 {
	var start [8]byte
	copy(start[:], sum)
	return int64(binary.LittleEndian.Uint64(start[:]))
}

// ContentKey returns the key of a content in table content_key: the first 8
// bytes of its hash, little-endian, signed. The hash may be cut short to
// [StatedSize] bytes; 0 for what is none.
func ContentKey(hash []byte) int64 {
	if len(hash) < StatedSize {
		return 0
	}
	return Half(hash[:16]).Key()
}
