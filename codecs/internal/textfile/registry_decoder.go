package textfile

import (
	"encoding/binary"
	"errors"
	"strconv"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// The first versions with something new.
const (
	withNames       = 2  // a table of names
	withHardManage  = 5  // dependencies of managers are soft and hard
	withCookedHash  = 6  // packages have an MD5
	withLength      = 7  // of the dependencies
	withStore       = 8  // tags are in a store, dependencies have flags
	withVersions    = 9  // of packages
	withClasses     = 10 // that packages import
	withVersion5    = 11
	withChunkHashes = 13
	withClassPaths  = 14 // of two names
	withoutPaths    = 15 // of objects; outers instead
	withFilter      = 16
	withExtensions  = 17
	withLocation    = 18
	withUTF8        = 19
	withSavedHash   = 20 // in place of GUIDs
	withAlignment   = 24
	newest          = 24
)

// What hostile files may make of few bytes.
const (
	maxTags             = 16 << 20
	registryMaxProblems = 16
)

// registryDecoder reads one file.
type registryDecoder struct {
	r        *bin.Reader
	body     []byte
	version  int
	filtered bool  // no data of the editor
	end      int64 // of what is not the table of names
	names    []string
	texts
	byName   map[uint64]int32 // positions of names that were used
	store    store
	facts    *unreal.RegistryFacts
	problems []*codecs.FormatError
}

func newDecoder(body []byte) *registryDecoder {
	facts := &unreal.RegistryFacts{}
	return &registryDecoder{r: bin.NewReader(body, 0, binary.LittleEndian), body: body, end: int64(len(body)),
		texts: newTexts(&facts.Texts), byName: map[uint64]int32{}, facts: facts}
}

// add reports a problem.
func (d *registryDecoder) add(field string, err error) {
	if len(d.problems) < registryMaxProblems {
		d.problems = append(d.problems, registryFailure(field, err, d.r.Off()))
	}
}

// failed reports a failure of the reader as a problem of the field.
func (d *registryDecoder) failed(field string) bool {
	err := d.r.Err()
	if err != nil {
		d.add(field, err)
	}
	return err != nil
}

// read reads a file. What comes before damage stays; the damage is a problem. An error
// means that there is nothing.
func (d *registryDecoder) read() error {
	if len(d.body) >= len(magic) && string(d.body[:len(magic)]) == magic {
		d.r.Skip(len(magic))
		at := d.r.Off()
		d.version = int(d.r.I32())
		if d.r.Err() == nil && (d.version < withNames || d.version > newest) {
			return registryFailure("version", codecs.Errorf(errors.ErrUnsupported, "version %d, 0 and %d to %d are known", d.version, withNames, newest), at)
		}
	}
	d.facts.Version = d.version
	d.header()
	if err := d.r.Err(); err != nil {
		return registryFailure("header", err, d.r.Off())
	}
	if !d.parts() {
		if d.version == 0 && len(d.facts.Assets) == 0 { // no sign that it is one
			return d.problems[0]
		}
		return nil
	}
	if off := d.r.Off(); off != d.end {
		d.add("packages", codecs.Errorf(codecs.ErrNonStrict, "end here, the file has %d bytes more", d.end-off))
	}
	return nil
}

// header reads names and the store of tags.
func (d *registryDecoder) header() {
	switch {
	case d.version >= withStore:
		if d.version >= withFilter {
			d.filtered = d.r.U32() != 0
		}
		d.names = unreal.NameBatch(d.r)
		d.store.read(d)
	case d.version > 0:
		d.end = d.r.I64()
		back := d.r.Pos()
		if d.r.Err() != nil {
			return
		}
		if d.end < int64(back) || d.end > int64(len(d.body)) {
			d.r.Fail(bin.ErrShort)
			return
		}
		d.r.Seek(int(d.end))
		for range d.r.Count(8) {
			d.names = append(d.names, unreal.FString(d.r).String())
			d.r.Skip(4) // hashes
		}
		d.r.Seek(back)
	}
	d.facts.Filtered = d.filtered
}

// parts reads the parts in their order, up to the first damage.
func (d *registryDecoder) parts() bool {
	if d.version == 0 {
		return d.oldAssets()
	}
	return d.assets() && d.dependencies() && d.packages()
}

// fstring reads a text and returns its position.
func (d *registryDecoder) fstring() int32 { return d.text(unreal.FString(d.r).String()) }

// utf8 reads a text that is UTF-8 in newer versions, with a NUL at its end or without.
func (d *registryDecoder) utf8() string {
	if d.version < withUTF8 {
		return unreal.FString(d.r).String()
	}
	return strings.TrimSuffix(unreal.Utf8String(d.r).String(), "\x00")
}

// name reads an FName and returns the position of its text.
func (d *registryDecoder) name() int32 { return d.nameAt(d.rawName(d.r)) }

// rawName reads an FName: index, and number in the upper half.
func (d *registryDecoder) rawName(r *bin.Reader) uint64 {
	index := r.U32()
	switch {
	case d.version < withStore:
		return uint64(index) | uint64(r.U32())<<32
	case index>>31 != 0:
		return uint64(index&^(1<<31)) | uint64(r.U32())<<32
	}
	return uint64(index)
}

// nameAt returns the position of the text of a name.
func (d *registryDecoder) nameAt(raw uint64) int32 {
	at, ok := d.byName[raw]
	if !ok {
		at = d.text(d.nameText(raw))
		d.byName[raw] = at
	}
	return at
}

func (d *registryDecoder) nameText(raw uint64) string {
	index, number := uint32(raw), raw>>32
	if int64(index) >= int64(len(d.names)) {
		if d.r.Err() == nil {
			d.add("name", codecs.Errorf(codecs.ErrCorrupt, "index %d of %d", index, len(d.names)))
		}
		return "<bad name " + strconv.Itoa(int(index)) + ">"
	}
	if number == 0 {
		return d.names[index]
	}
	return d.names[index] + "_" + strconv.FormatUint(number-1, 10)
}

// class reads a class, by two names or one.
func (d *registryDecoder) class() int32 {
	first := d.name()
	if d.version < withClassPaths {
		return first
	}
	second := d.name()
	return d.text(d.facts.Texts[first] + "." + d.facts.Texts[second])
}
