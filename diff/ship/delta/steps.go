package delta

import (
	"context"
	"io"

	"pakdb/internal/stored"
)

// The steps of work on patches, in the words that people see.
const (
	StepReading  = "reading"
	StepMaking   = "making the patch"
	StepApplying = "applying the patch" // also the proof of one that was made
	StepChecking = "checking the files"
	stepVerify   = "checking the patch"
	StepChunks   = "looking for chunks"
)

// SizeOf returns how many bytes files have together.
func SizeOf(files []File) (n int64) {
	for _, f := range files {
		n += f.Size
	}
	return n
}

// SumOf returns the sum of the first n bytes of a file. It counts them in the
// progress of ctx.
func SumOf(ctx context.Context, r io.ReaderAt, n int64) (Sum, error) {
	hash, err := stored.Hash(ctx, r, n)
	return Sum(hash[:]), err
}
