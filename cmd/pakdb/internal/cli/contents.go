package cli

import (
	"os"

	"pakdb/diff/ship/store/contents"
	"pakdb/diff/ship/store/place"
	"pakdb/internal/objects"
	"pakdb/query"
)

// StoreVariable names the bucket with the contents of the builds of a catalog.
const StoreVariable = "PAKDB_STORE"

// Contents returns the contents of a catalog: of the folder beside the user's own, of
// archives, and of the bucket that PAKDB_STORE names. The caller closes it.
func Contents(a *App, catalog string) (*query.Contents, error) {
	c, err := ContentsAt(a, catalog, os.Getenv(StoreVariable))
	if err != nil {
		return nil, WithHint(err, StoreVariable+" names the bucket")
	}
	return c, nil
}

// ContentsAt is Contents with another bucket, "" for none.
func ContentsAt(a *App, catalog, bucket string) (*query.Contents, error) {
	c := query.NewContents(catalog, a.Registry(), objects.For(a.Catalog), a.OpenOptions()) // a temporary catalog has no folder
	if bucket != "" {
		shelf, err := contents.OpenShelf(bucket, os.Getenv)
		if err != nil {
			return nil, err
		}
		c.AskLast(shelf)
	}
	return c, nil
}

// IsBucket reports whether a location is that of a bucket.
func IsBucket(location string) bool { return place.IsBucket(location) }
