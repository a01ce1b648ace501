package indexer

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/family"
	"pakdb/internal/mount"
	"pakdb/schema"
)

// factsOf translates facts into rows. err is why there are none.
func factsOf(in *codecs.Inspector, facts *codecs.Facts, err error) *schema.Facts {
	out := &schema.Facts{Inspector: fmt.Sprintf("%s/%d", in.Name, in.Revision), Kind: in.Name}
	if err != nil {
		out.Problems = append(out.Problems, problem(nil, err))
	}
	if facts == nil {
		return out
	}
	if facts.Kind != "" {
		out.Kind = facts.Kind
	}
	for _, p := range facts.Problems {
		out.Problems = append(out.Problems, problem(nil, p))
	}
	out.Refs = make([]schema.Ref, len(facts.Refs))
	for i, r := range facts.Refs {
		out.Refs[i] = schema.Ref{Kind: r.Kind, Space: string(r.Space), Key: keyOf(r.ID, r.Name), Name: r.Name, Flags: int64(r.Flags)}
	}
	if facts.Scan != nil {
		out.Scan = specText(facts.Scan)
	}
	if facts.Detail != nil {
		out.Family = facts.Detail.Batch()
	}
	if out.Family == nil || !slices.ContainsFunc(out.Family.Rows, func(r family.Rows) bool { return r.Layout().Defines }) {
		out.Symbols = symbolRows(facts.Symbols)
	}
	return out
}

// keyOf returns the key of an id, or of a name where there is none.
func keyOf(id codecs.ID, name string) int64 {
	if id.IsZero() {
		return schema.NameKey(name)
	}
	return int64(id.Lo)
}

func symbolRows(symbols []codecs.Symbol) []schema.Symbol {
	if len(symbols) == 0 {
		return nil
	}
	rows := make([]schema.Symbol, len(symbols))
	for i, s := range symbols {
		rows[i] = schema.Symbol{Space: string(s.Space), Key: keyOf(s.ID, s.Name), Name: s.Name, Path: s.Path}
	}
	return rows
}

// placeRows is symbolRows without the keys of names: those of entries that an earlier
// build has are never asked for.
func placeRows(symbols []codecs.Symbol) []schema.Symbol {
	if len(symbols) == 0 {
		return nil
	}
	rows := make([]schema.Symbol, len(symbols))
	for i, s := range symbols {
		rows[i] = schema.Symbol{Space: string(s.Space), Key: int64(s.ID.Lo), Name: s.Name}
	}
	return rows
}

// entrySymbols returns what the entry defines whatever its content.
func entrySymbols(r *codecs.Registry, e *codecs.Entry) (all []codecs.Symbol) {
	if e.Name == "" {
		return nil
	}
	for _, in := range r.Inspectors {
		if in.Symbols != nil {
			all = append(all, in.Symbols(e)...)
		}
	}
	return all
}

// addPlaceSymbols adds what the entry is called by where it lies. head is nil
// when its content was not read.
func addPlaceSymbols(r *codecs.Registry, o *opened, e *codecs.Entry, head []byte, row *schema.Entry) {
	if e.Name == "" {
		return
	}
	var at string
	for _, in := range r.Inspectors {
		if in.SymbolsAt == nil {
			continue
		}
		if at == "" {
			at = placeOf(o, e)
		}
		rows := placeRows(in.SymbolsAt(e, at, head))
		if row.PlaceSymbols != nil {
			rows = append(row.PlaceSymbols, rows...)
		}
		row.PlaceSymbols = rows
	}
	if row.PlaceSymbols == nil { // none, which is known now
		row.PlaceSymbols = []schema.Symbol{}
	}
}

// placeOf returns the whole path of an entry in the game: after the mount point
// of its archive, where there is one; of a file that is its own entry, the path
// on disk.
func placeOf(o *opened, e *codecs.Entry) string {
	if o.format.NamedByFile {
		return path.Join(filepath.ToSlash(filepath.Dir(o.path)), e.Name)
	}
	mount := o.mountPoint
	if mount != "" && !strings.HasSuffix(mount, "/") {
		mount += "/"
	}
	return mount + e.Name
}

// placeKey distinguishes scans of equal files in different places, where
// the place makes a difference: in a format that names its entry by the file.
func placeKey(r *codecs.Registry, o *opened) string {
	if !o.format.NamedByFile {
		return ""
	}
	key := " name:" + o.src.Name + " file:" + mount.FileKey("", o.name)
	for _, in := range r.Inspectors {
		if in.SymbolsAt == nil {
			continue
		}
		for _, symbol := range in.SymbolsAt(&codecs.Entry{Name: o.src.Name}, filepath.ToSlash(o.path), nil) {
			key += " " + string(symbol.Space) + ":" + symbol.Name
		}
	}
	return key
}

// problem describes err, as far as it says where it is.
func problem(e *codecs.Entry, err error) schema.Problem {
	p := schema.Problem{Ordinal: -1, Offset: -1, Cause: err.Error()}
	if e != nil {
		p.Ordinal, p.Path = int64(e.Ordinal), e.Name
	}
	var fe *codecs.FormatError
	if errors.As(err, &fe) {
		p.Field, p.Offset, p.Cause = fe.Field, fe.Off, fe.Err.Error()
		if p.Path == "" {
			p.Path = fe.Entry
		}
	}
	return p
}
