package side

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"maps"
	"slices"
	"strings"

	"pakdb/internal/asset"
	"pakdb/internal/sketch"
	"pakdb/schema"
)

// Source has what is known of the paths, contents and builds of a comparison: a [Catalog],
// or a [Memory] of files that were read for it. All of it is asked for by ids, many at
// once. What has no answer is absent from it.
type Source interface {
	Names(ctx context.Context, paths []int64) (*Names, error)
	// PathIDs returns the ids of those paths that have one.
	PathIDs(ctx context.Context, paths []string) (map[string]int64, error)
	// AssetPaths returns the paths that the files of assets have in any build, by their
	// ids. Assets are named as [asset.Of] does.
	AssetPaths(ctx context.Context, assets map[string]bool) (map[int64]string, error)
	Words(ctx context.Context) (map[int64]string, error)

	Hashes(ctx context.Context, contents []int64) (map[int64]string, error)
	Sketches(ctx context.Context, contents []int64) (map[int64]sketch.Sketch, error)
	Essences(ctx context.Context, contents []int64) (Essences, error)

	HasRecords(ctx context.Context) (bool, error)
	Records(ctx context.Context, build int64, paths []int64) (map[int64]GUID, error)
	Apart(ctx context.Context, oldBuild, newBuild int64) (*Apart, error)
	Replacements(ctx context.Context, builds ...int64) (map[int64]int64, error)
	// PublicNames returns the names that archives of a build, by their ordinals, give
	// paths, by path_id.
	PublicNames(ctx context.Context, build int64, ordinals []int64) (map[int64][]string, error)
}

// Catalog is the Source of builds of a catalog.
type Catalog struct{ DB *sql.DB }

// pathsByKey finds paths by their keys.
const pathsByKey = `SELECT p.path_id, d.prefix || p.name
	FROM json_each(?1) j
	CROSS JOIN x_path_key k ON k.key = j.value
	CROSS JOIN x_path p ON p.path_id = k.path_id
	CROSS JOIN x_dir d ON d.dir_id = p.dir_id`

// PathIDs finds paths by their keys.
func (c *Catalog) PathIDs(ctx context.Context, paths []string) (map[string]int64, error) {
	ids := map[string]int64{}
	keys := make([]int64, len(paths))
	for i, path := range paths {
		keys[i] = schema.PathKey(path)
	}
	slices.Sort(keys)
	err := Batches(slices.Compact(keys), func(keys []int64) error {
		return schema.EachRow(ctx, c.DB, pathsByKey, []driver.Value{Array(keys)}, func(v []driver.Value) { ids[Text(v[1])] = Integer(v[0]) })
	})
	return ids, err
}

// pathsInDirs lists the paths in the folders ?1, a JSON array of dir_ids.
const pathsInDirs = `SELECT p.path_id, p.dir_id, p.name
	FROM json_each(?1) j
	CROSS JOIN x_path p ON p.dir_id = j.value`

// AssetPaths reads the folders of the assets, whatever the case of their names.
func (c *Catalog) AssetPaths(ctx context.Context, assets map[string]bool) (map[int64]string, error) {
	wanted := dirsOf(assets)
	dirs := map[int64]string{}
	err := schema.EachRow(ctx, c.DB, "SELECT dir_id, prefix FROM x_dir", nil, func(v []driver.Value) {
		if prefix := Text(v[1]); wanted[strings.ToLower(prefix)] {
			dirs[Integer(v[0])] = prefix
		}
	})
	if err != nil {
		return nil, err
	}
	paths := map[int64]string{}
	return paths, Batches(slices.Sorted(maps.Keys(dirs)), func(ids []int64) error {
		return schema.EachRow(ctx, c.DB, pathsInDirs, []driver.Value{Array(ids)}, func(v []driver.Value) {
			if path := dirs[Integer(v[1])] + Text(v[2]); assets[asset.Of(path)] {
				paths[Integer(v[0])] = path
			}
		})
	})
}

// dirsOf returns the folders of assets, with their slashes.
func dirsOf(assets map[string]bool) map[string]bool {
	dirs := map[string]bool{}
	for of := range assets {
		prefix, _ := split(of)
		dirs[prefix] = true
	}
	return dirs
}

// publicNames lists the names that archives ?2, a JSON array of ordinals, of build ?1 give
// entries, with the paths of those entries.
const publicNames = `SELECT DISTINCT e.path_id, n.name
	FROM json_each(?2) j
	CROSS JOIN x_build_archive ba ON ba.build_id = ?1 AND ba.ordinal = j.value
	CROSS JOIN x_named_resource n ON n.archive_id = ba.archive_id
	CROSS JOIN x_entry e ON e.archive_id = n.archive_id AND e.id_lo = n.id_lo AND e.id_hi IS n.id_hi AND e.type_id = n.type_id
	ORDER BY e.path_id, n.name`

// PublicNames asks nothing of a catalog without such names.
func (c *Catalog) PublicNames(ctx context.Context, build int64, ordinals []int64) (map[int64][]string, error) {
	if has, err := Exists(ctx, c.DB, "SELECT 1 FROM x_named_resource"); err != nil || !has {
		return nil, err
	}
	names := map[int64][]string{}
	err := schema.EachRow(ctx, c.DB, publicNames, []driver.Value{build, Array(ordinals)}, func(v []driver.Value) {
		if id := Integer(v[0]); id != 0 {
			names[id] = append(names[id], Text(v[1]))
		}
	})
	return names, err
}
