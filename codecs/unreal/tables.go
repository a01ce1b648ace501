package unreal

import "pakdb/internal/family"

// The tables of packages; see 0003_unreal_packages.sql.
var (
	packages = family.NewTable("package", "",
		family.WordColumn("engine_id", func(*PackageRow) int32 { return 0 }),
		family.ValueColumn("version", func(p *PackageRow) any { return p.Version }),
		family.ValueColumn("version5", func(p *PackageRow) any { return p.Version5 }),
		family.ValueColumn("legacy_version", func(p *PackageRow) any { return p.LegacyVersion }),
		family.ValueColumn("licensee", func(p *PackageRow) any { return p.Licensee }),
		family.WordColumn("layout_id", func(*PackageRow) int32 { return 1 }),
		family.ValueColumn("engine_version", func(p *PackageRow) any { return textOrNull(p.EngineVersion) }),
		family.ValueColumn("compatible_engine", func(p *PackageRow) any { return textOrNull(p.CompatibleEngine) }),
		family.ValueColumn("cooker_version", func(p *PackageRow) any { return p.CookerVersion }),
		family.ValueColumn("flags", func(p *PackageRow) any { return p.Flags }),
		family.ValueColumn("guid", func(p *PackageRow) any { return bytesOrNull(p.GUID) }),
		family.ValueColumn("persistent_guid", func(p *PackageRow) any { return bytesOrNull(p.PersistentGUID) }),
		family.ValueColumn("saved_hash", func(p *PackageRow) any { return bytesOrNull(p.SavedHash) }),
		family.TextColumn("name_id", func(p *PackageRow) int32 { return p.Name }),
		family.WordColumn("compression_id", func(*PackageRow) int32 { return 2 }),
		family.ValueColumn("traits", func(p *PackageRow) any { return p.Traits }),
		family.ValueColumn("header_size", func(p *PackageRow) any { return p.HeaderSize }),
		family.ValueColumn("name_count", func(p *PackageRow) any { return p.NameCount }),
		family.ValueColumn("import_count", func(p *PackageRow) any { return p.ImportCount }),
		family.ValueColumn("export_count", func(p *PackageRow) any { return p.ExportCount })).Single()
	packageNames = family.NewTable("package_name", "ordinal",
		family.TextColumn("name_id", func(n *nameRow) int32 { return n.text }),
		family.ValueColumn("flags", func(n *nameRow) any { return n.flags }))
	packageImports = family.NewTable("package_import", "ordinal",
		family.TextColumn("class_package_id", func(i *ImportRow) int32 { return i.ClassPackage }),
		family.TextColumn("class_id", func(i *ImportRow) int32 { return i.Class }),
		family.ValueColumn("outer", func(i *ImportRow) any { return int64(i.Outer) }),
		family.TextColumn("outer_path_id", func(i *ImportRow) int32 { return i.OuterPath }),
		family.TextColumn("object_id", func(i *ImportRow) int32 { return i.Object }),
		family.ValueColumn("number", func(i *ImportRow) any { return numberOrNull(i.Number) }),
		family.ValueColumn("flags", func(i *ImportRow) any { return i.Flags }))
	packageExports = family.NewTable("package_export", "ordinal",
		family.ValueColumn("class", func(x *ExportRow) any { return int64(x.Class) }),
		family.ValueColumn("super", func(x *ExportRow) any { return int64(x.Super) }),
		family.ValueColumn("outer", func(x *ExportRow) any { return int64(x.Outer) }),
		family.ValueColumn("archetype", func(x *ExportRow) any { return int64(x.Archetype) }),
		family.TextColumn("class_id", func(x *ExportRow) int32 { return x.ClassName }),
		family.TextColumn("super_id", func(x *ExportRow) int32 { return x.SuperName }),
		family.TextColumn("outer_path_id", func(x *ExportRow) int32 { return x.OuterPath }),
		family.TextColumn("object_id", func(x *ExportRow) int32 { return x.Object }),
		family.ValueColumn("number", func(x *ExportRow) any { return numberOrNull(x.Number) }),
		family.ValueColumn("flags", func(x *ExportRow) any { return x.Flags }),
		family.ValueColumn("offset", func(x *ExportRow) any { return x.Offset }),
		family.ValueColumn("size", func(x *ExportRow) any { return x.Size }),
		family.ValueColumn("export_flags", func(x *ExportRow) any { return x.ExportFlags }),
		family.ValueColumn("package_flags", func(x *ExportRow) any { return x.PackageFlags }))
	packageGenerations = family.NewTable("package_generation", "ordinal",
		family.ValueColumn("exports", func(g *PackageGeneration) any { return int64(g.Exports) }),
		family.ValueColumn("names", func(g *PackageGeneration) any { return int64(g.Names) }),
		family.ValueColumn("net_objects", func(g *PackageGeneration) any { return int64(g.NetObjects) }))
)

// The tables of chunks of IoStore containers; see 0008_iostore.sql.
var (
	scriptObjects = family.NewTable("script_object", "",
		family.ValueColumn("id", func(s *scriptRow) any { return s.id }),
		family.TextColumn("name_id", func(s *scriptRow) int32 { return s.path })).Ignoring()
	containerPackages = family.NewTable("container_package", "seq",
		family.ValueColumn("package", func(p *containerPackageRow) any { return p.id }),
		family.ValueColumn("shaders", func(p *containerPackageRow) any { return p.shaders }),
		family.ValueColumn("optional", func(p *containerPackageRow) any { return p.optional }))
	containerImports = family.NewTable("container_import", "seq",
		family.ValueColumn("package", func(i *containerImportRow) any { return i.id }),
		family.ValueColumn("import", func(i *containerImportRow) any { return i.imported }),
		family.ValueColumn("soft", func(i *containerImportRow) any { return i.soft }))
)

// ScriptObjectTable is the table of the catalog that ScriptObjects chunks fill.
const ScriptObjectTable = "x_script_object"

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func bytesOrNull(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}

// numberOrNull returns nil for -1, which is none.
func numberOrNull(n int32) any {
	if n < 0 {
		return nil
	}
	return int64(n)
}
