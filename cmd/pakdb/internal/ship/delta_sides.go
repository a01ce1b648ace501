package ship

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/locate"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/apply"
	"pakdb/internal/atomicfile"
	"pakdb/internal/regular"
)

// deltaSides are the opened files that a patch is made between.
type deltaSides struct{ old, new *delta.Opened }

// openDeltaSides opens the files, of folders as links says, and warns of what may not be meant.
func openDeltaSides(ctx context.Context, a *cli.App, links regular.Policy, old, new []string) (s deltaSides, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	var errNew error
	s.old, err = openInputs(ctx, a, links, old)
	s.new, errNew = openInputs(ctx, a, links, new)
	if err = errors.Join(err, errNew); err != nil { // all that is refused, of both sides
		return s, err
	}
	same, err := apply.Same(ctx, s.old.Inputs, s.new.Inputs)
	if err != nil {
		return s, err
	}
	switch {
	case same && sameModes(s.old.Inputs, s.new.Inputs):
		a.Warn("old and new files are the same, so that there is nothing to download")
	case same:
		a.Warn("old and new files have the same bytes: the patch changes only which of them are executable")
	}
	return s, nil
}

// sameModes reports whether the same of two lists of files are executable.
func sameModes(a, b []delta.Input) bool {
	exec := map[string]bool{}
	for _, in := range a {
		exec[in.Name] = atomicfile.IsExec(in.Mode)
	}
	return !slices.ContainsFunc(b, func(in delta.Input) bool { return exec[in.Name] != atomicfile.IsExec(in.Mode) })
}

// openInputs opens files, all files below folders, and the files of builds.
func openInputs(ctx context.Context, a *cli.App, links regular.Policy, names []string) (*delta.Opened, error) {
	var paths []string
	var built []*locate.Name
	for _, name := range names {
		n, err := operand.Resolve(ctx, a, locate.Resolver{Folders: true}, name)
		switch {
		case err != nil:
			return nil, err
		case n.Entry != "":
			return nil, fmt.Errorf("%w: %s is an entry; a patch is made of files", cli.ErrUsage, name)
		case n.Build != "":
			built = append(built, n)
		default:
			paths = append(paths, n.Path)
		}
	}
	if built == nil {
		files, err := delta.OpenBy(ctx, links, paths)
		if err != nil {
			return nil, err
		}
		for _, err := range files.Passed {
			a.LeftOut(err)
		}
		return files, nil
	}
	if paths != nil || len(built) > 1 {
		return nil, fmt.Errorf("%w: %s: a side of a patch is one build, or files", cli.ErrUsage, built[0].Text)
	}
	return openBuildInputs(ctx, a, built[0])
}

func openBuildInputs(ctx context.Context, a *cli.App, n *locate.Name) (*delta.Opened, error) {
	files, err := operand.OpenFiles(ctx, a, n.Build, n.Files)
	if err != nil {
		return nil, err
	}
	if n.One { // a file that is named alone has its last name
		for i := range files.Inputs {
			files.Inputs[i].Name = path.Base(files.Inputs[i].Name)
		}
	}
	return &delta.Opened{Inputs: files.Inputs, Open: files.Opened}, nil
}

// has reports whether a file is among them, and how it is called there.
func (s deltaSides) has(name string) (path string, ok bool) {
	st, err := os.Stat(name)
	if err != nil {
		return "", false
	}
	for _, f := range []*delta.Opened{s.old, s.new} {
		for i := range f.Inputs {
			if other, err := os.Stat(f.Path(i)); err == nil && os.SameFile(st, other) {
				return f.Path(i), true
			}
		}
	}
	return "", false
}

func (s deltaSides) close() error {
	var errs []error
	for _, f := range []*delta.Opened{s.old, s.new} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// oldAndNew divides arguments at "--", or two of them in the middle.
func oldAndNew(args []string, dash int) (old, new []string, err error) {
	switch {
	case dash < 0 && len(args) == 2:
		dash = 1
	case dash < 0:
		return nil, nil, errors.New(`several files: separate old from new ones by "--"`)
	case dash == 0 || dash == len(args):
		return nil, nil, errors.New(`"--" separates old files from new ones; there are none on one side`)
	}
	return args[:dash], args[dash:], nil
}

func deltaHint(err error) error {
	switch {
	case errors.Is(err, apply.ErrApplied):
		return cli.WithHint(err, "there is nothing to do")
	case errors.Is(err, delta.ErrWrongOld):
		return cli.WithHint(err, `"pakdb delta verify" shows the files that the patch is for`)
	case errors.Is(err, delta.ErrNoKey):
		return cli.WithHint(err, cli.KeyHint+"; nothing was written")
	case errors.Is(err, delta.ErrCorrupt):
		return cli.WithHint(err, "download the patch again")
	}
	return err
}
