package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/internal/version"
	"pakdb/schema"
)

// described is what "pakdb version --json" prints. Fields are added, never changed.
type described struct {
	Name string `json:"name"`
	version.Build
	Formats  ownFormats      `json:"formats"`
	Archives []archiveFormat `json:"archives"`
	Contents []string        `json:"contents"`
}

// ownFormats are the versions of pakdb's own formats.
type ownFormats struct {
	Catalog   int    `json:"catalog"`
	Patch     int    `json:"pkdelta"`
	Store     int    `json:"store"`
	Platforms int    `json:"store_platforms"`
	Coder     string `json:"store_coder"`
}

// archiveFormat is a format of archives and its versions, in words.
type archiveFormat struct {
	Name   string `json:"name"`
	Reads  string `json:"reads"`
	Writes string `json:"writes"`
}

func newVersionCommand(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version [flags]",
		Short: "Which pakdb this is, and which formats it knows",
		Long: `Print version, commit, Go, system and the formats, as --version does.

--json prints one object, to which fields are only added: name, version ("devel" if
it is no release), commit and modified (if known: the commit of the sources, and
whether they differed from it), go, os, arch; formats: the versions of catalog,
pkdelta and store that are written, store_platforms, which is that of stores with
builds for platforms, and store_coder, which must be equal for stores to be read;
archives: name, reads and writes of each format of archives; contents: the names of
the inspectors.`,
		Example: `  pakdb version
  pakdb version --json | jq -r .formats.catalog`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return printVersion(a)
			}
			_, err := fmt.Fprintln(a.Stdout, "pakdb version", versionText(a))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func printVersion(a *cli.App) error {
	r := a.Registry()
	d := described{
		Name: "pakdb", Build: version.Current(),
		Formats: ownFormats{schema.Version, delta.Version, store.Format, store.FormatPlatforms, store.Coder()},
	}
	for _, f := range r.Formats {
		d.Archives = append(d.Archives, archiveFormat{f.Name, readVersions(f), strings.Join(f.Versions, ", ")})
	}
	for _, in := range r.Inspectors {
		d.Contents = append(d.Contents, in.Name)
	}
	return cli.WriteJSON(a.Stdout, d)
}

// versionText returns what --version prints after the name. It has no store_coder,
// which takes a while to compute, because it is made for every command. A template
// of --version's own would link text/template, with which the linker keeps every
// method of every type: 2.1 MB.
func versionText(a *cli.App) string {
	return fmt.Sprintf("%s\nformats: catalog %d, pkdelta %d, store %d and %d\narchives: %s",
		version.Current().String(), schema.Version, delta.Version, store.Format, store.FormatPlatforms, strings.Join(archiveNames(a.Registry()), ", "))
}

func archiveNames(r *codecs.Registry) (names []string) {
	for _, f := range r.Formats {
		names = append(names, f.Name)
	}
	return names
}
