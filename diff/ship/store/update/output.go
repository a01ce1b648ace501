package update

import (
	"fmt"
	"io"

	"pakdb/diff/ship/store"
)

// output writes a file from front to back, no more than it may have, and sets
// bytes that were skipped.
type output struct {
	file   madeFile
	ends   bool   // bytes are written once, from the front to the end
	held   bool   // bytes that were skipped are in the buffer, and not set
	at     int64  // where the buffer begins
	buffer []byte // not written yet
	left   int64
}

// madeFile is what a file is written to, and read back from.
type madeFile interface {
	io.WriterAt
	io.ReaderAt
}

const mostOutput = 1 << 20 // bytes of the buffer

// pos is where the file goes on.
func (o *output) pos() int64 { return o.at + int64(len(o.buffer)) }

func (o *output) reserve(n int64) error {
	if n > o.left {
		return fmt.Errorf("%w: a recipe makes more than its file", store.ErrCorrupt)
	}
	o.left -= n
	return nil
}

func (o *output) write(p []byte) error {
	if err := o.reserve(int64(len(p))); err != nil {
		return err
	}
	if o.buffer = append(o.buffer, p...); len(o.buffer) < mostOutput || o.held {
		return nil
	}
	return o.flush()
}

// skip leaves n bytes to be set.
func (o *output) skip(n int64) error {
	if err := o.reserve(n); err != nil {
		return err
	}
	if o.held = o.ends; n > mostOutput && !o.held {
		err := o.flush()
		o.at += n
		return err
	}
	o.buffer = append(o.buffer, make([]byte, n)...)
	return nil
}

// set sets bytes that were skipped.
func (o *output) set(at int64, p []byte) error {
	o.held = false
	if at >= o.at {
		copy(o.buffer[at-o.at:], p)
		return nil
	}
	_, err := o.file.WriteAt(p, at)
	return err
}

func (o *output) flush() error {
	_, err := o.file.WriteAt(o.buffer, o.at)
	o.at += int64(len(o.buffer))
	o.buffer = o.buffer[:0]
	return err
}
