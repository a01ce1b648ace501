package show

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"strings"

	parts "pakdb/internal/asset"
	"pakdb/query"
	"pakdb/schema"
)

// GraphFunctions returns the SQL functions over the graph of a catalog.
func GraphFunctions(catalog *sql.DB) []schema.Function {
	of := func(usage, doc string, call func(ctx context.Context, g *Graph, how driver.Value) (any, error)) schema.Function {
		return query.NewFunction(usage, doc, false, func(ctx context.Context, args []driver.Value) (driver.Value, error) {
			label, _ := args[0].(string)
			g, err := OpenGraph(ctx, catalog, label)
			if err != nil {
				return nil, err
			}
			return jsonText(call(ctx, g, args[1]))
		})
	}
	return []schema.Function{
		query.NewFunction("id_key(text)", "an id in any form, decimal or hex, as the signed integer of the tables", true, idKey),
		of("graph_cycles(build, kinds)", "JSON: arrays of paths that refer to each other in circles", func(ctx context.Context, g *Graph, kinds driver.Value) (any, error) {
			list, _ := kinds.(string)
			return g.Cycles(ctx, strings.Split(list, ","))
		}),
		of("graph_locality(build, weak)", "JSON: how far apart named resources' parts lie; see @locality", func(ctx context.Context, g *Graph, weak driver.Value) (any, error) {
			n, _ := weak.(int64)
			return g.Locality(ctx, n != 0)
		}),
		query.FunctionOf("asset(path)", "what the files of one asset share; NULL for another file", func(path string) driver.Value {
			if asset := parts.Of(path); asset != "" {
				return asset
			}
			return nil
		}),
		query.NewFunction("asset_paths(name)", "JSON: the paths of the asset with this name", false, func(ctx context.Context, args []driver.Value) (driver.Value, error) {
			name, _ := args[0].(string)
			path, err := EntryPath(ctx, catalog, "", name)
			if errors.Is(err, ErrNoNode) {
				return "[]", nil
			}
			if err != nil {
				return nil, err
			}
			return jsonText(assetPaths(ctx, catalog, path))
		}),
	}
}

func idKey(_ context.Context, args []driver.Value) (driver.Value, error) {
	switch v := args[0].(type) {
	case int64:
		return v, nil
	case string:
		if key, ok := ParseID(v); ok {
			return key, nil
		}
	}
	return nil, nil
}

func jsonText(v any, err error) (driver.Value, error) {
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(v)
	return string(text), err
}
