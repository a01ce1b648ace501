package property

import (
	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"strings"
)

// classData returns what reads the data that exports of a class store after their
// list, nil for none that is known.
func classData(class string) func(p *parser, o *Export, x *unreal.PackageExport) {
	switch class = strings.ToLower(class); class {
	case "datatable", "compositedatatable":
		return readDataTable
	case "curvetable", "compositecurvetable":
		return readCurveTable
	case "stringtable":
		return readStringTable
	case "enum", "userdefinedenum":
		return readEnum
	case "function", "delegatefunction", "sparsedelegatefunction":
		return readFunction
	case "scriptstruct":
		return readStruct
	case "userdefinedstruct":
		return readUserStruct
	case "staticmesh":
		return readStaticMesh
	}
	if class == "class" || strings.HasSuffix(class, "generatedclass") {
		return readClass
	}
	return nil
}

// readDataTable reads i32 n, then the name of each row and a list of the row struct.
func readDataTable(p *parser, o *Export, _ *unreal.PackageExport) {
	path, name := "", ""
	if i := p.l.Find(-1, "RowStruct", 0); i >= 0 && p.l.Nodes[i].Kind.IsReference() {
		path, name = p.d.Declared(unreal.ObjectRef(int32(p.l.Nodes[i].Int())))
	}
	if name == "" && p.v.schemas {
		p.fail(codecs.Errorf(codecs.ErrCorrupt, "rows of no struct"))
		return
	}
	row := p.d.structOf(path, name)
	rows := p.add("Rows", p.d.types.of(Map, typeName, row))
	for range p.countOf(rows, 10) {
		p.element(typeName)
		readRow(p, row)
	}
	p.close(rows)
}

// readRow reads a row of a table: a list, even of a struct that is binary elsewhere.
func readRow(p *parser, t *Type) {
	at := len(p.l.Nodes)
	if !p.ok() || p.add("", t) != at {
		return
	}
	readList(p, t.Path, t.Name)
	p.close(at)
}

// readCurveTable reads i32 n, u8 mode, and the curves, each a list.
func readCurveTable(p *parser, o *Export, _ *unreal.PackageExport) {
	const empty, simple, rich = 0, 1, 2
	countAt := int32(p.in.Off())
	n := p.in.I32()
	mode := uint8(rich)
	if p.v.custom[FortniteMain] >= 23 {
		mode = p.in.U8()
	}
	if mode > rich {
		p.fail(codecs.Errorf(codecs.ErrCorrupt, "mode %d of a curve table", mode))
		return
	}
	p.leaf("CurveTableMode", typeByte, uint64(mode), "")
	name := "RichCurve"
	if mode == simple {
		name = "SimpleCurve"
	}
	curve := p.d.structOf("/Script/Engine", name)
	rows := p.add("Rows", p.d.types.of(Map, typeName, curve))
	p.l.placeOf(rows).count = countAt
	for range p.in.CheckCount(int64(n), 10) {
		p.element(typeName)
		readRow(p, curve)
	}
	p.close(rows)
}

// readStringTable reads the namespace, the strings by key, and data about keys.
func readStringTable(p *parser, o *Export, _ *unreal.PackageExport) {
	p.field("TableNamespace", typeStr)
	entries := p.add("KeysToEntries", p.d.types.of(Map, typeStr, typeStr))
	for range p.countOf(entries, 8) {
		p.element(typeStr)
		p.element(typeStr)
	}
	p.close(entries)
	meta := p.add("KeysToMetaData", p.d.types.of(Map, typeStr, typeMap))
	for range p.count(8) {
		p.element(typeStr)
		data := p.add("", p.d.types.of(Map, typeName, typeStr))
		for range p.count(12) {
			p.element(typeName)
			p.element(typeStr)
		}
		p.close(data)
	}
	p.close(meta)
}

// readEnum reads the members of an enum.
func readEnum(p *parser, o *Export, x *unreal.PackageExport) {
	v := p.v
	if v.custom[Framework] < 29 {
		p.ref() // the next field
	}
	e := &EnumSchema{Name: p.d.pkg.NameOf(x.Name), Path: p.d.name}
	members := p.add("Names", p.d.types.of(Map, typeName, typeInt64))
	least := 16
	switch {
	case v.ue4 < 463:
		least = 8
	case v.custom[Core] < 2:
		least = 9
	}
	for i := range p.count(least) {
		name, value := p.name(), int64(i)
		switch least {
		case 16:
			value = p.in.I64()
		case 9:
			value = int64(p.in.U8())
		}
		if !p.ok() {
			return
		}
		p.leaf("", typeName, 0, name)
		p.leaf("", typeInt64, uint64(value), "")
		_, short, qualified := strings.Cut(name, "::")
		if !qualified {
			short = name
		}
		e.Members = append(e.Members, Member{short, value})
	}
	p.close(members)
	if v.ue4 < 390 {
		p.wideBool("CppForm")
	} else {
		p.field("CppForm", typeByte)
	}
	if v.custom[FortniteMain] >= 255 {
		p.field("UnderlyingType", typeByte)
	}
	if p.ok() {
		o.Enum = e
	}
}
