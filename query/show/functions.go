package show

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"
	"sync"

	"pakdb/codecs"
	"pakdb/query"
	"pakdb/schema"
)

// Functions returns the SQL functions that show contents of a catalog.
func Functions(catalog *schema.OnDemand, contents *query.Contents, r *codecs.Registry) []query.Function {
	c := &codeFunctions{catalog: catalog, contents: contents, registry: r}
	return []query.Function{{
		Function: schema.Function{Name: "function_text", Args: 3, Call: c.text},
		Usage:    "function_text(build, path, function)", Doc: "code of a function of an Unreal package; NULL: not at hand",
	}}
}

// codeFunctions share the package that was asked for last: statements
// ask for one function after the other.
type codeFunctions struct {
	catalog  *schema.OnDemand
	contents *query.Contents
	registry *codecs.Registry

	mu          sync.Mutex
	build, path string
	texts       map[string]string
}

func (c *codeFunctions) text(ctx context.Context, args []driver.Value) (driver.Value, error) {
	build, ok1 := args[0].(string)
	path, ok2 := args[1].(string)
	function, ok3 := args[2].(string)
	if !ok1 || !ok2 || !ok3 {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.texts == nil || c.build != build || c.path != path {
		texts, err := c.read(ctx, build, path)
		if err != nil {
			return nil, err
		}
		c.build, c.path, c.texts = build, path, texts
	}
	for name, text := range c.texts {
		if strings.EqualFold(name, function) { // as statements compare names
			return text, nil
		}
	}
	return nil, nil
}

// read returns the functions of a package, none of one that cannot be read.
func (c *codeFunctions) read(ctx context.Context, build, path string) (map[string]string, error) {
	if c.contents == nil {
		return nil, errors.New("contents are not available here")
	}
	db, err := c.catalog.Open(ctx)
	if err != nil {
		return nil, err
	}
	b, err := InBuild(ctx, db, build, c.contents, c.registry)
	if err != nil {
		return nil, err
	}
	return b.Texts(ctx, path)
}
