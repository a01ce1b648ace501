package diff

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pakdb/diff/internal/side"
	"pakdb/internal/asset"
	"pakdb/schema"
)

// ErrNoFile means that a build has no entry of a path.
var ErrNoFile = errors.New("no such entry in the build")

// Find returns the entry that a path means in a build, after mounting.
func Find(ctx context.Context, db *sql.DB, label, path string) (*File, error) {
	asked := schema.NewStatements(db)
	f, err := findBy(ctx, asked, label, path)
	return f, errors.Join(err, asked.Close())
}

// findBy is [Find] by statements that are asked again and again.
func findBy(ctx context.Context, asked *schema.Statements, label, path string) (*File, error) {
	found, err := findIn(ctx, asked, label, path)
	if err == nil && found[label] == nil {
		err = fmt.Errorf("%w: %q in %q", ErrNoFile, path, label)
	}
	return found[label], err
}

// FindAll returns the entries that a path means, by the labels of the builds that have
// one.
func FindAll(ctx context.Context, asked *schema.Statements, path string) (map[string]*File, error) {
	return findIn(ctx, asked, nil, path)
}

// findIn looks in the build of a label, nil for all.
func findIn(ctx context.Context, asked *schema.Statements, label driver.Value, path string) (map[string]*File, error) {
	found := map[string]*File{}
	err := asked.EachRow(ctx, seenSQL, []driver.Value{label, schema.PathKey(path), path}, func(v []driver.Value) {
		label := side.Text(v[11])
		if found[label] != nil {
			return // that one wins
		}
		hash, _ := v[9].([]byte)
		found[label] = &File{Path: path, PathID: side.Integer(v[0]), ContentID: side.Integer(v[1]), ArchiveID: side.Integer(v[2]), Archive: side.Text(v[3]),
			Type: side.Text(v[4]), Method: side.Text(v[5]), Flags: side.Integer(v[6]), Size: side.Integer(v[7]), Stored: side.Integer(v[8]),
			Content: hex.EncodeToString(hash), Copies: int(side.Integer(v[10]))}
	})
	return found, err
}

// seenSQL finds the entries of path ?3, whose key is ?2, that the game sees in
// build ?1, or in all builds, the one that wins first: one of that path, or what hides it under that path, as a chunk that
// has its path from another container does. Mount points do not count here: the
// path is the one that is stored.
const seenSQL = `SELECT p.path_id, coalesce(e.content_id, 0), e.archive_id, ba.name, coalesce(t.word, ''), m.word,
		e.flags, e.size, e.stored, c.hash,
		1 + (SELECT count(*) FROM x_build_shadow h WHERE h.build_id = b.build_id AND h.by_mount = ba.ordinal AND h.by_row = e.row),
		b.label
	FROM x_path_key k
	CROSS JOIN x_path p ON p.path_id = k.path_id
	CROSS JOIN x_dir d ON d.dir_id = p.dir_id
	CROSS JOIN x_entry held ON held.path_id = p.path_id
	CROSS JOIN x_build_archive hb ON hb.archive_id = held.archive_id
	CROSS JOIN x_build b ON b.build_id = hb.build_id
	LEFT JOIN x_build_shadow s ON s.build_id = b.build_id AND s.mount = hb.ordinal AND s.row = held.row
	CROSS JOIN x_build_archive ba ON ba.build_id = b.build_id AND ba.ordinal = coalesce(s.by_mount, hb.ordinal)
	CROSS JOIN x_entry e ON e.archive_id = ba.archive_id AND e.row = coalesce(s.by_row, held.row)
	LEFT JOIN x_build_name bn ON bn.build_id = b.build_id AND bn.mount = ba.ordinal AND bn.row = e.row
	JOIN x_word m ON m.word_id = e.method_id
	LEFT JOIN x_word t ON t.word_id = e.type_id
	LEFT JOIN x_content c ON c.content_id = e.content_id
	WHERE (b.label = ?1 OR ?1 IS NULL) AND b.complete = 1 AND k.key = ?2 AND d.prefix || p.name = ?3
		AND e.flags & 2 = 0 AND coalesce(bn.path_id, e.path_id) = p.path_id
	ORDER BY ba.place, e.row`

// AssetPaths returns the paths that the files of an asset have in any build, by the path of
// one of them: that of its tables first, and of two that differ in case alone that one.
// A path that is of no asset is returned alone.
func AssetPaths(ctx context.Context, asked *schema.Statements, path string) (all []string, err error) {
	of := asset.Of(path)
	if of == "" {
		return []string{path}, nil
	}
	stem, _, _ := asset.Split(path)
	end := strings.LastIndexByte(stem, '/') + 1
	err = asked.EachRow(ctx, besideSQL, []driver.Value{stem[:end], stem[end:] + "."}, func(v []driver.Value) {
		if p := side.Text(v[0]); asset.Of(p) == of {
			all = append(all, p)
		}
	})
	slices.SortStableFunc(all, func(a, b string) int {
		_, _, p := asset.Split(a)
		_, _, q := asset.Split(b)
		return cmp.Compare(p, q)
	})
	return all, err
}

// FindPart returns the file of an asset that has one of some extensions, by the path of a
// file of the asset, whatever their case. The error is ErrNoFile if a build has none.
func FindPart(ctx context.Context, asked *schema.Statements, label, path string, exts ...string) (*File, error) {
	stem, _, _ := asset.Split(path)
	for _, ext := range exts { // as nearly all are called
		if f, err := findBy(ctx, asked, label, stem+ext); !errors.Is(err, ErrNoFile) {
			return f, err
		}
	}
	paths, err := AssetPaths(ctx, asked, path)
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		if _, of, _ := asset.Split(p); !slices.ContainsFunc(exts, func(ext string) bool { return strings.EqualFold(ext, of) }) {
			continue
		}
		if f, err := findBy(ctx, asked, label, p); !errors.Is(err, ErrNoFile) {
			return f, err
		}
	}
	return nil, fmt.Errorf("%w: %s of %q in %q", ErrNoFile, strings.Join(exts, " or "), path, label)
}

// besideSQL lists the paths in folder ?1 whose names begin with ?2, whatever their case.
const besideSQL = `SELECT d.prefix || p.name
	FROM x_dir d
	CROSS JOIN x_path p ON p.dir_id = d.dir_id
	WHERE d.prefix = ?1 COLLATE NOCASE AND substr(p.name, 1, length(?2)) = ?2 COLLATE NOCASE
	ORDER BY d.prefix <> ?1, substr(p.name, 1, length(?2)) <> ?2, 1`
