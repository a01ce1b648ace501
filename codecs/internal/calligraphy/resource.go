package calligraphy

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

const resourceHead = 12

var resourceExtensions = [...]string{
	".cell", ".district", ".encounter", ".fragment", ".markerset", ".prop", ".propset", ".ui",
}

func isResource(ext string) bool { return slices.Contains(resourceExtensions[:], ext) }

// inspectResource reads the head of a resource file. The rest is not described;
// references in it are found by scanning, once all ids of a build are known.
func inspectResource(content io.ReaderAt, size int64, ext string) (*codecs.Facts, error) {
	var head [resourceHead]byte
	if size < resourceHead {
		return nil, failure("header", codecs.Errorf(codecs.ErrTruncated, "need %d bytes, have %d", resourceHead, size), 0)
	}
	if err := bin.Fill(content, head[:], 0); err != nil {
		return nil, failure("header", err, 0)
	}
	id := classID(head[:])
	return &codecs.Facts{
		Kind: "calligraphy-" + ext[1:],
		Scan: &codecs.Scan{
			Layout: codecs.IDLayout{Width: 8},
			Spaces: []codecs.Space{SpaceGUID, SpacePrototype, SpaceBlueprint, SpaceCurve, SpaceAssetType, SpaceAsset},
		},
		Detail: &Facts{Resource: &Resource{
			Signature: binary.LittleEndian.Uint32(head[0:]),
			Version:   binary.LittleEndian.Uint32(head[4:]),
			ClassID:   id,
			Class:     className(id),
		}},
	}, nil
}

func classID(head []byte) uint32 {
	if len(head) < resourceHead {
		return 0
	}
	return binary.LittleEndian.Uint32(head[8:])
}

// classNames are the classes of the game's program that its public readers name
// for resource files and what is in them. A name that no file uses merely never
// matches.
var classNames = [...]string{
	"CellPrototype",
	"DistrictPrototype",
	"EncounterResourcePrototype",
	"MarkerSetPrototype",
	"NaviFragmentPrototype",
	"PropPackagePrototype",
	"PropSetPrototype",
	"UIPrototype",

	"AnchoredPanelPrototype",
	"CellConnectorMarkerPrototype",
	"DotCornerMarkerPrototype",
	"EntityMarkerPrototype",
	"PathNodePrototype",
	"PathNodeSetPrototype",
	"ProceduralPropGroupPrototype",
	"PropSetTypeEntryPrototype",
	"PropSetTypeListPrototype",
	"ResourceMarkerPrototype",
	"RoadConnectionMarkerPrototype",
	"StretchedPanelPrototype",
	"UnrealPropMarkerPrototype",
}

// className returns the name whose hash is id, or "".
func className(id uint32) string {
	for _, name := range classNames {
		if DJB2(name) == id {
			return name
		}
	}
	return ""
}

const (
	linkSize  = 8 + 1
	minMember = 8 + 2 + 1 + 1
)

func (d *decoder) blueprint() {
	d.text = string(d.buf)
	b := &Blueprint{}
	d.detail.Blueprint = b
	d.at("runtime_class", 0)
	b.RuntimeClass = d.str()
	d.at("default", 0)
	b.Default = d.r.U64()
	d.ref("default", SpacePrototype, b.Default)
	b.Parents = d.links("blueprint_parent")
	b.Contributing = d.links("contributing")
	b.Members = d.members()
}

func (d *decoder) links(kind string) []Link {
	d.at(kind, 0)
	n := d.r.Count16(linkSize)
	if n == 0 {
		return nil
	}
	links := make([]Link, n)
	for i := range links {
		links[i] = Link{Blueprint: d.r.U64(), Copies: d.r.U8()}
		d.ref(kind, SpaceBlueprint, links[i].Blueprint)
	}
	return links
}

func (d *decoder) members() []Member {
	d.at("members", 0)
	n := d.r.Count16(minMember)
	members := make([]Member, 0, n)
	for i := range n {
		d.at("members", i)
		m := d.member()
		if d.r.Err() != nil {
			break
		}
		members = append(members, m)
	}
	return members
}

func (d *decoder) member() Member {
	m := Member{ID: d.r.U64(), Name: d.str()}
	m.Type = d.fieldType()
	m.Structure = d.r.U8()
	if m.Structure != simple && m.Structure != list {
		d.fail(1, codecs.Errorf(codecs.ErrCorrupt, "structure %q", m.Structure))
	}
	switch m.Type {
	case 'A':
		m.Subtype = d.subtype(SpaceAssetType)
	case 'P', 'R':
		m.Subtype = d.subtype(SpaceBlueprint)
	case 'C':
		m.Subtype = d.r.U64() // 0 wherever it was seen: what it would point at is not known
	}
	return m
}

func (d *decoder) subtype(space codecs.Space) uint64 {
	id := d.r.U64()
	d.ref("subtype", space, id)
	return id
}

func (d *decoder) curve() {
	d.at("positions", 0)
	start, end := d.r.I32(), d.r.I32()
	if int64(end) < int64(start)-1 {
		d.fail(4, codecs.Errorf(codecs.ErrCorrupt, "last position %d, first %d", end, start))
	}
	d.at("values", 0)
	n := d.r.CheckCount(int64(end)-int64(start)+1, 8)
	if d.r.Err() != nil {
		return
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = d.r.F64()
	}
	d.detail.Curve = &Curve{Start: start, Values: values}
}

const minAsset = 8 + 8 + 1 + 2

// assetType reads a .type, whose assets are known by id all over the database.
func (d *decoder) assetType() {
	d.text = string(d.buf)
	d.at("count", 0)
	n := d.r.Count16(minAsset)
	assets := make([]Asset, 0, n)
	symbols := make([]codecs.Symbol, 0, n)
	for i := range n {
		d.at("assets", i)
		a := Asset{ID: d.r.U64(), GUID: d.r.U64(), Flags: d.r.U8(), Name: d.str()}
		if d.r.Err() != nil {
			break
		}
		assets = append(assets, a)
		symbols = define(symbols, SpaceAsset, a.ID, "")
	}
	d.detail.Assets, d.facts.Symbols = assets, symbols
}

// The least bytes of a record: its fixed fields and the length of an empty path.
const (
	minRecord      = 8 + 8 + 1 + 2
	minPrototype   = minRecord + 8
	minReplacement = 8 + 8 + 2
)

// directoryDecoder decodes directories.
type directoryDecoder struct{ *decoder }

func (d directoryDecoder) records(space codecs.Space, minElem int) {
	d.detail.Space = space
	n := d.count(minElem)
	records := make([]Record, 0, n)
	// All paths share one buffer. It never grows: what a path gains, its record's
	// fixed fields exceed.
	var paths strings.Builder
	paths.Grow(len(d.buf))
	for i := range n {
		d.at("records", i)
		rec := d.record(space, &paths)
		if d.r.Err() != nil {
			break
		}
		records = append(records, rec)
	}
	d.detail.Records = records
}

// Symbols returns what the records of a directory define. A catalog has it from their rows.
func (f *Facts) Symbols() (symbols []codecs.Symbol) {
	for _, rec := range f.Records {
		symbols = define(symbols, f.Space, rec.ID, rec.Path)
		symbols = define(symbols, SpaceGUID, rec.GUID, rec.Path)
	}
	return symbols
}

func (d directoryDecoder) record(space codecs.Space, paths *strings.Builder) Record {
	rec := Record{ID: d.r.U64(), GUID: d.r.U64()}
	if space == SpacePrototype {
		rec.Blueprint = d.r.U64()
	}
	rec.Flags = d.r.U8()
	rec.Path = d.path(paths)
	return rec
}

// path reads a path of a directory and makes the entry's name of it.
func (d directoryDecoder) path(paths *strings.Builder) string {
	stored := d.r.Bytes(int(d.r.U16()))
	start := paths.Len()
	paths.WriteString(dataPrefix)
	rest := stored
	for at := bytes.IndexByte(rest, '\\'); at >= 0; at = bytes.IndexByte(rest, '\\') {
		paths.Write(rest[:at])
		paths.WriteByte('/')
		rest = rest[at+1:]
	}
	paths.Write(rest)
	return d.valid(paths.String()[start:], d.r.Pos()-len(stored))
}

func define(symbols []codecs.Symbol, space codecs.Space, id uint64, path string) []codecs.Symbol {
	if id == 0 {
		return symbols
	}
	return append(symbols, codecs.Symbol{Space: space, ID: codecs.ID64(id), Path: path})
}

func (d directoryDecoder) replacements() {
	d.text = string(d.buf)
	n := d.count(minReplacement)
	all := make([]Replacement, 0, n)
	for i := range n {
		d.at("replacements", i)
		rep := Replacement{Old: d.r.U64(), New: d.r.U64(), Name: d.str()}
		if d.r.Err() != nil {
			break
		}
		all = append(all, rep)
	}
	d.detail.Replacements = all
}
