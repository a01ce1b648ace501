package store

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/diff/pkdelta"
	"pakdb/internal/atomicfile"
	"pakdb/internal/progress"
)

// PublishOptions for [Publish]. The zero value reads no archives.
type PublishOptions struct {
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
	opt    *PublishOptions
	chunks map[key]place
	listed map[key]row
	packs  tables
	last   int           // largest number of a pack
	parts  map[key]place // of the trees of recipes
	data   packer        // of contents that come from nothing
	others packer        // of contents that deltas make as well
	list   packer
	known  map[string]recipeAt         // recipe of a file by its sum, from earlier builds
	before *earlierContents            // of the last build; nil: none
	path   string                      // of the file at hand
	used   map[frameID]bool            // frames of the file at hand
	frames map[string]map[frameID]bool // of new files, by their hashes
	stored map[string]int64            // bytes of these frames
	stats  Published

	follows     *Build     // the last build; nil: none
	tabled      []TableRef // of it
	tabledPacks [][]int    // which packs each has
}

// Publish adds the files to the store at dir as a build. They are read as
// archives where the registry knows their formats. The build is there for
// clients when its manifest is, which is written last. A store has one publisher
// at a time.
func Publish(ctx context.Context, dir, label string, inputs []pkdelta.Input, opt *PublishOptions) (*Published, error) {
	if opt == nil {
		opt = &PublishOptions{}
	}
	if !validLabel(label) {
		return nil, fmt.Errorf("%q: %w: letters, digits, and . _ + - may be in it", label, ErrLabel)
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
	b := &Build{State: newState(opt.By), Label: label, Time: opt.Now.UTC(), Damaged: opt.Damaged}
	if opt.Now.IsZero() {
		b.Time = time.Now().UTC().Truncate(time.Second)
	}
	if b.Files, err = p.files(ctx, inputs); err != nil {
		return nil, err
	}
	if err := p.lists(b, earlier); err != nil {
		return nil, err
	}
	if b.Contents, err = p.contentDeltas(ctx, b, earlier); err != nil {
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
	if err := b.fit(); err != nil {
		return nil, err
	}
	index.State = b.State
	index.Builds = append(slices.DeleteFunc(index.Builds, func(have string) bool { return have == label }), label)
	if err := p.writeJSON(buildName(label), b); err != nil {
		return nil, err
	}
	return &p.stats, p.writeJSON(indexName, index)
}

// staysSigned returns ErrSigned for a store whose list of builds would lose its
// signature: clients that ask for one could not update any more.
func staysSigned(dir string, key *pkdelta.SecretKey) error {
	name := indexName + signed
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); key != nil || err != nil {
		return nil
	}
	return fmt.Errorf("%s: %w: it needs the key, or, if nobody asks for signatures, %s removed", dir, ErrSigned, name)
}

func newPublisher(out *atomicfile.Dir, opt *PublishOptions) (p *publisher, index *Index, earlier []*Build, err error) {
	dir := out.Name()
	p = &publisher{dir: dir, out: out, opt: opt, chunks: map[key]place{}, listed: map[key]row{}, parts: map[key]place{}, packs: tables{}, known: map[string]recipeAt{}, frames: map[string]map[frameID]bool{}, stored: map[string]int64{}}
	if err := tidy(out); err != nil {
		return nil, nil, nil, err
	}
	p.data, p.others, p.list = packer{s: p, goal: frameGoal}, packer{s: p, goal: frameGoal}, packer{s: p, goal: listGoal}
	if index, earlier, err = readBuilds(dir); err != nil {
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
func (p *publisher) forgetLoose(builds []*Build) error {
	c := newChecker(p.dir)
	c.packs = p.packs
	held := map[place]bool{}
	if err := c.recipePlaces(builds, func(at place) { held[at] = true }); err != nil {
		return err
	}
	maps.DeleteFunc(p.listed, func(_ key, r row) bool { return !held[r.place] })
	maps.DeleteFunc(p.parts, func(_ key, at place) bool { return !held[at] })
	return nil
}

// follow takes up the tables of the last build, and its contents.
func (p *publisher) follow(last *Build) (err error) {
	p.tabled, p.follows = last.Tables, last
	for _, t := range last.Tables {
		b, err := readObject(p.dir, t.Object)
		if err != nil {
			return err
		}
		packs := tables{}
		if err := packs.parse(b, &budget{}); err != nil {
			return fmt.Errorf("%s: %w", objectName(t.Object), err)
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
func (p *publisher) reader() *storeReader {
	return &storeReader{dir: p.dir, chunks: p.chunks, lists: p.listed, packs: p.packs}
}

// readBuilds reads the manifests of all builds. A folder without any is a new
// store.
func readBuilds(dir string) (*Index, []*Build, error) {
	b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(indexName)))
	if errors.Is(err, fs.ErrNotExist) {
		return &Index{}, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	index, err := parseIndex(b)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", indexName, err)
	}
	var builds []*Build
	for _, label := range index.Builds {
		build, err := readBuild(dir, label)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", buildName(label), err)
		}
		builds = append(builds, build)
	}
	return index, builds, nil
}

func readBuild(dir, label string) (*Build, error) {
	b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(buildName(label))))
	if err != nil {
		return nil, err
	}
	build, err := parseBuild(b)
	if err != nil {
		return nil, err
	}
	if build.Past != "" {
		if b, err = os.ReadFile(filepath.Join(dir, "m", filepath.Base(build.Past))); err != nil {
			return nil, err
		}
		if err := eachEarlier(b, build.Past, func(f *File) { build.Earlier = append(build.Earlier, *f) }); err != nil {
			return nil, err
		}
	}
	return build, build.readFiles(dir)
}

// readFiles reads the list of files from a store's folder.
func (x *Build) readFiles(dir string) error {
	root, err := readObject(dir, x.Lists)
	if err != nil {
		return err
	}
	l, err := newFileList(root, &budget{})
	if err != nil {
		return err
	}
	packs, err := readTables(dir, x.Tables)
	if err != nil {
		return err
	}
	s := &storeReader{dir: dir, packs: packs}
	for missing := l.missing(); len(missing) > 0; missing = l.missing() {
		parts := make([][]byte, len(missing))
		for i, p := range missing {
			if parts[i], err = s.read(p); err != nil {
				return err
			}
		}
		if err := l.fill(parts); err != nil {
			return err
		}
	}
	x.places = l.places
	return x.setFiles(l.files)
}

// readTables reads where the frames of a build's packs are.
func readTables(dir string, refs []TableRef) (tables, error) {
	packs := tables{}
	for _, ref := range refs {
		b, err := readObject(dir, ref.Object)
		if err != nil {
			return nil, err
		}
		if err := packs.parse(b, &budget{}); err != nil {
			return nil, fmt.Errorf("%s: %w", objectName(ref.Object), err)
		}
	}
	return packs, nil
}

// packNumbers returns the packs that are in a store, in their order.
func packNumbers(dir string) (numbers []int, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, "p"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n > 0 && packName(n) == "p/"+e.Name() {
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
		info, rows, err := readPack(p.dir, n)
		if err != nil {
			return err
		}
		p.packs[n], p.last = info, max(p.last, n) // tables may know larger ones, that were pruned
		for _, r := range rows {
			switch r.kind {
			case rowList:
				p.listed[r.key] = r
			case rowPart:
				p.parts[r.key] = r.place
			default:
				p.chunks[r.key] = r.place
			}
		}
	}
	return nil
}

func (p *publisher) nextPack() int {
	p.last++
	return p.last
}

// What is being done, in the words that people see.
const (
	stepHashing   = "hashing"
	stepReading   = "reading"
	stepDeltas    = "deltas"
	stepWhole     = "whole files"
	stepComparing = "comparing"
	stepFetching  = "fetching"
	stepMaking    = "making files"
	stepChecking  = "checking"
)

func sizeOf(inputs []pkdelta.Input) (n int64) {
	for _, in := range inputs {
		n += in.Size
	}
	return n
}

// sumOf returns the BLAKE3 of the first n bytes of r, in hexadecimal.
func sumOf(ctx context.Context, r io.ReaderAt, n int64) (string, error) {
	h := blake3.New()
	buf := make([]byte, min(1<<20, n))
	for off := int64(0); off < n; {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		k, err := r.ReadAt(buf[:min(int64(len(buf)), n-off)], off)
		if k == 0 {
			return "", errors.Join(io.ErrUnexpectedEOF, err)
		}
		_, _ = h.Write(buf[:k])
		progress.Of(ctx).Add(int64(k))
		off += int64(k)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// lists writes the lists of a build's files and of its tables.
func (p *publisher) lists(b *Build, earlier []*Build) (err error) {
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
	b.Tables, err = p.tables()
	return err
}

// fileTree writes the list of files: the parts of its tree that are not there, and
// the root, which it names.
func (p *publisher) fileTree(files []File) (string, error) {
	if len(files) > maxFiles {
		return "", fmt.Errorf("%w: a build of %d files", errors.ErrUnsupported, len(files))
	}
	if len(files) <= fewFiles {
		return p.object(marshalFileRoot(files, nil, 0))
	}
	parts, height, err := fileTree(files, func(id key, b func() []byte, _ []File) (place, error) {
		return p.part(id, b)
	})
	if err != nil {
		return "", err
	}
	return p.object(marshalFileRoot(files, parts, height))
}

// flush ends the open packs, which nothing is added to any more, and adds up what
// the frames of new files take.
func (p *publisher) flush() error {
	if err := errors.Join(p.data.end(), p.others.end(), p.list.end()); err != nil {
		return err
	}
	for sum, frames := range p.frames {
		for id := range frames {
			info := p.packs[id.pack]
			p.stored[sum] += info.size(id.frame)
		}
	}
	return nil
}

// versions are those of files that earlier builds had and this one has not.
func versions(files []File, earlier []*Build) (list []File) {
	seen := map[File]bool{}
	for _, f := range files {
		f.Recipe = recipeAt{}
		seen[f] = true
	}
	for _, b := range earlier {
		for _, f := range slices.Concat(b.Files, b.Earlier) {
			if f.Recipe = (recipeAt{}); !seen[f] {
				seen[f] = true
				list = append(list, f)
			}
		}
	}
	slices.SortFunc(list, func(a, b File) int { return strings.Compare(a.Path+"\x00"+a.Sum, b.Path+"\x00"+b.Sum) })
	return list
}
