package semantic

import (
	"bytes"
	"context"
	"encoding/hex"
	"unicode"
	"unicode/utf8"

	textdiff "github.com/rogpeppe/go-internal/diff"

	"pakdb/diff"
	"pakdb/internal/bin"
)

// The largest contents that are read to compare them, and the largest that are
// compared line by line.
const (
	maxContent = 256 << 20
	maxText    = 8 << 20
)

func (s *Comparer) compareBytes(ctx context.Context, in *Difference, old, new *diff.File) error {
	a, err := s.bytes(ctx, old)
	if err != nil {
		return err
	}
	b, err := s.bytes(ctx, new)
	if err != nil {
		return err
	}
	if x, y := wideText(a), wideText(b); isText(x) && isText(y) {
		a, b = x, y
		if changes, ok := structuredChanges(new.Name(), a, b); ok {
			in.Fields = append(in.Fields, changes...)
		}
		in.Text = string(textdiff.Diff("a/"+old.Name(), a, "b/"+new.Name(), b))
		return nil
	}
	in.Ranges = Ranges(a, b)
	return nil
}

// Ranges of which bytes are shown, and rows of 16 of each.
const (
	mostShown = 8
	mostRows  = 8
)

// around returns the rows of 16 bytes that a range lies in, the first of them.
func around(b []byte, offset, size int64) []byte {
	from := offset &^ 15
	to := min((offset+size+15)&^15, from+16*mostRows, int64(len(b)))
	return bytes.Clone(b[min(from, to):to])
}

func (s *Comparer) bytes(ctx context.Context, f *diff.File) ([]byte, error) {
	var digest [32]byte
	if _, err := hex.Decode(digest[:], []byte(f.Content)); err != nil {
		return nil, err
	}
	return s.Contents.Bytes(ctx, digest, maxContent)
}

// wideText returns a text in UTF-16 as UTF-8, and other bytes as they are: of those that
// only begin like one, some are no characters, or control a terminal.
func wideText(b []byte) []byte {
	if len(b)%2 != 0 || len(b) > 2*maxText || !bytes.HasPrefix(b, []byte("\xff\xfe")) && !bytes.HasPrefix(b, []byte("\xfe\xff")) {
		return b
	}
	text := bin.Text(b)
	if bytes.ContainsFunc(text, func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) && !unicode.IsSpace(r) }) {
		return b
	}
	return text
}

func isText(b []byte) bool {
	return len(b) <= maxText && bytes.IndexByte(b, 0) < 0 && utf8.Valid(b)
}

// joinGap is how many equal bytes between two ranges still make them one.
const joinGap = 16

// Ranges lists what differs between two contents of one size; of different sizes,
// all between what they begin and end with alike. The first have bytes for people.
func Ranges(a, b []byte) []Range {
	all := ranges(a, b)
	for i := range all[:min(len(all), mostShown)] {
		r := &all[i]
		r.Old, r.New = around(a, r.OldOffset, r.OldSize), around(b, r.NewOffset, r.NewSize)
	}
	return all
}

func ranges(a, b []byte) []Range {
	if len(a) == len(b) {
		return sameSizeRanges(a, b)
	}
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return []Range{{OldOffset: int64(head), OldSize: int64(len(a) - head - tail), NewOffset: int64(head), NewSize: int64(len(b) - head - tail)}}
}

func sameSizeRanges(a, b []byte) []Range {
	var all []Range
	for i := 0; i < len(a); i++ {
		if a[i] == b[i] {
			continue
		}
		if n := len(all); n > 0 && int64(i)-all[n-1].OldOffset-all[n-1].OldSize < joinGap {
			size := int64(i+1) - all[n-1].OldOffset
			all[n-1].OldSize, all[n-1].NewSize = size, size
			continue
		}
		all = append(all, Range{OldOffset: int64(i), OldSize: 1, NewOffset: int64(i), NewSize: 1})
	}
	return all
}
