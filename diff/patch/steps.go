package patch

import (
	"context"
	"io"

	"pakdb/internal/stored"
)

// The steps of work on patches, in the words that people see.
const (
	stepReading  = "reading"
	stepMaking   = "making the patch"
	stepApplying = "applying the patch" // also the proof of one that was made
	stepChecking = "checking the files"
	stepVerify   = "checking the patch"
	stepChunks   = "looking for chunks"
)

// sizeOf returns how many bytes files have together.
func sizeOf(files []File) (n int64) {
	for _, f := range files {
		n += f.Size
	}
	return n
}

// sumOf returns the sum of the first n bytes of a file. It counts them in the
// progress of ctx.
func sumOf(ctx context.Context, r io.ReaderAt, n int64) (Sum, error) {
	hash, err := stored.Hash(ctx, r, n)
	return Sum(hash[:]), err
}
