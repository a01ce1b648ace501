package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/internal/process"
	"pakdb/schema"
)

// described is what "pakdb version --format json" prints. Fields are added, never changed.
type described struct {
	Name string `json:"name"`
	process.Build
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
	var format string
	cmd := &cobra.Command{
		Use:    "version [flags]",
		Hidden: true, // --version prints the same
		Short:  "Print the version and supported formats",
		Long: `Print version, commit, Go, system and formats, as --version does. With --format
json it is one object, to which fields are only added (docs/json.md).`,
		Example: `  pakdb version --format json | jq -r .formats.catalog`,
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if format == "json" {
				return printVersion(a)
			}
			_, err := fmt.Fprintln(a.Stdout, "pakdb version", versionText(a))
			return err
		},
	}
	cli.AddFormat(cmd, &format, "json")
	return cmd
}

func printVersion(a *cli.App) error {
	r := a.Registry()
	d := described{
		Name: "pakdb", Build: process.Version(),
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
		process.Version().String(), schema.Version, delta.Version, store.Format, store.FormatPlatforms, strings.Join(archiveNames(a.Registry()), ", "))
}

func archiveNames(r *codecs.Registry) (names []string) {
	for _, f := range r.Formats {
		names = append(names, f.Name)
	}
	return names
}
