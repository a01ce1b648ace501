package update

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"sync"

	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
	"pakdb/internal/regular"
)

// A build is preloaded by [Folder.Fetch]: ranges and patches wait in the folder of work, as
// those of an update that broke off do, and what the plan was made by lies beside them in one
// file. An update then makes the same plan without network: that file is one more source.

// preloadName is the file with the answers that a plan was made by.
const preloadName = store.WorkDir + "/" + atomicfile.Prefix + "preload"

// ErrNotPreloaded means that a folder has no preloaded build, or that its update needs
// something else.
var ErrNotPreloaded = errors.New("it was not preloaded")

// notPreloaded is that error.
type notPreloaded struct{}

func (notPreloaded) Error() string        { return ErrNotPreloaded.Error() }
func (notPreloaded) Is(target error) bool { return target == ErrNotPreloaded }

// Hint says what to do.
func (notPreloaded) Hint() string {
	return "connect to the network, and name the store by --from; --fetch-only preloads its build again"
}

// Preloaded reports whether a build was preloaded into a folder.
func Preloaded(dir string) bool {
	_, err := fs.Stat(regular.FS(dir), preloadName)
	return err == nil
}

// answers are what a store said, by what was asked.
type answers map[string][]byte

func answerName(name string, off, n int64) string { return fmt.Sprintf("%s %d %d", name, off, n) }

// recorder keeps the answers of a store.
type recorder struct {
	mu  sync.Mutex
	all answers
}

func (r *recorder) add(w *want, b []byte) {
	if r == nil || w.isContent {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[answerName(w.name, w.off, w.n)] = b
}

// preload is the source of what was preloaded into a folder.
type preload struct {
	file string
	all  answers
}

// openPreload reads what was preloaded into a folder; nil if nothing was.
func openPreload(dir string) (*preload, error) {
	p := &preload{file: filepath.Join(dir, filepath.FromSlash(preloadName))}
	f, err := regular.FS(dir).Open(preloadName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	err = json.NewDecoder(f).Decode(&p.all)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("%w: %s: %w; remove it", store.ErrCorrupt, p.file, err)
	}
	return p, nil
}

// Open implements [store.Files]: what was not asked then is not there.
func (p *preload) Open(_ context.Context, ask store.Ask) (*store.Answer, error) {
	b, ok := p.all[answerName(ask.Name, ask.Off, ask.N)]
	if !ok {
		return nil, &store.NotGiven{Err: notPreloaded{}, Absent: true}
	}
	return &store.Answer{ReadCloser: io.NopCloser(bytes.NewReader(b)), Size: int64(len(b))}, nil
}

// At implements [store.Files].
func (p *preload) At(name string) string { return p.file + ": " + name }

// Steady implements [store.Files].
func (p *preload) Steady() bool { return true }

// Fetch fetches what a plan of this Folder needs, and keeps it, with the answers that the
// plan was made by, in the folder of work: [Folder.Apply] of the next plan then needs no
// network. No file of the folder changes. The Remote was opened with Keep. What an earlier
// try fetched is not fetched again.
func (f *Folder) Fetch(ctx context.Context, p *Plan, fetched func(n int64)) error {
	r := f.frames.remote
	if r.recorder == nil || p.Build != f.build.Label || f.contents == nil {
		return errForeignPlan
	}
	return f.worked(ctx, p, p.Bill.Fetch, func(fetcher *fetcher) error {
		if err := newMaker(f.disk, f.contents, fetcher).fetch(ctx, everyRank, fetched); err != nil {
			return err
		}
		for i := range p.Patches {
			one := &patcher{&p.Patches[i], f.disk, r, nil}
			file, err := one.fetch(ctx)
			if err != nil {
				return err
			}
			if err := file.Close(); err != nil {
				return err
			}
			if fetched != nil {
				fetched(one.Size)
			}
		}
		r.recorder.mu.Lock()
		defer r.recorder.mu.Unlock()
		b, err := json.Marshal(r.recorder.all)
		if err != nil {
			return err
		}
		return errors.Join(f.disk.out.Replace(preloadName, b), f.disk.out.Sync())
	})
}

// isPreload reports whether a name in the folder of work is that of what was preloaded.
func isPreload(name string) bool { return name == path.Base(preloadName) }
