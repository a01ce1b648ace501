package archive

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/internal/terminal"
)

func newInfoCommand(a *cli.App) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "info [flags] ARCHIVE...",
		Short: "Describe archives as a whole",
		Long: `Describe archives: format and version, size, entries and their sizes, methods,
encryption, mount point, what the format alone knows, warnings, and what pakdb
can do with them. Tables are read, contents are not: see "pakdb verify".

` + operand.Help + `

What is wrong with the tables is a warning, and the exit code is 1.`,
		Example: `  pakdb info Calligraphy.sip
  pakdb info 1.52
  pakdb info --format json *.pak | jq '.[] | {archive, version, methods}'`,
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: cli.Completing(a, operand.CompleteArchives),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runInfo(cmd.Context(), a, format, args)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "output as `FORMAT`: text, json")
	cli.CompleteFlag(cmd, "format", "text", "json")
	return cmd
}

// description is what info tells about one archive.
type description struct {
	Archive    string           `json:"archive"`
	Format     string           `json:"format"`
	Version    string           `json:"version"`
	FileSize   int64            `json:"file_size"`
	Entries    int64            `json:"entries"`
	Size       int64            `json:"size"`
	Stored     int64            `json:"stored"`
	Methods    map[string]int64 `json:"methods"`
	Deleted    int64            `json:"deleted"`
	Encrypted  bool             `json:"encrypted"`
	MountPoint string           `json:"mount_point"`
	Details    []codecs.Detail  `json:"details"`
	Warnings   []string         `json:"warnings"`
	Can        []string         `json:"can"`
	Versions   []string         `json:"writable_versions"`
}

func runInfo(ctx context.Context, a *cli.App, format string, paths []string) error {
	if format != "text" && format != "json" {
		return fmt.Errorf("%w: no format %q; there are text, json", cli.ErrUsage, format)
	}
	sources, err := operand.AllSources(ctx, a, paths)
	if err != nil {
		return err
	}
	bad := cli.NewComplaints(a)
	all := []*description{}
	for _, s := range sources {
		d, err := describeArchive(ctx, s)
		if err != nil && (ctx.Err() != nil || len(sources) == 1) {
			return err
		}
		if err != nil {
			bad.Add(err)
			continue
		}
		bad.Count += int64(len(d.Warnings))
		all = append(all, d)
	}
	if format == "json" {
		err = cli.WriteJSON(a.Stdout, all)
	} else {
		err = writeDescriptions(a.Stdout, all)
	}
	if err != nil {
		return err
	}
	return bad.Result()
}

func describeArchive(ctx context.Context, s operand.Source) (*description, error) {
	ar, err := s.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = ar.Close() }()
	info := ar.Info()
	d := &description{Archive: s.Path, Format: info.Format, Version: info.Version, FileSize: ar.Size,
		Encrypted: info.Encrypted, MountPoint: info.MountPoint, Details: append([]codecs.Detail{}, info.Details...),
		Methods: map[string]int64{}, Warnings: []string{}, Can: abilities(ar), Versions: []string{}}
	if ar.Format.Create != nil {
		d.Versions = append(d.Versions, ar.Format.Versions...)
	}
	for _, w := range info.Warnings {
		d.Warnings = append(d.Warnings, w.Error())
	}
	for e, err := range ar.Entries() {
		d.add(e, err)
	}
	return d, ctx.Err()
}

func (d *description) add(e *codecs.Entry, err error) {
	if err != nil {
		d.Warnings = append(d.Warnings, err.Error())
	}
	if e == nil {
		return
	}
	d.Entries++
	d.Size += e.Size
	d.Stored += e.Stored
	d.Encrypted = d.Encrypted || e.Flags&codecs.Encrypted != 0
	if e.Flags&codecs.Deleted != 0 {
		d.Deleted++
		return
	}
	d.Methods[e.Method.String()]++
}

// abilities is what pakdb can do with an archive.
func abilities(ar *operand.Archive) []string {
	can := []string{"read"}
	if _, ok := ar.Archive.(codecs.Verifier); ok {
		can = append(can, "verify")
	}
	if _, ok := ar.Archive.(codecs.Namer); ok {
		can = append(can, "named resources")
	}
	if ar.Format.Create != nil {
		can = append(can, "write")
	}
	return can
}

func writeDescriptions(w io.Writer, all []*description) error {
	var b strings.Builder
	for i, d := range all {
		if i > 0 {
			b.WriteByte('\n')
		}
		d.text(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (d *description) text(b *strings.Builder) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(b, "  %-16s %s\n", name, terminal.Printable(fmt.Sprintf(format, args...)))
	}
	fmt.Fprintln(b, terminal.Printable(d.Archive))
	line("format", "%s, %s", d.Format, d.Version)
	line("file", "%d bytes", d.FileSize)
	line("entries", "%d", d.Entries)
	if d.Deleted > 0 {
		line("deleted", "%d", d.Deleted)
	}
	line("decoded", "%d bytes", d.Size)
	line("stored", "%d bytes (%s)", d.Stored, cli.Ratio(d.Stored, d.Size))
	for i, m := range slices.Sorted(maps.Keys(d.Methods)) {
		name := "methods"
		if i > 0 {
			name = ""
		}
		line(name, "%s: %s", m, cli.Plural(d.Methods[m], "entry", "entries"))
	}
	line("encrypted", "%s", yesNo(d.Encrypted))
	if d.MountPoint != "" {
		line("mount point", "%s", d.MountPoint)
	}
	for _, x := range d.Details {
		line(terminal.Printable(x.Name), "%s", x.Value)
	}
	can := strings.Join(d.Can, ", ")
	if len(d.Versions) > 0 {
		can += " (" + strings.Join(d.Versions, ", ") + ")"
	}
	line("pakdb can", "%s", can)
	for _, w := range d.Warnings {
		line("warning", "%s", w)
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
