package compare

import (
	"context"
	"fmt"
	"io"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff"
	"pakdb/internal/terminal"
)

// manyChanges is how long a list may be before it begins with its folders.
const manyChanges = 200

// mostFolders is how many folders stand there.
const mostFolders = 20

// limited returns do for as many changes as --limit leaves.
func (c *changes) limited(do func(*diff.Change) error) func(*diff.Change) error {
	shown := 0
	return func(ch *diff.Change) error {
		if c.limit > 0 && shown == c.limit {
			c.hidden++
			return nil
		}
		shown++
		return do(ch)
	}
}

// listFolders writes a table of the folders with changes, if these are very many.
func listFolders(ctx context.Context, w io.Writer, c *changes) error {
	if c.Len() <= manyChanges {
		return nil
	}
	totals := diff.NewTotals("dir")
	n, err := c.each(ctx, func(ch *diff.Change) error {
		totals.Add(ch)
		return nil
	})
	if err != nil || n <= manyChanges {
		return err
	}
	_, _ = fmt.Fprintf(w, "%s in %s\n\n%9s  %10s  %10s\n", cli.Plural(int64(n), "change", "changes"),
		cli.Plural(int64(totals.Len()), "folder", "folders"), "changes", "difference", "download")
	all := sumFolders(totals, mostFolders)
	for _, f := range all[:min(len(all), mostFolders)] {
		_, _ = fmt.Fprintf(w, "%9d  %10s  %10s  %s\n", f.Changes, signed(f.Difference), cli.HumanSize(f.Download), terminal.Printable(f.Name))
	}
	if more := len(all) - mostFolders; more > 0 {
		_, _ = fmt.Fprintf(w, "%9s  and %s\n", "", cli.Plural(int64(more), "other folder", "other folders"))
	}
	_, err = fmt.Fprintln(w)
	return err
}
