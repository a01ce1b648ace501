package ship

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/diff/ship/delta"
	"pakdb/internal/glob"
	"pakdb/internal/regular"
	"pakdb/schema"
)

// publishedFiles are the files of a build that is to be published, and their
// hashes where they are known.
type publishedFiles struct {
	inputs []delta.Input
	sums   []string
	close  func() error
}

// openPublished opens the files of a build: those below a folder, or those that the
// catalog has of a build of that label. folder says which of them. links is for a folder.
func openPublished(ctx context.Context, a *cli.App, build string, links regular.Policy) (f *publishedFiles, folder bool, err error) {
	if st, err := os.Stat(build); err == nil && st.IsDir() {
		files, err := delta.OpenBy(ctx, links, []string{build})
		if err != nil {
			return nil, true, err
		}
		return &publishedFiles{files.Inputs, make([]string, len(files.Inputs)), files.Close}, true, nil
	}
	db, err := a.OpenCatalog(ctx)
	if errors.Is(err, cli.ErrNoCatalog) {
		return nil, false, cli.WithHint(fmt.Errorf("%q is no folder, and there is no catalog to look for a build of that label: %w", build, fs.ErrNotExist), fileHint(build))
	}
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	files, err := operand.OpenBuilt(ctx, a, db, build)
	if errors.Is(err, schema.ErrNoBuild) {
		labels, errLabels := cli.BuildLabels(ctx, db)
		return nil, false, errors.Join(errLabels, cli.WithHint(fmt.Errorf("%w: neither a folder nor a build of the catalog: %q", cli.ErrUsage, build),
			cmp.Or(fileHint(build), glob.NearestHint(glob.Nearest(build, labels)))))
	}
	if err != nil {
		return nil, false, err
	}
	f = &publishedFiles{inputs: files.Inputs, close: files.Close}
	for _, known := range files.Known {
		f.sums = append(f.sums, known.Digest)
	}
	return f, false, nil
}

// fileHint is the hint for an archive where a build is wanted.
func fileHint(build string) string {
	if st, err := os.Stat(build); err != nil || st.IsDir() {
		return ""
	}
	return "that is a file; name the folder that it is in"
}
