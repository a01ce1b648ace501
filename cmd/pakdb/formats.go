package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
)

func newFormatsCommand(a *cli.App) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "formats [flags] [NAME]",
		Short: "List the supported formats, or describe one",
		Long: `Without a name, list the formats of archives and the inspectors of contents:
versions that pakdb reads and writes, methods, and usual extensions. Files are
recognised by their bytes, never by their names. With a name, print the
description of a format.`,
		Example: `  pakdb formats
  pakdb formats gpak | less
  pakdb formats --format json`,
		Args: cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return specNames(a.Registry()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return printSpec(a, args[0])
			}
			return runFormats(a, format)
		},
	}
	cli.AddFormat(cmd, &format)
	return cmd
}

func runFormats(a *cli.App, format string) error {
	rows, err := a.Brief(format, []string{"name", "kind", "reads", "writes"}, "name", "kind", "reads", "writes", "methods", "extensions", "doc")
	if err != nil {
		return err
	}
	r := a.Registry()
	for _, f := range r.Formats {
		err := rows.Write(f.Name, "archive", cli.TextOrNull(readVersions(f)), cli.TextOrNull(strings.Join(f.Versions, ", ")),
			cli.TextOrNull(methodNames(f)), cli.TextOrNull(strings.Join(f.Exts, ", ")), f.Doc)
		if err != nil {
			return err
		}
	}
	for _, in := range r.Inspectors {
		if err := rows.Write(in.Name, "content", nil, nil, nil, nil, in.Doc); err != nil {
			return err
		}
	}
	return rows.Close()
}

// readVersions names the versions that are read.
func readVersions(f *codecs.Format) string {
	if f.Reads != "" {
		return f.Reads
	}
	return strings.Join(f.Versions, ", ")
}

// methodNames names the methods, and which of them are decoded only.
func methodNames(f *codecs.Format) string {
	var names []string
	for _, m := range f.Methods {
		names = append(names, m.String())
	}
	for _, m := range f.Decodes {
		names = append(names, m.String()+" (reads)")
	}
	return strings.Join(names, ", ")
}

// printSpec prints the FORMAT.md of a format or an inspector.
func printSpec(a *cli.App, name string) error {
	r := a.Registry()
	var spec string
	if f, ok := r.Format(name); ok {
		spec = f.Spec
	}
	for _, in := range r.Inspectors {
		if in.Name == name && spec == "" {
			spec = in.Spec
		}
	}
	if spec == "" {
		return cli.NoSuchFormat(name, specNames(r))
	}
	_, err := io.WriteString(a.Stdout, spec)
	return err
}

func specNames(r *codecs.Registry) []string {
	var names []string
	for _, f := range r.Formats {
		names = append(names, f.Name)
	}
	for _, in := range r.Inspectors {
		names = append(names, in.Name)
	}
	return names
}
