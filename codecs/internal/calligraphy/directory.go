package calligraphy

import (
	"strings"

	"pakdb/codecs"
)

// The least bytes of a record: its fixed fields and the length of an empty path.
const (
	minRecord      = 8 + 8 + 1 + 2
	minPrototype   = minRecord + 8
	minReplacement = 8 + 8 + 2
)

// directoryDecoder decodes directories.
type directoryDecoder struct{ *decoder }

func (d directoryDecoder) records(space codecs.Space, minElem int) {
	d.detail.Space = space
	n := d.count(minElem)
	records := make([]Record, 0, n)
	symbols := make([]codecs.Symbol, 0, 2*n)
	// All paths share one buffer. It never grows: what a path gains, its record's
	// fixed fields exceed.
	var paths strings.Builder
	paths.Grow(len(d.buf))
	for i := range n {
		d.at("records", i)
		rec := d.record(space, &paths)
		if d.r.Err() != nil {
			break
		}
		records = append(records, rec)
		symbols = define(symbols, space, rec.ID, rec.Path)
		symbols = define(symbols, SpaceGUID, rec.GUID, rec.Path)
	}
	d.detail.Records, d.facts.Symbols = records, symbols
}

func (d directoryDecoder) record(space codecs.Space, paths *strings.Builder) Record {
	rec := Record{ID: d.r.U64(), GUID: d.r.U64()}
	if space == SpacePrototype {
		rec.Blueprint = d.r.U64()
	}
	rec.Flags = d.r.U8()
	rec.Path = d.path(paths)
	return rec
}

// path reads a path of a directory and makes the entry's name of it.
func (d directoryDecoder) path(paths *strings.Builder) string {
	stored := d.r.Bytes(int(d.r.U16()))
	start := paths.Len()
	paths.WriteString(dataPrefix)
	for _, c := range stored {
		if c == '\\' {
			c = '/'
		}
		paths.WriteByte(c)
	}
	return d.valid(paths.String()[start:], d.r.Pos()-len(stored))
}

func define(symbols []codecs.Symbol, space codecs.Space, id uint64, path string) []codecs.Symbol {
	if id == 0 {
		return symbols
	}
	return append(symbols, codecs.Symbol{Space: space, ID: codecs.ID64(id), Path: path})
}

func (d directoryDecoder) replacements() {
	d.text = string(d.buf)
	n := d.count(minReplacement)
	all := make([]Replacement, 0, n)
	for i := range n {
		d.at("replacements", i)
		rep := Replacement{Old: d.r.U64(), New: d.r.U64(), Name: d.str()}
		if d.r.Err() != nil {
			break
		}
		all = append(all, rep)
	}
	d.detail.Replacements = all
}
