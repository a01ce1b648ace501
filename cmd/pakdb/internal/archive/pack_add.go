package archive

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/codecs/unrealpak"
	"pakdb/internal/regular"
)

// addOpened adds f as e, with its time unless epoch gives another.
func addOpened(ctx context.Context, w codecs.Writer, f *os.File, e *codecs.Entry, epoch time.Time, s *cli.Sums) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	e.Size, e.Mod = st.Size(), epoch
	if epoch.IsZero() {
		e.Mod = st.ModTime()
	}
	s.Add(e)
	return w.Add(ctx, e, codecs.ContextReader(ctx, f))
}

func addFile(ctx context.Context, w codecs.Writer, from regular.File, epoch time.Time, s *cli.Sums) error {
	f, err := regular.Open(from.Path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return addOpened(ctx, w, f, &codecs.Entry{Name: from.Name}, epoch, s)
}

// addLine adds the file, or the delete record, of a line.
func addLine(ctx context.Context, w codecs.Writer, l unrealpak.ResponseLine, epoch time.Time, s *cli.Sums) error {
	e := &codecs.Entry{Name: l.Dest}
	if l.Delete {
		e.Flags = codecs.Deleted
		s.Add(e)
		return w.Add(ctx, e, strings.NewReader(""))
	}
	if !l.Compress {
		e.Method = "none"
	}
	if l.Encrypt {
		e.Flags = codecs.Encrypted
	}
	file, err := regular.Open(filepath.FromSlash(l.Source))
	if err != nil {
		return fmt.Errorf("line %d: %w", l.Line, err)
	}
	defer func() { _ = file.Close() }()
	return addOpened(ctx, w, file, e, epoch, s)
}

// filesBelow lists the files below dir, sorted by their names. The file at out, from an
// earlier run, is not one of them.
func filesBelow(ctx context.Context, dir, out string, links regular.Policy) ([]regular.File, error) {
	old, _ := os.Stat(out)
	files, _, err := regular.Walk(ctx, dir, links, func(st fs.FileInfo) bool { return old != nil && os.SameFile(st, old) })
	slices.SortFunc(files, func(a, b regular.File) int { return strings.Compare(a.Name, b.Name) })
	return files, err
}
