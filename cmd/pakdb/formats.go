package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/codecs"
	"pakdb/internal/nearest"
)

func newFormatsCommand(a *app) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "formats [flags] [NAME]",
		Short: "What pakdb can read and write, and how the formats work",
		Long: `Without a name, list the formats of archives and the inspectors of contents:
which versions pakdb reads and writes, with which methods, and their usual
extensions. Files are told apart by their bytes; extensions decide nothing.

With a name, print the description of that format.`,
		Example: `  pakdb formats
  pakdb formats gpak | less
  pakdb formats --format json`,
		Args: usage(cobra.MaximumNArgs(1)),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return specNames(a.registry()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return printSpec(a, args[0])
			}
			return runFormats(a, format)
		},
	}
	addFormat(cmd, &format)
	return cmd
}

func runFormats(a *app, format string) error {
	rows, err := a.rows(format, "name", "kind", "reads", "writes", "methods", "extensions", "doc")
	if err != nil {
		return err
	}
	r := a.registry()
	for _, f := range r.Formats {
		err := rows.Write(f.Name, "archive", textOrNull(readVersions(f)), textOrNull(strings.Join(f.Versions, ", ")),
			textOrNull(methodNames(f)), textOrNull(strings.Join(f.Exts, ", ")), f.Doc)
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
func printSpec(a *app, name string) error {
	r := a.registry()
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
		return noSuchFormat(name, specNames(r))
	}
	_, err := io.WriteString(a.stdout, spec)
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

func noSuchFormat(name string, known []string) error {
	advice := nearest.Hint(nearest.Names(name, known))
	if advice == "" {
		advice = "there are " + strings.Join(known, ", ")
	}
	return hinted(fmt.Errorf("%w: no format %q", errUsage, name), advice)
}
