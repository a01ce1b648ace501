package pushed

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pakdb/query/explore"
)

// Entry implements [explore.Source].
func (s *Source) Entry(ctx context.Context, b *explore.Build, at explore.Place) (*explore.Entry, error) {
	var e *explore.Entry
	of := values{"build": b.Label, "archive": at.Archive, "ordinal": at.Ordinal}
	// The order by build has the path and not the rest, which is found by the path.
	condition := ""
	err := s.each(ctx, "SELECT path FROM entries WHERE build = :build AND archive = :archive AND ordinal = :ordinal", of, func(v []driver.Value) error {
		if condition = "path IS NULL"; v[0] != nil {
			condition, of["path"] = "path = :path", text(v[0])
		}
		return nil
	})
	if err == nil && condition != "" {
		err = s.each(ctx, "SELECT path, type, kind, asset_id, path_hash, `offset`, stored, size, method, encrypted, deleted, nested, mtime, content"+
			" FROM entries WHERE build = :build AND archive = :archive AND ordinal = :ordinal AND "+condition, of, func(v []driver.Value) error {
			e = &explore.Entry{Build: b.Label, Archive: at.Archive, Ordinal: at.Ordinal, Path: text(v[0]), Type: text(v[1]), Kind: text(v[2]), AssetID: text(v[3]),
				PathHash: text(v[4]), Offset: integer(v[5]), Stored: integer(v[6]), Size: integer(v[7]), Method: text(v[8]), Encrypted: integer(v[9]) != 0,
				Deleted: integer(v[10]) != 0, Nested: integer(v[11]) != 0, Modified: text(v[12]), Content: text(v[13]), Problems: []explore.Problem{}}
			return nil
		})
	}
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, fmt.Errorf("%w: %s, entry %d of %s", explore.ErrNoEntry, b.Label, at.Ordinal, at.Archive)
	}
	err = s.each(ctx, "SELECT field, `offset`, cause FROM problems WHERE build = :build AND archive = :archive AND ordinal = :ordinal", of, func(v []driver.Value) error {
		e.Problems = append(e.Problems, explore.Problem{Field: text(v[0]), Offset: integer(v[1]), Cause: text(v[2])})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if e.Content != "" {
		err = s.each(ctx, "SELECT entry_count FROM contents WHERE build = :build AND content = :content", values{"build": b.Label, "content": e.Content}, func(v []driver.Value) error {
			e.Copies = integer(v[0])
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	seen, err := s.file(ctx, e, of)
	if err == nil && !seen && !e.Nested && e.Path != "" {
		err = s.shadow(ctx, b, e)
	}
	return e, err
}

// file fills in what the view files has of an entry, and reports whether it has it. Its path
// there is another one if it has that from another container.
func (s *Source) file(ctx context.Context, e *explore.Entry, of values) (seen bool, err error) {
	const row = " FROM files WHERE build = :build AND archive = :archive AND ordinal = :ordinal"
	of = maps.Clone(of)
	gamePath := func(v []driver.Value) error {
		seen, e.GamePath, e.Hides = true, text(v[0]), integer(v[1])
		return nil
	}
	if e.Path != "" {
		if err = s.each(ctx, "SELECT game_path, shadowed_count"+row+" AND path = :path", of, gamePath); seen || err != nil {
			return seen, err
		}
	}
	err = s.each(ctx, "SELECT path, shadowed_count"+row, of, func(v []driver.Value) error {
		seen, e.Hides = true, integer(v[1])
		if delete(of, "path"); v[0] != nil {
			of["path"] = text(v[0])
		}
		return nil
	})
	if _, named := of["path"]; err != nil || !seen || !named {
		return seen, err
	}
	return seen, s.each(ctx, "SELECT game_path, shadowed_count"+row+" AND path = :path", of, gamePath)
}

// shadow tells what hides an entry that is no file of the game, or what it hides itself as a
// delete record. The views do not say so: it is looked for by the path in the game.
func (s *Source) shadow(ctx context.Context, b *explore.Build, e *explore.Entry) error {
	mounts, err := s.mounts(ctx, b.Label)
	if err != nil {
		return err
	}
	path := mounts[e.Archive].root + e.Path
	of := values{"build": b.Label}
	condition := stored(mounts, path, of)
	winner, exact := "", false
	folded := strings.ReplaceAll(strings.ReplaceAll(condition, "path = ", "lowerUTF8(path) = lowerUTF8("), " OR ", ") OR ") + ")"
	err = s.each(ctx, "SELECT archive, path FROM files WHERE build = :build AND ("+folded+")", of, func(v []driver.Value) error {
		name := mounts[text(v[0])].root + text(v[1])
		if same := name == path; same && !exact || winner == "" && strings.EqualFold(name, path) {
			winner, exact = strings.Clone(text(v[0])), same
		}
		return nil
	})
	if err != nil || winner != "" {
		if !e.Deleted { // delete records are not hidden
			e.HiddenBy = winner
		}
		return err
	}
	type entry struct {
		explore.Place
		deleted bool
	}
	var all []entry
	err = s.each(ctx, "SELECT archive, ordinal, deleted, path FROM entries WHERE build = :build AND nested = 0 AND ("+condition+")", of, func(v []driver.Value) error {
		if archive := text(v[0]); mounts[archive].root+text(v[3]) == path {
			all = append(all, entry{explore.Place{Archive: archive, Ordinal: integer(v[1])}, integer(v[2]) != 0})
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b entry) int { return mounts.compare(a.Place, b.Place) })
	i := slices.IndexFunc(all, func(other entry) bool { return other.deleted })
	switch {
	case i < 0: // what describes an archive
	case !e.Deleted:
		e.HiddenBy = all[i].Archive
	case all[i].Archive == e.Archive && all[i].Ordinal == e.Ordinal:
		for k := range all {
			if !all[k].deleted {
				e.Hides++
			}
		}
	}
	return nil
}

// stored returns a condition that the entries of a path in the game meet, of their paths as
// archives store them.
func stored(mounts mounts, path string, of values) string {
	names := map[string]bool{}
	for _, root := range mounts.roots() {
		if below, ok := strings.CutPrefix(path, root); ok && below != "" {
			names[below] = true
		}
	}
	names[path] = true
	var conditions []string
	for name := range names {
		parameter := fmt.Sprint("stored", len(conditions))
		of[parameter] = name
		conditions = append(conditions, "path = :"+parameter)
	}
	return strings.Join(conditions, " OR ")
}

// Places implements [explore.Source].
func (s *Source) Places(ctx context.Context, b *explore.Build, path string) ([]explore.Place, error) {
	mounts, err := s.mounts(ctx, b.Label)
	if err != nil {
		return nil, err
	}
	of := values{"build": b.Label}
	condition := stored(mounts, path, of)
	seen := map[explore.Place]bool{}
	err = s.each(ctx, "SELECT archive, ordinal FROM files WHERE build = :build AND ("+condition+")", of, func(v []driver.Value) error {
		seen[explore.Place{Archive: text(v[0]), Ordinal: integer(v[1])}] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	var first, hidden []explore.Place
	err = s.each(ctx, "SELECT archive, ordinal, path FROM entries WHERE build = :build AND ("+condition+")", of, func(v []driver.Value) error {
		at := explore.Place{Archive: text(v[0]), Ordinal: integer(v[1])}
		switch name := text(v[2]); {
		case name != path && mounts[at.Archive].root+name != path: // another mount has it elsewhere
		case seen[at]:
			first = append(first, at)
		default:
			hidden = append(hidden, at)
		}
		return nil
	})
	slices.SortFunc(first, mounts.compare)
	slices.SortFunc(hidden, mounts.compare)
	return append(first, hidden...), err
}

// Version is what a build has at a path.
type Version struct {
	Archive, Type, Method string
	Encrypted             bool
	Size, Stored          int64
	Content               string // BLAKE3 in hex, "" for none
	Copies                int    // entries of that file, this one included
}

// Versions returns what each build has at a path, as its archives store it, that the game
// sees; nil where it has nothing. Labels are those of all builds, the oldest first.
func (s *Source) Versions(ctx context.Context, path string) (labels []string, versions []*Version, err error) {
	builds, err := s.Builds(ctx)
	if err != nil {
		return nil, nil, err
	}
	type key struct {
		build string
		explore.Place
	}
	hides := map[key]int64{} // of files
	order := map[key]int64{}
	of := values{"path": path}
	err = s.each(ctx, "SELECT build, archive, ordinal, shadowed_count, mount_order FROM files WHERE path = :path", of, func(v []driver.Value) error {
		k := key{text(v[0]), explore.Place{Archive: text(v[1]), Ordinal: integer(v[2])}}
		hides[k], order[k] = integer(v[3]), integer(v[4])
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	type found struct {
		key
		Version
	}
	var all []found
	err = s.each(ctx, "SELECT build, archive, ordinal, type, method, encrypted, size, stored, content, nested FROM entries WHERE path = :path AND deleted = 0", of, func(v []driver.Value) error {
		k := key{text(v[0]), explore.Place{Archive: text(v[1]), Ordinal: integer(v[2])}}
		hidden, seen := hides[k]
		if !seen && integer(v[9]) == 0 {
			return nil // another entry hides it
		}
		all = append(all, found{k, Version{Archive: k.Archive, Type: text(v[3]), Method: text(v[4]), Encrypted: integer(v[5]) != 0,
			Size: integer(v[6]), Stored: integer(v[7]), Content: text(v[8]), Copies: int(hidden) + 1}})
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(order[b.key], order[a.key]), strings.Compare(a.key.Archive, b.key.Archive), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	first := map[string]*Version{}
	for i := range all {
		if f := &all[i]; first[f.build] == nil {
			first[f.build] = &f.Version
		}
	}
	for i := range builds {
		labels = append(labels, builds[i].Label)
		versions = append(versions, first[builds[i].Label])
	}
	return labels, versions, nil
}
