package main

import (
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
		if _, err := fmt.Fprintf(table, "%s%s\t%s\t  %s\n", about, humanSize(d.Bytes), percent(d.Bytes, all[0].Bytes), d.Text()); err != nil {
			return err
		}
	}
	return table.Flush()
}

// downloadRows writes the same for programs.
func downloadRows(a *app, all []diff.Download, format string) error {
	rows, err := a.rows(format, diff.DownloadColumns()...)
	if err != nil {
		return err
	}
	for i := range all {
		if err := rows.Write(all[i].Row()...); err != nil {
			return err
		}
	}
	return rows.Close()
}
