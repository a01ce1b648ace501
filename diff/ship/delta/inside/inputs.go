package inside

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"pakdb/diff/ship/delta"
	"pakdb/internal/regular"
)

// ErrSameName means that two of the files that were given have one name.
var ErrSameName = errors.New("two files of one name")

// Files are opened inputs. Close closes them.
type Files struct {
	Inputs []delta.Input
	Open   []*os.File
	Passed []*regular.Odd // paths below folders that were left out
}

// ErrNoFiles means that there are no files in the folders.
var ErrNoFiles = errors.New("no files")

// OpenFiles is OpenBy with the policy [regular.Ship].
func OpenFiles(paths []string) (*Files, error) {
	return OpenBy(context.Background(), regular.Ship, paths)
}

// OpenBy opens files, and all files below folders as [regular.Walk] finds them. A file is
// called by its last name, one below a folder by its path from there. Two of a name are an
// error, and so is [ErrNoFiles] unless the policy is [regular.Own].
func OpenBy(ctx context.Context, policy regular.Policy, paths []string) (*Files, error) {
	f := &Files{}
	var err error
	for _, p := range paths {
		if err = f.addAll(ctx, policy, p); err != nil {
			break
		}
	}
	if err == nil {
		err = f.checkNames()
	}
	if err == nil && len(f.Inputs) == 0 && policy != regular.Own {
		err = fmt.Errorf("%w in %s", ErrNoFiles, strings.Join(paths, ", "))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// addAll adds a file, or the files below a folder.
func (f *Files) addAll(ctx context.Context, policy regular.Policy, root string) error {
	found, passed, err := regular.Walk(ctx, root, policy, nil)
	f.Passed = append(f.Passed, passed...)
	for _, file := range found {
		if err == nil {
			err = f.add(file.Path, file.Name)
		}
	}
	return err
}

func (f *Files) add(path, name string) error {
	file, err := regular.Open(path)
	if err != nil {
		return err
	}
	f.Open = append(f.Open, file)
	in, err := delta.NewInput(name, file)
	f.Inputs = append(f.Inputs, in)
	return err
}

func (f *Files) checkNames() error {
	seen := map[string]bool{}
	for _, in := range f.Inputs {
		if key := strings.ToLower(in.Name); seen[key] {
			return fmt.Errorf("%w: %q; name the folder above them instead", ErrSameName, in.Name)
		} else {
			seen[key] = true
		}
	}
	return nil
}

// Path returns the path of input i.
func (f *Files) Path(i int) string { return f.Open[i].Name() }

// Close closes all files.
func (f *Files) Close() error {
	var errs []error
	for _, file := range f.Open {
		errs = append(errs, file.Close())
	}
	return errors.Join(errs...)
}
