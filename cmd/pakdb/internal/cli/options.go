package cli

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"pakdb/internal/process"
	"pakdb/schema"
)

// SourceDateEpoch is the time that reproducible builds give to every file, zero
// when there is none.
func SourceDateEpoch() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Time{}, nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: SOURCE_DATE_EPOCH=%s is not a number of seconds", ErrUsage, text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// RefuseExisting returns an error if out exists, unless it may be overwritten.
func RefuseExisting(out string, overwrite bool) error {
	if _, err := os.Lstat(out); err == nil && !overwrite {
		return WithHint(Refusal(fmt.Errorf("%s exists already", out)), "pass --overwrite to replace it")
	}
	return nil
}

// LimitMemory limits the memory that SQL takes, to PAKDB_MAX_MEMORY or 1 GiB. It has to be
// called before a database is opened.
func LimitMemory() error {
	memory := ByteSize(1 << 30)
	if text := os.Getenv("PAKDB_MAX_MEMORY"); text != "" {
		if err := memory.Set(text); err != nil {
			return fmt.Errorf("%w: PAKDB_MAX_MEMORY=%s: %w", ErrUsage, text, err)
		}
	}
	return schema.LimitMemory(memory.ForSQL())
}

// ForSQL returns how much of the memory of a process SQLite may take: the program itself
// takes 32 MB, or half of very little.
func (b ByteSize) ForSQL() int64 { return max(int64(b)-32<<20, int64(b)/2) }

// GivenMemory is the limit that PAKDB_MAX_MEMORY states, 0 without one.
func GivenMemory() int64 {
	var memory ByteSize
	if err := memory.Set(os.Getenv("PAKDB_MAX_MEMORY")); err != nil {
		return 0
	}
	return int64(memory)
}

// Workers is the number of parallel workers that PAKDB_WORKERS states, 0 without one.
func Workers() (int, error) {
	text := os.Getenv("PAKDB_WORKERS")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%w: PAKDB_WORKERS=%s: want a number from 1", ErrUsage, text)
	}
	return n, nil
}

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
