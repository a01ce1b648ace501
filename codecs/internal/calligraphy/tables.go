package calligraphy

import "pakdb/codecs/family"

// The tables of the catalog; see 0002_graph.sql.
var (
	marvelRecords = family.NewTable("calligraphy_record", "seq",
		family.WordColumn("space_id", func(*recordRow) int32 { return 0 }),
		family.ValueColumn("id", func(r *recordRow) any { return int64(r.ID) }),
		family.ValueColumn("guid", func(r *recordRow) any { return int64(r.GUID) }),
		family.ValueColumn("blueprint", func(r *recordRow) any { return int64(r.Blueprint) }),
		family.PathColumn("path_id", func(r *recordRow) int32 { return r.path }),
		family.ValueColumn("flags", func(r *recordRow) any { return int64(r.Flags) }))
	replacements = family.NewTable("calligraphy_replacement", "seq",
		family.ValueColumn("old_guid", func(r *replacementRow) any { return int64(r.Old) }),
		family.ValueColumn("new_guid", func(r *replacementRow) any { return int64(r.New) }),
		family.ValueColumn("last_guid", func(r *replacementRow) any { return int64(r.last) }),
		family.ValueColumn("name", func(r *replacementRow) any { return r.Name }))
	assets = family.NewTable("calligraphy_asset", "seq",
		family.ValueColumn("id", func(a *Asset) any { return int64(a.ID) }),
		family.ValueColumn("guid", func(a *Asset) any { return int64(a.GUID) }),
		family.ValueColumn("flags", func(a *Asset) any { return int64(a.Flags) }),
		family.ValueColumn("name", func(a *Asset) any { return a.Name }))
	curves = family.NewTable("calligraphy_curve", "",
		family.ValueColumn("start", func(c *curveRow) any { return c.start }),
		family.ValueColumn("points", func(c *curveRow) any { return c.points })).Single()
	blueprints = family.NewTable("calligraphy_blueprint", "",
		family.ValueColumn("runtime_class", func(b *Blueprint) any { return b.RuntimeClass }),
		family.ValueColumn("default_id", func(b *Blueprint) any { return int64(b.Default) })).Single()
	members = family.NewTable("calligraphy_member", "seq",
		family.ValueColumn("field", func(m *Member) any { return int64(m.ID) }),
		family.ValueColumn("name", func(m *Member) any { return m.Name }),
		family.ValueColumn("type", func(m *Member) any { return string(m.Type) }),
		family.ValueColumn("list", func(m *Member) any { return flag(m.Structure == 'L') }),
		family.ValueColumn("subtype", func(m *Member) any { return int64(m.Subtype) }))
	values = family.NewTable("calligraphy_value", "ordinal",
		family.ValueColumn("owner", func(v *valueRow) any { return indexOrNull(v.owner) }),
		family.ValueColumn("blueprint", func(v *valueRow) any { return int64(v.blueprint) }),
		family.ValueColumn("copy", func(v *valueRow) any { return int64(v.copy) }),
		family.ValueColumn("field", func(v *valueRow) any { return int64(v.field) }),
		family.ValueColumn("type", func(v *valueRow) any { return v.typ }),
		family.ValueColumn("position", func(v *valueRow) any { return indexOrNull(v.position) }),
		family.ValueColumn("value", func(v *valueRow) any { return v.value }))
	resources = family.NewTable("calligraphy_resource", "",
		family.ValueColumn("signature", func(r *Resource) any { return int64(r.Signature) }),
		family.ValueColumn("version", func(r *Resource) any { return int64(r.Version) }),
		family.ValueColumn("class_id", func(r *Resource) any { return int64(r.ClassID) }),
		family.ValueColumn("class", func(r *Resource) any { return textOrNull(r.Class) })).Single()
)

func flag(set bool) int64 {
	if set {
		return 1
	}
	return 0
}

// indexOrNull returns nil for -1, which is none.
func indexOrNull(i int64) any {
	if i < 0 {
		return nil
	}
	return i
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
