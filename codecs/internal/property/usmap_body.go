package property

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

const none = 0xFFFFFFFF

// Bounds of what is kept. Counts are bounded by the bytes that are left, but a few
// compressed kilobytes are 32 MB of names of no characters.
const (
	usmapMaxTypeDepth = 8       // the engine's types nest three deep
	maxSkipped        = 64      // so deep a type is passed over, and unknown
	maxRecords        = 1 << 20 // names, and members, fields, structs and enums; the engine's own are 54,000
	maxName           = 4 << 10 // bytes; the engine's names have up to 1,023 characters
)

// body reads the decoded part.
type body struct {
	r     *bin.Reader
	m     *Mappings
	names []string
	kept  int              // members, fields, structs and enums
	types map[string]*Type // by what they are, so that equal types are one
	odd   error            // of the item that is read: the first
}

func (m *Mappings) read(data []byte) error {
	b := &body{r: bin.NewReader(data, 0, binary.LittleEndian), m: m, types: map[string]*Type{}}
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

// maxProblems bounds the odd items that are described.
const maxProblems = 16

// doubt notes that the item that is read is odd. What follows it is read all the same:
// see [body.noteOdd].
func (b *body) doubt(format string, args ...any) {
	if b.odd == nil {
		b.odd = codecs.Errorf(codecs.ErrCorrupt, format, args...)
	}
}

// noteOdd adds the doubt about an item, if there is one, to the problems of the file.
func (b *body) noteOdd(item string) {
	if b.odd != nil && len(b.m.Problems) < maxProblems {
		b.m.Problems = append(b.m.Problems, fmt.Errorf("%s: %w", item, b.odd))
	}
	b.odd = nil
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
		text := b.r.Bytes(size)
		if b.r.Err() != nil {
			return
		}
		if size > maxName {
			b.doubt("%d bytes > %d", size, maxName)
			b.noteOdd(fmt.Sprintf("name %d", len(b.names)))
			text = fmt.Appendf(nil, "?%d", len(b.names))
		}
		b.names = append(b.names, strings.ToValidUTF8(string(text), "\uFFFD"))
	}
	b.m.Names = n
}

// name reads the index of a name; none is "". One that the table lacks is "?" and the
// index, which nothing is called: a struct with such a parent has no positions.
func (b *body) name() string {
	i := b.r.U32()
	if i == none || b.r.Err() != nil {
		return ""
	}
	if i >= uint32(len(b.names)) {
		b.doubt("name %d of %d", i, len(b.names))
		return fmt.Sprintf("?%d", i)
	}
	return b.names[i]
}

func (b *body) readEnums() {
	for range b.r.Count(5) {
		e := &EnumSchema{Name: b.name()}
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
			member := Member{Value: int64(i)}
			if b.m.Version >= versionEnumValues {
				member.Value = b.r.I64()
			}
			member.Name = b.name()
			e.Members = append(e.Members, member)
		}
		if b.r.Err() != nil {
			return
		}
		b.noteOdd(e.Name)
		b.m.Enums = append(b.m.Enums, e)
	}
}

func (b *body) readStructs() {
	for range b.r.Count(12) {
		s := &Schema{Name: b.name(), Super: b.name()}
		b.noteOdd(s.Name)
		s.Positions = int(b.r.U16())
		n := b.r.Count16(8)
		b.keep(1 + n)
		for range n {
			f := Field{Position: int(b.r.U16()), Count: int(b.r.U8()), Name: b.name()}
			f.Type = b.readType(0)
			if b.r.Err() != nil {
				return
			}
			if f.Position+f.Count > s.Positions || f.Count == 0 {
				// Dumpers store the number of elements in a byte: 256 are 0.
				b.doubt("%d elements from position %d of %d", f.Count, f.Position, s.Positions)
				f.Type, f.Count = b.shared("?", &Type{}), 1
			}
			b.noteOdd(s.Name + "." + f.Name)
			s.Fields = append(s.Fields, f)
		}
		if b.r.Err() != nil {
			return
		}
		b.m.Structs = append(b.m.Structs, s)
	}
}

// usmapKinds are the types by the number that they are stored as.
func usmapKinds() [37]Kind {
	return [37]Kind{
		Byte, Bool, Int, Float, Object, Name, Delegate,
		Double, Array, Struct, Str, Text, Interface,
		MulticastDelegate, WeakObject, LazyObject, AssetObject, SoftObject,
		UInt64, UInt32, UInt16, Int64, Int16, Int8, Map,
		Set, Enum, FieldPath, Optional, Utf8Str, AnsiStr,
		Class, MulticastInline, SoftClass, VerseStr, Unknown, Unknown,
	}
}

const kindUnknown = 0xFF // as the dumper says itself

// readType reads the type of a property. Equal types are one, so that a class with a
// thousand vectors has one type for them.
func (b *body) readType(depth int) *Type {
	k := Unknown
	switch i, all := int(b.r.U8()), usmapKinds(); {
	case i < len(all):
		k = all[i]
	case i != kindUnknown:
		b.doubt("type %d", i)
	}
	if depth > maxSkipped {
		b.r.Fail(codecs.Errorf(codecs.ErrLimit, "type nested %d deep", depth))
	}
	if b.r.Err() != nil {
		return nil
	}
	var key, elem *Type
	name := ""
	switch k {
	case Enum:
		elem = b.readType(depth + 1)
		name = b.name()
	case Struct:
		name = b.name()
	case Array, Set, Optional:
		elem = b.readType(depth + 1)
	case Map:
		key = b.readType(depth + 1)
		elem = b.readType(depth + 1)
	}
	if b.r.Err() != nil {
		return nil
	}
	if depth > usmapMaxTypeDepth {
		b.doubt("type nested more than %d deep", usmapMaxTypeDepth)
		return b.shared("?", &Type{})
	}
	t := NewType(k, name, "", key, elem)
	id := t.String()
	if k == Enum {
		id += "/" + elem.Kind.String()
	}
	return b.shared(id, t)
}

func (b *body) shared(id string, t *Type) *Type {
	if known := b.types[id]; known != nil {
		return known
	}
	b.types[id] = t
	return t
}
