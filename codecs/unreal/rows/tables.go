package rows

import "pakdb/internal/family"

// exportRow is an object of a package.
type exportRow struct {
	class, outer, object, super, why int32 // texts; -1: none
	number                           int32 // follows the text; -1: none
	status                           uint8
}

// valueRow is a value.
type valueRow struct {
	export     int32
	name       int32 // text
	field, key int32 // texts; -1: none
	place      int32 // -1: none
	typ        int32 // word
	text       int32 // -1: none
	ref        int32
	flags      uint8
	kind       valueKind
	hasRef     bool
	bits       uint64
	target     int64 // 0: none
}

// valueKind says what the bits of a row are.
type valueKind uint8

const (
	noNumber valueKind = iota
	integer
	real
)

// The flags of rows.
const (
	flagClassData = 1 << iota
	flagZero
	flagGuessed
	flagOpaque
	flagArray
)

// textRow is how a text is found in translations.
type textRow struct {
	seq            int64
	namespace, key int32 // texts
}

// fieldRow is a property that a class or struct declares.
type fieldRow struct {
	export, name, typ int32 // name and typ are texts
	place, count      int32
	flags             uint64
}

// memberRow is a constant of an enum.
type memberRow struct {
	export, name int32 // name is a text
	value        int64
}

// The tables of values; see 0016_values.sql.
var (
	exports = family.NewTable("value_export", "ordinal",
		family.TextColumn("class_id", func(x *exportRow) int32 { return x.class }),
		family.TextColumn("outer_path_id", func(x *exportRow) int32 { return x.outer }),
		family.TextColumn("object_id", func(x *exportRow) int32 { return x.object }),
		family.ValueColumn("number", func(x *exportRow) any { return orNull(x.number) }),
		family.ValueColumn("status", func(x *exportRow) any { return int64(x.status) }),
		family.TextColumn("super_id", func(x *exportRow) int32 { return x.super }),
		family.TextColumn("why_id", func(x *exportRow) int32 { return x.why })).OfSet()
	values = family.NewTable("property", "seq",
		family.ValueColumn("export", func(v *valueRow) any { return int64(v.export) }),
		family.TextColumn("name_id", func(v *valueRow) int32 { return v.name }),
		family.TextColumn("field_id", func(v *valueRow) int32 { return v.field }),
		family.ValueColumn("place", func(v *valueRow) any { return orNull(v.place) }),
		family.TextColumn("key_id", func(v *valueRow) int32 { return v.key }),
		family.WordColumn("type_id", func(v *valueRow) int32 { return v.typ }),
		family.ValueColumn("value", numberOf),
		family.TextColumn("text_id", func(v *valueRow) int32 { return v.text }),
		family.ValueColumn("ref", func(v *valueRow) any {
			if !v.hasRef {
				return nil
			}
			return int64(v.ref)
		}),
		family.ValueColumn("target", func(v *valueRow) any {
			if v.target == 0 {
				return nil
			}
			return v.target
		}),
		family.ValueColumn("flags", func(v *valueRow) any { return int64(v.flags) })).OfSet()
	texts = family.NewTable("property_text", "",
		family.ValueColumn("seq", func(t *textRow) any { return t.seq }),
		family.TextColumn("namespace_id", func(t *textRow) int32 { return t.namespace }),
		family.TextColumn("key_id", func(t *textRow) int32 { return t.key })).OfSet()
	fields = family.NewTable("class_field", "seq",
		family.ValueColumn("export", func(f *fieldRow) any { return int64(f.export) }),
		family.TextColumn("name_id", func(f *fieldRow) int32 { return f.name }),
		family.TextColumn("type_id", func(f *fieldRow) int32 { return f.typ }),
		family.ValueColumn("place", func(f *fieldRow) any { return int64(f.place) }),
		family.ValueColumn("count", func(f *fieldRow) any { return int64(f.count) }),
		family.ValueColumn("flags", func(f *fieldRow) any { return int64(f.flags) })).OfSet()
	members = family.NewTable("enum_member", "seq",
		family.ValueColumn("export", func(m *memberRow) any { return int64(m.export) }),
		family.TextColumn("name_id", func(m *memberRow) int32 { return m.name }),
		family.ValueColumn("value", func(m *memberRow) any { return m.value })).OfSet()
)

func numberOf(v *valueRow) any {
	switch v.kind {
	case integer:
		return int64(v.bits)
	case real:
		return floatOf(v.bits)
	}
	return nil
}

// orNull returns nil for -1, which is none.
func orNull(n int32) any {
	if n < 0 {
		return nil
	}
	return int64(n)
}
