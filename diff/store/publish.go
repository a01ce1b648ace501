package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
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
	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/diff/patch"
)

// PublishOptions for [Publish]. The zero value reads no archives.
type PublishOptions struct {
	Registry *codecs.Registry // formats to read archives with; nil: files are bytes
	Open     *codecs.Options
	Now      time.Time        // of publication; zero: now
	Key      *patch.SecretKey // signs the manifest; nil: it is not signed
	Sums     []string         // what the files' BLAKE3 must be, in hexadecimal; "" or none: no matter
	Deltas   int              // from how many of the last builds to make transport patches
}

// Published tells what a publication did.
type Published struct {
	Files    int
	Size     int64 // bytes of the build's files
	Contents int   // of files that were not in the store
	Chunks   int   // that were not
	Packs    int
	Deltas   int
	Written  int64 // bytes of packs and objects
}

// publisher adds a build to a store.
type publisher struct {
	dir    string
	opt    *PublishOptions
	zstd   *zstd.Encoder
	coder  patch.Coder
	chunks map[key]place
	lists  map[key]row
	packs  tables
	last   int // largest number of a pack
	data   packer
	list   packer
	known  map[string]string // recipe of a file by its sum, from earlier builds
	stats  Published
}

// Publish adds the files to the store at dir as a build. They are read as
// archives where the registry knows their formats. The build is there for
// clients when its manifest is, which is written last. A store has one publisher
// at a time.
func Publish(ctx context.Context, dir, label string, inputs []patch.Input, opt *PublishOptions) (*Published, error) {
	if opt == nil {
		opt = &PublishOptions{}
	}
	if !validLabel(label) {
		return nil, fmt.Errorf("%q is no label of a build in a store: letters, digits, and . _ + - may be in it", label)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, ".lock"))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("%s is being written by another process", dir), err)
	}
	defer func() { _ = lock.Unlock() }()
	p, index, earlier, err := newPublisher(dir, opt)
	if err != nil {
		return nil, err
	}
	b := &Build{Format: formatVersion, Label: label, Time: opt.Now.UTC()}
	if opt.Now.IsZero() {
		b.Time = time.Now().UTC().Truncate(time.Second)
	}
	if b.Files, err = p.files(ctx, inputs); err != nil {
		return nil, err
	}
	b.Earlier = versions(b.Files, earlier)
	if b.Tables, err = p.tables(b); err != nil {
		return nil, err
	}
	if b.Deltas, err = p.deltas(ctx, b, inputs, earlier); err != nil {
		return nil, err
	}
	index.Builds = append(slices.DeleteFunc(index.Builds, func(have string) bool { return have == label }), label)
	return &p.stats, errors.Join(p.writeJSON(buildName(label), b), p.writeJSON(indexName, index))
}

func newPublisher(dir string, opt *PublishOptions) (p *publisher, index *Index, earlier []*Build, err error) {
	p = &publisher{dir: dir, opt: opt, chunks: map[key]place{}, lists: map[key]row{}, packs: tables{}, known: map[string]string{}}
	p.data, p.list = packer{s: p, goal: frameGoal}, packer{s: p, goal: listGoal}
	if p.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1)); err != nil {
		return nil, nil, nil, err
	}
	if index, earlier, err = readBuilds(dir); err != nil {
		return nil, nil, nil, err
	}
	for _, b := range earlier {
		for _, f := range b.Files {
			p.known[f.Sum] = f.Recipe
		}
	}
	return p, index, earlier, p.load()
}

// readBuilds reads the manifests of all builds. A folder without any is a new
// store.
func readBuilds(dir string) (*Index, []*Build, error) {
	b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(indexName)))
	if errors.Is(err, fs.ErrNotExist) {
		return &Index{Format: formatVersion}, nil, nil
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
		b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(buildName(label))))
		if err != nil {
			return nil, nil, err
		}
		build, err := parseBuild(b)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", buildName(label), err)
		}
		builds = append(builds, build)
	}
	return index, builds, nil
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
		p.packs[n], p.last = info, n
		for _, r := range rows {
			if r.kind == rowList {
				p.lists[r.key] = r
			} else {
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

// files publishes the files of a build, in the order of their names.
func (p *publisher) files(ctx context.Context, inputs []patch.Input) ([]File, error) {
	inputs = slices.Clone(inputs)
	want := map[string]string{}
	for i, sum := range p.opt.Sums[:min(len(p.opt.Sums), len(inputs))] {
		want[inputs[i].Name] = sum
	}
	slices.SortFunc(inputs, func(a, b patch.Input) int { return strings.Compare(a.Name, b.Name) })
	files := make([]File, len(inputs))
	fresh := false
	for i, in := range inputs {
		sum, err := sumOf(ctx, in.ReaderAt, in.Size)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		if w := want[in.Name]; w != "" && w != sum {
			return nil, fmt.Errorf("%s: %w", in.Name, ErrChanged)
		}
		f := File{Path: in.Name, Size: in.Size, Sum: sum, Recipe: p.known[sum]}
		if err := f.check(); err != nil {
			return nil, fmt.Errorf("%q cannot be in a build: %w", in.Name, err)
		}
		files[i] = f
		p.stats.Files++
		p.stats.Size += in.Size
		fresh = fresh || f.Recipe == ""
	}
	if !fresh {
		return files, nil
	}
	registry := p.opt.Registry
	if registry == nil {
		registry = &codecs.Registry{}
	}
	all, err := layouts(ctx, inputs, registry, p.opt.Open)
	if err != nil {
		return nil, err
	}
	for i, in := range inputs {
		if files[i].Recipe != "" {
			continue
		}
		if files[i].Recipe, err = p.file(ctx, in, all[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		p.known[files[i].Sum] = files[i].Recipe
	}
	return files, errors.Join(p.data.end(), p.list.end())
}

// sumOf returns the BLAKE3 of the first n bytes of r, in hexadecimal.
func sumOf(ctx context.Context, r io.ReaderAt, n int64) (string, error) {
	h := blake3.New()
	buf := make([]byte, 1<<20)
	for off := int64(0); off < n; {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		k, err := r.ReadAt(buf[:min(int64(len(buf)), n-off)], off)
		if k == 0 {
			return "", errors.Join(io.ErrUnexpectedEOF, err)
		}
		_, _ = h.Write(buf[:k])
		off += int64(k)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// file publishes one file and returns its recipe's object.
func (p *publisher) file(ctx context.Context, in patch.Input, list []group) (string, error) {
	r := &fileRecipe{recipes: []patch.Recipe{{}}}
	at := map[key]int{} // of contents in the recipe
	var skeleton []byte
	pos := int64(0)
	for _, g := range list {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		gap := g.off - pos
		skeleton = append(skeleton, make([]byte, gap)...)
		if err := fill(in, skeleton[len(skeleton)-int(gap):], pos); err != nil {
			return "", err
		}
		pos = g.off + g.length()
		recipe, ok := p.recognize(in, &g)
		if !ok {
			g = g.asStored()
		}
		id, ref, err := p.content(g.open(in), g.size)
		if err != nil {
			return "", err
		}
		n, there := at[id]
		if !there {
			n = len(r.contents)
			at[id] = n
			r.contents = append(r.contents, ref)
		}
		k := slices.Index(r.recipes, recipe)
		if k < 0 {
			k = len(r.recipes)
			r.recipes = append(r.recipes, recipe)
		}
		r.pieces = append(r.pieces, piece{gap, n, k, g.block})
	}
	tail := make([]byte, in.Size-pos)
	if err := fill(in, tail, pos); err != nil {
		return "", err
	}
	skeleton = append(skeleton, tail...)
	var err error
	if _, r.skeleton, err = p.content(bytes.NewReader(skeleton), int64(len(skeleton))); err != nil {
		return "", err
	}
	return p.object(r.marshal())
}

func fill(in patch.Input, b []byte, off int64) error {
	if n, err := in.ReadAt(b, off); n < len(b) {
		return errors.Join(io.ErrUnexpectedEOF, err)
	}
	return nil
}

// recognize finds the recipe that makes all blocks of a group.
func (p *publisher) recognize(in patch.Input, g *group) (r patch.Recipe, ok bool) {
	if g.method == compress.None {
		return r, true
	}
	var plain, stored []byte
	var likely []patch.Recipe
	at := g.off
	for i := range g.stored {
		var err error
		if plain, stored, err = g.decode(in, i, at, plain, stored); err != nil {
			return patch.Recipe{}, false
		}
		found, ok := p.coder.Recognize(g.method, stored, plain, likely)
		if !ok || i > 0 && found != r {
			return patch.Recipe{}, false
		}
		r, likely = found, []patch.Recipe{found}
		at += g.stored[i]
	}
	return r, true
}

// content puts a content into the store, unless it is there, and returns its key
// and where it is.
func (p *publisher) content(r io.Reader, size int64) (key, contentRef, error) {
	p.stats.Contents++
	h := blake3.New()
	var chunks []chunkRef
	err := eachChunk(r, size, func(b []byte) error {
		_, _ = h.Write(b)
		k := keyOf(b)
		at, there := p.chunks[k]
		if !there {
			var err error
			if at, err = p.data.add(rowChunk, k, b, 0); err != nil {
				return err
			}
			p.chunks[k] = at
			p.stats.Chunks++
		}
		chunks = append(chunks, chunkRef{k.short(), at})
		return nil
	})
	id := key(h.Sum(nil)[:16])
	ref := contentRef{id: id.short(), size: size}
	if err != nil || size == 0 {
		return id, ref, err
	}
	if len(chunks) == 1 {
		ref.place = chunks[0].place
		return id, ref, nil
	}
	ref.place, ref.depth, err = p.listOf(id, chunks, size)
	return id, ref, err
}

// Lists end at chunks that say so, so that equal parts of two contents have
// equal lists.
const (
	leastInList = 512
	mostInList  = 4096
)

// listOf stores the list of chunks, or for a large content a list of lists.
func (p *publisher) listOf(id key, chunks []chunkRef, size int64) (at place, depth int, err error) {
	if len(chunks) <= mostInList {
		at, err = p.addList(id, marshalList(chunks), size)
		return at, 1, err
	}
	var parts []listRef
	for len(chunks) > 0 {
		n := 1
		for n < len(chunks) && n < mostInList && (n < leastInList || chunks[n-1].id%leastInList != 0) {
			n++
		}
		part := chunks[:n]
		chunks = chunks[n:]
		var ids []byte
		total := int64(0)
		for _, c := range part {
			ids = binary.LittleEndian.AppendUint64(ids, c.id)
			total += int64(c.size)
		}
		at, err := p.addList(keyOf(ids), marshalList(part), total)
		if err != nil {
			return place{}, 0, err
		}
		parts = append(parts, listRef{at, total})
	}
	at, err = p.addList(id, marshalLists(parts), size)
	return at, 2, err
}

// addList stores a list unless it is there.
func (p *publisher) addList(id key, b []byte, size int64) (place, error) {
	if have, there := p.lists[id]; there && have.content == size {
		return have.place, nil
	}
	if len(b) > maxChunk {
		return place{}, fmt.Errorf("%w: a content of %d bytes", errors.ErrUnsupported, size)
	}
	at, err := p.list.add(rowList, id, b, size)
	if err == nil {
		p.lists[id] = row{rowList, id, at, size}
	}
	return at, err
}

// object writes an object and returns its name.
func (p *publisher) object(plain []byte) (string, error) {
	if len(plain) > maxRecipe {
		return "", fmt.Errorf("%w: a table of %d bytes", errors.ErrUnsupported, len(plain))
	}
	sum := blake3.Sum256(plain)
	id := hex.EncodeToString(sum[:])
	if _, err := os.Stat(filepath.Join(p.dir, "m", id)); err == nil {
		return id, nil
	}
	b := p.zstd.EncodeAll(plain, nil)
	p.stats.Written += int64(len(b))
	return id, writeFile(p.dir, objectName(id), b)
}

// tables writes where the frames of the packs that the build needs are: of all
// packs, since most builds of a store share most of them.
func (p *publisher) tables(*Build) (string, error) {
	return p.object(p.packs.marshal(slices.Sorted(maps.Keys(p.packs))))
}

// writeJSON writes a manifest, behind its signature, so that a new one is never
// there without.
func (p *publisher) writeJSON(name string, v any) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	b = append(b, '\n')
	sig := filepath.Join(p.dir, filepath.FromSlash(name+signed))
	if key := p.opt.Key; key != nil {
		err = writeFile(p.dir, name+signed, []byte(key.Sign(b, name)))
	} else if err = os.Remove(sig); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return err
	}
	return writeFile(p.dir, name, b)
}

// versions are those of files that earlier builds had and this one has not.
func versions(files []File, earlier []*Build) (list []File) {
	seen := map[File]bool{}
	for _, f := range files {
		f.Recipe = ""
		seen[f] = true
	}
	for _, b := range earlier {
		for _, f := range slices.Concat(b.Files, b.Earlier) {
			if f.Recipe = ""; !seen[f] {
				seen[f] = true
				list = append(list, f)
			}
		}
	}
	slices.SortFunc(list, func(a, b File) int { return strings.Compare(a.Path+"\x00"+a.Sum, b.Path+"\x00"+b.Sum) })
	return list
}
