package write

import (
	"context"
	"database/sql/driver"
	"strings"
	"unicode/utf8"

	"pakdb/internal/family"
	"pakdb/schema/internal/record"
)

// wantedText is a text that needs an id in table name.
type wantedText struct {
	text string
	hash record.Half // of the text as it is
	id   *int64
}

// wantedTexts lists the texts of the batch in the order that decides their ids.
func wantedTexts(b *Batch) (wanted []wantedText) {
	add := func(text string, id *int64) {
		if text != "" {
			wanted = append(wanted, wantedText{text, record.HashOf(text), id})
		}
	}
	for i := range b.Rows {
		r := &b.Rows[i]
		if len(r.PlaceSymbols) > 0 {
			r.Places = make([]Place, len(r.PlaceSymbols))
		}
		for j := range r.PlaceSymbols {
			s, p := &r.PlaceSymbols[j], &r.Places[j]
			name := s.Name
			if name != "" && s.Key == 0 {
				s.Key = record.NameKey(name)
			}
			if p.From = nameIn(r.Name, name); !p.From.Found {
				add(name, &p.NameID)
			}
		}
	}
	addFamily := func(f *family.Batch, ids *FactIDs) {
		ids.Texts = make([]int64, len(f.Texts))
		for i, text := range f.Texts { // the empty one included: names may be
			wanted = append(wanted, wantedText{text, record.HashOf(text), &ids.Texts[i]})
		}
	}
	addValues := func(r *Row) {
		add(r.Values.MissingClass, &r.Exports.Missing)
		addFamily(r.Values.Rows, &r.Exports.Values)
	}
	for i := range b.Rows {
		r := &b.Rows[i]
		if r.ExportsOf == nil {
			continue
		}
		if r.Exports.Place.From = nameIn(r.ExportsOf.Path, r.ExportsOf.Name); !r.Exports.Place.From.Found {
			add(r.ExportsOf.Name, &r.Exports.Place.NameID)
		}
		if r.Values != nil {
			addValues(r)
		}
	}
	for _, r := range b.Sets {
		addValues(r)
	}
	for _, r := range b.Replaced {
		if r.Values != nil {
			addValues(r)
		}
	}
	for _, r := range b.Due {
		f, ids := r.Facts, &r.FactIDs
		ids.SymbolNames, ids.RefNames = make([]int64, len(f.Symbols)), make([]int64, len(f.Refs))
		for i := range f.Symbols {
			add(f.Symbols[i].Name, &ids.SymbolNames[i])
		}
		for i := range f.Refs {
			add(f.Refs[i].Name, &ids.RefNames[i])
		}
		if f.Family != nil {
			addFamily(f.Family, ids)
		}
	}
	return wanted
}

// internTexts gives every text its id.
func (in *interner) internTexts(ctx context.Context, b *Batch) error {
	wanted := wantedTexts(b)
	if err := in.findTexts(ctx, wanted); err != nil {
		return err
	}
	for _, n := range wanted {
		var fresh bool
		if *n.id, fresh = in.texts.id(n.hash); fresh {
			b.NewTexts = append(b.NewTexts, n.text)
			in.keys.Texts = append(in.keys.Texts, Key{Key: record.NameKey(n.text), ID: *n.id})
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
		if !in.texts.has(n.hash) {
			keys = append(keys, record.NameKey(n.text))
		}
	}
	return in.texts.find(ctx, in.finder, keys, func(_ int64, columns []driver.Value) (record.Half, bool) {
		text, ok := columns[0].(string)
		return record.HashOf(text), ok
	})
}

// nameIn returns where a name is in a path: the file's name at least must be in it.
func nameIn(path, name string) NameFrom {
	prefix, base := record.SplitPath(path)
	dot := strings.LastIndexByte(base, '.') // as Ext has it, which keeps the number of letters
	if dot <= 0 || strings.IndexByte(path, 0) >= 0 {
		return NameFrom{}
	}
	stem := path[:len(prefix)+dot]
	n := 0
	for n < min(len(stem), len(name)) && stem[len(stem)-1-n] == name[len(name)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(stem[len(stem)-n]) { // a letter is not cut
		n--
	}
	if n < dot {
		return NameFrom{}
	}
	return NameFrom{Root: name[:len(name)-n], Start: int64(utf8.RuneCountInString(stem[:len(stem)-n])) + 1, Found: true}
}
