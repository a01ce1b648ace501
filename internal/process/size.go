package process

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseSize returns the bytes of a size as people write them: 500000, 64K, 2GiB. It fails
// for less than one byte, and for more than 4 EiB.
func ParseSize(text string) (int64, error) {
	low, unit := strings.ToLower(strings.TrimSpace(text)), int64(1)
	for _, u := range []struct {
		suffix string
		size   int64
	}{{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"b", 1}} {
		if rest, ok := strings.CutSuffix(low, u.suffix); ok {
			low, unit = strings.TrimSpace(rest), u.size
			break
		}
	}
	n, err := strconv.ParseFloat(low, 64)
	if err != nil || !(n >= 1 && n*float64(unit) <= 1<<62) {
		return 0, fmt.Errorf("%q is no size; 500000, 64K and 2GiB are", text)
	}
	return int64(n * float64(unit)), nil
}
