package cli

import (
	"pakdb/internal/objects"
	"pakdb/query"
)

// Contents returns the contents of a catalog: of the folder beside the user's own, and of
// archives. The caller closes it.
func Contents(a *App, catalog string) *query.Contents {
	return query.NewContents(catalog, a.Registry(), objects.For(a.Catalog), a.OpenOptions()) // a temporary catalog has no folder
}
