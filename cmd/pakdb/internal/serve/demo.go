package serve

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/indexer"
	"pakdb/schema"
	"pakdb/testdata"
)

// demoBuilds are the builds of the catalog that is shown for a demonstration: of each the
// archives, by their names in the build.
func demoBuilds() []demoBuild {
	return []demoBuild{
		{"1.0", map[string]string{"Calligraphy.sip": "Calligraphy.sip", "mu_cdata.sip": "mu_cdata_1.5.sip", "Harbor.pak": "Harbor.pak"}},
		{"1.1", map[string]string{"Calligraphy.sip": "Calligraphy_next.sip", "mu_cdata.sip": "mu_cdata_1.6.sip", "Harbor.pak": "Harbor_next.pak"}},
	}
}

type demoBuild struct {
	label string
	files map[string]string
}

// makeDemo makes a catalog, demo.db in a folder of its own, which remove takes away.
func makeDemo(ctx context.Context, a *cli.App) (dir string, remove func(), err error) {
	if dir, err = os.MkdirTemp("", "pakdb-demo-"); err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	c, err := schema.Open(ctx, filepath.Join(dir, "demo.db"))
	if err == nil {
		for _, b := range demoBuilds() {
			if err = addDemo(ctx, a, c, filepath.Join(dir, b.label), b); err != nil {
				break
			}
		}
		err = errors.Join(err, c.Close())
	}
	if err != nil {
		remove()
		return "", nil, err
	}
	return dir, remove, nil
}

func addDemo(ctx context.Context, a *cli.App, c *schema.Catalog, dir string, b demoBuild) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for name, from := range b.files {
		body, err := testdata.Files.ReadFile(from)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), body, 0o600); err != nil {
			return err
		}
	}
	_, err := indexer.Run(ctx, indexer.Options{Catalog: c, Registry: a.Registry(), Label: b.label, Paths: []string{dir}, Search: schema.SearchMade})
	return err
}
