package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"text/tabwriter"

	"pakdb/diff"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/maker"
)

// Print writes the downloads as a table for people, with percentages of the first.
func Print(w io.Writer, all []diff.Way) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for i := range all {
		d := &all[i]
		about := "about "
		if d.Exact {
			about = ""
		}
		if _, err := fmt.Fprintf(table, "%s%s\t%s\t  %s\n", about, HumanSize(d.Bytes), Percent(d.Bytes, all[0].Bytes), d.Text()); err != nil {
			return err
		}
	}
	return table.Flush()
}

// WriteRows writes the downloads as rows of a --format.
func WriteRows(a *App, all []diff.Way, format string) error {
	rows, err := a.Rows(format, diff.WayColumns()...)
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

// Estimate makes the transport patch from old to new files, of which only the sizes
// remain.
func Estimate(ctx context.Context, a *App, old, new []delta.Input, o maker.MakeOptions) (*maker.Estimate, error) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(MakeMemory))
	watched, stop := a.WatchPatch(ctx)
	defer stop()
	o.Registry, o.Open = a.Registry(), a.OpenOptions()
	return maker.NewEstimate(watched, old, new, os.TempDir(), &o)
}

// Ways returns the ways of transport of an estimate, the whole build first.
func Ways(e *maker.Estimate) []diff.Way {
	return []diff.Way{
		{Name: diff.WayBuild, Bytes: e.New, Parts: int64(e.Files), Of: int64(e.Files), Exact: true},
		{Name: diff.WayFiles, Bytes: e.Whole, Parts: int64(e.WholeFiles), Of: int64(e.Files), Exact: true},
		{Name: diff.WayChunks, Bytes: e.Chunks, Parts: int64(e.Missing), Of: int64(e.Total), Exact: true},
		{Name: diff.WayEntries, Bytes: e.Entries, Parts: int64(e.Changed), Of: int64(e.Stored), Exact: true},
		{Name: diff.WayDelta, Bytes: e.Delta, Made: e.Made, Exact: true},
	}
}

// MakeMemory is the memory above which the garbage collector works harder while a
// transport patch is made.
const MakeMemory = 160 << 20
