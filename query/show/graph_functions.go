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
	c := &graphFuncs{catalog}
	return []schema.Function{
		query.NewFunction("id_key(text)", "an id in any form, decimal or hex, as the signed integer of the tables", true, idKey),
		query.NewFunction("graph_cycles(build, kinds)", "JSON: arrays of paths that refer to each other in circles", false, c.cycles),
		query.NewFunction("graph_locality(build, weak)", "JSON: how far apart named resources' parts lie; see @locality", false, c.locality),
		query.NewFunction("asset(path)", "what the files of one asset share; NULL for another file", true, assetOf),
		query.NewFunction("asset_paths(name)", "JSON: the paths of the asset with this name", false, c.assetPaths),
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

func assetOf(_ context.Context, args []driver.Value) (driver.Value, error) {
	if path, ok := args[0].(string); ok && parts.Of(path) != "" {
		return parts.Of(path), nil
	}
	return nil, nil
}

// assetPaths returns no paths for a name that nothing goes by.
func (c *graphFuncs) assetPaths(ctx context.Context, args []driver.Value) (driver.Value, error) {
	name, _ := args[0].(string)
	path, err := EntryPath(ctx, c.catalog, name)
	if errors.Is(err, ErrNoNode) {
		return "[]", nil
	}
	if err != nil {
		return nil, err
	}
	return jsonText(assetPaths(ctx, c.catalog, path))
}

type graphFuncs struct{ catalog *sql.DB }

func (c *graphFuncs) cycles(ctx context.Context, args []driver.Value) (driver.Value, error) {
	g, err := c.graph(ctx, args[0])
	if err != nil {
		return nil, err
	}
	var kinds []string
	if s, _ := args[1].(string); s != "" {
		kinds = strings.Split(s, ",")
	}
	cycles, err := g.Cycles(ctx, kinds)
	if cycles == nil {
		cycles = [][]string{}
	}
	return jsonText(cycles, err)
}

func (c *graphFuncs) locality(ctx context.Context, args []driver.Value) (driver.Value, error) {
	g, err := c.graph(ctx, args[0])
	if err != nil {
		return nil, err
	}
	weak, _ := args[1].(int64)
	return jsonText(g.Locality(ctx, weak != 0))
}

func jsonText[T any](v T, err error) (driver.Value, error) {
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(v)
	return string(text), err
}

// graph opens the graph of the build that an argument names.
func (c *graphFuncs) graph(ctx context.Context, build driver.Value) (*Graph, error) {
	label, _ := build.(string)
	return OpenGraph(ctx, c.catalog, label)
}
