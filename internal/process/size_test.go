package process_test

import (
	"testing"

	"pakdb/internal/process"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "500000": 500_000, "500K": 500 << 10, "500k": 500 << 10, "2M": 2 << 20, "2GiB": 2 << 30, "1.5 MB": 1_500_000, "64kb": 64_000, "7b": 7,
		"": 0, "0": 0, "-1": 0, "5x": 0, "NaN": 0, "Inf": 0, "1e30": 0, "K": 0,
	} {
		got, err := process.ParseSize(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}
