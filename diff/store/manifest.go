package store

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"pakdb/diff/pkdelta"
	"pakdb/internal/atomicfile"
	"pakdb/internal/fields"
	"pakdb/internal/safename"
)

// The classes of errors. [errors.ErrUnsupported] is one more: see [VersionError].
var (
	ErrCorrupt = errors.New("corrupt store")
	ErrNoBuild = errors.New("the store has no such build")
	// ErrNoStore means that nothing was published to a folder.
	ErrNoStore = errors.New("not a store")
	// ErrLocation means that a store was named as none can be.
	ErrLocation = errors.New("not the location of a store")
	// ErrLabel means that a build was named as none in a store can be.
	ErrLabel = errors.New("not a label of a build in a store")
	// ErrChanged means that a file to be published is not what it was said to be.
	ErrChanged = errors.New("the file has changed since it was indexed")
	// ErrUnsigned means that a signature was wanted, and there is none.
	ErrUnsigned = errors.New("the store is not signed")
	// ErrSigned means that a store would lose its signature.
	ErrSigned = errors.New("the store is signed")
)

// Index is what a store has: builds/index.json.
type Index struct {
	State
	Builds []string `json:"builds"` // labels, in the order in which they were published
}

// Build is a build's manifest. Its upper level, which may be signed, is
// builds/LABEL.json; the lists of files are objects, which that names by their
// hashes.
type Build struct {
	State
	Label string    `json:"label"`
	Time  time.Time `json:"time"`  // of publication
	Lists string    `json:"files"` // object: the root of the list of files
	Past  string    `json:"earlier,omitempty"`

	Damaged []string `json:"damaged,omitempty"` // archives that were damaged as a whole when it was published all the same

	// Tables are the objects that say where the frames of packs are.
	Tables []TableRef `json:"tables"`

	Deltas   []Delta    `json:"deltas,omitempty"`
	Contents []DeltaRef `json:"contents,omitempty"` // the last build first

	Files []File `json:"-"` // in the order of their paths

	sum key // of the manifest, as it was fetched

	places []place // of the parts of the list of files, when it was read from a store's folder

	// Earlier are the versions of files that earlier builds had and this one has
	// not: what a client may remove, since it can get it again.
	Earlier []File `json:"-"`
}

// TableRef names the table of packs with numbers from First to Last.
type TableRef struct {
	First  int    `json:"first"`
	Last   int    `json:"last"`
	Object string `json:"object"`
}

// DeltaRef names a list of deltas between contents of an earlier build and of
// this one.
type DeltaRef struct {
	From   string `json:"from"` // label
	Count  int    `json:"count"`
	Size   int64  `json:"size"` // bytes of the object, as it is stored
	Object string `json:"object"`
}

// Delta is a transport patch (docs/pkdelta.md) between some files of an earlier
// build and of this one, for clients that have exactly these.
type Delta struct {
	Name string   `json:"name"` // below d/
	Size int64    `json:"size"`
	Old  []File   `json:"old"`
	New  []string `json:"new"` // paths of the build's files that it makes
}

// File is a file of a build, or a version of one that an earlier build had.
type File struct {
	Path   string   `json:"path"` // relative, with forward slashes
	Size   int64    `json:"size"`
	Sum    string   `json:"blake3"`          // hexadecimal
	Recipe recipeAt `json:"recipe,omitzero"` // none for earlier ones
}

// recipeAt is the place of the root of a recipe: pack, frame, offset in it, size.
type recipeAt [4]int

func (a recipeAt) place() place { return place{a[0], a[1], a[2], a[3]} }

// parseFiles reads a list of versions of files, and calls use for each.
func parseFiles(r io.Reader, use func(*File) error) error {
	j := newJSONStream(r)
	err := j.array(func() error {
		var f File
		if err := j.value(&f); err != nil {
			return err
		}
		if err := f.check(); err != nil {
			return err
		}
		return use(&f)
	})
	if err == nil {
		err = j.end()
	}
	if err != nil && !errors.Is(err, ErrCorrupt) {
		err = fmt.Errorf("%w: files: %w", ErrCorrupt, err)
	}
	return err
}

// setFiles takes the files over. The paths are checked here, before anything of
// the build is made.
func (x *Build) setFiles(files []File) error {
	if err := safename.CheckAll(files, func(f File) string { return f.Path }); err != nil {
		return fmt.Errorf("%w: file %w", ErrCorrupt, err)
	}
	x.Files = files
	for _, d := range x.Deltas {
		for _, p := range d.New {
			_, there := slices.BinarySearchFunc(files, p, func(f File, p string) int { return strings.Compare(f.Path, p) })
			if !there {
				return fmt.Errorf("%w: delta %q makes %q, which is not in the build", ErrCorrupt, d.Name, p)
			}
		}
	}
	return nil
}

func (d *Delta) check() error {
	if !validLabel(d.Name) || len(d.New) == 0 || d.Size <= 0 || d.Size > maxDelta {
		return fmt.Errorf("%w: delta %q", ErrCorrupt, d.Name)
	}
	for _, f := range d.Old {
		if err := f.check(); err != nil {
			return err
		}
	}
	return nil
}

// maxDelta bounds the bytes of a delta, which is fetched as one piece.
const maxDelta = 1 << 40

func deltaName(name string) string { return "d/" + name }

// validLabel admits what is a file name everywhere.
func validLabel(s string) bool {
	return s != "" && len(s) <= 100 && s != "index" && s[0] != '.' && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._+-", r))
	}) < 0
}

// check refuses what no publisher writes of a file.
func (f *File) check() error {
	if err := safename.Check(f.Path); err != nil {
		return fmt.Errorf("%w: file %q: %w", ErrCorrupt, f.Path, err)
	}
	if sum, err := hex.DecodeString(f.Sum); err != nil || len(sum) != 32 || f.Size < 0 || f.Size > maxFileSize || reserved(f.Path) {
		return fmt.Errorf("%w: file %q", ErrCorrupt, f.Path)
	}
	ok := true
	for _, n := range f.Recipe {
		ok = ok && n >= 0 && n <= maxNumber
	}
	if !ok || f.Recipe[2] > maxFrame || f.Recipe[3] > maxFrame {
		return fmt.Errorf("%w: the recipe of %q", ErrCorrupt, f.Path)
	}
	return nil
}

// maxFileSize bounds a file: 16 TiB is the largest that ext4 takes, and more than
// 2^19 of them still add up in 63 bits.
const maxFileSize = 1 << 44

// workDir is the folder below the one that is updated in which everything waits
// until it is complete.
const workDir = atomicfile.Prefix + "update"

// reserved reports that no build may have a file of that path: it could say what
// the next update, or the next patch, has to finish.
func reserved(name string) bool { return pkdelta.IsOwn(name) }

func buildName(label string) string { return "builds/" + label + ".json" }

const indexName = "builds/index.json"

// signed is behind the name of a manifest in that of its signature.
const signed = ".minisig"

// objectName is where an object lies, which is named by its BLAKE3.
func objectName(id string) string { return "m/" + id }

// tables are where the frames of a build's packs are.
type tables map[int]packInfo

const tablesMagic = "pktables\x01"

func (t tables) marshal(numbers []int) []byte {
	b := binary.AppendUvarint([]byte(tablesMagic), uint64(len(numbers)))
	for _, n := range numbers {
		p := t[n]
		b = binary.AppendUvarint(b, uint64(n))
		b = append(b, p.sum[:]...)
		b = binary.AppendUvarint(b, uint64(len(p.ends)))
		for i := range p.ends {
			b = binary.AppendUvarint(b, uint64(p.size(i)))
		}
	}
	return b
}

// parse adds the packs of a table. mem counts what is held of it.
func (t tables) parse(b []byte, mem *budget) error {
	f := fields.New(b, ErrCorrupt)
	if string(f.Bytes(len(tablesMagic))) != tablesMagic {
		f.Fail("not a table of packs")
	}
	for range f.Count("packs", maxNumber, 1+16+1) {
		p := packInfo{number: int(f.Number("pack", maxNumber)), sum: key(f.Bytes(16))}
		n := f.Count("frames", maxFrames, 1)
		if err := mem.take(int64(n)*4 + heldPack); err != nil {
			return err
		}
		p.ends = make([]uint32, n)
		at := int64(0)
		for i := range p.ends {
			p.ends[i] = frameEnd(f, &at)
		}
		t[p.number] = p
	}
	return f.Err()
}

// frameEnd reads the size of a frame that begins at a place, and moves that on.
func frameEnd(f *fields.Reader, at *int64) uint32 {
	n := f.Number("size of a frame", maxStored)
	if *at += n; n == 0 || *at > maxFramesSize {
		f.Fail("a frame of %d bytes behind %d", n, *at-n)
		*at = 0
	}
	return uint32(*at)
}

// size returns the stored bytes of frame i.
func (p *packInfo) size(i int) int64 {
	if i == 0 {
		return int64(p.ends[0])
	}
	return int64(p.ends[i] - p.ends[i-1])
}

// span returns where frame i of a pack lies.
func (p *packInfo) span(i int) (off, n int64, err error) {
	if i < 0 || i >= len(p.ends) {
		return 0, 0, fmt.Errorf("%w: frame %d of pack %d, which has %d", ErrCorrupt, i, p.number, len(p.ends))
	}
	n = p.size(i)
	return int64(p.ends[i]) - n, n, nil
}
