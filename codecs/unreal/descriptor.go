package unreal

import "pakdb/codecs/family"

// DescriptorFacts is the Detail of facts of kind "unreal-descriptor": what plugins and
// projects say of themselves.
type DescriptorFacts struct {
	Texts       []string
	Descriptors []Descriptor
}

// Descriptor is a plugin or a project. Texts are positions in Texts; -1 for none.
type Descriptor struct {
	Project                        bool
	Name                           int32 // -1: that of the file
	Title, Description, Category   int32
	CreatedBy, VersionName, Engine int32
	Version                        int64
	Enabled                        *bool  // by default; nil: it does not say
	Content                        bool   // it may have content of its own
	Modules, Plugins               string // JSON: lists of objects
}

var descriptors = family.NewTable("plugin_descriptor", "seq",
	family.ValueColumn("project", func(d *Descriptor) any { return flag(d.Project) }),
	family.TextColumn("name_id", func(d *Descriptor) int32 { return d.Name }),
	family.TextColumn("title_id", func(d *Descriptor) int32 { return d.Title }),
	family.TextColumn("description_id", func(d *Descriptor) int32 { return d.Description }),
	family.TextColumn("category_id", func(d *Descriptor) int32 { return d.Category }),
	family.TextColumn("created_by_id", func(d *Descriptor) int32 { return d.CreatedBy }),
	family.ValueColumn("version", func(d *Descriptor) any { return d.Version }),
	family.TextColumn("version_name_id", func(d *Descriptor) int32 { return d.VersionName }),
	family.TextColumn("engine_id", func(d *Descriptor) int32 { return d.Engine }),
	family.ValueColumn("enabled", func(d *Descriptor) any {
		if d.Enabled == nil {
			return nil
		}
		return flag(*d.Enabled)
	}),
	family.ValueColumn("content", func(d *Descriptor) any { return flag(d.Content) }),
	family.ValueColumn("modules", func(d *Descriptor) any { return d.Modules }),
	family.ValueColumn("plugins", func(d *Descriptor) any { return d.Plugins }))

// Batch lists the descriptors.
func (f *DescriptorFacts) Batch() *family.Batch {
	return &family.Batch{Texts: f.Texts, Rows: []family.Rows{descriptors.Rows(f.Descriptors...)}}
}

// flag returns 1 for true.
func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
