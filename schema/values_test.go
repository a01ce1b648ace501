package schema_test

import (
	"context"
	"testing"

	"pakdb/internal/family"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// fixtureValues collects the rows of a set.
type fixtureValues struct {
	batch family.Batch
	words map[string]int32
	texts map[string]int32
	cells int64
}

func newFixtureValues() *fixtureValues {
	return &fixtureValues{words: map[string]int32{}, texts: map[string]int32{}}
}

func position(of *[]string, at map[string]int32, s string) int32 {
	i, ok := at[s]
	if !ok {
		i = int32(len(*of))
		*of, at[s] = append(*of, s), i
	}
	return i
}

// row is one row of any table. What is no number in a column of texts is NULL.
type row []any

// add adds rows of a table. Columns whose names end in _id are texts, and words in
// type_id of property.
func (f *fixtureValues) add(table, number string, columns []string, rows ...row) {
	var all []family.Column[row]
	for i, c := range columns {
		text := func(r *row) int32 {
			s, ok := (*r)[i].(string)
			if !ok {
				return -1
			}
			if c == "type_id" && table == "property" {
				return f.words[s]
			}
			return f.texts[s]
		}
		for _, r := range rows {
			s, ok := r[i].(string)
			switch {
			case !ok:
			case c == "type_id" && table == "property":
				position(&f.batch.Words, f.words, s)
			default:
				position(&f.batch.Texts, f.texts, s)
			}
		}
		switch {
		case c == "type_id" && table == "property":
			all = append(all, family.WordColumn(c, text))
		case len(c) > 3 && c[len(c)-3:] == "_id":
			all = append(all, family.TextColumn(c, text))
		default:
			all = append(all, family.ValueColumn(c, func(r *row) any { return (*r)[i] }))
		}
	}
	f.batch.Rows = append(f.batch.Rows, family.NewTable(table, number, all...).OfSet().Rows(rows...))
	if table == "property" {
		f.cells += int64(len(rows))
	}
}

func (f *fixtureValues) exports(rows ...row) {
	f.add("value_export", "ordinal", []string{"class_id", "outer_path_id", "object_id", "number", "status", "super_id", "why_id"}, rows...)
}

func (f *fixtureValues) properties(rows ...row) {
	f.add("property", "seq", []string{"export", "name_id", "field_id", "place", "key_id", "type_id", "value", "text_id", "ref", "target", "flags"}, rows...)
}

const none = int64(0)

// addValues adds a build of packages with values: "shooter".
func addValues(t testing.TB, c *schema.Catalog) {
	t.Helper()
	b, err := schematest.Begin(context.Background(), c, "shooter")
	if err != nil {
		t.Fatal(err)
	}
	id := schematest.Start(t, b, schema.Archive{Size: 7000, Format: "unrealpak", Version: "11", MountPoint: "../../../Shooter/Content/"})
	n := int64(0)
	add := func(name string, f *fixtureValues, exports, lost int64, missing string) {
		path, pkg := name+".uasset", "/Game/"+name
		v := &schema.Values{Reader: "unreal-values/1", Engine: 427, Exports: exports, Exact: exports - lost, Lost: lost, Fields: f.cells, Bytes: 900,
			Missing: lost, MissingClass: missing, OpaqueBytes: 300 * lost, Rows: &f.batch}
		symbol := schema.Symbol{Space: "package", Key: schema.NameKey(pkg), Name: pkg}
		facts := &schema.Facts{Inspector: "unrealpkg/4", Kind: "unreal-package"}
		if name == "BP_Rifle" {
			facts.Refs = []schema.Ref{{Kind: "value", Space: "package", Key: schema.NameKey("/Game/T_Rifle"), Name: "/Game/T_Rifle"}}
		}
		err := b.Add(id, &schema.Entry{Ordinal: n, Name: path, Method: "none", Stored: 900, Size: 900, HasContent: true,
			Content: schema.Digest{0xe5, byte(n)}, ContentSize: 900, Facts: facts, PlaceSymbols: []schema.Symbol{symbol},
			ExportsOf: &schema.Package{Path: path, Name: pkg}, Values: v})
		if err != nil {
			t.Fatal(err)
		}
		n++
	}

	table := newFixtureValues()
	table.exports(row{"DataTable", nil, "DT_Weapons", nil, none, nil, nil})
	table.properties(
		row{none, "RowStruct", nil, nil, nil, "Object", nil, "/Script/Shooter.WeaponRow", int64(-1), nil, none},
		row{none, "Damage", "Rows[].Damage", nil, "Rifle", "Int", int64(12), nil, nil, nil, int64(1)},
		row{none, "Cost", "Rows[].Cost", nil, "Rifle", "Float", 500.0, nil, nil, nil, int64(1)},
		row{none, "Damage", "Rows[].Damage", nil, "Pistol", "Int", int64(5), nil, nil, nil, int64(1)},
		row{none, "Icon", "Rows[].Icon", nil, "Pistol", "SoftObject", nil, "/Game/T_Rifle.T_Rifle", nil, schema.NameKey("/Game/T_Rifle"), int64(1)})
	add("DT_Weapons", table, 1, 0, "")

	rifle := newFixtureValues()
	rifle.exports(row{"BlueprintGeneratedClass", nil, "BP_Rifle_C", nil, int64(1), "/Script/Shooter.Weapon", nil},
		row{"BP_Rifle_C", nil, "Default__BP_Rifle_C", nil, none, nil, nil},
		row{"StaticMeshComponent", "BP_Rifle_C.", "Mesh_GEN_VARIABLE", nil, none, nil, nil},
		row{"Magic", "BP_Rifle_C.", "Magic", int64(2), int64(2), nil, "Magic: no schema for /Script/Shooter.Magic"})
	rifle.properties(
		row{int64(1), "Damage", "Stats.Damage", nil, nil, "Int", int64(12), nil, nil, nil, none},
		row{int64(1), "Title", nil, nil, nil, "Text", nil, "Rifle", nil, nil, none},
		row{int64(1), "Mesh", nil, nil, nil, "Object", nil, nil, int64(3), nil, none},
		row{int64(1), "Cost", "Rows[].Cost", int64(3), nil, "Float", 300.5, nil, nil, nil, none},
		row{int64(1), "Bytes", nil, nil, nil, "Array<Byte>", int64(1000), "1, 2, 3, ... #00112233445566778", nil, nil, int64(16)},
		row{int64(1), "Odd", nil, nil, nil, "Struct<Odd>", nil, "bytes left after the value", nil, nil, int64(8)},
		row{int64(2), "X", "RelativeLocation.X", nil, nil, "Float", -30.0, nil, nil, nil, none},
		row{int64(2), "Skin", nil, nil, nil, "SoftObject", nil, "/Game/T_Rifle.T_Rifle", nil, schema.NameKey("/Game/T_Rifle"), none})
	rifle.add("property_text", "", []string{"seq", "namespace_id", "key_id"}, row{int64(1), "Weapons", "RifleTitle"})
	rifle.add("class_field", "seq", []string{"export", "name_id", "type_id", "place", "count", "flags"},
		row{none, "Mesh", "Object", none, int64(1), int64(4)}, row{none, "Stats", "Struct</Script/Shooter.Stats>", int64(1), int64(1), int64(4)})
	add("BP_Rifle", rifle, 4, 1, "/Script/Shooter.Magic")

	curve := newFixtureValues()
	key := func(k int64, time, value float64) []row {
		at := func(name string, v any, t string) row {
			return row{none, name, "FloatCurve.Keys[]." + name, k, nil, t, v, nil, nil, nil, none}
		}
		return []row{at("InterpMode", int64(2), "Byte"), at("TangentMode", none, "Byte"), at("TangentWeightMode", none, "Byte"),
			at("Time", time, "Float"), at("Value", value, "Float")}
	}
	curve.exports(row{"CurveFloat", nil, "C_Recoil", nil, none, nil, nil})
	curve.properties(append(key(0, 0, 1), key(1, 0.5, 4)...)...)
	add("C_Recoil", curve, 1, 0, "")

	strings := newFixtureValues()
	strings.exports(row{"StringTable", nil, "ST_Game", nil, none, nil, nil})
	strings.properties(
		row{none, "TableNamespace", nil, nil, nil, "Str", nil, "Game", nil, nil, int64(1)},
		row{none, "KeysToEntries", nil, nil, "Quit", "Str", nil, "Leave the game", nil, nil, int64(1)})
	add("ST_Game", strings, 1, 0, "")

	enum := newFixtureValues()
	enum.exports(row{"UserDefinedEnum", nil, "E_Rarity", nil, none, nil, nil})
	enum.add("enum_member", "seq", []string{"export", "name_id", "value"}, row{none, "Common", none}, row{none, "Rare", int64(1)})
	add("E_Rarity", enum, 1, 0, "")

	texture := newFixtureValues()
	texture.exports(row{"Texture2D", nil, "T_Rifle", nil, int64(1), nil, nil})
	add("T_Rifle", texture, 1, 0, "")

	gun := newFixtureValues()
	gun.exports(row{"BlueprintGeneratedClass", nil, "BP_Gun_C", nil, int64(1), "/Script/Shooter.Weapon", nil},
		row{"Function", "BP_Gun_C.", "ExecuteUbergraph_BP_Gun", nil, none, nil, nil}, row{"Function", "BP_Gun_C.", "Jam", nil, none, nil, nil})
	gun.add("script", "", []string{"ordinal", "flags", "native", "statements", "tokens", "size", "memory", "hash", "why_id"},
		row{int64(1), int64(8421377), nil, int64(5), int64(21), int64(120), int64(98), int64(0x1122334455667788), nil},
		row{int64(2), none, nil, none, none, int64(9), int64(9), nil, "token 0xa2 at 0x4 is not known"})
	actor, rifleName := schema.NameKey("/Script/Engine"), schema.NameKey("/Game/T_Rifle")
	gun.add("script_use", "seq", []string{"export", "event_id", "kind", "name_id", "count", "target"},
		row{int64(1), "ReceiveBeginPlay", none, "/Script/Engine.Actor:K2_DestroyActor", int64(2), actor},
		row{int64(1), "ReceiveBeginPlay", int64(1), "SetText", int64(1), nil},
		row{int64(1), nil, none, ".BP_Gun_C:Jam", int64(1), nil},
		row{int64(1), nil, int64(8), "/Game/T_Rifle.T_Rifle", int64(1), rifleName},
		row{int64(1), nil, int64(11), "Out of ammo", int64(1), nil})
	gun.add("script_text", "", []string{"seq", "namespace_id", "key_id"}, row{int64(4), "Weapons", "Empty"})
	add("BP_Gun", gun, 3, 0, "")

	b.EndArchive(id, nil)
	b.Mount(schema.Mount{Archive: id, Name: "shooter.pak", Location: "/shooter.pak"})
	if _, err := b.Finish(context.Background()); err != nil {
		t.Fatal(err)
	}
}
