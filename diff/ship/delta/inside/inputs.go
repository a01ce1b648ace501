package inside

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/zeebo/blake3"
	"golang.org/x/sync/errgroup"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/internal/process"
	"pakdb/internal/regular"
	"pakdb/internal/stored"
)

// ErrSameName means that two of the files that were given have one name.
var ErrSameName = errors.New("two files of one name")

// Files are opened inputs. Close closes them.
type Files struct {
	Inputs []delta.Input
	Open   []*os.File     // nil: closed already
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
		if file != nil {
			errs = append(errs, file.Close())
		}
	}
	return errors.Join(errs...)
}

// CloseOnly closes the inputs of some names.
func (f *Files) CloseOnly(closes func(name string) bool) error {
	var errs []error
	for i, file := range f.Open {
		if file != nil && closes(f.Inputs[i].Name) {
			errs = append(errs, file.Close())
			f.Open[i] = nil
		}
	}
	return errors.Join(errs...)
}

// Hash reads the files of two builds once, each build by a goroutine, and hashes
// them and the stored bytes of their extents.
func Hash(ctx context.Context, builds ...*Build) ([][]delta.File, error) {
	files := make([][]delta.File, len(builds))
	g, ctx := errgroup.WithContext(ctx)
	for i, b := range builds {
		g.Go(process.RescueFunc(func() (err error) {
			files[i], err = b.hash(ctx)
			return err
		}))
	}
	return files, g.Wait()
}

func (b *Build) hash(ctx context.Context) ([]delta.File, error) {
	files := make([]delta.File, len(b.Files))
	buf := make([]byte, 1<<20)
	for i := range b.Files {
		l := &b.Files[i]
		sum, err := l.hash(ctx, buf)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Name, err)
		}
		files[i] = delta.File{Name: l.Name, Size: l.Size, Sum: sum}
	}
	return files, nil
}

func (l *Layout) hash(ctx context.Context, buf []byte) (delta.Sum, error) {
	whole, part := blake3.New(), blake3.New()
	var sum [32]byte
	rest := l.Extents
	if len(rest) == 1 && rest[0].Stored == l.Size {
		rest = nil // its hash is the file's
	}
	for off := int64(0); off < l.Size; {
		if err := ctx.Err(); err != nil {
			return delta.Sum{}, err
		}
		p := buf[:min(int64(len(buf)), l.Size-off)]
		if err := stored.ReadAt(l.Source, p, off); err != nil {
			return delta.Sum{}, err
		}
		_, _ = whole.Write(p)
		end := off + int64(len(p))
		for len(rest) > 0 && rest[0].Off < end {
			x := &rest[0]
			_, _ = part.Write(p[max(x.Off, off)-off : min(x.End(), end)-off])
			if x.End() > end {
				break
			}
			copy(x.Sum[:], part.Sum(sum[:0]))
			part.Reset()
			rest = rest[1:]
		}
		off = end
		stored.ProgressOf(ctx).Add(int64(len(p)))
	}
	all := delta.Sum(whole.Sum(sum[:0]))
	if len(l.Extents) == 1 && l.Extents[0].Stored == l.Size {
		l.Extents[0].Sum = all
	}
	return all, l.plainSums()
}

// plainSums hashes what encrypted extents are when they are decrypted.
func (l *Layout) plainSums() (err error) {
	for i := range l.Extents {
		x := &l.Extents[i]
		if x.Plain = x.Sum; x.Key > 0 {
			if x.Plain, err = l.plainSum(x); err != nil {
				return err
			}
		}
	}
	return nil
}

// Side are the files of one build in which damage is looked for.
type Side struct {
	Name   string // Damage.Build of what is found, "" where there is one side only
	Inputs []delta.Input
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
