package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"pakdb/codecs"
	"pakdb/diff/pkdelta"
	"pakdb/diff/store"
	"pakdb/internal/atomicfile"
)

// Options for [Publish]. The zero value reads no archives.
type Options struct {
	Registry *codecs.Registry // formats to read archives with; nil: files are bytes
	Open     *codecs.Options
	Now      time.Time          // of publication; zero: now
	Key      *pkdelta.SecretKey // signs the manifest; nil: the store is not signed
	Sums     []string           // what the files' BLAKE3 must be, in hexadecimal; "" or none: no matter
	Deltas   int                // from how many of the last builds to make transport patches
	Damaged  []string           // archives of the build that are damaged as a whole, for its manifest; who publishes them decided to
	By       string             // version of the program that publishes, for those whose own does not fit
}

// Published tells what a publication did.
type Published struct {
	Files         int
	Size          int64 // bytes of the build's files
	Contents      int   // of files that were not in the store
	Chunks        int   // that were not
	Packs         int
	ContentDeltas int
	Deltas        int   // between files
	Whole         int   // files that are there as a whole too
	Written       int64 // bytes of packs and objects
}

// publisher adds a build to a store.
type publisher struct {
	dir    string
	out    *atomicfile.Dir // dir, for writing
	opt    *Options
	chunks map[store.Key]store.Place
	listed map[store.Key]store.Row
	packs  store.Tables
	last   int                       // largest number of a pack
	parts  map[store.Key]store.Place // of the trees of recipes
	data   packer                    // of contents that come from nothing
	others packer                    // of contents that deltas make as well
	list   packer
	known  map[string]store.RecipeAt         // recipe of a file by its sum, from earlier builds
	before *earlierContents                  // of the last build; nil: none
	path   string                            // of the file at hand
	used   map[store.FrameID]bool            // frames of the file at hand
	frames map[string]map[store.FrameID]bool // of new files, by their hashes
	stored map[string]int64                  // bytes of these frames
	stats  Published

	follows     *store.Build     // the last build; nil: none
	tabled      []store.TableRef // of it
	tabledPacks [][]int          // which packs each has
}

// Publish adds the files to the store at dir as a build. They are read as
// archives where the registry knows their formats. The build is there for
// clients when its manifest is, which is written last. A store has one publisher
// at a time.
func Publish(ctx context.Context, dir, label string, inputs []pkdelta.Input, opt *Options) (*Published, error) {
	if opt == nil {
		opt = &Options{}
	}
	if !store.ValidLabel(label) {
		return nil, fmt.Errorf("%q: %w: letters, digits, and . _ + - may be in it", label, store.ErrLabel)
	}
	out, err := atomicfile.Make(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = out.Close() }()
	lock := flock.New(filepath.Join(dir, ".lock"))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("%s is being written by another process", dir), err)
	}
	defer func() { _ = lock.Unlock() }()
	if err := staysSigned(dir, opt.Key); err != nil {
		return nil, err
	}
	p, index, earlier, err := newPublisher(out, opt)
	if err != nil {
		return nil, err
	}
	b := &store.Build{State: store.NewState(opt.By), Label: label, Time: opt.Now.UTC(), Damaged: opt.Damaged}
	if opt.Now.IsZero() {
		b.Time = time.Now().UTC().Truncate(time.Second)
	}
	if b.Files, err = p.files(ctx, inputs); err != nil {
		return nil, err
	}
	if err := p.lists(b, earlier); err != nil {
		return nil, err
	}
	if b.Contents, err = contentDeltas(ctx, p, b, earlier); err != nil {
		return nil, err
	}
	p.before = nil // and its index
	if b.Deltas, err = p.deltas(ctx, b, inputs, earlier); err != nil {
		return nil, err
	}
	whole, err := p.whole(ctx, b, inputs)
	if err != nil {
		return nil, err
	}
	b.Deltas = append(b.Deltas, whole...)
	if err := b.Fit(); err != nil {
		return nil, err
	}
	index.State = b.State
	index.Builds = append(slices.DeleteFunc(index.Builds, func(have string) bool { return have == label }), label)
	if err := p.writeJSON(store.BuildName(label), b); err != nil {
		return nil, err
	}
	return &p.stats, p.writeJSON(store.IndexName, index)
}

// staysSigned returns ErrSigned for a store whose list of builds would lose its
// signature: clients that ask for one could not update any more.
func staysSigned(dir string, key *pkdelta.SecretKey) error {
	name := store.IndexName + store.Signed
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); key != nil || err != nil {
		return nil
	}
	return fmt.Errorf("%s: %w: it needs the key, or, if nobody asks for signatures, %s removed", dir, store.ErrSigned, name)
}

func newPublisher(out *atomicfile.Dir, opt *Options) (p *publisher, index *store.Index, earlier []*store.Build, err error) {
	dir := out.Name()
	p = &publisher{dir: dir, out: out, opt: opt, chunks: map[store.Key]store.Place{}, listed: map[store.Key]store.Row{}, parts: map[store.Key]store.Place{}, packs: store.Tables{}, known: map[string]store.RecipeAt{}, frames: map[string]map[store.FrameID]bool{}, stored: map[string]int64{}}
	if err := tidy(out); err != nil {
		return nil, nil, nil, err
	}
	p.data, p.others, p.list = packer{s: p, goal: store.FrameGoal}, packer{s: p, goal: store.FrameGoal}, packer{s: p, goal: store.ListGoal}
	if index, earlier, err = store.ReadBuilds(dir); err != nil {
		return nil, nil, nil, err
	}
	for _, b := range earlier {
		for _, f := range b.Files {
			p.known[f.Sum] = f.Recipe
		}
	}
	if err := p.load(); err != nil {
		return nil, nil, nil, err
	}
	if err := p.forgetLoose(earlier); err != nil {
		return nil, nil, nil, err
	}
	if n := len(earlier); n > 0 {
		err = p.follow(earlier[n-1])
	}
	return p, index, earlier, err
}

// forgetLoose forgets lists and parts of recipes that no build has. They stand in
// packs that are there for something else, but what they name may be in one that
// was pruned, or that a publisher was killed before it wrote.
func (p *publisher) forgetLoose(builds []*store.Build) error {
	c := newChecker(p.dir)
	c.Packs = p.packs
	held := map[store.Place]bool{}
	if err := c.recipePlaces(builds, func(at store.Place) { held[at] = true }); err != nil {
		return err
	}
	maps.DeleteFunc(p.listed, func(_ store.Key, r store.Row) bool { return !held[r.Place] })
	maps.DeleteFunc(p.parts, func(_ store.Key, at store.Place) bool { return !held[at] })
	return nil
}

// follow takes up the tables of the last build, and its contents.
func (p *publisher) follow(last *store.Build) (err error) {
	p.tabled, p.follows = last.Tables, last
	for _, t := range last.Tables {
		b, err := store.ReadObject(p.dir, t.Object)
		if err != nil {
			return err
		}
		packs := store.Tables{}
		if err := packs.Parse(b, &store.Budget{}); err != nil {
			return fmt.Errorf("%s: %w", store.ObjectName(t.Object), err)
		}
		p.tabledPacks = append(p.tabledPacks, slices.Sorted(maps.Keys(packs)))
		p.last = max(p.last, t.Last) // numbers are not used again
	}
	if p.opt.Deltas > 0 {
		p.before, err = newEarlierContents(p.reader(), last)
	}
	return err
}

// reader reads what is in the store, packs that are open excepted.
func (p *publisher) reader() *store.StoreReader {
	return &store.StoreReader{Dir: p.dir, Chunks: p.chunks, Lists: p.listed, Packs: p.packs}
}

// packNumbers returns the packs that are in a store, in their order.
func packNumbers(dir string) (numbers []int, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, "p"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n > 0 && store.PackName(n) == "p/"+e.Name() {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// load learns what the store has.
func (p *publisher) load() error {
	numbers, err := packNumbers(p.dir)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		info, rows, err := store.ReadPack(p.dir, n)
		if err != nil {
			return err
		}
		p.packs[n], p.last = info, max(p.last, n) // tables may know larger ones, that were pruned
		for _, r := range rows {
			switch r.Kind {
			case store.RowList:
				p.listed[r.Key] = r
			case store.RowPart:
				p.parts[r.Key] = r.Place
			default:
				p.chunks[r.Key] = r.Place
			}
		}
	}
	return nil
}

func (p *publisher) nextPack() int {
	p.last++
	return p.last
}

// lists writes the lists of a build's files and of its tables.
func (p *publisher) lists(b *store.Build, earlier []*store.Build) (err error) {
	if b.Lists, err = p.fileTree(b.Files); err != nil {
		return err
	}
	if err := p.flush(); err != nil {
		return err
	}
	if b.Earlier = versions(b.Files, earlier); len(b.Earlier) > 0 {
		if b.Past, err = p.json(b.Earlier); err != nil {
			return err
		}
	}
	b.Tables, err = writeTables(p)
	return err
}

// fileTree writes the list of files: the parts of its tree that are not there, and
// the root, which it names.
func (p *publisher) fileTree(files []store.File) (string, error) {
	if len(files) > store.MaxFiles {
		return "", fmt.Errorf("%w: a build of %d files", errors.ErrUnsupported, len(files))
	}
	if len(files) <= store.FewFiles {
		return p.object(store.MarshalFileRoot(files, nil, 0))
	}
	parts, height, err := store.FileTree(files, func(id store.Key, b func() []byte, _ []store.File) (store.Place, error) {
		return p.part(id, b)
	})
	if err != nil {
		return "", err
	}
	return p.object(store.MarshalFileRoot(files, parts, height))
}

// flush ends the open packs, which nothing is added to any more, and adds up what
// the frames of new files take.
func (p *publisher) flush() error {
	if err := errors.Join(p.data.end(), p.others.end(), p.list.end()); err != nil {
		return err
	}
	for sum, frames := range p.frames {
		for id := range frames {
			info := p.packs[id.Pack]
			p.stored[sum] += info.Size(id.Frame)
		}
	}
	return nil
}

// versions are those of files that earlier builds had and this one has not.
func versions(files []store.File, earlier []*store.Build) (list []store.File) {
	seen := map[store.File]bool{}
	for _, f := range files {
		f.Recipe = store.RecipeAt{}
		seen[f] = true
	}
	for _, b := range earlier {
		for _, f := range slices.Concat(b.Files, b.Earlier) {
			if f.Recipe = (store.RecipeAt{}); !seen[f] {
				seen[f] = true
				list = append(list, f)
			}
		}
	}
	slices.SortFunc(list, func(a, b store.File) int { return strings.Compare(a.Path+"\x00"+a.Sum, b.Path+"\x00"+b.Sum) })
	return list
}
