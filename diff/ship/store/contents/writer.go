package contents

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/internal/atomicfile"
	"pakdb/internal/objects"
)

// ErrPruned means that a pruning removed contents that a writer counted on.
var ErrPruned = errors.New("contents were pruned while the build was scanned")

// Writer adds the contents of one build. Put may be called by many goroutines.
type Writer struct {
	ctx     context.Context
	desk    *desk
	coder   objects.Coder
	scratch *atomicfile.ScratchDir

	doubted map[string]bool // names in the ledger when the writer began
	present [][32]byte      // what was there, ascending
	before  []store.Info    // lists

	uploads *errgroup.Group
	failed  context.Context // is done when an upload failed

	mu      sync.Mutex
	seen    map[[32]byte]struct{} // contents of the build
	spooled [][32]byte            // contents that were doubted: files in the scratch folder
	added   int64
}

// Begin begins to write to the bucket at a location. The caller closes the writer.
func Begin(ctx context.Context, location string, getenv func(string) string) (*Writer, error) {
	b, err := publish.OpenBucket(location, getenv)
	if err != nil {
		return nil, err
	}
	return begin(ctx, newDesk(ctx, b))
}

func begin(ctx context.Context, d *desk) (*Writer, error) {
	// The ledger first: what is seen then and not in it stays for the grace time.
	l, err := d.read(ctx)
	if err != nil {
		return nil, err
	}
	w := &Writer{ctx: ctx, desk: d, doubted: map[string]bool{}, seen: map[[32]byte]struct{}{}}
	for name := range l.Unneeded {
		w.doubted[name] = true
	}
	if l.Going != nil {
		for _, name := range l.Going.Names {
			w.doubted[name] = true
		}
	}
	if w.present, err = present(ctx, d); err != nil {
		return nil, err
	}
	if w.before, err = listsOf(ctx, d); err != nil {
		return nil, err
	}
	if w.scratch, err = atomicfile.NewScratchDir("contents"); err != nil {
		return nil, err
	}
	w.uploads, w.failed = errgroup.WithContext(ctx)
	w.uploads.SetLimit(publish.Connections)
	return w, nil
}

// present returns the contents that are there, ascending.
func present(ctx context.Context, b store.Bucket) (all [][32]byte, err error) {
	err = eachContent(ctx, b, func(d [32]byte, _ store.Info) { all = append(all, d) })
	slices.SortFunc(all, compare)
	return all, err
}

func compare(a, b [32]byte) int { return bytes.Compare(a[:], b[:]) }

// eachContent calls use for the contents that are there, in no order. Their folders are
// listed side by side.
func eachContent(ctx context.Context, b store.Bucket, use func([32]byte, store.Info)) error {
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(publish.Connections)
	for _, digit := range digits {
		g.Go(func() error {
			return b.List(ctx, folder+"/"+string(digit), func(in store.Info) error {
				if d, ok := digestOf(in.Name); ok {
					mu.Lock()
					defer mu.Unlock()
					use(d, in)
				}
				return nil
			})
		})
	}
	return g.Wait()
}

// Put adds a content, which r yields, unless it is there. It may return before the bucket
// has it. Errors of uploads are those of later calls, or of Finish.
func (w *Writer) Put(d [32]byte, r io.Reader) error {
	if w.failed.Err() != nil {
		return context.Cause(w.failed)
	}
	doubted := w.doubted[objectName(d)]
	_, there := slices.BinarySearchFunc(w.present, d, compare)
	if seen := w.see(d, !there || doubted); seen || there && !doubted {
		return nil
	}
	file, size, err := w.spool(d, r)
	if err != nil {
		return fmt.Errorf("object %x: %w", d, err)
	}
	if !doubted {
		w.uploads.Go(func() error { return w.upload(file, d, size, store.Absent) })
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spooled = append(w.spooled, d)
	return nil
}

// see notes that the build has a content, and whether it is written, and reports whether
// that was noted before.
func (w *Writer) see(d [32]byte, written bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, seen := w.seen[d]
	if w.seen[d] = struct{}{}; written && !seen {
		w.added++
	}
	return seen
}

// spool writes a content to a file as the bucket will have it.
func (w *Writer) spool(d [32]byte, r io.Reader) (file string, size int64, err error) {
	file = w.file(d)
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := w.coder.Encode(f, d, r); err != nil {
		return "", 0, err
	}
	size, err = f.Seek(0, io.SeekCurrent)
	return file, size, err
}

func (w *Writer) file(d [32]byte) string {
	return filepath.Join(w.scratch.Path(), hex.EncodeToString(d[:]))
}

// upload sends a file and removes it. One that another writer sent first is as good.
func (w *Writer) upload(file string, d [32]byte, size int64, version string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	_, err = w.desk.Put(w.failed, objectName(d), f, size, version)
	if errors.Is(err, store.ErrRaced) {
		err = nil
	}
	return errors.Join(err, f.Close(), os.Remove(file))
}

// Finish makes the contents those of a build, in place of what the bucket has of the
// label. It returns how many were written. The error is [ErrPruned] if what was there is
// gone: the build must be scanned again.
func (w *Writer) Finish(label string) (added int64, err error) {
	if err := w.uploads.Wait(); err != nil {
		return 0, err
	}
	if err := w.rescue(); err != nil {
		return 0, err
	}
	name, list, err := newList(label, w.seen)
	if err != nil {
		return 0, err
	}
	if _, err := w.desk.Put(w.ctx, name, bytes.NewReader(list), int64(len(list)), ""); err != nil {
		return 0, err
	}
	if err := w.verify(); err != nil {
		return 0, err
	}
	for _, in := range w.before {
		if strings.HasPrefix(in.Name, ofLabel(label)) && in.Name != name {
			if err := w.desk.Remove(w.ctx, in.Name); err != nil {
				return 0, err
			}
		}
	}
	return w.added, nil
}

// rescue takes what was doubted out of the ledger, so that no pruning removes it, and then
// writes it.
func (w *Writer) rescue() error {
	if len(w.spooled) == 0 {
		return nil
	}
	err := w.desk.change(w.ctx, w.counts, func(l *ledger) (changed bool, err error) {
		for _, d := range w.spooled {
			if _, ok := l.Unneeded[objectName(d)]; ok {
				delete(l.Unneeded, objectName(d))
				changed = true
			}
		}
		return changed, nil
	})
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(w.ctx)
	g.SetLimit(publish.Connections)
	w.failed = ctx
	for _, d := range w.spooled {
		g.Go(func() error {
			st, err := os.Stat(w.file(d))
			if err != nil {
				return err
			}
			return w.upload(w.file(d), d, st.Size(), "")
		})
	}
	return g.Wait()
}

// counts reports whether the build counts on a file.
func (w *Writer) counts(name string) bool {
	d, ok := digestOf(name)
	if ok {
		_, ok = w.seen[d]
	}
	return ok
}

// verify looks whether all contents are there, after the list was written and after what
// prunings were about to remove.
func (w *Writer) verify() error {
	if _, err := w.desk.settled(w.ctx, w.counts); err != nil {
		return err
	}
	there, err := present(w.ctx, w.desk)
	if err != nil {
		return err
	}
	gone := 0
	for d := range w.seen {
		if _, ok := slices.BinarySearchFunc(there, d, compare); !ok {
			gone++
		}
	}
	if gone > 0 {
		return fmt.Errorf("%s: %w: %d of %d", w.desk.At(folder), ErrPruned, gone, len(w.seen))
	}
	return nil
}

// Close ends the uploads and removes temporary files.
func (w *Writer) Close() error {
	_ = w.uploads.Wait() // Finish reports it
	return w.scratch.Close()
}
