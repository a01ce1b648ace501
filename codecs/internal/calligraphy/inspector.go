// Package calligraphy inspects Marvel Heroes' game database: what its files
// define, what they refer to, and every value they hold.
//
// Calligraphy is the editor that the database was exported from. An archive
// holds one file a record below "Calligraphy/", five directories that list them,
// and level and interface files below "Resource/". All integers are
// little-endian. A string is a u16 length in bytes and that many bytes of UTF-8.
//
// Every file of the database begins with three letters and a version, 10 (clients
// 1.9 to 1.17) or 11 (1.18 and later). The one difference is how directories
// count: count is u16 in version 10 and i32 in version 11.
//
//	Curve.directory        CDR  count, {u64 id, u64 guid, u8 flags, str path}
//	Type.directory         TDR  the same
//	Blueprint.directory    BDR  the same
//	Prototype.directory    PDR  count, {u64 id, u64 guid, u64 blueprint, u8 flags, str path}
//	Replacement.directory  RDR  count, {u64 old guid, u64 new guid, str name}
//	.curve                 CRV  i32 start, i32 end, f64[end-start+1]
//	.type                  TYP  u16 n, {u64 id, u64 guid, u8 flags, str name}
//	.blueprint             BPT  str class, u64 default, u16 n {u64 parent, u8 copies},
//	                            u16 n {u64 contributing, u8 copies},
//	                            u16 n {u64 id, str name, u8 type, u8 structure, u64 subtype of A C P R}
//	.prototype .defaults   PTP  body
//
//	body   u8 flags, u64 parent if flags & 1, u16 n groups if flags & 2
//	group  u64 blueprint, u8 copy, u16 n {u64 field, u8 type, value},
//	       u16 n {u64 field, u8 type, u16 n values}
//	value  8 bytes; of type R a body
//
// Resource files begin with u32 signature, u32 version, u32 hash of the class
// name; the rest is not described here.
//
// Ids are hashes of paths ([ID], [ResourceID]), so they change when a file is
// renamed; GUIDs do not. An id is looked up in the space that its field says: the
// id of a .defaults file is its blueprint's.
//
// A damaged file yields the facts before the damage, and a problem in
// Facts.Problems; there are no facts only when the header is unreadable, of
// another kind, or of an unknown version. Problems and errors name field and
// offset but neither file nor entry: facts are kept per content, which several
// entries may have, so the caller adds them.
//
// Sources: the public page on the game's paks; public readers of the database
// that run against real clients (MHServerEmu, OpenCalligraphy, MHDataParser); and
// the directories of four clients. FORMAT.md distinguishes them.
package calligraphy

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

//go:embed FORMAT.md
var spec string

const name = "calligraphy"

// The largest contents that are inspected, in bytes. The largest directory
// known, the prototypes of the last client, has about 8 MB; other files have
// kilobytes. Facts cost at most 12 times the bytes of a file, and scratch space
// as much again, so a hostile file stays below half a gigabyte.
const (
	MaxDirectory = 32 << 20
	MaxFile      = 8 << 20
)

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// Inspector returns the inspector of Marvel Heroes' game database. The detail of
// its facts is a [*marvel.Facts].
//
// A file is recognised by its extension and its first bytes. A file below
// "Calligraphy/" that has the extension but other bytes is claimed too, in order
// to be reported as damaged.
func Inspector() *codecs.Inspector {
	return &codecs.Inspector{
		Name:     name,
		Doc:      "Marvel Heroes game database: curves, types, blueprints, prototypes, resources",
		Spec:     spec,
		Revision: 1,
		Match:    match,
		Compares: func(e *codecs.Entry, _ []byte) bool { return isDirectory(e) }, // GUIDs of records
		Symbols:  resourceSymbols,
		Inspect: func(ctx context.Context, content io.ReaderAt, size int64, e *codecs.Entry) (*codecs.Facts, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			ext := extension(e.Name)
			if isResource(ext) {
				return inspectResource(content, size, ext)
			}
			d := decoders.Get().(*decoder)
			defer decoders.Put(d)
			return d.inspect(content, size, ext)
		},
	}
}

func extension(name string) string { return strings.ToLower(path.Ext(name)) }

func match(e *codecs.Entry, head []byte) bool {
	ext := extension(e.Name)
	if isResource(ext) {
		return hasPrefixFold(e.Name, resourcePrefix) || className(classID(head)) != ""
	}
	if !slices.Contains(extensions[:], ext) {
		return false
	}
	_, _, known := kindOf(head, ext)
	return known || hasPrefixFold(e.Name, dataPrefix)
}

var extensions = [...]string{".curve", ".type", ".blueprint", ".prototype", ".defaults", ".directory"}

// kindOf decides what a file is. The magic alone distinguishes the directories:
// their extension is the same.
func kindOf(head []byte, ext string) (kind string, decode func(*decoder), known bool) {
	if len(head) < 3 {
		return "", nil, false
	}
	switch string(head[:3]) + ext {
	case "CDR.directory":
		return "calligraphy-curve-directory", records(SpaceCurve, minRecord), true
	case "TDR.directory":
		return "calligraphy-type-directory", records(SpaceAssetType, minRecord), true
	case "BDR.directory":
		return "calligraphy-blueprint-directory", records(SpaceBlueprint, minRecord), true
	case "PDR.directory":
		return "calligraphy-prototype-directory", records(SpacePrototype, minPrototype), true
	case "RDR.directory":
		return "calligraphy-replacement-directory", func(d *decoder) { directoryDecoder{d}.replacements() }, true
	case "CRV.curve":
		return "calligraphy-curve", (*decoder).curve, true
	case "TYP.type":
		return "calligraphy-type", (*decoder).assetType, true
	case "BPT.blueprint":
		return "calligraphy-blueprint", (*decoder).blueprint, true
	case "PTP.prototype", "PTP.defaults":
		return "calligraphy-prototype", func(d *decoder) { prototypeDecoder{d}.prototype() }, true
	}
	return "", nil, false
}

// records returns what decodes a directory of records of a space.
func records(space codecs.Space, minElem int) func(*decoder) {
	return func(d *decoder) { directoryDecoder{d}.records(space, minElem) }
}

// inspect decodes one file. Once the header is good there are facts:
// those before a damaged place, and the damage is a problem.
func (d *decoder) inspect(content io.ReaderAt, size int64, ext string) (*codecs.Facts, error) {
	if err := d.load(content, size, ext); err != nil {
		return nil, err
	}
	kind, decode, err := d.header(ext)
	if err != nil {
		return nil, err
	}
	d.facts.Kind = kind
	decode(d)
	return d.finish(), nil
}

// The versions of the header's fourth byte.
const (
	version10 = 10 // clients 1.9 to 1.17: counts of directories are u16
	version11 = 11 // clients 1.18 and later: i32
)

const headerSize = 4

func (d *decoder) header(ext string) (kind string, decode func(*decoder), err error) {
	head := d.r.Bytes(headerSize)
	if err := d.r.Err(); err != nil {
		return "", nil, failure("header", err, 0)
	}
	kind, decode, known := kindOf(head, ext)
	if !known {
		return "", nil, failure("magic", codecs.Errorf(codecs.ErrCorrupt, "%q in a %s", head[:3], ext), 0)
	}
	d.version = head[3]
	if d.version != version10 && d.version != version11 {
		return "", nil, failure("version",
			codecs.Errorf(errors.ErrUnsupported, "Calligraphy version %d, only 10 and 11 are known", d.version), 3)
	}
	d.detail.Version = d.version
	return kind, decode, nil
}

// load brings the whole content into memory and points the reader at it.
func (d *decoder) load(content io.ReaderAt, size int64, ext string) error {
	limit := int64(MaxFile)
	if ext == ".directory" {
		limit = MaxDirectory
	}
	if size > limit {
		return failure("content", codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", size, limit), 0)
	}
	if whole, ok := content.(codecs.Whole); ok {
		d.buf = whole.Bytes()
	} else {
		d.own = slices.Grow(d.own[:0], int(max(size, 0)))[:max(size, 0)]
		d.buf = d.own
		if err := bin.Fill(content, d.buf, 0); err != nil {
			return failure("content", err, 0)
		}
	}
	d.reset()
	d.r.Reset(d.buf, 0, binary.LittleEndian)
	return nil
}

// failure makes the error of this package. Neither file nor entry are in it:
// facts are kept per content, which several entries may have.
func failure(field string, err error, off int64) *codecs.FormatError {
	err, off = codecs.Classify(err, off)
	return &codecs.FormatError{Format: name, Field: field, Off: off, Err: err}
}

func isDirectory(e *codecs.Entry) bool { return extension(e.Name) == ".directory" }
