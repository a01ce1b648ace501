package pushed

import (
	"context"
	"database/sql/driver"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pakdb/query/explore"
)

// folderSQL is the folder that game_path lies in, without slashes around it.
const folderSQL = `trim(BOTH '/' FROM substring(assumeNotNull(game_path), 1, greatest(0, length(assumeNotNull(game_path)) - position(concat(reverse(assumeNotNull(game_path)), '/'), '/'))))`

// What files lack, entries have: both are rows of one archive and ordinal.
const treeSQL = `SELECT f.folder, f.archive, count() AS n, sum(f.size) AS bytes, sum(e.stored) AS disk, max(f.size) AS largest, argMin(e.kind, (-f.size, e.kind)) AS of_largest
	FROM (SELECT archive, ordinal, size, ` + folderSQL + ` AS folder FROM files WHERE build = :build AND game_path IS NOT NULL) AS f
	INNER JOIN (SELECT archive, ordinal, stored, ifNull(toString(ext), '') AS kind FROM entries WHERE build = :build) AS e
		ON e.archive = f.archive AND e.ordinal = f.ordinal
	GROUP BY f.folder, f.archive`

// Tree implements [explore.Source]. The sums are asked for once and kept, the files of a
// folder are asked for each time.
func (s *Source) Tree(ctx context.Context, label string) (*explore.Tree, error) {
	b, err := s.Build(ctx, label)
	if err != nil {
		return nil, err
	}
	return s.trees.Get(ctx, b, func(ctx context.Context) (*explore.Tree, error) { return s.load(ctx, b) })
}

func (s *Source) load(ctx context.Context, b *explore.Build) (*explore.Tree, error) {
	of := values{"build": b.Label}
	mounts, err := s.mounts(ctx, b.Label)
	if err != nil {
		return nil, err
	}
	var types []string
	err = s.each(ctx, "SELECT DISTINCT ifNull(toString(ext), '') AS kind FROM entries WHERE build = :build ORDER BY kind", of, func(v []driver.Value) error {
		if kind := text(v[0]); kind != "" {
			types = append(types, kind)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var unnamed int64
	err = s.each(ctx, "SELECT count() AS n FROM files WHERE build = :build AND game_path IS NULL", of, func(v []driver.Value) error {
		unnamed = integer(v[0])
		return nil
	})
	if err != nil {
		return nil, err
	}
	var sums []explore.Sum
	err = s.each(ctx, treeSQL, of, func(v []driver.Value) error {
		sums = append(sums, explore.Sum{Folder: text(v[0]), Archive: text(v[1]), Files: integer(v[2]), Size: integer(v[3]), Stored: integer(v[4]), Largest: integer(v[5]), Type: text(v[6])})
		return nil
	})
	if err != nil {
		return nil, err
	}
	archives := slices.Sorted(maps.Keys(mounts))
	return explore.NewTree(b, archives, types, sums, unnamed, func(ctx context.Context, folder string) ([]explore.Listed, error) {
		return s.list(ctx, b.Label, mounts, folder)
	}), nil
}

// list returns the files directly in a folder.
func (s *Source) list(ctx context.Context, build string, mounts mounts, folder string) ([]explore.Listed, error) {
	of := values{"build": build, "folder": folder}
	files := "FROM files WHERE build = :build AND game_path IS NOT NULL AND (" + below(mounts, folder, of) + ") AND " + folderSQL + " = :folder"
	var all []explore.Listed
	err := s.each(ctx, `SELECT f.game_path, f.archive, f.ordinal, f.size, e.stored, e.kind, e.encrypted
		FROM (SELECT game_path, archive, ordinal, size `+files+`) AS f
		INNER JOIN (SELECT archive, ordinal, stored, ifNull(toString(ext), '') AS kind, encrypted FROM entries
			WHERE build = :build AND (archive, ordinal) IN (SELECT archive, ordinal `+files+`)) AS e
			ON e.archive = f.archive AND e.ordinal = f.ordinal`, of, func(v []driver.Value) error {
		path := text(v[0])
		all = append(all, explore.Listed{Name: path[strings.LastIndexByte(path, '/')+1:], Archive: text(v[1]), Ordinal: integer(v[2]), Size: integer(v[3]),
			Stored: integer(v[4]), Type: text(v[5]), Encrypted: integer(v[6]) != 0})
		return nil
	})
	return all, err
}

// below returns a condition that all files below a folder meet, of their paths as archives
// store them: rows are sorted by these, so that few are read.
func below(mounts mounts, folder string, of values) string {
	conditions := []string{"startsWith(assumeNotNull(path), '/')"} // such a path is not cut as others are
	for _, root := range mounts.roots() {
		prefix := folder + "/"
		if folder == "" {
			prefix = ""
		}
		switch {
		case strings.HasPrefix(prefix, root):
			prefix = prefix[len(root):]
		case prefix != "" || root != "":
			continue // all files of that root lie below another folder
		}
		if prefix == "" {
			return "1"
		}
		name := fmt.Sprint("below", len(conditions))
		of[name] = prefix
		conditions = append(conditions, "startsWith(assumeNotNull(path), :"+name+")")
	}
	return strings.Join(conditions, " OR ")
}
