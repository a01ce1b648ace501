package property

import (
	"encoding/binary"
	"strconv"
	"strings"

	"pakdb/codecs/unreal"
)

// DefaultMaxNodes bounds the values of one export, in nodes of 72 bytes: 300 MB. An export
// also has no more than [spareNodes] and one for each of its bytes, so that small ones take
// little memory, whatever they say.
const DefaultMaxNodes = 1 << 22

// spareNodes are values without bytes: zeros of unversioned lists.
const spareNodes = 1 << 17

// Options say what a package does not.
type Options struct {
	// Name is the long name of the package, "/Game/A/B". It is needed for packages
	// whose tables have none, to know the classes that they declare.
	Name string
	// Engine is the one that cooked a package without versions; 0 guesses.
	Engine Engine
	// Schemas are needed for unversioned lists, and name structs elsewhere. Nil knows
	// nothing.
	Schemas Schemas
	// MaxNodes bounds the values of one export; 0 is [DefaultMaxNodes].
	MaxNodes int
}

// Decoder reads the values of the exports of one package of UE4 or UE5, legacy or Zen.
// It must not be used by two goroutines at once; packages have nothing in common but
// [Schemas].
type Decoder struct {
	pkg      *unreal.PackageFacts
	name     string
	ver      versions
	schemas  Schemas
	maxNodes int
	names    int // of the table that values refer to
	zen      bool

	kinds     []Kind // by name: 1 more than the kind of property it names; 0: not looked up yet
	types     typeCache
	texts     map[unreal.ObjectName]string // names with numbers
	textBytes int                          // of texts, paths and members
	paths     map[[2]string]string         // of assets
	soft      []softPath
	slots     map[slotKey]slotList
	laidOut   int // positions of all slots
	members   map[memberKey]string
	enumPath  map[*Type]*EnumSchema
	parser    parser // of the export that is being read
	structs   map[slotKey]*Type

	classic *ClassicDecoder // of packages of UE1 to UE3 that are edited; nil for others

	// What edits need.
	added     Added
	nameIndex map[string]int32 // of the texts in the name table
	canImport func(pkg string) error
	tagTypes  map[[2]string]*Type // of fields by their owner and name in lower case, as tags have them
}

type softPath struct{ path, sub string }

type slotKey struct{ path, name string }

type slotList struct {
	slots []slot
	err   error
}

type memberKey struct {
	enum  *EnumSchema
	value int64
}

// NewDecoder returns a decoder of the package that has these tables. Imports of Zen
// packages should be resolved before, else objects of the program, and so the classes
// of the exports, have no names.
func NewDecoder(f *unreal.PackageFacts, o Options) *Decoder {
	d := &Decoder{
		pkg: f, name: o.Name, ver: newVersions(f, o.Engine), schemas: o.Schemas, maxNodes: o.MaxNodes,
		names: min(f.NameCount, len(f.Names)), zen: f.Zen != nil,
		kinds: make([]Kind, len(f.Names)), types: newTypeCache(), texts: map[unreal.ObjectName]string{}, paths: map[[2]string]string{},
		slots: map[slotKey]slotList{}, members: map[memberKey]string{}, enumPath: map[*Type]*EnumSchema{}, structs: map[slotKey]*Type{},
	}
	if d.name == "" {
		d.name = f.Name
	}
	if d.schemas == nil {
		d.schemas = NewLibrary()
	}
	if d.maxNodes <= 0 {
		d.maxNodes = DefaultMaxNodes
	}
	for _, s := range f.SoftObjects {
		d.soft = append(d.soft, softPath{assetPath(s.Package, s.Asset), s.Sub})
	}
	return d
}

// Engine returns the engine by whose rules values are read.
func (d *Decoder) Engine() Engine { return d.ver.engine }

// Unversioned reports whether lists need schemas.
func (d *Decoder) Unversioned() bool { return d.ver.schemas }

func (d *Decoder) order() binary.ByteOrder {
	if d.pkg.BigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// Bounds of the texts that are made of names: hostile packages make up numbers, and
// their names are long.
const (
	maxMade  = 8 << 20 // bytes for one export
	maxTexts = 1 << 16 // remembered of one package; no more bytes than maxMade
)

// made counts a text that was made, for the export that is read and for what is
// remembered. It returns false when it must not be used.
func (p *parser) made(s string) bool {
	if p.texts -= len(s); p.texts < 0 {
		p.work = -1
		p.fail(errMade)
		return false
	}
	d := p.d
	if d.textBytes += len(s); d.textBytes > maxMade || len(d.texts)+len(d.paths)+len(d.members) >= maxTexts {
		clear(d.texts)
		clear(d.paths)
		clear(d.members)
		d.textBytes = len(s)
	}
	return true
}

// numbered returns a name that has a number.
func (p *parser) numbered(n unreal.ObjectName) string {
	s, ok := p.d.texts[n]
	if !ok {
		s = p.d.pkg.Names[n.Index].Text + "_" + strconv.Itoa(int(n.Number)-1)
		if !p.made(s) {
			return ""
		}
		p.d.texts[n] = s
	}
	return s
}

// text returns a name that [parser.nameID] read.
func (d *Decoder) text(id nameID) string {
	index := int32(uint32(id))
	if d.zen {
		index &= 0x3FFFFFFF
	}
	return d.pkg.NameOf(unreal.ObjectName{Index: index, Number: int32(id >> 32)})
}

// kindOf returns the kind of property that a name means.
func (d *Decoder) kindOf(id nameID) Kind {
	index := uint32(id)
	if d.zen {
		index &= 0x3FFFFFFF
	}
	if id>>32 != 0 || index >= uint32(len(d.kinds)) {
		return Unknown
	}
	if d.kinds[index] == 0 {
		d.kinds[index] = KindNamed(d.pkg.Names[index].Text) + 1
	}
	return d.kinds[index] - 1
}

// assetPath joins the names of a package and of an asset in it.
func assetPath(pkg, asset string) string {
	if asset == "" || asset == "None" {
		return pkg
	}
	return pkg + "." + asset
}

// softAsset is [assetPath] of names that are often the same.
func softAsset(p *parser, pkg, asset string) string {
	k := [2]string{pkg, asset}
	s, ok := p.d.paths[k]
	if !ok {
		if s = assetPath(pkg, asset); !p.made(s) {
			return ""
		}
		p.d.paths[k] = s
	}
	return s
}

// slotsOf returns the positions of a class or struct with its parents.
func (d *Decoder) slotsOf(path, name string) ([]slot, error) {
	k := slotKey{path, name}
	list, ok := d.slots[k]
	if !ok {
		if s := d.schemas.Struct(path, name); s == nil {
			list.err = &NoSchemaError{path, name}
		} else {
			list.slots, list.err = slots(d.schemas, s)
		}
		if d.laidOut += len(list.slots); d.laidOut > maxLaidOut {
			clear(d.slots)
			d.laidOut = len(list.slots)
		}
		d.slots[k] = list
	}
	return list.slots, list.err
}

// memberName returns "EType::Member" for the number of an enum, "" when it is not
// known.
func memberName(p *parser, t *Type, v int64) string {
	if t.Name == "" {
		return ""
	}
	d := p.d
	e, ok := d.enumPath[t]
	if !ok {
		e = d.schemas.Enum(t.Path, t.Name)
		d.enumPath[t] = e
	}
	if e == nil {
		return ""
	}
	k := memberKey{e, v}
	s, ok := d.members[k]
	if !ok {
		if s = e.NameOf(v); s != "" && !strings.Contains(s, "::") && !strings.Contains(s, " | ") {
			s = e.Name + "::" + s
		}
		if !p.made(s) {
			return ""
		}
		d.members[k] = s
	}
	return s
}

// Declared returns the package and the name of the class or struct that r refers to:
// "/Script/Engine", "Actor".
func (d *Decoder) Declared(r unreal.ObjectRef) (path, name string) {
	name = d.pkg.ObjectOf(r)
	if _, ok := r.Export(); ok {
		return d.name, name
	}
	if root := d.pkg.RootOf(r); root != 0 && root != r {
		path = d.pkg.ObjectOf(root)
	}
	if strings.HasPrefix(path, "<") {
		path = ""
	}
	return path, name
}

// ObjectPath renders what a reference leads to, as "/Script/Engine.Actor" or
// "Rifle_C.Mesh": all separated by points, and without the package for objects of
// this one. It is "" for none.
func (d *Decoder) ObjectPath(r unreal.ObjectRef) string {
	path, _ := d.pkg.PathOf(r)
	return strings.ReplaceAll(path, ":", ".")
}

// structOf returns the type of a struct that is declared there.
func (d *Decoder) structOf(path, name string) *Type {
	k := slotKey{path, name}
	t := d.structs[k]
	if t == nil {
		t = NewType(Struct, name, path, nil, nil)
		d.structs[k] = t
	}
	return t
}
