package cli

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/internal/stored"
)

// Plural returns n with one of two nouns, as "1 file" and "3 files".
func Plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Percent returns the ratio as text with one digit after the point, "0 %" of nothing.
func Percent(part, whole int64) string {
	if whole == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// HumanSize returns a number of bytes in the unit that people read, as "1.4 MiB".
func HumanSize(n int64) string { return stored.HumanSize(float64(n)) }

// ExactSize is a size in bytes, and in a unit that people read.
func ExactSize(n int64) string {
	if -1024 < n && n < 1024 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d bytes (%s)", n, HumanSize(n))
}

// Bit returns 1 for true, as SQL has it, else 0.
func Bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// HexDigits returns a checksum as its files show it.
func HexDigits[T delta.Sum | delta.Root](sum T) string { return fmt.Sprintf("%x", sum) }

// Ratio is what is left of the decoded size, in percent.
func Ratio(stored, size int64) string {
	if size <= 0 {
		return "-"
	}
	return strconv.FormatFloat(float64(stored)/float64(size)*100, 'f', 0, 64) + "%"
}

// TimeText is how the catalog's views show times: UTC, to the second.
func TimeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateTime)
}

// TextOrNull returns a column's value: NULL in place of "".
func TextOrNull(s string) driver.Value {
	if s == "" {
		return nil
	}
	return s
}

// WriteJSON writes v to w, indented and without escapes for HTML.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Sums adds up entries that pass by.
type Sums struct {
	Entries, Size, stored int64
}

// Add counts an entry with its sizes.
func (s *Sums) Add(e *codecs.Entry) {
	s.Entries++
	s.Size += e.Size
	s.stored += e.Stored
}

// Text returns one line for people.
func (s *Sums) Text() string {
	return fmt.Sprintf("%s, %s decoded, %s stored (%s)", Plural(s.Entries, "entry", "entries"),
		HumanSize(s.Size), HumanSize(s.stored), Ratio(s.stored, s.Size))
}
