package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"pakdb/indexer"
	"pakdb/schema"
	"pakdb/testdata"
)

// demoBuilds are the builds of --demo: of each the archives, by their names in the build.
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

// beginDemo indexes the builds of --demo into a catalog in a temporary folder, and has
// all that follows use that catalog. [App.Run] removes the folder.
func (a *App) beginDemo(cmd *cobra.Command) (err error) {
	if cmd.Flags().Changed("catalog") {
		return UsageError(cmd, errors.New("--demo and --catalog exclude each other"))
	}
	if err := schema.LimitMemory(0); err != nil { // from the first database on it is too late
		return err
	}
	if a.demoDir, err = os.MkdirTemp("", "pakdb-demo-"); err != nil {
		return err
	}
	a.Catalog = filepath.Join(a.demoDir, "demo.db")
	c, err := schema.Open(cmd.Context(), a.Catalog)
	if err != nil {
		return err
	}
	for _, b := range demoBuilds() {
		if err = a.addDemo(cmd.Context(), c, b); err != nil {
			break
		}
	}
	return errors.Join(err, c.Close())
}

// endDemo removes what beginDemo made.
func (a *App) endDemo() error {
	if a.demoDir == "" {
		return nil
	}
	return os.RemoveAll(a.demoDir)
}

func (a *App) addDemo(ctx context.Context, c *schema.Catalog, b demoBuild) error {
	dir := filepath.Join(a.demoDir, b.label)
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
	r, err := indexer.Run(ctx, indexer.Options{Catalog: c, Registry: a.Registry(), Label: b.label, Paths: []string{dir}, Search: schema.SearchMade})
	if err == nil && !a.Quiet {
		_, _ = fmt.Fprintf(a.Stderr, "build %q: %d archives, %d entries\n", r.Build, r.Archives, r.Entries)
	}
	return err
}
