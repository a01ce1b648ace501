package maker

import (
	"errors"
	"slices"

	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/coder"
	"pakdb/diff/ship/delta/inside"
	"pakdb/diff/ship/delta/internal/program"
)

// loader has the old content at hand in memory, and makes it the source of operations.
type loader struct {
	files program.OldFiles
	e     *program.Emitter
	now   loaded
	index coder.Index
}

// loaded is old content in memory.
type loaded struct {
	ranges  []program.Range
	content []byte
	indexed bool
}

// use makes the content of ranges the source of what follows.
func (l *loader) use(ranges []program.Range) error {
	if l.e.Open && sameRanges(ranges, l.e.Ranges) {
		return nil
	}
	h, err := l.load(ranges)
	if err != nil {
		return err
	}
	if !h.indexed {
		l.index.Reset(h.content)
		h.indexed = true
	}
	l.e.Source(ranges, &l.index)
	return nil
}

// sameRanges compares, which for the very same ones takes no time.
func sameRanges(a, b []program.Range) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// load reads the content of ranges.
func (l *loader) load(ranges []program.Range) (*loaded, error) {
	if l.now.content != nil && sameRanges(ranges, l.now.ranges) {
		return &l.now, nil
	}
	src := program.NewSource(&l.files, ranges)
	content := slices.Grow(l.now.content[:0], int(src.Size()))[:src.Size()]
	l.now = loaded{ranges: ranges[:len(ranges):len(ranges)], content: content}
	if len(l.now.content) > 0 {
		if _, err := src.ReadAt(l.now.content, 0); err != nil {
			return nil, err
		}
	}
	return &l.now, nil
}

// check decodes a block of an old file, which may turn out not to be one.
func (l *loader) check(file int, x *inside.Extent) error {
	if x.Sound || x.Method == compress.None {
		return nil
	}
	_, err := l.files.Block(program.Range{File: file, Off: x.Off, Stored: x.Coded, Method: x.Method, Size: x.Size, Key: x.Key})
	if errors.Is(err, delta.ErrCorrupt) {
		x.Opaque()
		err = nil
	}
	x.Sound = err == nil
	return err
}
