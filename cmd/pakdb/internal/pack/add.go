package pack

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
	"pakdb/codecs/unrealpak/response"
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

func addFile(ctx context.Context, w codecs.Writer, root *os.Root, name string, epoch time.Time, s *cli.Sums) error {
	f, err := regular.OpenIn(root, filepath.FromSlash(name), os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return addOpened(ctx, w, f, &codecs.Entry{Name: name}, epoch, s)
}

// addLine adds the file, or the delete record, that a line stands for.
func addLine(ctx context.Context, w codecs.Writer, l response.Line, epoch time.Time, s *cli.Sums) error {
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

// filesBelow lists the regular files below dir, sorted, with slashes. What
// stands at out, from an earlier run, is not one of them.
func filesBelow(dir, out string) ([]string, error) {
	old, _ := os.Stat(out)
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case !st.Mode().IsRegular():
			return cli.Refusal(fmt.Errorf("%s is neither a file nor a folder", path))
		case old != nil && os.SameFile(st, old):
			return nil
		}
		name, err := filepath.Rel(dir, path)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	slices.Sort(names)
	return names, err
}
