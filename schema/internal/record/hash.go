package record

import (
	"encoding/binary"

	"github.com/zeebo/blake3"
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
