package overlay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/internal/process"
	"pakdb/internal/regular"
)

// Difference is a file in which what is mounted departs from what should be.
type Difference struct {
	Kind string // missing, extra, content, unreadable
	Path string
	Have *File // nil when missing
	Want *File // nil when extra
	Err  error // why a content could not be read
}

// Report is what a comparison found.
type Report struct {
	Files       int   // that were compared
	Size        int64 // of them, decoded
	Read        int64 // decoded for it, in bytes
	Respelled   int   // equal files whose paths differ in case
	Copies      int   // assets that one side has more copies of
	Differences []Difference
}

// ErrDiffers means that a patch does not make the old build the new one. It
// never gets a name.
var ErrDiffers = errors.New("old build and patch do not make the new build")

// Compare compares what a game sees of two stacks, file by file: by the BLAKE3
// of contents, which are decoded where it is not known. progress, if not nil, is
// called with decoded bytes now and then, from several goroutines.
func (d *Disk) Compare(ctx context.Context, have, want *Stack, progress func(n int64)) (*Report, error) {
	h, w := archived(have.View()), archived(want.View())
	copies := apart(have, want, h, w)
	r, err := d.compareViews(ctx, h, w, progress)
	if err == nil {
		r.Copies = copies
	}
	return r, err
}

// apart takes the entries of archives that hold assets for their own loaders out
// of the views, where they would hide each other, and puts them in by archive,
// name and copy. It returns how many have more copies on one side: each copy that
// is there is compared with its counterpart, or the last of them.
func apart(have, want *Stack, h, w map[Key]*File) (uneven int) {
	pick := func(s *Stack, view map[Key]*File) (mounts []*Mount) {
		maps.DeleteFunc(view, func(_ Key, f *File) bool { return f.Mount.apart })
		for _, m := range s.Mounts {
			if m.apart {
				mounts = append(mounts, m)
			}
		}
		return mounts
	}
	for n, pair := range pairMounts(pick(have, h), pick(want, w)) {
		var ours, theirs map[string][]*File
		if pair[0] != nil {
			_, ours = filesOf(have, pair[0])
		}
		if pair[1] != nil {
			_, theirs = filesOf(want, pair[1])
		}
		uneven += pairCopies(n, ours, theirs, h, w)
	}
	return uneven
}

// pairCopies puts the entries of the n-th pair of archives into both views.
func pairCopies(n int, ours, theirs map[string][]*File, h, w map[Key]*File) (uneven int) {
	put := func(view map[Key]*File, name string, i int, f *File) {
		view[exactKey(fmt.Sprint(n, "/", name, "/", i))] = f
	}
	for name, files := range ours {
		others := theirs[name]
		for i, f := range files {
			put(h, name, i, f)
			if len(others) > 0 {
				put(w, name, i, others[min(i, len(others)-1)])
			}
		}
		if others != nil && len(others) != len(files) {
			uneven++
		}
	}
	for name, files := range theirs {
		if ours[name] == nil {
			put(w, name, 0, files[0])
		}
	}
	return uneven
}

// archived is a view without loose files, where there are archives.
func archived(view map[Key]*File) map[Key]*File {
	inside := maps.Clone(view)
	maps.DeleteFunc(inside, func(_ Key, f *File) bool { return f.Mount.Loose() })
	if len(inside) == 0 {
		return maps.Clone(view)
	}
	return inside
}

func (d *Disk) compareViews(ctx context.Context, have, want map[Key]*File, progress func(n int64)) (*Report, error) {
	c := &comparison{have: have, want: want, failed: map[*File]error{}}
	for _, f := range want {
		c.Size += f.Size
	}
	c.Files = len(want)
	if err := c.hash(ctx, d, progress); err != nil {
		return nil, err
	}
	for key, w := range want {
		c.compare(have[key], w)
	}
	for key, h := range have {
		if want[key] == nil {
			c.Differences = append(c.Differences, Difference{Kind: "extra", Path: h.Path(), Have: h})
		}
	}
	slices.SortFunc(c.Differences, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return &c.Report, nil
}

type comparison struct {
	Report
	have, want map[Key]*File
	failed     map[*File]error
}

// unsure reports whether both files must be decoded to compare them.
func unsure(h, w *File) bool {
	return !sizesDiffer(h, w) && !(h.Known && w.Known) && !h.sameAs(w)
}

// sameAs reports whether two files are one entry, or stored bytes that were found to
// be the same.
func (f *File) sameAs(o *File) bool {
	if f.twin != nil {
		f = f.twin
	}
	return f.Mount.same(o.Mount) && f.Ordinal == o.Ordinal
}

// hash decodes what has to be, archive by archive.
func (c *comparison) hash(ctx context.Context, d *Disk, progress func(n int64)) error {
	byMount := map[*Mount]map[int]*File{}
	for key, w := range c.want {
		h := c.have[key]
		if h == nil || !unsure(h, w) {
			continue
		}
		for _, f := range []*File{h, w} {
			if f.Known {
				continue
			}
			if byMount[f.Mount] == nil {
				byMount[f.Mount] = map[int]*File{}
			}
			byMount[f.Mount][f.Ordinal] = f
			c.Read += f.Size
		}
	}
	mounts := slices.SortedFunc(maps.Keys(byMount), func(a, b *Mount) int {
		return cmp.Or(strings.Compare(a.Location, b.Location), cmp.Compare(a.Place, b.Place))
	})
	for _, m := range mounts {
		failed, err := d.hashFiles(ctx, m, byMount[m], progress)
		if err != nil {
			return err
		}
		maps.Copy(c.failed, failed)
	}
	return nil
}

func (c *comparison) compare(h, w *File) {
	add := func(kind string, err error) {
		c.Differences = append(c.Differences, Difference{kind, w.Path(), h, w, err})
	}
	switch {
	case h == nil:
		add("missing", nil)
		return
	case c.failed[h] != nil || c.failed[w] != nil:
		add("unreadable", errors.Join(c.failed[h], c.failed[w]))
		return
	case sizesDiffer(h, w), h.Known && w.Known && h.Content != w.Content:
		add("content", nil)
		return
	}
	if h.Path() != w.Path() {
		c.Respelled++
	}
}

// sizesDiffer says nothing of archives that do not store the true length of
// contents.
func sizesDiffer(h, w *File) bool { return h.Size != w.Size && !h.Padded && !w.Padded }

// hashBatch is a group of neighbouring entries on their way through the
// workers: handing over each small one would cost more than decoding it.
type hashBatch struct {
	files   []*File
	entries []*codecs.Entry
	errs    []error
	size    int64
}

const (
	hashBatchFiles = 64
	hashBatchBytes = 1 << 20
)

// hashFiles decodes files of one archive, given by ordinal, and sets their
// Content. What cannot be read is in failed.
func (d *Disk) hashFiles(ctx context.Context, m *Mount, files map[int]*File, progress func(n int64)) (failed map[*File]error, err error) {
	o, err := d.open(ctx, m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Location, err)
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	failed = map[*File]error{}
	workers := runtime.GOMAXPROCS(0)
	err = process.InOrder(ctx, hashBatches(o.Archive, files), workers, 4*workers,
		func(ctx context.Context, b *hashBatch) { b.hash(ctx, o.Archive) },
		func(b *hashBatch) error {
			for i, f := range b.files {
				if f.Known = b.errs[i] == nil; !f.Known {
					failed[f] = b.errs[i]
				}
			}
			if progress != nil {
				progress(b.size)
			}
			return ctx.Err()
		}, func(*hashBatch) {})
	for _, f := range files {
		if err == nil && !f.Known && failed[f] == nil {
			failed[f] = fmt.Errorf("%s: %w", m.Location, ErrChanged)
		}
	}
	return failed, err
}

func hashBatches(a codecs.Archive, files map[int]*File) iter.Seq2[*hashBatch, error] {
	return func(yield func(*hashBatch, error) bool) {
		b := &hashBatch{}
		for e, err := range a.Entries() {
			if e == nil {
				yield(nil, err)
				return
			}
			f := files[e.Ordinal]
			if f == nil {
				continue
			}
			b.files, b.entries, b.errs = append(b.files, f), append(b.entries, e), append(b.errs, err)
			if b.size += e.Size; len(b.files) < hashBatchFiles && b.size < hashBatchBytes {
				continue
			}
			if !yield(b, nil) {
				return
			}
			b = &hashBatch{}
		}
		yield(b, nil)
	}
}

func (b *hashBatch) hash(ctx context.Context, a codecs.Archive) {
	for i, e := range b.entries {
		if b.errs[i] == nil {
			b.errs[i] = hashEntry(ctx, a, e, b.files[i])
		}
	}
}

// hashEntry decodes an entry. A content that its archive pads is known by its
// padded form, as in the catalog.
func hashEntry(ctx context.Context, a codecs.Archive, e *codecs.Entry, f *File) error {
	r, err := a.Open(ctx, e)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	h := blake3.New()
	n, err := io.Copy(h, codecs.ContextReader(ctx, r))
	if err != nil {
		return err
	}
	if n != e.Size {
		return codecs.Errorf(codecs.ErrCorrupt, "%s decodes to %d bytes, %d are declared", e.Name, n, e.Size)
	}
	if p, ok := a.(codecs.Padder); ok {
		if align, fill := p.Padding(e); align > 1 {
			_, _ = h.Write(slices.Repeat([]byte{fill}, int((align-n%align)%align)))
		}
	}
	h.Sum(f.Content[:0])
	return nil
}

// Patch is a patch in a folder, by its manifest.
type Patch struct {
	Manifest
	Path    string   // of the manifest
	Missing []string // archives that are not there, or have another size
}

// FindPatches returns the patches whose manifests lie at or below a folder, by
// path. A file of the name that is no manifest is an error. passed is as [Disk.Passed].
func FindPatches(ctx context.Context, root string, passed func(error)) (patches []Patch, err error) {
	files, odd, err := regular.Walk(ctx, root, regular.Read, nil)
	if err != nil {
		return nil, err
	}
	for _, err := range odd {
		if passed != nil {
			passed(err)
		}
	}
	for _, f := range files {
		file := f.Path
		if !strings.HasSuffix(file, ManifestExt) {
			continue
		}
		text, err := regular.ReadFile(file)
		if err != nil {
			return nil, err
		}
		p := Patch{Path: file}
		if err := json.Unmarshal(text, &p.Manifest); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if p.Pakdb != manifestVersion {
			return nil, fmt.Errorf("%s: manifest of version %d; %d is known", file, p.Pakdb, manifestVersion)
		}
		for _, a := range p.Archives {
			st, err := os.Stat(filepath.Join(filepath.Dir(file), filepath.Base(a.Name)))
			if err != nil || st.Size() != a.Size {
				p.Missing = append(p.Missing, a.Name)
			}
		}
		patches = append(patches, p)
	}
	return patches, nil
}

// Reach is a build that a folder of archives can be brought to.
type Reach struct {
	State
	Keep, Remove []string // archives of patches
	Missing      []string // archives that would be needed; nil: it can be done
}

// same reports whether two states are one: by what is seen, where it is known.
func (s State) same(o State) bool {
	if s.View != "" && o.View != "" {
		return s.View == o.View
	}
	return s.Build == o.Build
}

// Reaches returns the builds that patches lead to, from those that none leads
// to: each with the patches that must stay, in their order, and those that must
// go. A build that several ways lead to is listed by the shortest.
func Reaches(patches []Patch) (all []Reach) {
	type step struct {
		State
		by []int
	}
	var steps []step
	known := func(s State) bool {
		return slices.ContainsFunc(steps, func(t step) bool { return t.State.same(s) })
	}
	for _, root := range roots(patches) {
		steps = append(steps, step{State: root})
	}
	for i := 0; i < len(steps); i++ {
		for n := range patches {
			if p := &patches[n]; p.Old.same(steps[i].State) && !known(p.New) {
				steps = append(steps, step{p.New, append(slices.Clone(steps[i].by), n)})
			}
		}
	}
	for _, s := range steps {
		all = append(all, reach(patches, s.State, s.by))
	}
	return all
}

// roots are the builds that no patch leads to; where all lead to each other, the
// first.
func roots(patches []Patch) (roots []State) {
	for _, p := range patches {
		from := p.Old
		led := slices.ContainsFunc(patches, func(q Patch) bool { return q.New.same(from) })
		if !led && !slices.ContainsFunc(roots, func(s State) bool { return s.same(from) }) {
			roots = append(roots, from)
		}
	}
	if roots == nil && len(patches) > 0 {
		roots = append(roots, patches[0].Old)
	}
	return roots
}

func reach(patches []Patch, s State, by []int) Reach {
	r := Reach{State: s}
	for n := range patches {
		needed := slices.Contains(by, n)
		for _, a := range patches[n].Archives {
			here := !slices.Contains(patches[n].Missing, a.Name)
			switch {
			case needed && here:
				r.Keep = append(r.Keep, a.Name)
			case needed:
				r.Missing = append(r.Missing, a.Name)
			case here:
				r.Remove = append(r.Remove, a.Name)
			}
		}
	}
	return r
}
