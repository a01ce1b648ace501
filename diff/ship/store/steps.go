package store

import (
	"context"
	"encoding/hex"
	"io"

	"pakdb/internal/stored"
)

// What is being done, in the words that people see.
const (
	StepHashing   = "hashing"
	StepReading   = "reading"
	StepDeltas    = "deltas"
	StepWhole     = "whole files"
	StepComparing = "comparing"
	StepFetching  = "fetching"
	StepMaking    = "making files"
	StepChecking  = "checking"
)

// SumOf returns the BLAKE3 of the first n bytes of r, in hexadecimal. It counts
// them in the progress of ctx.
func SumOf(ctx context.Context, r io.ReaderAt, n int64) (string, error) {
	sum, err := stored.Hash(ctx, r, n)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(sum[:]), nil
}
