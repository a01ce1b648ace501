package mods

import (
	"fmt"

	"pakdb/codecs/internal/calligraphy"
	"pakdb/codecs/internal/property"
)

// mergeDirectories merges lists of files of the game database by records, which are known by their GUIDs.
func mergeDirectories(name string, all [][]byte, o MergeOptions) (*Merged, error) {
	m := &merger{o: o, all: make([]*version, len(all))}
	files := make([]*calligraphy.Directory, len(all))
	records := make([]map[uint64]*calligraphy.DirectoryRecord, len(all))
	var keys []uint64
	known := map[uint64]bool{}
	for i, b := range all {
		var err error
		if files[i], err = calligraphy.OpenDirectory(name, b); err != nil {
			return nil, valueError(err)
		}
		records[i] = map[uint64]*calligraphy.DirectoryRecord{}
		for k := range files[i].Records {
			r := &files[i].Records[k]
			if records[i][r.Key] != nil {
				return nil, fmt.Errorf("%w: two records have the GUID %016x", property.ErrRefused, r.Key)
			}
			if records[i][r.Key] = r; !known[r.Key] {
				known[r.Key], keys = true, append(keys, r.Key)
			}
		}
	}
	var result []calligraphy.DirectoryRecord
	for _, key := range keys {
		canon, field := make([]string, len(all)), ""
		for i := range all {
			if r := records[i][key]; r != nil {
				canon[i] = string(r.Data)
				if field == "" {
					field = r.Name
				}
			}
		}
		from := 0
		shown := func(i int) string {
			if r := records[i][key]; r != nil {
				return r.Text() + " " + r.Name
			}
			return ""
		}
		if n := m.decide("", field, canon, shown); n != nil {
			from = n.from
		}
		if r := records[from][key]; r != nil {
			result = append(result, *r)
		}
	}
	out := &Merged{Items: m.items, Frame: -1}
	if out.Open() > 0 {
		return out, nil
	}
	out.Asset = files[0].With(result)
	if got, err := calligraphy.OpenDirectory(name, out.Asset); err != nil || len(got.Records) != len(result) {
		return nil, fmt.Errorf("%w: the records of %s: %w", ErrProof, name, err)
	}
	return out, nil
}
