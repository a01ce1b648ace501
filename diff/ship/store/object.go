package store

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"path"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"
)

// ReadObject reads an object of a store.
func ReadObject(from *Reader, id string) ([]byte, error) {
	b, _, err := from.File("m/" + path.Base(id))
	if err != nil {
		return nil, err
	}
	return ParseObject(b, id, MaxObject)
}

// ParseObject decodes an object of up to most bytes and checks that it is what its
// name says.
func ParseObject(b []byte, id string, most int) ([]byte, error) {
	plain, err := inflate(b, most)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ObjectName(id), err)
	}
	if sum := blake3.Sum256(plain); hex.EncodeToString(sum[:]) != id {
		return nil, fmt.Errorf("%w: %s is not what its name says", ErrCorrupt, ObjectName(id))
	}
	return plain, nil
}

// EachEarlier calls use for each version of a file that an object lists. That they
// are what the object's name says is known when it returns nil.
func EachEarlier(stored []byte, id string, use func(*File)) error {
	d, err := zstd.NewReader(bytes.NewReader(stored), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return err
	}
	defer d.Close()
	h := blake3.New()
	r := io.TeeReader(io.LimitReader(d, min(MaxObject, 1<<20+mostRatio*int64(len(stored)))), h)
	if err := parseFiles(r, func(f *File) error { use(f); return nil }); err != nil {
		return fmt.Errorf("%s: %w", ObjectName(id), err)
	}
	if hex.EncodeToString(h.Sum(nil)) != id {
		return fmt.Errorf("%w: %s is not what its name says", ErrCorrupt, ObjectName(id))
	}
	return nil
}

const (
	// MaxObject bounds the decoded bytes of an object of a publisher's own store, and
	// those of a list of earlier files, which nobody holds as a whole.
	MaxObject = 256 << 20
	// mostRatio is how much larger than stored that list may be. Each file of it has a
	// hash, of which 32 bytes do not compress, and 2 KiB at most that do.
	mostRatio = 64
	// MaxRoot bounds the root of a list of files: 64 paths of 2 KiB, with hashes.
	MaxRoot = 256 << 10
	// MaxTable bounds a table of packs: at 3 bytes for each frame of 64 KiB it is
	// that of 256 GiB of chunks, and a build may have many.
	MaxTable = 12 << 20
	// MaxDeltaList bounds a list of deltas, of 25 to 40 bytes each: 300,000 contents
	// that changed between two builds. A publisher leaves out what is more.
	MaxDeltaList = 8 << 20
	// maxWindow is the most that the encoder of objects looks back.
	maxWindow = 16 << 20
)
