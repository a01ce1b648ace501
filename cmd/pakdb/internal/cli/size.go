package cli

import (
	"fmt"
	"strconv"
	"strings"
)

// ByteSize is a flag for sizes as people write them: 500000, 64K, 2GiB.
type ByteSize int64

var byteUnits = []struct {
	suffix string
	size   int64
}{{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"b", 1}}

// Set implements pflag.Value.
func (b *ByteSize) Set(text string) error {
	low, unit := strings.ToLower(strings.TrimSpace(text)), int64(1)
	for _, u := range byteUnits {
		if rest, ok := strings.CutSuffix(low, u.suffix); ok {
			low, unit = strings.TrimSpace(rest), u.size
			break
		}
	}
	n, err := strconv.ParseFloat(low, 64)
	if err != nil || n < 1 || n*float64(unit) > 1<<62 {
		return fmt.Errorf("%q is no size; 500000, 64K and 2GiB are", text)
	}
	*b = ByteSize(n * float64(unit))
	return nil
}

// ParseSize returns the bytes of a size as people write them.
func ParseSize(text string) (int64, error) {
	var b ByteSize
	err := b.Set(text)
	return int64(b), err
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
