package portable

import (
	"embed"
	"io/fs"

	"pakdb/query"
)

//go:embed sql/*.sql
var queries embed.FS

// Queries returns the named queries that every engine answers alike. path_head is the one
// function in them that engines lack: see [DuckDB].
func Queries() (query.Library, error) {
	sub, err := fs.Sub(queries, "sql")
	if err != nil {
		return nil, err
	}
	return query.LoadFrom(sub)
}
