package unreal

import "pakdb/codecs/family"

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
