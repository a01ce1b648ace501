package archive

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/internal/regular"
)

// withFile is a folder as it will look when a file is in it.
type withFile struct {
	fs.FS
	name string
	like fs.FileInfo
}

func (w withFile) Stat(name string) (fs.FileInfo, error) {
	if name == w.name {
		return w.like, nil
	}
	return fs.Stat(w.FS, name)
}

// refuseParts keeps files that would belong to OUT once it is there, such as the
// .ucas of a .utoc: they belong to something else, or to nothing any more.
func refuseParts(r *codecs.Registry, out string) error {
	dir := regular.FS(filepath.Dir(out))
	files, err := fs.ReadDir(dir, ".")
	if err != nil {
		return nil // writing reports it
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil || info.IsDir() {
			continue
		}
		if !r.IsPart(f.Name(), dir) && r.IsPart(f.Name(), withFile{dir, filepath.Base(out), info}) {
			return cli.WithHint(cli.Refusal(fmt.Errorf("%s exists already, and would be part of %s", filepath.Join(filepath.Dir(out), f.Name()), out)),
				"pass --overwrite to replace it")
		}
	}
	return nil
}

// sizeOnDisk is that of an archive with all of its files.
func sizeOnDisk(f *codecs.Format, path string) (int64, error) {
	st, err := os.Stat(path)
	if err != nil || f.Parts == nil {
		return sizeOf(st), err
	}
	file, err := regular.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	names, err := f.Parts(codecs.Source{ReaderAt: file, Name: filepath.Base(path), Size: st.Size()})
	if err != nil {
		return 0, err
	}
	size := st.Size()
	for _, name := range names {
		if st, err := os.Stat(filepath.Join(filepath.Dir(path), name)); err == nil {
			size += st.Size()
		}
	}
	return size, nil
}

func sizeOf(st fs.FileInfo) int64 {
	if st == nil {
		return 0
	}
	return st.Size()
}

// writeFiles writes an archive of new files: add adds one, by the name that name returns.
func writeFiles[T any](ctx context.Context, t *target, out string, files []T, name func(T) string,
	add func(context.Context, codecs.Writer, T, time.Time, *cli.Sums) error) (s cli.Sums, err error) {
	names := func(yield func(string) bool) {
		for _, f := range files {
			if !yield(name(f)) {
				return
			}
		}
	}
	if err := codecs.CheckNames(ctx, t.format, &t.options, names); err != nil {
		return s, err
	}
	epoch, err := cli.SourceDateEpoch()
	if err != nil {
		return s, err
	}
	err = codecs.WriteFile(ctx, out, t.format, &t.options, func(w codecs.Writer) error {
		if err := t.imitate(w); err != nil {
			return err
		}
		for _, f := range files {
			if err := add(ctx, w, f, epoch, &s); err != nil {
				return err
			}
		}
		return nil
	})
	return s, err
}

// printPacked reports what was written.
func printPacked(a *cli.App, f *codecs.Format, out string, s cli.Sums) error {
	size, err := sizeOnDisk(f, out)
	if err != nil {
		return err
	}
	a.Result.Done(cli.Packed{Archive: out, Format: f.Name, Entries: s.Entries, Size: s.Size, Stored: size})
	if a.Quiet {
		return nil
	}
	_, err = fmt.Fprintf(a.Stdout, "%s: %s, %s decoded, %s\n", out, cli.Plural(s.Entries, "entry", "entries"),
		cli.HumanSize(s.Size), cli.HumanSize(size))
	return err
}
