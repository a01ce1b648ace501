package codecs_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"pakdb/codecs"
)

func TestStoredReader(t *testing.T) {
	failed := func(off int64, err error) error { return &codecs.FormatError{Format: "test", Off: off, Err: err} }
	read := func(ctx context.Context, off, n int64) (string, error) {
		raw := io.NewSectionReader(strings.NewReader("0123456789"), off, n)
		b, err := io.ReadAll(codecs.NewStoredReader(ctx, raw, failed))
		return string(b), err
	}
	if got, err := read(t.Context(), 2, 3); got != "234" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := read(t.Context(), 2, 0); got != "" || err != nil {
		t.Errorf("an empty entry: %q, %v", got, err)
	}
	got, err := read(t.Context(), 7, 5)
	var fe *codecs.FormatError
	if got != "789" || !errors.As(err, &fe) || fe.Off != 10 || !errors.Is(err, codecs.ErrTruncated) {
		t.Errorf("a file that became shorter: %q, %v", got, err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := read(done, 2, 3); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}
