package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"pakdb/diff"
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

// folder is what changed below a folder.
type folder struct{ changes, difference, download int64 }

// listFolders writes a table of the folders with changes, if these are very many. As
// many levels of folders are told apart as there is room for.
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
	folders := foldedFolders(totals)
	_, _ = fmt.Fprintf(w, "%s in %s\n\n%9s  %10s  %10s\n", plural(int64(n), "change", "changes"),
		plural(int64(len(totals.Values())), "folder", "folders"), "changes", "difference", "download")
	names := slices.SortedFunc(maps.Keys(folders), func(a, b string) int {
		x, y := folders[a], folders[b]
		return cmp.Or(cmp.Compare(y.download, x.download), cmp.Compare(y.changes, x.changes), cmp.Compare(a, b))
	})
	for i, name := range names {
		if i == mostFolders {
			_, _ = fmt.Fprintf(w, "%9s  and %s\n", "", plural(int64(len(names)-i), "other folder", "other folders"))
			break
		}
		f := folders[name]
		_, _ = fmt.Fprintf(w, "%9d  %10s  %10s  %s\n", f.changes, signed(f.difference), humanSize(f.download), printable(name))
	}
	_, err = fmt.Fprintln(w)
	return err
}

// foldedFolders adds totals by folder up, such that there are at most mostFolders if
// the first level has no more.
func foldedFolders(totals *diff.Totals) map[string]folder {
	var last map[string]folder
	for depth := 1; ; depth++ {
		folders, deeper := map[string]folder{}, false
		for _, dir := range totals.Values() {
			name, cut := leading(dir, depth)
			deeper = deeper || cut
			s, f := totals.Get(dir), folders[name]
			folders[name] = folder{f.changes + s.Count, f.difference + s.NewSize - s.OldSize, f.download + s.Download}
		}
		if last != nil && len(folders) > mostFolders {
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
			return orTop(dir), false
		}
		end += i + 1
	}
	return dir[:end], end < len(dir)
}

// orTop names the folder that all others are in.
func orTop(dir string) string {
	if dir == "" {
		return "(top)"
	}
	return dir
}
