package ship

import (
	"fmt"
	"slices"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/terminal"
)

// noParts is the value of --part for a build without parts.
const noParts = "none"

// readParts reads the values of pakdb publish --part.
func readParts(flags []string) (list []publish.PartFiles, err error) {
	if slices.Equal(flags, []string{noParts}) {
		return nil, nil
	}
	var names []string
	for _, text := range flags {
		name, pattern, ok := strings.Cut(text, "=")
		if !ok || pattern == "" {
			return nil, fmt.Errorf("%w: --part %q: want NAME=PATTERN, as fr='Localization/fr/**'", cli.ErrUsage, text)
		}
		if slices.Contains(names, name) {
			return nil, fmt.Errorf("%w: --part: %q is there twice: one pattern of several is {A,B}", cli.ErrUsage, name)
		}
		names = append(names, name)
		list = append(list, publish.PartFiles{Name: name, Pattern: pattern})
	}
	if err := store.CheckPartNames(names); err != nil {
		return nil, fmt.Errorf("%w: --part: %w", cli.ErrUsage, err)
	}
	return list, nil
}

// tellParts reports which parts the folder has and lacks, and, text or not, which parts it
// was asked for that are not in the build.
func tellParts(a *cli.App, f *update.Folder, text bool) {
	list, gone := f.Parts()
	if a.Quiet {
		return
	}
	for _, name := range gone {
		a.Warn(fmt.Sprintf("the build has no part %q, which the folder remembers: files that were in it are installed if the build has them", name))
	}
	if !text || len(list) == 0 {
		return
	}
	var with, without []string
	for _, p := range list {
		name := terminal.Printable(p.Name)
		if p.Wanted {
			with = append(with, name)
			continue
		}
		without = append(without, fmt.Sprintf("%s (%s, %s)", name, cli.Plural(int64(p.Files), "file", "files"), cli.HumanSize(p.Size)))
	}
	for _, one := range []struct {
		what  string
		names []string
	}{{"parts", with}, {"without", without}} {
		if len(one.names) > 0 {
			_, _ = fmt.Fprintf(a.Stdout, "%s: %s\n", one.what, strings.Join(one.names, ", "))
		}
	}
}
