package unreal

import (
	"pakdb/internal/family"
)

// LocresFacts is the Detail of facts of kind "unreal-locres": the texts of one culture.
type LocresFacts struct {
	Version    int
	Namespaces int
	Strings    int      // how many of Texts are the file's table of strings; they are the first
	Texts      []string // namespaces, keys and texts, by position
	Rows       []LocalizedText
}

// LocalizedText is one text of a culture.
type LocalizedText struct {
	Namespace, Key int32  // in Texts
	Text           int32  // in Texts; -1: the file names a string that it lacks
	SourceHash     uint32 // of the text that it is a translation of
	Native         bool   // the text itself has that hash
}

// LocmetaFacts is the Detail of facts of kind "unreal-locmeta": the cultures of a
// target.
type LocmetaFacts struct {
	Version    int
	Native     string // the culture that the others are translated from
	NativeFile string
	Cultures   []string // nil in version 0
}

// locresRow sums up a .locres.
type locresRow struct{ version, namespaces, keys, strings, native int64 }

// cultureRow is a culture of a .locmeta, by its position among the words; native says
// that it is the native one.
type cultureRow struct {
	culture int32
	native  int64
}

var (
	locresFiles = family.NewTable("locres", "",
		family.ValueColumn("version", func(r *locresRow) any { return r.version }),
		family.ValueColumn("namespaces", func(r *locresRow) any { return r.namespaces }),
		family.ValueColumn("keys", func(r *locresRow) any { return r.keys }),
		family.ValueColumn("strings", func(r *locresRow) any { return r.strings }),
		family.ValueColumn("native", func(r *locresRow) any { return r.native })).Single()
	localizedTexts = family.NewTable("localized_text", "seq",
		family.TextColumn("namespace_id", func(t *LocalizedText) int32 { return t.Namespace }),
		family.TextColumn("key_id", func(t *LocalizedText) int32 { return t.Key }),
		family.TextColumn("text_id", func(t *LocalizedText) int32 { return t.Text }),
		family.ValueColumn("source_hash", func(t *LocalizedText) any { return int64(t.SourceHash) }))
	localizedCultures = family.NewTable("locmeta_culture", "seq",
		family.WordColumn("culture_id", func(c *cultureRow) int32 { return c.culture }),
		family.ValueColumn("native", func(c *cultureRow) any { return c.native }))
)

// Batch lists the texts.
func (f *LocresFacts) Batch() *family.Batch {
	sum := locresRow{int64(f.Version), int64(f.Namespaces), int64(len(f.Rows)), int64(f.Strings), 0}
	for i := range f.Rows {
		if f.Rows[i].Native {
			sum.native++
		}
	}
	return &family.Batch{Texts: f.Texts, Rows: []family.Rows{locresFiles.Rows(sum), localizedTexts.Rows(f.Rows...)}}
}

// Batch lists the cultures, the native one first.
func (f *LocmetaFacts) Batch() *family.Batch {
	b := &family.Batch{Words: []string{f.Native}}
	rows := []cultureRow{{0, 1}}
	for _, culture := range f.Cultures {
		if culture != f.Native {
			rows = append(rows, cultureRow{int32(len(b.Words)), 0})
			b.Words = append(b.Words, culture)
		}
	}
	b.Rows = []family.Rows{localizedCultures.Rows(rows...)}
	return b
}

// ConfigFacts is the Detail of facts of kind "config": the settings of an .ini file.
type ConfigFacts struct {
	Texts []string
	Lines []ConfigLine
}

// ConfigLine is a setting. Section, Key and Value are positions in Texts.
type ConfigLine struct {
	Section, Key, Value int32
	Op                  string // "+" and "." add to a list, "-" removes from it, "!" clears it; else ""
}

var configLines = family.NewTable("config_line", "seq",
	family.TextColumn("section_id", func(l *ConfigLine) int32 { return l.Section }),
	family.ValueColumn("op", func(l *ConfigLine) any { return l.Op }),
	family.TextColumn("key_id", func(l *ConfigLine) int32 { return l.Key }),
	family.TextColumn("value_id", func(l *ConfigLine) int32 { return l.Value }))

// Batch lists the settings.
func (f *ConfigFacts) Batch() *family.Batch {
	return &family.Batch{Texts: f.Texts, Rows: []family.Rows{configLines.Rows(f.Lines...)}}
}

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
