package property

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// Status says how much of an export was understood.
type Status uint8

// The statuses of exports.
const (
	// Exact exports were read to their last byte.
	Exact Status = iota
	// Tailed exports have a list that was read, and data of their class after it that
	// was not: bulk data, meshes, sounds, scripts.
	Tailed
	// Lost exports have a list that was not read: see [Export.Why].
	Lost
)

// String returns "exact", "tail" or "opaque".
func (s Status) String() string { return [...]string{"exact", "tail", "opaque"}[min(s, Lost)] }

// Export is what the bytes of an export say.
type Export struct {
	List   List // properties first, then what the class stores after them, with [ClassData]
	Status Status
	Why    error // of a lost list, or of class data that was not read; nil for none
	// Damage is why values were not read, the first error that [IsDamage]; nil for none.
	Damage error

	End  int // offset after the list, 0 for a lost one
	Tail int // bytes after what was read
	GUID string

	// Schema and Enum are what an export declares: a class, a struct, or an enum.
	Schema *Schema
	Enum   *EnumSchema

	Coverage Coverage // of this export
}

// Object flags of UE4 and UE5.
const flagClassDefault = 0x10

// Export reads export i from its bytes into o, whose memory is used again. What is not
// understood is counted and never an error: see [Export.Status].
func (d *Decoder) Export(o *Export, i int, data []byte) {
	if d.classic != nil {
		d.classic.Export(o, i, data)
		return
	}
	*o = Export{List: List{Nodes: o.List.Nodes, places: o.List.places, placed: o.List.placed}}
	o.List.reset(data, d.order(), d.ver.wide)
	o.Coverage.Exports, o.Coverage.Bytes = 1, int64(len(data))
	if i < 0 || i >= len(d.pkg.Exports) || len(data) > 1<<31-1 {
		o.lose(codecs.Errorf(codecs.ErrNotFound, "export %d of %d with %d bytes", i, len(d.pkg.Exports), len(data)))
		return
	}
	p := &d.parser
	*p = parser{d: d, v: &d.ver, l: &o.List, data: data, work: 1<<16 + 8*len(data), texts: maxMade,
		nodes: min(d.maxNodes, spareNodes+len(data))}
	p.in.Reset(data, 0, o.List.order)
	x := &d.pkg.Exports[i]
	path, class := "/Script/CoreUObject", "Class"
	if x.Class != 0 {
		path, class = d.Declared(x.Class)
	}
	if !readObject(p, o, x, path, class) {
		return
	}
	o.End = int(p.in.Off())
	readBehind(p, o, x, class)
	o.Tail = p.in.Len()
	if o.Tail > 0 {
		o.Status = Tailed
	}
	o.Coverage.count(o, &p.tally)
	p.data, p.text, p.l = nil, "", nil // whose memory is o's
}

// ListEnd returns where the list of properties ends in the data of export i, as packages of
// UE 5.4 and later store it: 0 for a class that has none. It fails for a list that is not
// understood.
func (d *Decoder) ListEnd(i int, data []byte) (int64, error) {
	var o Export
	d.Export(&o, i, data)
	if o.Status == Lost && !errors.Is(o.Why, errOwn) {
		return 0, fmt.Errorf("its list of properties: %w", o.Why)
	}
	return int64(o.End), nil
}

// lose gives up the list.
func (o *Export) lose(why error) {
	o.Status, o.Why, o.End = Lost, why, 0
	if IsDamage(why) {
		o.Damage = why
	}
	o.List.Nodes = o.List.Nodes[:0]
	o.Tail = len(o.List.data)
	o.Coverage.lose(o)
}

// object reads what is in front of the list, and the list. It returns false when the
// list is lost.
func readObject(p *parser, o *Export, x *unreal.PackageExport, path, class string) bool {
	if strings.Contains(class, "AssetImportData") && p.v.editor {
		p.str() // the sources as JSON
	}
	skipControl(p)
	readList(p, path, class)
	if err := p.in.Err(); err != nil {
		switch {
		case p.missing != nil && errors.Is(err, codecs.ErrNotFound):
			err = p.missing
		case listless()[strings.ToLower(class)]:
			err = errOwn
		}
		o.lose(fmt.Errorf("%s: %w", class, err))
		return false
	}
	return true
}

// listless are the classes of the engine that write no list, but their own data: by name,
// and by what packages of containers call them without the game's names.
var listless = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, path := range []string{"/Script/NNE.NNEModelData", "/Script/ControlRig.RigHierarchy", "/Script/RigVM.RigVM"} {
		_, name, _ := strings.Cut(path, ".")
		all[strings.ToLower(name)] = true
		all[fmt.Sprintf("<script %016x>", unreal.ScriptObjectID(path))] = true
	}
	return all
})

// control reads the byte in front of tagged lists of objects.
func skipControl(p *parser) {
	if p.v.ue5 >= extensions && !p.v.schemas && p.in.U8()&0x02 != 0 {
		p.in.Skip(1)
	}
}

// readBehind reads the object's identifier and the data of its class. What cannot be read
// is the tail.
func readBehind(p *parser, o *Export, x *unreal.PackageExport, class string) {
	isDefault := x.Flags&flagClassDefault != 0
	start := p.mark()
	if !isDefault && p.b32() {
		o.GUID = p.guid()
	}
	if !p.ok() {
		o.Why = fmt.Errorf("%s: identifier: %w", class, p.in.Err())
		p.back(start)
		return
	}
	read := classData(class)
	if read == nil || isDefault {
		return
	}
	start = p.mark()
	read(p, o, x)
	if !p.ok() {
		err := p.in.Err()
		if p.missing != nil && errors.Is(err, codecs.ErrNotFound) {
			err = p.missing
		}
		o.Why = fmt.Errorf("%s: data after the list: %w", class, err)
		o.Schema, o.Enum = nil, nil
		p.back(start)
		return
	}
	for i := range o.List.Children(-1) {
		if i >= start.nodes {
			o.List.Nodes[i].Flags |= ClassData
		}
	}
}

// Coverage counts how much of exports was understood. The zero value counts nothing
// yet; add those of exports or packages together.
type Coverage struct {
	// Lost counts exports whose list was not read, and those of whose class data that was
	// not which has a reader.
	Exports, Exact, Tailed, Lost int64
	Values                       int64 // fields of lists, at any depth
	Opaque                       int64 // of them not understood
	Guessed                      int64 // of them containers whose types were guessed
	Bytes                        int64 // of the exports
	OpaqueBytes                  int64 // of opaque values and lost exports
	TailBytes                    int64
	// Missing counts lost exports by the class or struct that has no schema, as
	// "/Script/Game.Rifle".
	Missing map[string]int64
}

func (c *Coverage) lose(o *Export) {
	c.Lost, c.OpaqueBytes = 1, c.Bytes
	var none *NoSchemaError
	if errors.As(o.Why, &none) {
		c.Missing = map[string]int64{none.class(): 1}
	}
}

func (c *Coverage) count(o *Export, t *tally) {
	c.Values, c.Opaque, c.Guessed, c.OpaqueBytes = t.values, t.lost, t.guessed, t.lostBytes
	if o.Damage = t.damage; IsDamage(o.Why) {
		o.Damage = cmp.Or(o.Damage, o.Why)
	}
	var none *NoSchemaError
	switch {
	case o.Why != nil: // class data that has a reader
		c.Lost, c.OpaqueBytes = 1, c.OpaqueBytes+int64(o.Tail)
		if errors.As(o.Why, &none) {
			c.Missing = map[string]int64{none.class(): 1}
		}
	case o.Status == Tailed:
		c.Tailed, c.TailBytes = 1, int64(o.Tail)
	default:
		c.Exact = 1
	}
}

// Add adds what another export or package counted.
func (c *Coverage) Add(other *Coverage) {
	c.Exports += other.Exports
	c.Exact += other.Exact
	c.Tailed += other.Tailed
	c.Lost += other.Lost
	c.Values += other.Values
	c.Opaque += other.Opaque
	c.Guessed += other.Guessed
	c.Bytes += other.Bytes
	c.OpaqueBytes += other.OpaqueBytes
	c.TailBytes += other.TailBytes
	for name, n := range other.Missing {
		if c.Missing == nil {
			c.Missing = map[string]int64{}
		}
		c.Missing[name] += n
	}
}

// Better reports whether c is of a reading that fits better than that of other, of
// the same exports by another engine: fewer lost lists, then fewer opaque values, then
// fewer unknown bytes.
func (c *Coverage) Better(other *Coverage) bool {
	switch {
	case c.Lost != other.Lost:
		return c.Lost < other.Lost
	case c.Opaque != other.Opaque:
		return c.Opaque < other.Opaque
	}
	return c.TailBytes+c.OpaqueBytes < other.TailBytes+other.OpaqueBytes
}
