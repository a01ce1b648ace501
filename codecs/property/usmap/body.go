package usmap

import (
	"encoding/binary"
	"errors"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/property"
	"pakdb/internal/bin"
)

const none = 0xFFFFFFFF

// Bounds of what is kept. Counts are bounded by the bytes that are left, but a few
// compressed kilobytes are 32 MB of names of no characters.
const (
	maxTypeDepth = 8       // the engine's types nest three deep
	maxRecords   = 1 << 20 // names, and members, fields, structs and enums; the engine's own are 54,000
	maxName      = 4 << 10 // bytes; the engine's names have up to 1,023 characters
)

// body reads the decoded part.
type body struct {
	r     *bin.Reader
	m     *Mappings
	names []string
	kept  int                       // members, fields, structs and enums
	types map[string]*property.Type // by what they are, so that equal types are one
}

func (m *Mappings) read(data []byte) error {
	b := &body{r: bin.NewReader(data, 0, binary.LittleEndian), m: m, types: map[string]*property.Type{}}
	for _, part := range []struct {
		field string
		read  func()
	}{{"names", b.readNames}, {"enums", b.readEnums}, {"structs", b.readStructs}, {"extensions", b.readExtensions}} {
		if part.read(); b.r.Err() != nil {
			why := codecs.ErrCorrupt
			if errors.Is(b.r.Err(), codecs.ErrLimit) {
				why = codecs.ErrLimit
			}
			return failure("data."+part.field, b.r.Off(), codecs.Errorf(why, "%v", b.r.Err()))
		}
	}
	b.link()
	return nil
}

// keep counts records that are kept and fails for too many.
func (b *body) keep(n int) {
	if b.kept += n; b.kept > maxRecords {
		b.r.Fail(codecs.Errorf(codecs.ErrLimit, "more than %d members, fields, structs and enums", maxRecords))
	}
}

func (b *body) readNames() {
	n := b.r.Count(1)
	if n > maxRecords {
		b.r.Fail(codecs.Errorf(codecs.ErrLimit, "%d names > %d", n, maxRecords))
		return
	}
	b.names = make([]string, 0, n)
	for range n {
		size := int(0)
		if b.m.Version >= versionLongNames {
			size = int(b.r.U16())
		} else {
			size = int(b.r.U8())
		}
		if size > maxName {
			b.r.Fail(codecs.Errorf(codecs.ErrLimit, "name of %d bytes > %d", size, maxName))
		}
		b.names = append(b.names, strings.ToValidUTF8(string(b.r.Bytes(size)), "\uFFFD"))
		if b.r.Err() != nil {
			return
		}
	}
	b.m.Names = n
}

// name reads the index of a name; none is "".
func (b *body) name() string {
	i := b.r.U32()
	if i == none || b.r.Err() != nil {
		return ""
	}
	if i >= uint32(len(b.names)) {
		b.r.Fail(codecs.Errorf(codecs.ErrCorrupt, "name %d of %d", i, len(b.names)))
		return ""
	}
	return b.names[i]
}

func (b *body) readEnums() {
	for range b.r.Count(5) {
		e := &property.EnumSchema{Name: b.name()}
		n, least := 0, 4
		if b.m.Version >= versionEnumValues {
			least = 12
		}
		if b.m.Version >= versionLargeEnums {
			n = b.r.Count16(least)
		} else {
			n = b.r.CheckCount(int64(b.r.U8()), least)
		}
		b.keep(1 + n)
		for i := range n {
			if b.r.Err() != nil {
				return
			}
			member := property.Member{Value: int64(i)}
			if b.m.Version >= versionEnumValues {
				member.Value = b.r.I64()
			}
			member.Name = b.name()
			e.Members = append(e.Members, member)
		}
		if b.r.Err() != nil {
			return
		}
		b.m.Enums = append(b.m.Enums, e)
	}
}

func (b *body) readStructs() {
	for range b.r.Count(12) {
		s := &property.Schema{Name: b.name(), Super: b.name()}
		s.Positions = int(b.r.U16())
		n := b.r.Count16(8)
		b.keep(1 + n)
		for range n {
			f := property.Field{Position: int(b.r.U16()), Count: int(b.r.U8()), Name: b.name()}
			f.Type = b.readType(0)
			if b.r.Err() != nil {
				return
			}
			if f.Position+f.Count > s.Positions || f.Count == 0 {
				b.r.Fail(codecs.Errorf(codecs.ErrCorrupt, "%s.%s: %d elements from position %d of %d", s.Name, f.Name, f.Count, f.Position, s.Positions))
				return
			}
			s.Fields = append(s.Fields, f)
		}
		if b.r.Err() != nil {
			return
		}
		b.m.Structs = append(b.m.Structs, s)
	}
}

// kinds are the types by the number that they are stored as.
func kinds() [37]property.Kind {
	return [37]property.Kind{
		property.Byte, property.Bool, property.Int, property.Float, property.Object, property.Name, property.Delegate,
		property.Double, property.Array, property.Struct, property.Str, property.Text, property.Interface,
		property.MulticastDelegate, property.WeakObject, property.LazyObject, property.AssetObject, property.SoftObject,
		property.UInt64, property.UInt32, property.UInt16, property.Int64, property.Int16, property.Int8, property.Map,
		property.Set, property.Enum, property.FieldPath, property.Optional, property.Utf8Str, property.AnsiStr,
		property.Class, property.MulticastInline, property.SoftClass, property.VerseStr, property.Unknown, property.Unknown,
	}
}

// readType reads the type of a property. Equal types are one, so that a class with a
// thousand vectors has one type for them.
func (b *body) readType(depth int) *property.Type {
	k := property.Unknown
	if i, all := int(b.r.U8()), kinds(); i < len(all) {
		k = all[i]
	}
	if depth > maxTypeDepth {
		b.r.Fail(codecs.Errorf(codecs.ErrLimit, "type nested %d deep", depth))
	}
	if b.r.Err() != nil {
		return nil
	}
	var key, elem *property.Type
	name := ""
	switch k {
	case property.Enum:
		elem = b.readType(depth + 1)
		name = b.name()
	case property.Struct:
		name = b.name()
	case property.Array, property.Set, property.Optional:
		elem = b.readType(depth + 1)
	case property.Map:
		key = b.readType(depth + 1)
		elem = b.readType(depth + 1)
	}
	if b.r.Err() != nil {
		return nil
	}
	t := property.NewType(k, name, "", key, elem)
	id := t.String()
	if k == property.Enum {
		id += "/" + elem.Kind.String()
	}
	return b.shared(id, t)
}

func (b *body) shared(id string, t *property.Type) *property.Type {
	if known := b.types[id]; known != nil {
		return known
	}
	b.types[id] = t
	return t
}
