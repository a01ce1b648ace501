package compare

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"pakdb/diff"
)

// folderSum is what changed below a folder.
type folderSum struct {
	Name                          string // with its slash; "(top)" for files without a folder
	Changes, Difference, Download int64  // Difference and Download are in bytes
}

// sumFolders returns the folders of totals by "dir", those with most to download first. Folders
// are told apart down to the level at which there are at most the given number of them;
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
