package property

import (
	"encoding/binary"
	"errors"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

const extensionMagic = 0x54584543 // "CEXT"

// readExtensions reads what follows the structs: blocks, or paths as an older dumper
// wrote them. What is odd there costs no struct.
func (b *body) readExtensions() {
	if b.r.Len() == 0 {
		return
	}
	first := b.r.U32()
	if first != 1 && first != extensionMagic {
		err := codecs.Errorf(codecs.ErrCorrupt, "0x%08x in place of extensions", first)
		if len(b.m.Problems) > 0 { // which put all that follows out of step
			err = b.m.Problems[0]
		}
		b.r.Fail(err)
		return
	}
	outer, own := b.r, *b.r
	defer func() { b.r = outer }()
	b.r = &own
	if first == 1 {
		b.readOldPaths()
	} else {
		b.readBlocks()
	}
	switch err := own.Err(); {
	case errors.Is(err, codecs.ErrLimit):
		outer.Fail(err)
	case err != nil:
		b.doubt("%v", err)
	}
	b.noteOdd("extensions")
}

// readBlocks reads the blocks after the structs. Blocks of other names are passed over:
// their size is stated.
func (b *body) readBlocks() {
	b.r.Skip(1) // version, 0
	for range b.r.Count(8) {
		name := b.r.Bytes(4)
		size := b.r.CheckCount(int64(b.r.U32()), 1)
		data := b.r.Bytes(size)
		if b.r.Err() == nil && !isText(name) {
			b.r.Fail(codecs.Errorf(codecs.ErrCorrupt, "extension %x", name))
		}
		if b.r.Err() != nil {
			return
		}
		b.m.Extensions = append(b.m.Extensions, string(name))
		switch err := b.extension(string(name), data); {
		case errors.Is(err, codecs.ErrLimit):
			b.r.Fail(err)
			return
		case err != nil:
			b.doubt("%v", err)
		}
		b.noteOdd(string(name))
	}
}

func (b *body) extension(name string, data []byte) error {
	outer := b.r
	defer func() { b.r = outer }()
	b.r = bin.NewReader(data, outer.Off()-int64(len(data)), binary.LittleEndian)
	switch name {
	case "PPTH":
		b.readPaths()
	case "ENVP":
		b.readEnumValues()
	case "EATR":
		b.readAttributes()
	default:
		return nil
	}
	if b.r.Err() == nil && b.r.Len() != 0 {
		return codecs.Errorf(codecs.ErrCorrupt, "%d bytes left", b.r.Len())
	}
	return b.r.Err()
}

// counted reads how many enums or structs a block is about: as many as there are.
func (b *body) counted(what string, want, least int) int {
	n := b.r.Count(least)
	if b.r.Err() == nil && n != want {
		b.r.Fail(codecs.Errorf(codecs.ErrCorrupt, "%d %s, want %d", n, what, want))
		return 0
	}
	return n
}

// readPaths reads the package of each enum and struct.
func (b *body) readPaths() {
	b.r.Skip(1)
	for i := range b.counted("enums", len(b.m.Enums), 4) {
		b.m.Enums[i].Path = b.name()
	}
	for i := range b.counted("structs", len(b.m.Structs), 4) {
		b.m.Structs[i].Path = b.name()
	}
}

// readEnumValues reads members that replace those of the enums.
func (b *body) readEnumValues() {
	b.r.Skip(1)
	for i := range b.counted("enums", len(b.m.Enums), 4) {
		n := b.r.Count(12)
		if b.keep(n); b.r.Err() != nil {
			return
		}
		members := make([]Member, n)
		for k := range members {
			members[k] = Member{Name: b.name(), Value: b.r.I64()}
		}
		if b.r.Err() != nil {
			return
		}
		b.m.Enums[i].Members = members
	}
}

// readAttributes reads the flags of properties; those of enums and structs are passed
// over.
func (b *body) readAttributes() {
	b.r.Skip(1)
	b.r.Skip(4 * b.counted("enums", len(b.m.Enums), 4))
	for i := range b.counted("structs", len(b.m.Structs), 9) {
		b.r.Skip(5)
		fields := b.m.Structs[i].Fields
		for k := range b.r.Count(8) {
			flags := b.r.U64()
			if k < len(fields) {
				fields[k].Flags = flags
			}
		}
		if b.r.Err() != nil {
			return
		}
	}
}

// readOldPaths reads the packages of structs as an older dumper wrote them.
func (b *body) readOldPaths() {
	paths := make([]string, b.r.Count16(1))
	for i := range paths {
		paths[i] = string(b.r.Bytes(int(b.r.U8())))
	}
	for _, s := range b.m.Structs {
		i := 0
		if len(paths) > 255 {
			i = int(b.r.U16())
		} else {
			i = int(b.r.U8())
		}
		if b.r.Err() != nil {
			return
		}
		if i < len(paths) {
			s.Path = paths[i]
		}
	}
}

// link says which of several structs of one name is meant: as parents and in
// properties, one of the same package before one of another.
func (b *body) link() {
	known := namesakes{first: map[string]*Schema{}, repeats: map[string]bool{}, inPackage: map[[2]string]*Schema{}}
	for _, s := range b.m.Structs {
		known.add(s)
	}
	for _, s := range b.m.Structs {
		if first := known.first[strings.ToLower(s.Super)]; s.Super != "" && first != nil {
			s.SuperPath = first.Path
			if meant := known.in(s.Path, s.Super); meant != nil {
				s.SuperPath = meant.Path
			}
		}
		for i := range s.Fields {
			s.Fields[i].Type = b.qualify(s.Fields[i].Type, s.Path, &known)
		}
	}
}

// namesakes are the structs by name, without case.
type namesakes struct {
	first     map[string]*Schema
	repeats   map[string]bool
	inPackage map[[2]string]*Schema // the first by path and name
}

func (n *namesakes) add(s *Schema) {
	name := strings.ToLower(s.Name)
	if n.first[name] == nil {
		n.first[name] = s
	} else {
		n.repeats[name] = true
	}
	if k := [2]string{strings.ToLower(s.Path), name}; n.inPackage[k] == nil {
		n.inPackage[k] = s
	}
}

func (n *namesakes) in(path, name string) *Schema {
	return n.inPackage[[2]string{strings.ToLower(path), strings.ToLower(name)}]
}

// qualify returns the type with the path of the structs in it whose names repeat, if
// the package of the property has one of them.
func (b *body) qualify(t *Type, path string, known *namesakes) *Type {
	switch {
	case t == nil || path == "":
		return t
	case t.Kind == Struct:
		if known.repeats[strings.ToLower(t.Name)] && known.in(path, t.Name) != nil {
			return b.shared(t.String()+"@"+path, NewType(t.Kind, t.Name, path, nil, nil))
		}
		return t
	}
	key, elem := b.qualify(t.Key, path, known), b.qualify(t.Elem, path, known)
	if key == t.Key && elem == t.Elem {
		return t
	}
	return b.shared(t.String()+"@"+path, NewType(t.Kind, t.Name, t.Path, key, elem))
}
