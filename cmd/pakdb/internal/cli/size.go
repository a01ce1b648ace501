package cli

import (
	"strconv"

	"pakdb/internal/process"
)

// ByteSize is a flag for sizes as people write them: 500000, 64K, 2GiB.
type ByteSize int64

// Set implements pflag.Value.
func (b *ByteSize) Set(text string) error {
	n, err := process.ParseSize(text)
	if err == nil {
		*b = ByteSize(n)
	}
	return err
}

// String implements pflag.Value.
func (b *ByteSize) String() string {
	if *b == 0 {
		return ""
	}
	if *b%(1<<30) == 0 {
		return strconv.FormatInt(int64(*b)>>30, 10) + "GiB"
	}
	return strconv.FormatInt(int64(*b), 10)
}

// Type implements pflag.Value.
func (b *ByteSize) Type() string { return "SIZE" }
