package codecs

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"

	"pakdb/internal/process"
)

// CheckNames returns the error of class [ErrName] that writing an archive of format f ends
// with at the first of these names that it cannot hold, beside those before it; nil if there
// is none. So it is known before hours of packing. Each format's Writer has its rules in one
// place: it is given entries without contents, and what it writes goes nowhere. Other errors
// are left to the writing.
func CheckNames(ctx context.Context, f *Format, o *CreateOptions, names iter.Seq[string]) error {
	dry := *o
	dry.Sibling = func(string) (io.WriteSeeker, error) { return &nowhere{}, nil }
	err := process.RescueCall(func() error { return dryRun(ctx, f, &dry, names) })
	if errors.Is(err, ErrName) {
		return err
	}
	return ctx.Err()
}

func dryRun(ctx context.Context, f *Format, o *CreateOptions, names iter.Seq[string]) (err error) {
	w, err := f.Create(&nowhere{}, o)
	if err != nil {
		return err
	}
	if a, ok := w.(Aborter); ok {
		defer func() { err = errors.Join(err, a.Abort()) }()
	}
	for name := range names {
		if err := w.Add(ctx, &Entry{Name: name}, strings.NewReader("")); err != nil {
			return err
		}
	}
	return nil
}

// nowhere is a file of which nobody reads what is written to it.
type nowhere struct{ at, size int64 }

func (n *nowhere) Write(p []byte) (int, error) {
	n.at += int64(len(p))
	n.size = max(n.size, n.at)
	return len(p), nil
}

func (n *nowhere) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += n.at
	case io.SeekEnd:
		offset += n.size
	}
	if offset < 0 {
		return 0, errors.ErrUnsupported
	}
	n.at = offset
	return offset, nil
}
