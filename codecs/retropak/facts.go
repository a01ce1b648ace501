package retropak

import (
	"pakdb/codecs"
	"pakdb/codecs/family"
)

// Asset is the space of the asset ids of Retro Studios' games. An entry stands for
// its own [codecs.Entry.ID] there, so inspectors define no symbols: the same
// content may be stored under several ids.
const Asset codecs.Space = "retro-asset"

// Facts is the [codecs.Facts.Detail] of an asset of Retro Studios' games.
type Facts struct {
	// Types are the FourCCs that the targets of Facts.Refs must have, one for
	// each.
	Types []string
	// Complete says that Facts.Refs holds every reference there is, so that
	// scanning for ids would only add chance hits.
	Complete bool
	Texts    *Texts // of an asset of type STRG
}

// Texts are what players read, in several languages.
type Texts struct {
	Languages []string // "ENGL"
	Texts     []string
	Strings   []String
}

// String is a text in a language. Language, Name and Text are positions in the lists.
type String struct {
	Language int32
	Number   int32 // of the text in the asset, from 0
	Name     int32 // -1: it has none
	Text     int32
}

var stringRows = family.NewTable("retro_string", "seq",
	family.WordColumn("language_id", func(s *String) int32 { return s.Language }),
	family.ValueColumn("number", func(s *String) any { return int64(s.Number) }),
	family.TextColumn("key_id", func(s *String) int32 { return s.Name }),
	family.TextColumn("text_id", func(s *String) int32 { return s.Text }))

// Batch lists the texts; nil if there are none.
func (f *Facts) Batch() *family.Batch {
	if f.Texts == nil {
		return nil
	}
	return &family.Batch{Words: f.Texts.Languages, Texts: f.Texts.Texts, Rows: []family.Rows{stringRows.Rows(f.Texts.Strings...)}}
}
