package property

import (
	"errors"
	"fmt"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/internal/script"
	"pakdb/codecs/unreal"
)

// ClassicDecoder reads the values of one package of UE1 to UE3. It is not safe for
// concurrent use.
type ClassicDecoder struct {
	f     *unreal.PackageFacts
	data  func(export int) ([]byte, error)
	types types

	code     map[int]*script.ClassicObject
	children map[int]unreal.ObjectRef // of classes and structs: the first field
	next     map[int]unreal.ObjectRef // of code: the next field of its owner
	fields   map[int]declared
	owned    map[int][]declared
}

// NewClassicDecoder reads what the classes and structs of a package declare. data returns
// the bytes of an export, and may be called more than once for each; its error is
// the only one.
func NewClassicDecoder(f *unreal.PackageFacts, data func(export int) ([]byte, error)) (*ClassicDecoder, error) {
	list, err := script.Classic(f, data)
	if err != nil {
		return nil, err
	}
	d := &ClassicDecoder{f: f, data: data, types: types{map[classicTypeKey]*Type{}, map[*Type]*Type{}},
		code: map[int]*script.ClassicObject{}, children: map[int]unreal.ObjectRef{}, next: map[int]unreal.ObjectRef{},
		fields: map[int]declared{}, owned: map[int][]declared{}}
	for i := range list {
		c := &list[i]
		d.code[c.Export] = c
		if c.Err == nil {
			d.children[c.Export], d.next[c.Export] = c.Children, c.Next
		}
	}
	return d, nil
}

// Export reads export i from its bytes into o, whose memory is used again. What is
// not understood is counted and never an error: see [Export.Status].
//
// The values of a class below version 219 are its defaults; later ones have a
// default object of their own. Functions and states have none.
func (d *ClassicDecoder) Export(o *Export, i int, data []byte) {
	*o = Export{List: List{Nodes: o.List.Nodes, places: o.List.places, placed: o.List.placed}}
	r := unreal.NewOldReader(d.f, data)
	o.List.Reset(data, r.In.Order())
	o.Coverage.Exports, o.Coverage.Bytes = 1, int64(len(data))
	if i < 0 || i >= len(d.f.Exports) || len(data) > 1<<31-1 {
		lose(o, codecs.Errorf(codecs.ErrNotFound, "export %d of %d with %d bytes", i, len(d.f.Exports), len(data)))
		return
	}
	if c := d.code[i]; c != nil {
		d.declaration(o, c, r)
		return
	}
	d.object(o, i, r)
}

// lose gives up the list.
func lose(o *Export, why error) {
	o.Status, o.Why, o.End, o.Damage = Lost, why, 0, why
	o.List.Nodes = o.List.Nodes[:0]
	o.Coverage.Lost, o.Coverage.OpaqueBytes = 1, o.Coverage.Bytes
}

// declaration reads the defaults of a class or struct, after its script.
func (d *ClassicDecoder) declaration(o *Export, c *script.ClassicObject, r *unreal.OldReader) {
	if c.Err != nil {
		lose(o, c.Err)
		return
	}
	if c.Defaults == 0 {
		o.Coverage.Exact, o.End = 1, c.End
		return
	}
	r.In.Seek(c.Defaults)
	p := newParser(r, d, o)
	p.list(-1, unreal.ObjectRef(c.Export+1))
	d.finish(p)
}

// finish counts what was read.
func (d *ClassicDecoder) finish(p *classicParser) {
	o := p.o
	if err := p.In.Err(); err != nil {
		lose(o, err)
		return
	}
	o.End, o.Tail, o.Damage = p.In.Pos(), p.In.Len(), p.damage
	o.Coverage.Values, o.Coverage.Opaque, o.Coverage.Guessed, o.Coverage.OpaqueBytes = p.values, p.opaque, p.guessed, p.opaqueBytes
	if o.Tail > 0 {
		o.Status, o.Coverage.Tailed, o.Coverage.TailBytes = Tailed, 1, int64(o.Tail)
		return
	}
	o.Coverage.Exact = 1
}

var errLists = errors.New("no list of properties")

// object reads the list of an object, after what some objects have in front of it.
func (d *ClassicDecoder) object(o *Export, i int, r *unreal.OldReader) {
	e := &d.f.Exports[i]
	if unreal.OldHasStack(d.f, e) {
		r.SkipStack()
	}
	start := r.In.Pos()
	var why error
	for _, prefix := range d.prefixes(i) {
		if r.In.Err() != nil {
			break
		}
		again := unreal.NewOldReader(d.f, r.Data)
		again.In.Seek(start)
		skipPrefix(again, prefix)
		p := newParser(again, d, o)
		o.List.cut(0)
		p.list(-1, e.Class)
		if err := again.In.Err(); err != nil {
			if why == nil {
				why = err
			}
			continue
		}
		if d.field(i).ok { // what declares a property says it after the list
			again.In.Skip(again.In.Len())
		}
		d.finish(p)
		return
	}
	if err := r.In.Err(); err != nil {
		why = err
	}
	lose(o, fmt.Errorf("%w: %w", errLists, why))
}

// prefix is what a component has in front of its list.
type prefix uint8

const (
	noPrefix prefix = iota
	ownerPrefix
	namedPrefix
)

// prefixes returns what may be in front of the list, the likeliest first.
func (d *ClassicDecoder) prefixes(i int) []prefix {
	if d.f.Version < 224 {
		return []prefix{noPrefix}
	}
	class := d.f.ClassOf(i)
	if strings.HasSuffix(class, "Component") || strings.HasPrefix(class, "Distribution") {
		return []prefix{namedPrefix, ownerPrefix, noPrefix}
	}
	return []prefix{noPrefix, ownerPrefix, namedPrefix}
}

// skipPrefix passes over what is in front of the list, and the net index.
func skipPrefix(r *unreal.OldReader, p prefix) {
	if p >= ownerPrefix {
		r.In.Skip(4)
	}
	if p == namedPrefix {
		r.Name()
	}
	if r.Version >= unreal.VerNetIndex {
		r.In.Skip(4)
	}
}
