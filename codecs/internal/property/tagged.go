package property

import "fmt"

// Versions of UE4 and UE5 that change the tags.
const (
	innerType  = 282  // ue4: tags of arrays name the type of elements
	structGUID = 441  // ue4: tags of structs have an identifier
	innerTags  = 500  // ue4: the first element of an array of structs has a tag
	tagGUID    = 503  // ue4: tags may have an identifier of the property
	innerTypes = 509  // ue4: tags of sets and maps name the types of elements
	extensions = 1011 // ue5: tags may have extensions, lists of objects a control byte
	typeNames  = 1012 // ue5: tags have complete type names
)

// Flags of tags from UE5 1012 on.
const (
	tagIndex      = 0x01
	tagProperty   = 0x02
	tagExtensions = 0x04
	tagBinary     = 0x08
	tagTrue       = 0x10
	tagSkipped    = 0x20
)

// tag is what is before a value.
type tag struct {
	name  string
	typ   *Type
	size  int
	index int32
	flags uint8 // as from UE5 1012 on

	at, sizeAt, flagAt int32 // of the tag, its size, and the bool or the flags in it
}

// readTagged reads tags and values until the name None. path and name are the class or
// struct whose list it is.
func readTagged(p *parser, path, name string) {
	if !p.down() {
		return
	}
	list := len(p.l.Nodes) - 1
	for p.ok() {
		at := int32(p.in.Off())
		t := tag{at: at, name: p.name()}
		if t.name == "None" {
			place := p.l.placeOf(list)
			place.form, place.end = formTagged, at
			break
		}
		if p.v.ue5 >= typeNames {
			readNamedTag(p, &t)
		} else {
			readPlainTag(p, &t)
		}
		if p.ok() && (t.size < 0 || t.size > p.in.Len() || t.index < 0 || t.index > 1<<16) {
			p.fail(errTag)
		}
		if p.ok() {
			readTaggedValue(p, &t, path, name)
		}
	}
	p.up()
}

// readPlainTag reads a tag below UE5 1012, after its name.
func readPlainTag(p *parser, t *tag) {
	v := p.v
	key := typeKey{p.nameID(), unstated, unstated}
	t.sizeAt = int32(p.in.Off())
	t.size, t.index = int(p.in.I32()), p.in.I32()
	kind := p.d.kindOf(key[0])
	switch kind {
	case Struct:
		key[1] = p.nameID()
		if v.ue4 >= structGUID {
			p.in.Skip(16)
		}
	case Bool:
		t.flagAt = int32(p.in.Off())
		if p.b8() {
			t.flags |= tagTrue
		}
	case Byte, Enum, Optional:
		key[1] = p.nameID()
	case Array:
		if v.ue4 >= innerType {
			key[1] = p.nameID()
		}
	case Set:
		if v.ue4 >= innerTypes {
			key[1] = p.nameID()
		}
	case Map:
		if v.ue4 >= innerTypes {
			key[1], key[2] = p.nameID(), p.nameID()
		}
	case Unknown:
		if p.trial > 0 {
			p.fail(errKind)
		}
	}
	if v.ue4 >= tagGUID && p.b8() {
		p.in.Skip(16)
	}
	if v.ue5 >= extensions {
		skipExtensions(p)
	}
	if p.ok() {
		t.typ = p.d.types.plain(key, kind, p.d)
	}
}

// skipExtensions reads what a tag says about values that override others.
func skipExtensions(p *parser) {
	if flags := p.in.U8(); flags&0x02 != 0 {
		p.in.Skip(1)
		p.b32()
	}
}

// readNamedTag reads a tag from UE5 1012 on, after its name.
func readNamedTag(p *parser, t *tag) {
	t.typ = readTypeName(p)
	t.sizeAt = int32(p.in.Off())
	t.flagAt = t.sizeAt + 4
	t.size, t.flags = int(p.in.I32()), p.in.U8()
	if t.flags&tagIndex != 0 {
		t.index = p.in.I32()
	}
	if t.flags&tagProperty != 0 {
		p.in.Skip(16)
	}
	if t.flags&tagExtensions != 0 {
		skipExtensions(p)
	}
	if t.flags&^(tagIndex|tagProperty|tagExtensions|tagBinary|tagTrue|tagSkipped) != 0 {
		p.fail(errTag)
	}
}

// maxTypeNodes bounds the nodes of a type name; types of the engine have below ten.
const maxTypeNodes = 64

// readTypeName reads a complete type name: nodes of a name and how many nodes are below
// it, depth first. Most were met before, and are known by their bytes.
func readTypeName(p *parser) *Type {
	start, n := int(p.in.Off()), 0
	for open := 1; open > 0; open-- {
		p.in.Skip(8)
		inner := p.in.I32()
		if n++; n > maxTypeNodes || inner < 0 || inner > maxTypeNodes {
			p.fail(errTag)
		}
		if !p.ok() {
			return nil
		}
		open += int(inner)
	}
	raw := p.data[start:p.in.Off()]
	t, known := p.d.types.byName[string(raw)]
	if !known {
		t = newNamedType(p, raw)
	}
	for at := start; p.ok() && at < start+len(raw); at += 12 {
		p.l.linkAt(int32(at), LinkName)
	}
	if p.ok() && (t == nil || t.Kind == Unknown && p.trial > 0) {
		p.fail(errTag)
	}
	return t
}

// newNamedType returns the type of a complete name as stored, nil when it is none.
func newNamedType(p *parser, raw []byte) *Type {
	end := p.in
	p.in.Reset(raw, end.Off()-int64(len(raw)), p.l.order)
	nodes := make([]typeNode, len(raw)/12)
	for i := range nodes {
		nodes[i] = typeNode{p.nameID(), p.in.I32()}
	}
	err := p.in.Err()
	p.in = end
	if err != nil {
		p.fail(err)
		return nil
	}
	return p.d.types.named(raw, nodes, p.d)
}

// readInnerTag reads the tag of the elements of an array of structs, which names their
// type.
func readInnerTag(p *parser, i int) *Type {
	t := tag{name: p.name()}
	readPlainTag(p, &t)
	p.l.placeOf(i).inner = t.sizeAt
	if p.ok() && (t.typ.Kind != Struct || t.size != p.in.Len()) {
		p.fail(errTag)
	}
	return t.typ
}

// readTaggedValue reads the value after a tag, which is t.size bytes. What does not end
// there is opaque.
func readTaggedValue(p *parser, t *tag, path, owner string) {
	at := len(p.l.Nodes)
	i := p.add(t.name, t.typ)
	if i != at {
		return
	}
	p.l.Nodes[i].Index = t.index
	place := p.l.placeOf(i)
	place.tagged, place.tag, place.size, place.flag = true, t.at, t.sizeAt, t.flagAt
	p.values++
	switch {
	case t.flags&tagSkipped != 0:
		makeOpaque(p, i, t.size, errSkip)
		p.in.Skip(t.size)
		return
	case t.typ.Kind == Bool && t.size != 0:
		makeOpaque(p, i, t.size, errRest)
		p.in.Skip(t.size)
		return
	case t.typ.Kind == Bool:
		if t.flags&tagTrue != 0 {
			p.l.Nodes[i].Bits = 1
		}
		p.close(i)
		return
	}
	outer := p.enter(t.size)
	if t.typ.Kind == Set || t.typ.Kind == Map || t.typ.Kind == Array {
		stateType(p, i, path, owner)
	}
	outerLists := p.lists
	p.lists = false
	first := p.mark()
	binary := p.v.ue5 < typeNames || t.flags&tagBinary != 0
	err := attempt(p, i, binary)
	if err != nil && t.typ.native != nil && p.work >= 0 {
		// Some structs that have a serializer of their own are lists all the same, and
		// the other way.
		p.back(first)
		if attempt(p, i, !binary) == nil {
			err = nil
		}
	}
	if err != nil && holdsNative(t.typ) && p.work >= 0 {
		p.back(first)
		p.lists = true
		if attempt(p, i, true) == nil {
			err = nil
		}
	}
	if err != nil {
		if t.flags&tagBinary != 0 && t.typ.Kind == Struct && t.typ.native == nil {
			err = fmt.Errorf("%s: %w", t.typ.Name, errOwn)
		}
		p.back(first)
		makeOpaque(p, i, t.size, err)
	}
	p.lists = outerLists
	p.leave(outer, t.size)
	if p.work < 0 {
		p.fail(errWork)
	}
}

// holdsNative reports a container of structs that may have a serializer of their own:
// those of Niagara have one in some versions and none in others.
func holdsNative(t *Type) bool {
	switch t.Kind {
	case Array, Set, Optional, Map:
		return t.Elem.native != nil || t.Elem.Kind == Struct && t.Elem.Name == "" || t.Key != nil && t.Key.native != nil
	}
	return false
}

// attempt reads the value of node i, which must take all bytes there are. binary has a
// struct read by its own serializer if it has one.
func attempt(p *parser, i int, binary bool) error {
	p.l.placeOf(i).forget()
	n := &p.l.Nodes[i]
	if n.Kind == Struct && !binary {
		if readList(p, n.Type.Path, n.Type.Name); p.ok() {
			p.close(i)
		}
	} else {
		readValue(p, i, false)
	}
	if err := p.in.Err(); err != nil {
		return err
	}
	if p.in.Len() != 0 {
		return errRest
	}
	return nil
}

// makeOpaque makes node i one of bytes that were not understood.
func makeOpaque(p *parser, i, size int, why error) {
	p.l.cut(i + 1)
	n := &p.l.Nodes[i]
	p.l.unlink(int64(n.Offset))
	n.Kind, n.Text, n.Bits, n.Flags = Opaque, why.Error(), 0, 0
	n.Next, n.Size = int32(i+1), int32(size)
	p.lost++
	p.lostBytes += int64(size)
	if p.damage == nil && IsDamage(why) {
		p.damage = fmt.Errorf("%s: %w", n.Name, why)
	}
}
