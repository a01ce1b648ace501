package publish

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
)

// Options for [Publish]. The zero value reads no archives.
type Options struct {
	Registry *codecs.Registry // formats to read archives with; nil: files are bytes
	Open     *codecs.Options
	Now      time.Time        // of publication; zero: now
	Key      *delta.SecretKey // signs the manifest; nil: the store is not signed
	Root     []byte           // the signed metadata's root to begin with, if Key is none of its own; nil: the store's first
	Expiry   time.Duration    // of the signed timestamp; 0: [DefaultExpiry]
	Sums     []string         // what the files' BLAKE3 must be, in hexadecimal; "" or none: no matter
	Deltas   int              // from how many of the last builds to make transport patches
	Effort   Effort           // for patches of whole files
	Damaged  []string         // archives of the build that are damaged as a whole, for its manifest; the publisher allowed them
	Parts    []PartFiles      // optional ones, of which clients may leave some out
	NoParts  bool             // the build has none, though the one before has
	Rollout  Rollout          // the share that gets the build; zero: all of the stable channel
	By       string           // version of the program that publishes, for those whose own does not fit
}

// Effort is how long is looked for smaller patches of whole files. Contents and their deltas
// are the same with all of them, but that [Fast] packs contents in less time.
type Effort int

// Efforts.
const (
	Normal Effort = iota // patches between files; from nothing where much is gained
	Fast                 // none: clients fetch contents and deltas of them
	Best                 // the smallest that there are, for ten times the CPU
)

// Efforts are their names.
func Efforts() []string { return []string{"normal", "fast", "best"} }

// Published reports what a publication did.
type Published struct {
	Files         int
	Size          int64 // bytes of the build's files
	Contents      int   // of files that were not in the store
	Remembered    int   // of these: known by their stored bytes, neither decoded nor coded
	Chunks        int   // that were not
	Packs         int
	ContentDeltas int
	Deltas        int   // between files
	Whole         int   // files that are there as a whole too
	Written       int64 // bytes of packs and objects
}

// publisher adds a build to a store.
type publisher struct {
	out      *storeWriter
	opt      *Options
	packs    *packs
	chunks   map[store.Key]store.SmallPlace
	listed   map[store.Key]store.Listed
	parts    map[store.Key]store.SmallPlace // of the trees of recipes
	data     packer                         // of contents that come from nothing
	others   packer                         // of contents that deltas make as well
	list     packer
	known    map[string]store.RecipeAt        // recipe of a file by its sum, from earlier builds
	path     string                           // of the file at hand
	used     map[store.FrameID]int            // bytes of the file at hand in each frame
	frames   map[string]map[store.FrameID]int // the same of new files, by their hashes
	memo     *Memo
	stats    Published
	optional *Parts

	follows *store.Build  // the last build that clients of the new one may have; nil: none
	before  *pastContents // of that; nil: they are not asked for
	tables  earlierTables
}

func newPublisher(w *storeWriter, opt *Options, label string) (p *publisher, index *store.Index, earlier []*store.Build, err error) {
	p = &publisher{out: w, opt: opt, packs: &packs{out: w, quick: opt.Effort == Fast, infos: store.Tables{}}, chunks: map[store.Key]store.SmallPlace{}, listed: map[store.Key]store.Listed{}, parts: map[store.Key]store.SmallPlace{}, known: map[string]store.RecipeAt{}, frames: map[string]map[store.FrameID]int{}}
	if w.bucket == nil {
		if err := tidy(w.out); err != nil {
			return nil, nil, nil, err
		}
	}
	p.data, p.others, p.list = packer{packs: p.packs, goal: store.FrameGoal}, packer{packs: p.packs, goal: store.FrameGoal}, packer{packs: p.packs, goal: store.ListGoal}
	if index, earlier, err = store.ReadBuilds(w.from); err != nil {
		return nil, nil, nil, err
	}
	for _, b := range earlier {
		for _, f := range b.Files {
			p.known[f.Sum] = f.Recipe
		}
	}
	if err := p.load(earlier); err != nil {
		return nil, nil, nil, err
	}
	p.memo = ReadMemo(w.from.File, p.holds)
	if err := p.forgetLoose(earlier); err != nil {
		return nil, nil, nil, err
	}
	if n := len(earlier); n > 0 {
		err = p.follow(earlier[n-1], samePlatform(earlier, label))
	}
	return p, index, earlier, err
}

// forgetLoose forgets lists and parts of recipes that no build has. They are in
// packs that are there for something else, but what they name may be in one that
// was pruned, or that a publisher was killed before it wrote.
func (p *publisher) forgetLoose(builds []*store.Build) error {
	c := newChecker(p.out.from)
	c.Packs = p.packs.infos
	inBuilds := map[store.SmallPlace]bool{}
	if err := c.recipePlaces(builds, func(at store.Place) { inBuilds[at.Small()] = true }); err != nil {
		return err
	}
	maps.DeleteFunc(p.listed, func(_ store.Key, l store.Listed) bool { return !inBuilds[l.SmallPlace] })
	maps.DeleteFunc(p.parts, func(_ store.Key, at store.SmallPlace) bool { return !inBuilds[at] })
	return nil
}

// follow takes up the tables of the last build, and the contents of the last one of those that
// clients of the new one may have.
func (p *publisher) follow(last *store.Build, same []*store.Build) (err error) {
	p.tables.refs = last.Tables
	for _, t := range last.Tables {
		b, err := store.ReadObject(p.out.from, t.Object)
		if err != nil {
			return err
		}
		infos := store.Tables{}
		if err := infos.Parse(b, &store.Budget{}); err != nil {
			return fmt.Errorf("%s: %w", store.ObjectName(t.Object), err)
		}
		p.tables.packs = append(p.tables.packs, slices.Sorted(maps.Keys(infos)))
		p.packs.last = max(p.packs.last, t.Last)
	}
	if len(same) == 0 {
		return nil
	}
	if p.follows = same[len(same)-1]; p.opt.Deltas > 0 {
		p.before, err = readPast(p.reader(), p.follows)
	}
	return err
}

// reader reads what is in the store, packs that are open excepted.
func (p *publisher) reader() *store.StoreReader {
	return &store.StoreReader{From: p.out.from, Chunks: p.chunks, Lists: p.listed, Packs: p.packs.infos}
}

// load learns what the store has.
func (p *publisher) load(builds []*store.Build) error {
	if p.out.bucket != nil {
		return p.loadListed(builds)
	}
	numbers, err := packNumbers(p.out.at)
	if err != nil {
		return err
	}
	listed, err := listedPacks(p.out.from, builds)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		// Tables have the hash of a pack, so that its frames need not be read.
		info, known := listed[n]
		var rows []store.Row
		if known {
			rows, err = store.ReadRows(p.out.from, &info)
		} else {
			info, rows, err = store.ReadPack(p.out.from, n)
		}
		if err != nil {
			return err
		}
		p.learn(info, rows)
	}
	return nil
}

// learn takes up what a pack has.
func (p *publisher) learn(info store.PackInfo, rows []store.Row) {
	p.packs.infos[info.Number] = info
	p.packs.last = max(p.packs.last, info.Number) // tables may know larger ones, that were pruned
	for _, r := range rows {
		switch r.Kind {
		case store.RowList:
			p.listed[r.Key] = store.Listed{SmallPlace: r.Small(), Content: r.Content}
		case store.RowPart:
			p.parts[r.Key] = r.Small()
		default:
			p.chunks[r.Key] = r.Small()
		}
	}
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
		if b.Past, err = p.out.json(b.Earlier); err != nil {
			return err
		}
	}
	b.Tables, err = p.tables.write(p.packs)
	return err
}

// fileTree writes the list of files: the parts of its tree that are not there, and
// the root, which it names.
func (p *publisher) fileTree(files []store.File) (string, error) {
	if len(files) > store.MaxFiles {
		return "", fmt.Errorf("%w: a build of %d files", errors.ErrUnsupported, len(files))
	}
	if len(files) <= store.FewFiles {
		return p.out.object(store.MarshalFileRoot(files, nil, 0))
	}
	parts, height, err := store.FileTree(files, func(id store.Key, b func() []byte, _ []store.File) (store.Place, error) {
		return p.part(id, b)
	})
	if err != nil {
		return "", err
	}
	return p.out.object(store.MarshalFileRoot(files, parts, height))
}

// flush ends the open packs, which nothing is added to any more, and waits for them.
func (p *publisher) flush() error {
	return errors.Join(p.data.end(), p.others.end(), p.list.end(), p.wait())
}

// frameSizes adds up what the frames of new files take, by the hashes of the files. Unless the effort
// is [Best], frames count by the part of their bytes that new files have: where a quarter of a file
// changed, a patch of all of it would spare the old contents in its frames and nothing else, for
// more CPU than all the rest of a publication.
func (p *publisher) frameSizes() map[string]int64 {
	sizes, had, all := map[string]int64{}, map[store.FrameID]int{}, map[store.FrameID]int{}
	for _, frames := range p.frames {
		for id, n := range frames {
			had[id] += n
		}
	}
	for _, at := range p.chunks {
		place := at.Place()
		if had[place.ID()] > 0 {
			all[place.ID()] = max(all[place.ID()], place.At+place.Size)
		}
	}
	for sum, frames := range p.frames {
		for id := range frames {
			info := p.packs.infos[id.Pack]
			size := info.Size(id.Frame)
			if p.opt.Effort != Best && had[id] < all[id] {
				size = size * int64(had[id]) / int64(all[id])
			}
			sizes[sum] += size
		}
	}
	return sizes
}

// wait waits for the packs that are being written.
func (p *publisher) wait() error {
	return errors.Join(p.data.wait(), p.others.wait(), p.list.wait())
}

// versions are those of files that earlier builds had and this one has not.
func versions(files []store.File, earlier []*store.Build) (list []store.File) {
	seen := map[store.File]bool{}
	for _, f := range files {
		f.Recipe, f.Exec = store.RecipeAt{}, false
		seen[f] = true
	}
	for _, b := range earlier {
		for _, f := range slices.Concat(b.Files, b.Earlier) {
			if f.Recipe, f.Exec = (store.RecipeAt{}), false; !seen[f] {
				seen[f] = true
				list = append(list, f)
			}
		}
	}
	slices.SortFunc(list, func(a, b store.File) int { return strings.Compare(a.Path+"\x00"+a.Sum, b.Path+"\x00"+b.Sum) })
	return list
}
