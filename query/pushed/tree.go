package pushed

import (
	"context"
	"database/sql/driver"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pakdb/query/explore"
	"pakdb/schema"
)

// The order of rows by build has neither hashes nor game_path: a statement about one build
// that names these reads all builds. So folders are those of the paths that archives store,
// behind the root of the archive. A file that has its path from another container may lie
// elsewhere: such rows are told by a path that their entry has not, and asked for again by
// their paths, which rows are sorted by.

// dirSQL returns the folder of a path, without a slash at its end.
func dirSQL(path string) string {
	return "trim(TRAILING '/' FROM substring(" + path + ", 1, greatest(0, length(" + path + ") - position(concat(reverse(" + path + "), '/'), '/'))))"
}

// joined has the files of a build that meet a condition, with what their entries have.
func joined(condition string) string {
	files := "FROM files WHERE build = :build AND path IS NOT NULL AND " + condition
	return `(SELECT archive, ordinal, size, assumeNotNull(path) AS path ` + files + `) AS f
	INNER JOIN (SELECT archive, ordinal, stored, ifNull(toString(ext), '') AS kind, encrypted, ifNull(path, '') AS own FROM entries
		WHERE build = :build` + inFiles(condition, files) + `) AS e
		ON e.archive = f.archive AND e.ordinal = f.ordinal`
}

// inFiles leaves out entries that no file is asked for, unless all files are.
func inFiles(condition, files string) string {
	if condition == "1" {
		return ""
	}
	return " AND (archive, ordinal) IN (SELECT archive, ordinal " + files + ")"
}

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
	err = s.each(ctx, "SELECT count() AS n FROM files WHERE build = :build AND path IS NULL", of, func(v []driver.Value) error {
		unnamed = integer(v[0])
		return nil
	})
	if err != nil {
		return nil, err
	}
	sums, err := s.sums(ctx, b.Label, mounts)
	if err != nil {
		return nil, err
	}
	archives := slices.Sorted(maps.Keys(mounts))
	return explore.NewTree(b, archives, types, sums, unnamed, func(ctx context.Context, folder string) ([]explore.Listed, error) {
		return s.list(ctx, b.Label, mounts, folder)
	}), nil
}

// sums adds up the files of a build by folder and archive.
func (s *Source) sums(ctx context.Context, build string, mounts mounts) (all []explore.Sum, err error) {
	const columns = "count() AS n, sum(f.size) AS bytes, sum(e.stored) AS disk, max(f.size) AS largest, argMin(e.kind, (-f.size, e.kind)) AS of_largest"
	renamed := false
	err = s.each(ctx, "SELECT "+dirSQL("f.path")+" AS dir, f.archive, e.own <> f.path AS renamed, "+columns+" FROM "+joined("1")+" GROUP BY dir, f.archive, renamed",
		values{"build": build}, func(v []driver.Value) error {
			if integer(v[2]) != 0 {
				renamed = true
				return nil
			}
			sum := sumOf(v[3:])
			sum.Archive = text(v[1])
			sum.Folder = folderOf(mounts[sum.Archive].root, text(v[0]))
			all = append(all, sum)
			return nil
		})
	if err != nil || !renamed {
		return all, err
	}
	// Its type is that of this path.
	const name = "substring(f.path, length(f.path) - position(concat(reverse(f.path), '/'), '/') + 2)"
	const kind = "if(position(substring(" + name + ", 2), '.') > 0, lowerUTF8(substring(" + name + ", length(" + name + ") - position(reverse(" + name + "), '.') + 2)), '')"
	elsewhere := "(SELECT f.archive AS archive, f.ordinal AS ordinal, f.path AS path, f.size AS size, e.stored AS stored, " + kind + " AS kind FROM " + joined("1") + " WHERE e.own <> f.path)"
	err = s.each(ctx, "SELECT "+dirSQL("g.game")+" AS dir, f.archive, 0 AS renamed, count() AS n, sum(f.size) AS bytes, sum(f.stored) AS disk, max(f.size) AS largest, argMin(f.kind, (-f.size, f.kind)) AS of_largest"+
		" FROM "+elsewhere+" AS f INNER JOIN (SELECT archive, ordinal, ifNull(game_path, '') AS game FROM files WHERE build = :build AND path IN (SELECT path FROM "+elsewhere+")) AS g"+
		" ON g.archive = f.archive AND g.ordinal = f.ordinal GROUP BY dir, f.archive", values{"build": build}, func(v []driver.Value) error {
		sum := sumOf(v[3:])
		sum.Archive, sum.Folder = text(v[1]), folderOf("", text(v[0]))
		all = append(all, sum)
		return nil
	})
	return all, err
}

func sumOf(v []driver.Value) explore.Sum {
	return explore.Sum{Files: integer(v[0]), Size: integer(v[1]), Stored: integer(v[2]), Largest: integer(v[3]), Type: text(v[4])}
}

// folderOf returns the path of a folder in the game.
func folderOf(root, dir string) string {
	return strings.Trim(root+dir, "/")
}

// list returns the files directly in a folder.
func (s *Source) list(ctx context.Context, build string, mounts mounts, folder string) ([]explore.Listed, error) {
	of := values{"build": build}
	condition := below(mounts, folder, of)
	var all, moved []explore.Listed
	err := s.each(ctx, "SELECT f.path, f.archive, f.ordinal, f.size, e.stored, e.kind, e.encrypted, e.own <> f.path AS renamed FROM "+joined(condition), of, func(v []driver.Value) error {
		path := text(v[0])
		l := explore.Listed{Name: path[strings.LastIndexByte(path, '/')+1:], Archive: text(v[1]), Ordinal: integer(v[2]), Size: integer(v[3]),
			Stored: integer(v[4]), Type: text(v[5]), Encrypted: integer(v[6]) != 0}
		switch dir := path[:len(path)-len(l.Name)]; {
		case integer(v[7]) != 0:
			l.Type, l.Encrypted = schema.Ext(l.Name), false
			moved = append(moved, l)
		case folderOf(mounts[l.Archive].root, dir) == folder:
			all = append(all, l)
		}
		return nil
	})
	if err != nil || len(moved) == 0 {
		return all, err
	}
	in := map[explore.Place]bool{}
	err = s.each(ctx, "SELECT archive, ordinal, game_path FROM files WHERE build = :build AND path IS NOT NULL AND "+condition, of, func(v []driver.Value) error {
		path := text(v[2])
		if folderOf("", path[:strings.LastIndexByte(path, '/')+1]) == folder {
			in[explore.Place{Archive: text(v[0]), Ordinal: integer(v[1])}] = true
		}
		return nil
	})
	for i := range moved {
		if in[explore.Place{Archive: moved[i].Archive, Ordinal: moved[i].Ordinal}] {
			all = append(all, moved[i])
		}
	}
	return all, err
}

// below returns a condition that all files directly in a folder meet, of their paths as
// archives store them: rows are sorted by these, so that few are read.
func below(mounts mounts, folder string, of values) string {
	conditions := []string{"startsWith(assumeNotNull(path), '/')"} // such a path is not cut as others are
	for _, root := range mounts.roots() {
		prefix := folder + "/"
		if folder == "" {
			prefix = ""
		}
		if prefix = strings.TrimPrefix(prefix, strings.TrimPrefix(root, "/")); prefix == folder+"/" && root != "" && root != "/" {
			continue // all files of that root lie below another folder
		}
		if folder == "" && strings.Trim(root, "/") != "" {
			continue
		}
		name := fmt.Sprint("below", len(conditions))
		of[name] = prefix
		conditions = append(conditions, "startsWith(assumeNotNull(path), :"+name+") AND position(trim(LEADING '/' FROM substring(assumeNotNull(path), length(:"+name+") + 1)), '/') = 0")
	}
	return "(" + strings.Join(conditions, " OR ") + ")"
}
