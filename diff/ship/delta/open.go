package delta

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/regular"
)

// ErrSameName means that two of the files that were given have one name.
var ErrSameName = errors.New("two files of one name")

// Opened are opened inputs. Close closes them.
type Opened struct {
	Inputs []Input
	Open   []*os.File     // nil: closed already
	Passed []*regular.Odd // paths below folders that were left out
}

// ErrNoFiles means that there are no files in the folders.
var ErrNoFiles = errors.New("no files")

// OpenFiles is OpenBy with the policy [regular.Ship].
func OpenFiles(paths []string) (*Opened, error) {
	return OpenBy(context.Background(), regular.Ship, paths)
}

// OpenBy opens files, and all files below folders as [regular.Walk] finds them. A file is
// called by its last name, one below a folder by its path from there. Two of a name are an
// [ErrSameName], also in another case unless the policy is [regular.Own]. Without it no files
// are [ErrNoFiles].
func OpenBy(ctx context.Context, policy regular.Policy, paths []string) (*Opened, error) {
	f := &Opened{}
	var err error
	for _, p := range paths {
		if err = f.addAll(ctx, policy, p); err != nil {
			break
		}
	}
	if err == nil {
		err = f.checkNames(policy)
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
func (f *Opened) addAll(ctx context.Context, policy regular.Policy, root string) error {
	found, passed, err := regular.Walk(ctx, root, policy, nil)
	f.Passed = append(f.Passed, passed...)
	for _, file := range found {
		if err == nil {
			err = f.Add(file.Path, file.Name)
		}
	}
	return err
}

// Add opens a file, which is called so.
func (f *Opened) Add(path, name string) error {
	file, err := regular.Open(path)
	if err != nil {
		return err
	}
	f.Open = append(f.Open, file)
	in, err := NewInput(name, file)
	f.Inputs = append(f.Inputs, in)
	return err
}

// checkNames returns ErrSameName. What is shipped has to fit on systems on which case does not
// count; a user's own folder is as it is.
func (f *Opened) checkNames(policy regular.Policy) error {
	seen := map[string]string{}
	for _, in := range f.Inputs {
		key := in.Name
		if policy != regular.Own {
			key = strings.ToLower(key)
		}
		switch other, ok := seen[key]; {
		case ok && other == in.Name:
			return fmt.Errorf("%w: %q; name the folder above them instead", ErrSameName, in.Name)
		case ok:
			return fmt.Errorf("%w: %q and %q, which is one file on Windows and macOS", ErrSameName, other, in.Name)
		}
		seen[key] = in.Name
	}
	return nil
}

// Path returns the path of input i.
func (f *Opened) Path(i int) string { return f.Open[i].Name() }

// Close closes all files.
func (f *Opened) Close() error {
	var errs []error
	for _, file := range f.Open {
		if file != nil {
			errs = append(errs, file.Close())
		}
	}
	return errors.Join(errs...)
}

// CloseOnly closes the inputs of some names.
func (f *Opened) CloseOnly(closes func(name string) bool) error {
	var errs []error
	for i, file := range f.Open {
		if file != nil && closes(f.Inputs[i].Name) {
			errs = append(errs, file.Close())
			f.Open[i] = nil
		}
	}
	return errors.Join(errs...)
}

// Side are the files of one build in which damage is looked for.
type Side struct {
	Name   string // Damage.Build of what is found, "" where there is one side only
	Inputs []Input
	Open   *codecs.Options // with its keys
}

// FindDamage returns the damage of the archives among the files of each side, see
// [codecs.Damage]. Of two sides, a file that only one has as an archive is damaged on
// the other, see [codecs.Registry.Demoted]. An index without a key is none: files are
// bytes. The error is that of ctx.
func FindDamage(ctx context.Context, registry *codecs.Registry, sides ...Side) (found []codecs.Damage, err error) {
	named := make([][]codecs.NamedFormat, len(sides))
	all := make([][]codecs.Damage, len(sides))
	for i, side := range sides {
		if all[i], named[i], err = damageOf(ctx, registry, side); err != nil {
			return nil, err
		}
	}
	if len(sides) == 2 {
		inOld, inNew := registry.Demoted(named[0], named[1])
		all[0], all[1] = codecs.MergeDamage(all[0], inOld), codecs.MergeDamage(all[1], inNew)
	}
	for i, side := range sides {
		for _, d := range all[i] {
			d.Build = side.Name
			found = append(found, d)
		}
	}
	return found, nil
}

// damageOf returns the damage of one side, and as what each file is read.
func damageOf(ctx context.Context, registry *codecs.Registry, side Side) (found []codecs.Damage, named []codecs.NamedFormat, err error) {
	for _, in := range side.Inputs {
		more, err := registry.Damage(ctx, in.Name, in.Source, side.Open)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, slices.DeleteFunc(more, codecs.Damage.NeedsKey)...)
		if f, err := registry.Detect(in.Source); err == nil {
			named = append(named, codecs.NamedFormat{Name: in.Name, Format: f.Name})
		}
	}
	return found, named, nil
}
