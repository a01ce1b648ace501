package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"pakdb/diff"
)

// printDownloads writes what an update takes by each way of transport, for
// people.
func printDownloads(w io.Writer, all []diff.Download) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for i := range all {
		d := &all[i]
		about := "about "
		if d.Exact {
			about = ""
		}
		if _, err := fmt.Fprintf(table, "%s%s\t%s\t  %s\n", about, humanSize(d.Bytes), percent(d.Bytes, all[0].Bytes), wayText(d)); err != nil {
			return err
		}
	}
	return table.Flush()
}

// wayText tells what a way of transport fetches.
func wayText(d *diff.Download) string {
	switch d.Way {
	case diff.WayBuild:
		return fmt.Sprintf("all of %s", plural(d.Of, "file", "files"))
	case diff.WayFiles:
		return fmt.Sprintf("whole files: %d of %d", d.Parts, d.Of)
	case diff.WayChunks:
		return fmt.Sprintf("a store of 1 MiB chunks: %d of %d, compressed", d.Parts, d.Of)
	case diff.WayEntries:
		return fmt.Sprintf("a patch archive of whole entries: %d of %d", d.Parts, d.Of)
	}
	return "a transport patch (pakdb delta make)"
}

// downloadRows writes the same for programs.
func (a *app) downloadRows(all []diff.Download, format string) error {
	rows, err := a.rows(format, diff.DownloadColumns()...)
	if err != nil {
		return err
	}
	for i := range all {
		if err := rows.Write(all[i].Row()...); err != nil {
			return err
		}
	}
	return errors.Join(rows.Close())
}
