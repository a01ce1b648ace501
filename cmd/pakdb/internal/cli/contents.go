package cli

import (
	"os"

	"pakdb/diff/store/contents"
	"pakdb/internal/objects"
	"pakdb/query"
)

// StoreVariable names the bucket with the contents of the builds of a catalog.
const StoreVariable = "PAKDB_STORE"

// Contents returns the contents of a catalog: of the folder beside the user's own, of
// archives, and of the bucket that PAKDB_STORE names. The caller closes it.
func Contents(a *App, catalog string) (*query.Contents, error) {
	c := query.NewContents(catalog, a.Registry(), objects.For(a.Catalog), a.OpenOptions()) // a temporary catalog has no folder
	if at := os.Getenv(StoreVariable); at != "" {
		shelf, err := contents.OpenShelf(at, os.Getenv)
		if err != nil {
			return nil, WithHint(err, StoreVariable+" names the bucket")
		}
		c.AskLast(shelf)
	}
	return c, nil
}
