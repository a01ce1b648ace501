package show

import (
	"context"
	"database/sql"
	"strings"

	"pakdb/schema"
)

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
// "/Game/A/B", those that name anything in it.
func Uses(ctx context.Context, g *Graph, name string) (all []Use, err error) {
	if !strings.HasPrefix(name, "/") {
		return nil, nil
	}
	err = g.each(ctx, func(rows *sql.Rows) error {
		var u Use
		var path, event sql.NullString
		if err := rows.Scan(&path, &u.Function, &event, &u.Kind, &u.Count); err != nil {
			return err
		}
		u.Path, u.Event = path.String, event.String
		all = append(all, u)
		return nil
	}, `WITH named AS MATERIALIZED (
			SELECT name_id FROM x_name WHERE name = ?2 COLLATE NOCASE
			UNION ALL
			SELECT name_id FROM x_name WHERE name > ?2 || '.' COLLATE NOCASE AND name < ?2 || '/' COLLATE NOCASE
		)
		SELECT path, function, event, kind, sum(count) FROM calls
		WHERE build = ?1 AND callee_id IN (SELECT name_id FROM named) GROUP BY path, function, event, kind
		UNION ALL
		SELECT path, function, NULL, kind, sum(count) FROM function_constants
		WHERE build = ?1 AND value_id IN (SELECT name_id FROM named) AND kind IN ('object', 'soft') GROUP BY path, function, kind
		ORDER BY 1, 2, 3, 4`, g.label, name)
	return all, err
}

// PackageOf returns the long name of the package that a node is, "" if it is none.
func PackageOf(ctx context.Context, g *Graph, n Node) (string, error) {
	names, err := schema.FirstTexts(ctx, g.db, "SELECT package FROM packages WHERE build = ?1 AND path = ?2 AND package IS NOT NULL LIMIT 1", g.label, n.Path)
	return strings.Join(names, ""), err
}
