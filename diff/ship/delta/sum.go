package delta

import (
	"errors"

	"github.com/zeebo/blake3"
)

// The classes of errors. [errors.ErrUnsupported] is one more.
var (
	ErrNotPatch = errors.New("not a pkdelta file")
	ErrCorrupt  = errors.New("corrupt patch")                       // damaged, truncated, or never well-formed
	ErrWrongOld = errors.New("not the file that the patch is for")  // an old file is absent or another version
	ErrResult   = errors.New("result differs from the wanted file") // nothing of it is kept
)

// Bounds of what a patch may declare.
const (
	MaxHeader    = 64 << 20 // bytes, decoded
	MaxFiles     = 1 << 20
	MaxTotal     = 1 << 50 // bytes of the old files, and of the new ones: no sum of sizes overflows
	MaxSegments  = 1 << 20
	MaxSegment   = 4 << 20 // stored bytes
	maxRecipes   = 255
	MaxName      = 4 << 10
	maxSignature = 4 << 10
)

// Sum is the first half of a BLAKE3 hash, of a file or a segment. Nobody finds
// other bytes for one.
type Sum [16]byte

// Root is the BLAKE3 hash of a patch's header.
type Root [32]byte

// SumOfBytes returns the sum of bytes in memory.
func SumOfBytes(b []byte) Sum {
	sum := blake3.Sum256(b)
	return Sum(sum[:])
}
