package compare

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff"
	"pakdb/internal/terminal"
)

// manyChanges is how long a list may be before it begins with its folders.
const manyChanges = 200

// mostFolders is the largest number of folders in that list.
const mostFolders = 20

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

// folderSum is what changed below a folder.
type folderSum struct {
	Name                          string // with its slash; "(top)" for files without a folder
	Changes, Difference, Download int64  // Difference and Download are in bytes
}

// sumFolders returns the folders of totals by "dir", those with most to download first. Folders
// are distinguished down to the level at which there are at most the given number of them;
// if the first level has more, these are returned.
func sumFolders(totals *diff.Totals, most int) []folderSum {
	folders := fold(totals, most)
	return slices.SortedFunc(maps.Values(folders), func(a, b folderSum) int {
		return cmp.Or(cmp.Compare(b.Download, a.Download), cmp.Compare(b.Changes, a.Changes), cmp.Compare(a.Name, b.Name))
	})
}

func fold(totals *diff.Totals, most int) (last map[string]folderSum) {
	for depth := 1; ; depth++ {
		folders, deeper := map[string]folderSum{}, false
		for dir, s := range totals.Each() {
			name, cut := leading(dir, depth)
			deeper = deeper || cut
			f := folders[name]
			folders[name] = folderSum{name, f.Changes + s.Count, f.Difference + s.NewSize - s.OldSize, f.Download + s.Download}
		}
		if last != nil && len(folders) > most {
			return last
		}
		if last = folders; !deeper {
			return last
		}
	}
}

// leading returns the first folders of a path, and whether there are more.
func leading(dir string, depth int) (name string, cut bool) {
	end := 0
	for range depth {
		i := strings.IndexByte(dir[end:], '/')
		if i < 0 {
			return cmp.Or(dir, "(top)"), false
		}
		end += i + 1
	}
	return dir[:end], end < len(dir)
}
