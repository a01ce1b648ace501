package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"pakdb/codecs"
	"pakdb/diff/patch"
)

// UpdateOptions for [NewUpdate].
type UpdateOptions struct {
	Label    string           // of the build; empty: the last one published
	Registry *codecs.Registry // formats to read archives with; nil: files are bytes
	Open     *codecs.Options
}

// Update brings a folder to a build of a store, whatever is in it: it compares
// by content, not by version.
type Update struct {
	Build *Build
	Bill  Bill

	r      *Remote
	dir    string
	root   *os.Root
	files  *patch.Files // nil: the folder is empty
	local  *local
	isLast bool // Build is the one published last
	tables tables
	todo   []*fileUpdate
	gone   []string // that will be removed
	kept   []string // that no build made so
	deltas []*deltaUse
	ranges []*packRange
	frames map[frameID]*packRange
	recent frameCache
	coder  patch.Coder
}

// Bill tells what an update costs, before it starts.
type Bill struct {
	Same, Changed, New int   // files
	Gone               int   // files to be removed
	Kept               int   // files that the build has not, and that nobody published so
	Local              int64 // decoded bytes that come from the folder's own files
	Missing            int64 // decoded bytes that do not
	ByDelta            int   // files that a delta makes
	Fetch              int64 // bytes of packs and deltas
	Requests           int   // for them
	Known              int64 // bytes of manifests, recipes and lists, which have been fetched
	Asked              int64 // requests for those
	Write              int64 // bytes of files
	Free               int64 // of the folder's disk; -1: unknown
}

// fileUpdate is a file that must be made.
type fileUpdate struct {
	File
	recipe *fileRecipe
	chunks [][]chunkRef // of each content that is not in the folder as a whole
	rest   []chunkRef   // of the skeleton

	byDelta bool // a delta makes it
}

// NewUpdate finds out what has to be done so that dir holds the build: it fetches
// the manifest, reads the files in dir that are not as the build has them, and
// plans content by content. Nothing in dir is changed. The caller closes the
// Update.
func NewUpdate(ctx context.Context, r *Remote, dir string, opt UpdateOptions) (u *Update, err error) {
	u = &Update{r: r, dir: dir, frames: map[frameID]*packRange{}, isLast: opt.Label == ""}
	defer func() {
		if err != nil {
			err = errors.Join(err, u.Close())
			u = nil
		}
	}()
	if u.Build, err = r.Build(ctx, opt.Label); err != nil {
		return u, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return u, err
	}
	if u.root, err = os.OpenRoot(dir); err != nil {
		return u, err
	}
	others, usable, err := u.compare(ctx)
	if err != nil {
		return u, err
	}
	if opt.Registry == nil {
		opt.Registry = &codecs.Registry{}
	}
	usable = u.evident(usable)
	if slices.ContainsFunc(u.todo, func(f *fileUpdate) bool { return !f.byDelta }) {
		if u.local, err = newLocal(ctx, others, opt.Registry, opt.Open); err != nil {
			return u, err
		}
		if err := u.resolve(ctx, usable); err != nil {
			return u, err
		}
	}
	u.billDeltas()
	u.Bill.Free = freeSpace(dir)
	u.Bill.Known, u.Bill.Asked = r.Fetched(), r.Requests()
	return u, nil
}

// compare sorts files into those that are right and those to be made, and
// returns what is in the folder and not right, and the deltas for it.
func (u *Update) compare(ctx context.Context) (others []patch.Input, usable []*deltaUse, err error) {
	here, err := u.openFolder()
	if err != nil {
		return nil, nil, err
	}
	right := map[string]bool{}
	for _, f := range u.Build.Files {
		in, there := here[f.Path]
		if there && in.Size == f.Size {
			sum, err := sumOf(ctx, in.ReaderAt, in.Size)
			if err != nil {
				return nil, nil, err
			}
			right[f.Path] = sum == f.Sum
		}
		switch {
		case right[f.Path]:
			u.Bill.Same++
			continue
		case there:
			u.Bill.Changed++
		default:
			u.Bill.New++
		}
		u.Bill.Write += f.Size
		u.todo = append(u.todo, &fileUpdate{File: f})
	}
	if err := u.findGone(ctx, here); err != nil {
		return nil, nil, err
	}
	for name, in := range here {
		if !right[name] {
			others = append(others, in)
		}
	}
	slices.SortFunc(others, func(a, b patch.Input) int { return cmp.Compare(a.Name, b.Name) })
	usable, err = u.usable(ctx, here)
	return others, usable, err
}

func (u *Update) openFolder() (map[string]patch.Input, error) {
	here := map[string]patch.Input{}
	entries, err := os.ReadDir(u.dir)
	if err != nil || len(entries) == 0 {
		return here, err
	}
	if u.files, err = patch.OpenFiles([]string{u.dir}); err != nil {
		return nil, err
	}
	for _, in := range u.files.Inputs {
		if !reserved(in.Name) {
			here[in.Name] = in
		}
	}
	return here, nil
}

// findGone tells files that another build put there from others, which stay. The
// build knows those of earlier ones, the last one published those of all.
func (u *Update) findGone(ctx context.Context, here map[string]patch.Input) error {
	wanted, published := map[string]bool{}, map[string][]File{}
	for _, f := range u.Build.Files {
		wanted[f.Path] = true
	}
	last := u.Build
	if !u.isLast {
		var err error
		if last, err = u.r.Build(ctx, ""); err != nil {
			return err
		}
	}
	for _, f := range slices.Concat(u.Build.Earlier, last.Earlier, last.Files) {
		published[f.Path] = append(published[f.Path], f)
	}
	for name, in := range here {
		if wanted[name] {
			continue
		}
		is := false
		for _, f := range published[name] {
			if f.Size != in.Size || is {
				continue
			}
			sum, err := sumOf(ctx, in.ReaderAt, in.Size)
			if err != nil {
				return err
			}
			is = sum == f.Sum
		}
		if is {
			u.gone = append(u.gone, name)
		} else {
			u.kept = append(u.kept, name)
		}
	}
	slices.Sort(u.gone)
	slices.Sort(u.kept)
	u.Bill.Gone, u.Bill.Kept = len(u.gone), len(u.kept)
	return nil
}

// resolve finds, for each content of each file to be made, whether the folder
// has it, or which of its chunks, and plans the fetching of the others.
func (u *Update) resolve(ctx context.Context, usable []*deltaUse) error {
	b, err := u.r.object(ctx, u.Build.Tables)
	if err != nil {
		return err
	}
	if u.tables, err = parseTables(b); err != nil {
		return err
	}
	var lists listFetcher
	for _, f := range u.todo {
		if f.byDelta {
			continue
		}
		b, err := u.r.object(ctx, f.Recipe)
		if err != nil {
			return err
		}
		if f.recipe, err = parseRecipe(b); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		f.chunks = make([][]chunkRef, len(f.recipe.contents))
		for i, c := range f.recipe.contents {
			if _, ok := u.local.find(c.id, c.size); !ok {
				lists.want(c, &f.chunks[i])
			}
		}
		lists.want(f.recipe.skeleton, &f.rest)
	}
	if err := lists.fetch(ctx, u); err != nil {
		return err
	}
	u.cheaper(usable)
	missing := map[frameID]bool{}
	for _, f := range u.todo {
		if f.byDelta {
			continue
		}
		u.Bill.Local += f.localContents(u.local)
		for _, chunks := range append(f.chunks, f.rest) {
			for _, c := range chunks {
				if _, ok := u.local.chunk(c); ok {
					u.Bill.Local += int64(c.size)
				} else {
					u.Bill.Missing += int64(c.size)
					missing[c.id2()] = true
				}
			}
		}
	}
	if u.ranges, err = u.plan(missing); err != nil {
		return err
	}
	for _, r := range u.ranges {
		u.Bill.Fetch += r.n
	}
	u.Bill.Requests = len(u.ranges)
	return nil
}

// billDeltas adds what the deltas cost.
func (u *Update) billDeltas() {
	for _, d := range u.deltas {
		u.Bill.ByDelta += len(d.New)
		u.Bill.Fetch += d.Size
		u.Bill.Requests += int((d.Size + maxPack - 1) / maxPack)
	}
}

// localContents is how much of a file's content the folder has as a whole.
func (f *fileUpdate) localContents(l *local) (n int64) {
	for _, c := range f.recipe.contents {
		if _, ok := l.find(c.id, c.size); ok {
			n += c.size
		}
	}
	return n
}

func (c chunkRef) id2() frameID { return c.place.id() }

// packRange is a part of a pack that is fetched in one request.
type packRange struct {
	pack   int
	off, n int64
	frames map[int]int64 // offsets in the range
	data   *os.File      // where it lies, once it is there
}

// nearby is how many bytes that nobody needs are fetched rather than asking
// twice.
const nearby = 64 << 10

// plan joins the frames that are needed to ranges.
func (u *Update) plan(need map[frameID]bool) (ranges []*packRange, err error) {
	ids := make([]frameID, 0, len(need))
	for id := range need {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b frameID) int { return cmp.Or(cmp.Compare(a.pack, b.pack), cmp.Compare(a.frame, b.frame)) })
	for _, id := range ids {
		p, ok := u.tables[id.pack]
		if !ok {
			return nil, fmt.Errorf("%w: pack %d is not in the build's tables", ErrCorrupt, id.pack)
		}
		off, n, err := p.span(id.frame)
		if err != nil {
			return nil, err
		}
		var last *packRange
		if len(ranges) > 0 {
			last = ranges[len(ranges)-1]
		}
		if last == nil || last.pack != id.pack || off-(last.off+last.n) > nearby {
			last = &packRange{pack: id.pack, off: off, frames: map[int]int64{}}
			ranges = append(ranges, last)
		}
		last.frames[id.frame] = off - last.off
		last.n = off + n - last.off
	}
	return ranges, nil
}

// listFetcher collects contents whose chunks are to be found out.
type listFetcher struct {
	refs []contentRef
	to   []*[]chunkRef
}

func (l *listFetcher) want(c contentRef, to *[]chunkRef) {
	switch {
	case c.size == 0:
	case c.depth == 0:
		*to = []chunkRef{{c.id, c.place}}
	default:
		l.refs, l.to = append(l.refs, c), append(l.to, to)
	}
}

// fetch reads all lists: at most two rounds, since lists of lists have lists
// without lists.
func (l *listFetcher) fetch(ctx context.Context, u *Update) error {
	need := map[frameID]bool{}
	for _, c := range l.refs {
		need[c.place.id()] = true
	}
	frames, err := u.fetchNow(ctx, need)
	if err != nil {
		return err
	}
	need = map[frameID]bool{}
	parts := make([][]listRef, len(l.refs))
	for i, c := range l.refs {
		b, err := part(frames, c.place)
		if err != nil {
			return err
		}
		if c.depth == 1 {
			if *l.to[i], err = parseList(b, c.size); err != nil {
				return err
			}
			continue
		}
		if parts[i], err = parseLists(b, c.size); err != nil {
			return err
		}
		for _, p := range parts[i] {
			need[p.place.id()] = true
		}
	}
	if frames, err = u.fetchNow(ctx, need); err != nil {
		return err
	}
	for i := range l.refs {
		for _, p := range parts[i] {
			b, err := part(frames, p.place)
			if err != nil {
				return err
			}
			chunks, err := parseList(b, p.content)
			if err != nil {
				return err
			}
			*l.to[i] = append(*l.to[i], chunks...)
		}
	}
	return nil
}

// fetchNow fetches frames into memory.
func (u *Update) fetchNow(ctx context.Context, need map[frameID]bool) (map[frameID][]byte, error) {
	ranges, err := u.plan(need)
	if err != nil {
		return nil, err
	}
	frames := map[frameID][]byte{}
	for _, r := range ranges {
		b, err := u.r.get(ctx, packName(r.pack), r.off, r.n)
		if err != nil {
			return nil, err
		}
		for i, off := range r.frames {
			n := u.tables[r.pack].frames[i]
			if frames[frameID{r.pack, i}], err = inflateFrame(b[off : off+n]); err != nil {
				return nil, err
			}
		}
	}
	return frames, nil
}

// part returns the bytes at a place.
func part(frames map[frameID][]byte, p place) ([]byte, error) {
	f := frames[p.id()]
	if p.at > len(f) || p.size > len(f)-p.at {
		return nil, fmt.Errorf("%w: place %d of a frame of %d bytes", ErrCorrupt, p.at, len(f))
	}
	return f[p.at : p.at+p.size], nil
}

// Gone returns the paths of files that will be removed, and Kept of those that
// the build has not and that stay.
func (u *Update) Gone() []string { return u.gone }

// Kept returns the paths of files that are no part of the build and stay.
func (u *Update) Kept() []string { return u.kept }

// Close closes all files. What was fetched stays for another try.
func (u *Update) Close() error {
	var errs []error
	for _, r := range u.ranges {
		if r.data != nil {
			errs = append(errs, r.data.Close())
			r.data = nil
		}
	}
	if u.files != nil {
		errs = append(errs, u.files.Close())
		u.files = nil
	}
	if u.root != nil {
		errs = append(errs, u.root.Close())
		u.root = nil
	}
	return errors.Join(errs...)
}
