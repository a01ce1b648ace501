package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"pakdb/diff/ship/delta"
	"pakdb/internal/atomicfile"
	"pakdb/internal/bin"
	"pakdb/internal/safename"
)

// Bounds of manifests, which are read as a whole: whether the signature fits is
// known only then.
const (
	// MaxManifest bounds the bytes of one: 65,536 patches between files of 250 bytes
	// each are 16 MiB. A publisher leaves out patches, which nobody needs, until a
	// manifest fits.
	MaxManifest = 16 << 20
	maxDeltas   = 1 << 16
	maxNamed    = 1 << 18 // files that all patches together are from or make
	maxBuilds   = 1 << 16 // labels
	// maxRefs bounds tables of packs, each of which is twice as large as the next,
	// and lists of deltas, one for each earlier build that deltas are from.
	maxRefs = 1 << 10
	// maxSignatures bounds the file of signatures of a manifest, of 300 bytes each.
	MaxSignatureFile = 64 << 10
)

// Index is the list of builds of a store: builds/index.json.
type Index struct {
	State
	Builds []string `json:"builds"`          // labels, in the order in which they were published
	Trust  bool     `json:"trust,omitempty"` // there is signed metadata (package trust)

	Channels Channels `json:"channels,omitempty"` // where there is signed metadata, that says it
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

	Modes bool `json:"modes,omitempty"` // files say whether they are executable; no: nobody knows

	Parts Parts `json:"parts,omitempty"` // files that a client may leave out

	Damaged []string `json:"damaged,omitempty"` // archives that were damaged as a whole when it was published all the same

	// Tables are the objects that say where the frames of packs are.
	Tables []TableRef `json:"tables"`

	Deltas   []Delta    `json:"deltas,omitempty"`
	Contents []DeltaRef `json:"contents,omitempty"` // the last build first

	Files []File `json:"-"` // in the order of their paths

	Sum Key // of the manifest, as it was fetched

	Places []Place // of the parts of the list of files, when it was read from a store's folder

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
	Recipe RecipeAt `json:"recipe,omitzero"` // none for earlier ones
	Exec   bool     `json:"-"`               // it is executable; of a build's list alone
}

// RecipeAt is the place of the root of a recipe: pack, frame, offset in it, size.
type RecipeAt [4]int

// Place returns the place of the recipe.
func (a RecipeAt) Place() Place { return Place{Pack: a[0], Frame: a[1], At: a[2], Size: a[3]} }

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

// SetFiles takes the files over. The paths are checked here, before anything of
// the build is made.
func (x *Build) SetFiles(files []File) error {
	if err := safename.CheckAll(files, func(f File) string { return f.Path }); err != nil {
		return fmt.Errorf("%w: file %w", ErrCorrupt, err)
	}
	if err := x.Parts.Fits(len(files)); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
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
	if !ValidLabel(d.Name) || len(d.New) == 0 || d.Size <= 0 || d.Size > maxDelta {
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

// DeltaName returns the path of a patch or of a file of deltas.
func DeltaName(name string) string { return "d/" + name }

// ValidLabel reports whether a label is a file name on every system.
func ValidLabel(s string) bool {
	return s != "" && len(s) <= 100 && s != "index" && s[0] != '.' && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._+-", r))
	}) < 0
}

// ValidBuild admits a label, and one with a platform, 1.1@windows.
func ValidBuild(s string) bool {
	label, platform := SplitPlatform(s)
	return ValidLabel(label) && (label == s || ValidChannel(platform))
}

// check refuses what no publisher writes of a file.
func (f *File) check() error {
	if err := safename.Check(f.Path); err != nil {
		return fmt.Errorf("%w: file %q: %w", ErrCorrupt, f.Path, err)
	}
	if sum, err := hex.DecodeString(f.Sum); err != nil || len(sum) != 32 || f.Size < 0 || f.Size > MaxFileSize || Reserved(f.Path) {
		return fmt.Errorf("%w: file %q", ErrCorrupt, f.Path)
	}
	ok := true
	for _, n := range f.Recipe {
		ok = ok && n >= 0 && n <= maxNumber
	}
	if !ok || f.Recipe[2] > MaxFrame || f.Recipe[3] > MaxFrame {
		return fmt.Errorf("%w: the recipe of %q", ErrCorrupt, f.Path)
	}
	return nil
}

// MaxFileSize bounds a file: 16 TiB is the largest that ext4 takes, and more than
// 2^19 of them still add up in 63 bits.
const MaxFileSize = 1 << 44

// WorkDir is the folder below the one that is updated in which everything waits
// until it is complete.
const WorkDir = atomicfile.Prefix + "update"

// Reserved reports that no build may have a file of that path: it could say what
// the next update, or the next patch, has to finish.
func Reserved(name string) bool { return delta.IsOwn(name) }

// BuildName returns the path of a build's manifest.
func BuildName(label string) string { return "builds/" + label + ".json" }

// IndexName is the path of the list of builds.
const IndexName = "builds/index.json"

// ObjectName is the path of an object, which is named by its BLAKE3.
func ObjectName(id string) string { return "m/" + id }

// Tables are where the frames of a build's packs are.
type Tables map[int]PackInfo

// TablesMagic begins a table of packs.
const TablesMagic = "pktables\x01"

// Marshal returns the packs of those numbers as a table is stored.
func (t Tables) Marshal(numbers []int) []byte {
	b := binary.AppendUvarint([]byte(TablesMagic), uint64(len(numbers)))
	for _, n := range numbers {
		p := t[n]
		b = binary.AppendUvarint(b, uint64(n))
		b = append(b, p.Sum[:]...)
		b = binary.AppendUvarint(b, uint64(len(p.Ends)))
		for i := range p.Ends {
			b = binary.AppendUvarint(b, uint64(p.Size(i)))
		}
	}
	return b
}

// Parse adds the packs of a table. mem counts what is held of it.
func (t Tables) Parse(b []byte, mem *Budget) error {
	f := bin.NewFields(b, ErrCorrupt)
	if string(f.Bytes(len(TablesMagic))) != TablesMagic {
		f.Fail("not a table of packs")
	}
	for range f.Count("packs", maxNumber, 1+16+1) {
		p := PackInfo{Number: int(f.Number("pack", maxNumber)), Sum: Key(f.Bytes(16))}
		n := f.Count("frames", maxFrames, 1)
		if err := mem.Take(int64(n)*4 + heldPack); err != nil {
			return err
		}
		p.Ends = make([]uint32, n)
		at := int64(0)
		for i := range p.Ends {
			p.Ends[i] = frameEnd(f, &at)
		}
		t[p.Number] = p
	}
	return f.Err()
}

// Size returns the stored bytes of frame i.
func (p *PackInfo) Size(i int) int64 {
	if i == 0 {
		return int64(p.Ends[0])
	}
	return int64(p.Ends[i] - p.Ends[i-1])
}

// Span returns the place of frame i of a pack.
func (p *PackInfo) Span(i int) (off, n int64, err error) {
	if i < 0 || i >= len(p.Ends) {
		return 0, 0, fmt.Errorf("%w: frame %d of pack %d, which has %d", ErrCorrupt, i, p.Number, len(p.Ends))
	}
	n = p.Size(i)
	return int64(p.Ends[i]) - n, n, nil
}

// Fit leaves out patches between files, the smallest first, of which a client's
// bounds for manifests leave no room for all: contents make the files as well.
func (x *Build) Fit() error {
	for {
		text, err := json.MarshalIndent(x, "", " ")
		named := 0
		for _, d := range x.Deltas {
			named += len(d.Old) + len(d.New)
		}
		if err != nil || len(text) < MaxManifest && len(x.Deltas) <= maxDeltas && named <= maxNamed || len(x.Deltas) == 0 {
			return err
		}
		order := slices.Clone(x.Deltas)
		slices.SortFunc(order, func(a, b Delta) int { return cmp.Compare(b.Size, a.Size) })
		least := order[len(order)*3/4].Size
		x.Deltas = slices.DeleteFunc(x.Deltas, func(d Delta) bool { return d.Size <= least })
	}
}

// Fit returns how many packs go into one table that clients read.
func (t Tables) Fit(numbers []int) int {
	size := len(TablesMagic) + binary.MaxVarintLen32
	for i, n := range numbers {
		if size += 2*binary.MaxVarintLen32 + 16 + 3*len(t[n].Ends); size > MaxTable && i > 0 {
			return i
		}
	}
	return len(numbers)
}

// decodeJSON reads a manifest: first of all in what it is written, then its other
// fields, one by one, by what read does with the value after each key.
func decodeJSON(b []byte, s *State, read func(j *jsonStream, key string) error) error {
	if err := json.Unmarshal(b, s); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if err := s.check(); err != nil {
		return err
	}
	j := newJSONStream(bytes.NewReader(b))
	err := j.object(func(key string) error { return read(j, key) })
	if err == nil {
		err = j.end()
	}
	if err != nil {
		return fmt.Errorf("%w: at byte %d: %w", ErrCorrupt, j.dec.InputOffset(), err)
	}
	return nil
}

// ParseIndex reads the list of builds, and refuses what no publication wrote.
func ParseIndex(b []byte) (*Index, error) {
	x := &Index{}
	err := decodeJSON(b, &x.State, func(j *jsonStream, key string) error {
		switch key {
		case "builds":
		case "trust":
			return j.value(&x.Trust)
		case "channels":
			if err := j.value(&x.Channels); err != nil {
				return err
			}
			return x.Channels.Check(ValidBuild)
		default:
			return j.skip()
		}
		return j.array(func() (err error) {
			x.Builds, err = appendValue(j, x.Builds, maxBuilds, func(label *string) error {
				if !ValidBuild(*label) {
					return fmt.Errorf("build %q", *label)
				}
				return nil
			})
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return x, nil
}

// appendValue reads an element of a list of up to most, and checks it.
func appendValue[T any](j *jsonStream, list []T, most int, check func(*T) error) ([]T, error) {
	var v T
	if err := j.value(&v); err != nil {
		return nil, err
	}
	if len(list) == most {
		return nil, fmt.Errorf("more than %d values in a list", most)
	}
	if err := check(&v); err != nil {
		return nil, err
	}
	return append(list, v), nil
}

// ParseBuild reads a build's manifest, and refuses what no publication wrote.
func ParseBuild(b []byte) (*Build, error) {
	x := &Build{}
	if err := decodeJSON(b, &x.State, x.readField); err != nil {
		return nil, err
	}
	if !ValidBuild(x.Label) {
		return nil, fmt.Errorf("%w: build %q", ErrCorrupt, x.Label)
	}
	return x, nil
}

// readField reads one field of a build's manifest.
func (x *Build) readField(j *jsonStream, key string) error {
	switch key {
	case "label":
		return j.value(&x.Label)
	case "time":
		return j.value(&x.Time)
	case "files":
		return j.value(&x.Lists)
	case "earlier":
		return j.value(&x.Past)
	case "modes":
		return j.value(&x.Modes)
	case "parts":
		err := j.array(func() (err error) {
			x.Parts, err = appendValue(j, x.Parts, MostParts, func(*Optional) error { return nil })
			return err
		})
		if err == nil {
			err = x.Parts.Check()
		}
		return err
	case "damaged":
		return j.array(func() (err error) {
			x.Damaged, err = appendValue(j, x.Damaged, maxNamed, func(*string) error { return nil })
			return err
		})
	case "tables":
		return j.array(func() (err error) {
			x.Tables, err = appendValue(j, x.Tables, maxRefs, func(t *TableRef) error { return CheckObject(t.Object) })
			return err
		})
	case "contents":
		return j.array(func() (err error) {
			x.Contents, err = appendValue(j, x.Contents, maxRefs, func(r *DeltaRef) error { return CheckObject(r.Object) })
			return err
		})
	case "deltas":
		named := 0
		return j.array(func() (err error) {
			x.Deltas, err = appendValue(j, x.Deltas, maxDeltas, func(d *Delta) error {
				if named += len(d.Old) + len(d.New); named > maxNamed {
					return fmt.Errorf("patches of more than %d files", maxNamed)
				}
				return d.check()
			})
			return err
		})
	}
	return j.skip()
}

// CheckObject fails unless a text is the name of an object.
func CheckObject(id string) error {
	if raw, err := hex.DecodeString(id); err != nil || len(raw) != 32 {
		return fmt.Errorf("%w: object %.80q", ErrCorrupt, id)
	}
	return nil
}

// Signed follows the name of a manifest in that of its signature.
const Signed = ".minisig"

// MostSignatures is how many a file of them may have: some publishers in a row
// may have been stopped between a signature and its manifest.
const MostSignatures = 8

// Signatures cuts a file of them.
func Signatures(text string) (list []string) {
	const head = "untrusted comment:"
	for _, one := range strings.Split("\n"+text, "\n"+head)[1:] {
		list = append(list, head+strings.TrimSuffix(one, "\n")+"\n")
	}
	return list[:min(len(list), MostSignatures)]
}

// Verify checks the manifest of that name by a file of signatures, one of which must
// be by the owner of key and say the name: while a manifest is replaced there are
// several. Else the error is a [delta.ErrSignature].
func Verify(key *delta.PublicKey, manifest []byte, signatures, name string) error {
	err := fmt.Errorf("%w: there is none", delta.ErrSignature)
	for _, sig := range Signatures(signatures) {
		var comment string
		if comment, err = key.Verify(manifest, sig); err == nil && comment != name {
			err = fmt.Errorf("%w: it is of %s", delta.ErrSignature, comment)
		}
		if err == nil {
			return nil
		}
	}
	return err
}
