package indexer

import (
	"encoding/binary"
	"fmt"

	"pakdb/codecs"
	"pakdb/schema"
)

// packageSpace is where the names of packages are symbols.
const packageSpace = "package"

// valuesKey is what a scan key says of values.
func valuesKey(r *codecs.ValueReader) string {
	if r == nil {
		return ""
	}
	return " " + valuesName(r)
}

// valuesName is what made values.
func valuesName(r *codecs.ValueReader) string { return fmt.Sprintf("%s/%d", r.Name, r.Revision) }

// essenceKey is what the exports of a split package know it by: the start of the hash
// of all in it that is not noise.
func essenceKey(d *codecs.PartDigest) int64 {
	if d == nil {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(d.Essence[:8]))
}

// packageName returns the name of a package by its place, "" if nothing gives it.
func packageName(r *codecs.Registry, o *opened, e *codecs.Entry) string {
	at := placeOf(o, e)
	for _, in := range r.Inspectors {
		if in.SymbolsAt == nil {
			continue
		}
		for _, s := range in.SymbolsAt(e, at, nil) {
			if s.Space == packageSpace {
				return s.Name
			}
		}
	}
	return ""
}

// newRefs returns references to what no other one leads to.
func newRefs(known []schema.Ref, refs []codecs.Ref) (rows []schema.Ref) {
	seen := map[int64]bool{}
	for _, r := range known {
		seen[r.Key] = true
	}
	for _, r := range refs {
		row := schema.Ref{Kind: r.Kind, Space: string(r.Space), Key: keyOf(r.ID, r.Name), Name: r.Name, Flags: int64(r.Flags)}
		if !seen[row.Key] {
			rows = append(rows, row)
		}
	}
	return rows
}

func valueRows(r *codecs.ValueReader, v *codecs.Values) *schema.Values {
	out := &schema.Values{Reader: valuesName(r), Context: v.Context, Engine: int64(v.Engine),
		Exports: v.Exports, Exact: v.Exact, Tailed: v.Tailed, Lost: v.Lost, Fields: v.Fields, Opaque: v.Opaque, Guessed: v.FieldsGuessed,
		Bytes: v.Bytes, OpaqueBytes: v.OpaqueBytes, TailBytes: v.TailBytes, Missing: v.Missing, MissingClass: v.MissingClass, Rows: v.Rows}
	if v.Unversioned {
		out.Traits |= 1
	}
	if v.Guessed {
		out.Traits |= 2
	}
	return out
}

// withoutContent returns facts that outlive the content that they are of.
func withoutContent(f *codecs.Facts) *codecs.Facts {
	return &codecs.Facts{Detail: f.Detail, Digest: f.Digest, Base: f.Base}
}
