package show

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"pakdb/diff"
	parts "pakdb/internal/asset"
	"pakdb/schema"
)

// Resolve finds what a person means: a path, an id or GUID in any form (decimal,
// signed or not; 16 hex digits; 0x and hex), the hash of a name that an archive
// stores, in the same forms, or a name that references go by, such as that of an
// Unreal package. A path that is nowhere exactly is tried without regard to
// case, then as the end of a path, then as that without its extension, then as the name
// of a resource, which some archives keep apart. Several nodes mean that the text is not
// unique.
func (g *Graph) Resolve(ctx context.Context, text string) ([]Node, error) {
	type try struct {
		query string
		args  []any
	}
	tries := []try{{pathNodes, []any{schema.PathKey(text), text}}}
	keys := []int64{schema.NameKey(text)}
	if id, ok := ParseID(text); ok {
		keys = []int64{id, keys[0]}
	}
	for _, key := range keys {
		tries = append(tries, try{idNodes, []any{key}}, try{danglingNodes, []any{key}}, try{hashNodes, []any{key}})
	}
	lower := strings.ToLower(text)
	dir, base := path.Split(lower)
	tries = append(tries, try{looseNodes, []any{lower}}, try{stemNodes, []any{base, dir}}, try{resourceNodes, []any{text}})
	for _, t := range tries {
		nodes, err := g.nodes(ctx, t.query, t.args...)
		if t.query == stemNodes {
			nodes = ofStem(nodes, base)
		}
		if err != nil || len(nodes) > 0 {
			return nodes, err
		}
	}
	return nil, fmt.Errorf("%w in build %q: %q", ErrNoNode, g.label, text)
}

// nodes returns the nodes that a query finds in the build, which is ?1.
func (g *Graph) nodes(ctx context.Context, query string, args ...any) ([]Node, error) {
	return schema.All(ctx, g.db, func(n *Node) []any { return []any{&n.path, &n.Path, &n.key, &n.Space, &n.text} },
		query, append([]any{g.build}, args...)...)
}

const pathColumns = `SELECT DISTINCT p.path_id, d.prefix || p.name, 0, '', ''`

const pathNodes = pathColumns + `
	FROM x_path_key k
	CROSS JOIN x_path p ON p.path_id = k.path_id
	CROSS JOIN x_dir d ON d.dir_id = p.dir_id
	CROSS JOIN x_entry e ON e.path_id = p.path_id
	CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
	WHERE k.key = ?2 AND d.prefix || p.name = ?3`

// buildNodes begins a look at all entries of the build.
const buildNodes = pathColumns + `
	FROM x_build_archive ba
	CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
	JOIN x_path p ON p.path_id = e.path_id
	JOIN x_dir d ON d.dir_id = p.dir_id
	WHERE ba.build_id = ?1 AND `

const looseNodes = buildNodes + `(lower(d.prefix || p.name) = ?2
		OR substr(lower('/' || d.prefix || p.name), -length(?2) - 1) = '/' || ?2)
	ORDER BY lower(d.prefix || p.name) <> ?2, 2 LIMIT 20`

const stemNodes = buildNodes + `substr(lower(p.name), 1, length(?2) + 1) = ?2 || '.'
		AND (?3 = '' OR substr('/' || lower(d.prefix), -length(?3) - 1) = '/' || ?3)
	ORDER BY 2 LIMIT 100`

// ofStem returns the nodes whose paths end in base, in lower case, without the extension.
// Of the files of one asset it is the one with the tables.
func ofStem(nodes []Node, base string) []Node {
	tables := map[string]bool{}
	for _, n := range nodes {
		if isTables(n.Path) {
			tables[parts.Of(n.Path)] = true
		}
	}
	return slices.DeleteFunc(nodes, func(n Node) bool {
		of := parts.Of(n.Path)
		stem := cmp.Or(of, strings.ToLower(strings.TrimSuffix(n.Path, path.Ext(n.Path))))
		return path.Base(stem) != base || tables[of] && !isTables(n.Path)
	})
}

// isTables reports whether a file has the tables of an asset.
func isTables(path string) bool {
	_, _, part := parts.Split(path)
	return part == parts.Header
}

// One returns the only node that [Graph.Resolve] finds; of several the error is
// [ErrSeveral], which lists them.
func (g *Graph) One(ctx context.Context, text string) (Node, error) {
	nodes, err := g.Resolve(ctx, text)
	if err != nil {
		return Node{}, err
	}
	if len(nodes) == 1 {
		return nodes[0], nil
	}
	err = fmt.Errorf("%q %w in build %q; it may be", text, ErrSeveral, g.label)
	for _, n := range nodes {
		err = fmt.Errorf("%w\n  %s", err, n.Name())
	}
	return Node{}, err
}

// Whole returns the node of the asset that a node is a file of: that of its tables, which
// refer and are referred to. Of any other node it returns that node.
func (g *Graph) Whole(ctx context.Context, n Node) (Node, error) {
	if parts.Of(n.Path) == "" || isTables(n.Path) {
		return n, nil
	}
	paths, err := assetPaths(ctx, g.db, n.Path)
	if err != nil {
		return n, err
	}
	for _, p := range paths {
		if !isTables(p) {
			break
		}
		if nodes, err := g.nodes(ctx, pathNodes, schema.PathKey(p), p); err != nil || len(nodes) > 0 {
			return append(nodes, n)[0], err
		}
	}
	return n, nil
}

// assetPaths returns the paths that the files of the asset of a path have in any build.
func assetPaths(ctx context.Context, db *sql.DB, path string) ([]string, error) {
	asked := schema.NewStatements(db)
	paths, err := diff.AssetPaths(ctx, asked, path)
	return paths, errors.Join(err, asked.Close())
}

// EntryPath returns the path of the entry that a text means in a build, as [Graph.One] does; of
// the label "", in the newest build that has such an entry.
func EntryPath(ctx context.Context, db *sql.DB, label, text string) (string, error) {
	labels, where := []string{label}, fmt.Sprintf("build %q", label)
	if label == "" {
		var err error
		if labels, err = schema.FirstTexts(ctx, db, "SELECT label FROM x_build WHERE complete = 1 ORDER BY build_id DESC"); err != nil {
			return "", err
		}
		where = "any build"
	}
	for _, label := range labels {
		g, err := OpenGraph(ctx, db, label)
		if err != nil {
			return "", err
		}
		n, err := g.One(ctx, text)
		if n.Path != "" || err != nil && !errors.Is(err, ErrNoNode) {
			return n.Path, err
		}
	}
	return "", fmt.Errorf("%w in %s: %q", ErrNoNode, where, text)
}

const resourceNodes = pathColumns + `
	FROM x_build_archive ba
	JOIN x_named_resource n ON n.archive_id = ba.archive_id
	JOIN x_entry e ON e.archive_id = n.archive_id AND e.id_lo = n.id_lo
	JOIN x_path p ON p.path_id = e.path_id
	JOIN x_dir d ON d.dir_id = p.dir_id
	WHERE ba.build_id = ?1 AND n.name = ?2 COLLATE NOCASE
	ORDER BY 2 LIMIT 20`

// An id names a path in some space, or is the GUID of a record, or is at
// least referred to.
const idNodes = `SELECT bs.path_id, d.prefix || p.name, bs.key, s.word, ''
	FROM x_build_symbol bs
	JOIN x_word s ON s.word_id = bs.space_id
	JOIN x_path p ON p.path_id = bs.path_id
	JOIN x_dir d ON d.dir_id = p.dir_id
	WHERE bs.build_id = ?1 AND bs.key = ?2
		AND bs.space_id IN (SELECT word_id FROM x_word WHERE word GLOB '[a-z]*') -- spaces: lets the primary key serve
	GROUP BY bs.path_id`

const danglingNodes = `SELECT DISTINCT 0, '', r.key, s.word, coalesce(n.name, '')
	FROM x_ref_key rk
	JOIN x_ref r ON r.content_id = rk.content_id AND r.key = rk.key
	JOIN x_word s ON s.word_id = r.space_id
	LEFT JOIN x_name n ON n.name_id = r.name_id
	WHERE rk.key = ?2
	GROUP BY r.space_id`

// The hash that an archive stores for a name is no id, but is beside the
// entry in every listing.
const hashNodes = buildNodes + `(e.path_hash = ?2 OR e.id_lo = ?2)`

// ParseID reads an id: decimal, signed or not; 16 hex digits; 0x and hex.
func ParseID(text string) (key int64, ok bool) {
	hex, isHex := strings.CutPrefix(strings.ToLower(text), "0x")
	if !isHex {
		if v, err := strconv.ParseInt(text, 10, 64); err == nil {
			return v, true
		}
		if v, err := strconv.ParseUint(text, 10, 64); err == nil {
			return int64(v), true
		}
	}
	v, err := strconv.ParseUint(hex, 16, 64)
	return int64(v), err == nil && (isHex || len(hex) == 16)
}

// Use is a function of a package that names something in its code.
type Use struct {
	Path     string // of the package
	Function string
	Event    string // of a blueprint, "" for none
	Kind     string // "final", "virtual", "math", "delegate", "native": a call; "object", "soft"
	Count    int64
}

// Uses returns the functions of the build that call a function of that path, or name an
// object of it, "/Script/Engine.GameplayStatics:SaveGameToSlot"; and of a package,
// "/Game/A/B" or the path of its file, those that name anything in it.
func Uses(ctx context.Context, g *Graph, name string) (all []Use, err error) {
	names, err := schema.FirstTexts(ctx, g.db, "SELECT package FROM packages WHERE build = ?1 AND path = ?2 AND package IS NOT NULL LIMIT 1", g.label, name)
	if name = append(names, name)[0]; err != nil || !strings.HasPrefix(name, "/") {
		return nil, err
	}
	return schema.All(ctx, g.db, func(u *Use) []any { return []any{&u.Path, &u.Function, &u.Event, &u.Kind, &u.Count} },
		`WITH named AS MATERIALIZED (
			SELECT name_id FROM x_name WHERE name = ?2 COLLATE NOCASE
			UNION ALL
			SELECT name_id FROM x_name WHERE name > ?2 || '.' COLLATE NOCASE AND name < ?2 || '/' COLLATE NOCASE
		)
		SELECT coalesce(path, ''), function, coalesce(event, ''), kind, sum(count) FROM calls
		WHERE build = ?1 AND callee_id IN (SELECT name_id FROM named) GROUP BY path, function, event, kind
		UNION ALL
		SELECT coalesce(path, ''), function, '', kind, sum(count) FROM function_constants
		WHERE build = ?1 AND value_id IN (SELECT name_id FROM named) AND kind IN ('object', 'soft') GROUP BY path, function, kind
		ORDER BY 1, 2, 3, 4`, g.label, name)
}
