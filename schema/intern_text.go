package schema

import (
	"context"
	"database/sql/driver"
	"strings"
)

// NameKey returns the key of a text in table name_key, and in the symbols and
// references that go by names: the first 8 bytes of the BLAKE3 of the
// lower-cased text, little-endian, signed.
func NameKey(name string) int64 { return hashOf(strings.ToLower(name)).key() }

// wantedText is a text that needs an id in table name.
type wantedText struct {
	text string
	hash halfHash // of the text as it is
	id   *int64
}

// wantedTexts lists the texts of the batch in the order that decides their ids.
func wantedTexts(b *batch) (wanted []wantedText) {
	add := func(text string, id *int64) {
		if text != "" {
			wanted = append(wanted, wantedText{text, hashOf(text), id})
		}
	}
	for i := range b.entries {
		for j := range b.entries[i].PlaceSymbols {
			s := &b.entries[i].PlaceSymbols[j]
			if s.from = nameIn(b.entries[i].Name, s.Name); !s.from.found {
				add(s.Name, &s.nameID)
			}
		}
	}
	for _, e := range b.due {
		for i := range e.Facts.Symbols {
			add(e.Facts.Symbols[i].Name, &e.Facts.Symbols[i].nameID)
		}
		for i := range e.Facts.Refs {
			add(e.Facts.Refs[i].Name, &e.Facts.Refs[i].nameID)
		}
		if f := e.Facts; f.Family != nil {
			f.ids.texts = make([]int64, len(f.Family.Texts))
			for i, text := range f.Family.Texts { // the empty one included: names may be
				wanted = append(wanted, wantedText{text, hashOf(text), &f.ids.texts[i]})
			}
		}
	}
	return wanted
}

// internTexts gives every text its id.
func (in *interner) internTexts(ctx context.Context, b *batch) error {
	wanted := wantedTexts(b)
	if err := in.findTexts(ctx, wanted); err != nil {
		return err
	}
	for _, n := range wanted {
		var fresh bool
		if *n.id, fresh = in.texts.id(n.hash); fresh {
			b.newTexts = append(b.newTexts, n.text)
			in.keys.texts = append(in.keys.texts, keyRow{NameKey(n.text), *n.id})
		}
	}
	return nil
}

// findTexts looks up texts that may be in the catalog from before. Those that
// differ in case have one key.
func (in *interner) findTexts(ctx context.Context, wanted []wantedText) error {
	if in.texts.all {
		return nil
	}
	var keys []int64
	for _, n := range wanted {
		if in.texts.ids[n.hash] == 0 {
			keys = append(keys, NameKey(n.text))
		}
	}
	return in.texts.find(ctx, in.finder, keys, func(id int64, columns []driver.Value) (halfHash, int64, bool) {
		text, ok := columns[0].(string)
		return hashOf(text), id, ok
	})
}
