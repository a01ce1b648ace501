package graph

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"strings"
	"sync"

	"pakdb/query"
	"pakdb/schema"
)

// Functions returns the SQL functions over the graph of a catalog. They have a
// connection of their own, because they are called while a statement runs; close
// closes it.
func Functions(catalog string) (functions []query.Function, close func() error) {
	c := &cycleFunction{catalog: catalog}
	return []query.Function{{
		Function: schema.Function{Name: "id_key", Args: 1, Pure: true, Call: idKey},
		Usage:    "id_key(text)", Doc: "an id in any form, decimal or hex, as the signed integer of the tables",
	}, {
		Function: schema.Function{Name: "graph_cycles", Args: 2, Call: c.call},
		Usage:    "graph_cycles(build, kinds)", Doc: "JSON: arrays of paths that refer to each other in circles",
	}}, c.close
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

type cycleFunction struct {
	catalog string
	mu      sync.Mutex
	db      *sql.DB
}

func (c *cycleFunction) call(ctx context.Context, args []driver.Value) (driver.Value, error) {
	build, _ := args[0].(string)
	var kinds []string
	if s, _ := args[1].(string); s != "" {
		kinds = strings.Split(s, ",")
	}
	db, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	g, err := Open(ctx, db, build)
	if err != nil {
		return nil, err
	}
	cycles, err := g.Cycles(ctx, kinds)
	if err != nil {
		return nil, err
	}
	if cycles == nil {
		cycles = [][]string{}
	}
	text, err := json.Marshal(cycles)
	return string(text), err
}

func (c *cycleFunction) open(ctx context.Context) (*sql.DB, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.db != nil {
		return c.db, nil
	}
	db, err := schema.OpenReadOnly(context.WithoutCancel(ctx), c.catalog)
	if err == nil {
		c.db = db
	}
	return db, err
}

func (c *cycleFunction) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.db == nil {
		return nil
	}
	db := c.db
	c.db = nil
	return db.Close()
}
