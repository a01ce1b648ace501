package unreal

import "pakdb/codecs/family"

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
