package contents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/internal/objects"
)

// Shelf reads contents from a bucket. It is safe for concurrent use.
type Shelf struct {
	files store.Files
	coder objects.Coder
}

// OpenShelf returns the contents at the location of a bucket. Nothing is asked of it yet.
func OpenShelf(location string, getenv func(string) string) (*Shelf, error) {
	b, err := publish.OpenBucket(location, getenv)
	if err != nil {
		return nil, err
	}
	return &Shelf{files: b}, nil
}

const (
	openTries = 4 // of a service that is busy or cannot be reached
	openPause = 200 * time.Millisecond
)

// Open returns the content of that BLAKE3, which its reader verifies; the caller closes
// it. The error wraps fs.ErrNotExist if the bucket has none.
func (s *Shelf) Open(ctx context.Context, d [32]byte) (io.ReadCloser, error) {
	name := objectName(d)
	for try, pause := 1, openPause; ; try, pause = try+1, pause*3 {
		a, err := s.files.Open(ctx, store.Ask{Name: name, N: -1})
		if err == nil {
			r, err := s.coder.Decode(a, d)
			if err != nil {
				err = fmt.Errorf("%s: %w", s.files.At(name), err)
			}
			return r, err
		}
		var final *store.NotGiven
		if errors.As(err, &final) && final.Absent {
			err = fs.ErrNotExist
		}
		if final != nil || try == openTries || ctx.Err() != nil {
			return nil, fmt.Errorf("%s: %w", s.files.At(name), err)
		}
		if err := sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
}
