package publish

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
)

// A bucket has no lock, so that any number of publishers may be at work. What they
// write never changes and has a name of its own: hashes, and numbers of packs that are
// given out once. What changes is replaced only as it was read: the list of builds, and
// the number of the next pack.

// remote is a store in a bucket, of which a folder holds what is being made.
type remote struct {
	store.Bucket
	ctx     context.Context
	scratch *atomicfile.ScratchDir
	next    int // number of a pack
	end     int // before which numbers are this publisher's
}

// openRemote opens the bucket, and a folder for what is being made.
func openRemote(ctx context.Context, location string) (*remote, *atomicfile.Dir, error) {
	b, err := OpenBucket(location, os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	scratch, err := atomicfile.NewScratchDir("publish")
	if err != nil {
		return nil, nil, err
	}
	out, err := atomicfile.Open(ctx, scratch.Path())
	if err != nil {
		return nil, nil, errors.Join(err, scratch.Close())
	}
	return &remote{Bucket: b, ctx: ctx, scratch: scratch}, out, nil
}

// smallPart is the size of frames of lists and recipes. Most of a pack of these is
// read, in no order: it is fetched as a whole.
const smallPart = 8 << 10

// Open answers parts of packs of lists from a copy in the scratch folder.
func (r *remote) Open(ctx context.Context, p store.Ask) (*store.Answer, error) {
	if !strings.HasPrefix(p.Name, "p/") || p.N < 0 || p.N > smallPart {
		return r.Bucket.Open(ctx, p)
	}
	here := store.Folder(r.scratch.Path())
	if _, err := os.Stat(here.At(p.Name)); err == nil {
		return here.Open(ctx, p)
	}
	b, _, err := store.NewReader(ctx, r.Bucket).File(p.Name)
	if err != nil {
		return nil, err
	}
	if err := r.keep(here.At(p.Name), b); err != nil {
		return nil, err
	}
	return here.Open(ctx, p)
}

func (r *remote) keep(file string, b []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := atomicfile.Create(r.ctx, file, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Discard()) }()
	if _, err := f.Write(b); err != nil {
		return err
	}
	return f.Place()
}

// staleAfter is how old a file that is there already may be that no build may have: an
// older one is written again, so that who prunes sees that it is wanted. The memo is the one
// file that changes, and the last one's stays: none has less than the one that it read.
const staleAfter = time.Hour

// put writes a file whose name says what it is.
func (r *remote) put(name string, b []byte) error {
	_, err := r.Put(r.ctx, name, bytes.NewReader(b), int64(len(b)), store.Absent)
	if !errors.Is(err, store.ErrRaced) {
		return err
	}
	if in, err := r.Stat(r.ctx, name); err == nil && name != MemoName && time.Since(in.Written) < staleAfter {
		return nil
	}
	_, err = r.Put(r.ctx, name, bytes.NewReader(b), int64(len(b)), "")
	return err
}

// upload writes a file that was made in the scratch folder, which loses it.
func (r *remote) upload(out *atomicfile.Dir, name string) (err error) {
	f, err := out.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), out.Remove(name)) }()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = r.Put(r.ctx, name, f, st.Size(), store.Absent)
	if errors.Is(err, store.ErrRaced) {
		return nil
	}
	return err
}

const (
	counterName = ".next" // the number of the next pack that nobody has
	numbers     = 16      // that a publisher takes at once
	mostTries   = 100     // of a change while others make changes too
)

// number returns a number that no other publisher gets; last is the largest that is
// known to be taken.
func (r *remote) number(last int) (int, error) {
	from := store.NewReader(r.ctx, r.Bucket)
	for try := 0; r.next == r.end; try++ {
		n := 1
		b, version, err := from.File(counterName)
		if errors.Is(err, fs.ErrNotExist) {
			version = store.Absent
		} else if err != nil {
			return 0, err
		} else if err := json.Unmarshal(b, &n); err != nil || n < 1 {
			return 0, fmt.Errorf("%s: %w: not a number of a pack", r.At(counterName), store.ErrCorrupt)
		}
		n = max(n, last+1)
		b = fmt.Appendf(nil, "%d\n", n+numbers)
		_, err = r.Put(r.ctx, counterName, bytes.NewReader(b), int64(len(b)), version)
		if err == nil {
			r.next, r.end = n, n+numbers
		} else if !errors.Is(err, store.ErrRaced) || try == mostTries {
			return 0, err
		}
	}
	r.next++
	return r.next - 1, nil
}
