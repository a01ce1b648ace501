package locate

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"pakdb/codecs"
	"pakdb/diff"
	"pakdb/diff/ship/delta"
	"pakdb/internal/regular"
	"pakdb/internal/stored"
)

// ErrChanged means that a file is not as it was when it was indexed.
var ErrChanged = errors.New("the file has changed since it was indexed")

// MissingError says that a file of a build is not where it was indexed. It is
// [fs.ErrNotExist].
type MissingError struct {
	Build, Name string
	Location    string // where it was
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s of build %q is no longer where it was indexed: %s", e.Name, e.Build, e.Location)
}

// Unwrap returns [fs.ErrNotExist].
func (e *MissingError) Unwrap() error { return fs.ErrNotExist }

// Hint names what brings the archive back, or what to index again.
func (e *MissingError) Hint() string {
	return fmt.Sprintf("put it back, or index the build where it is now: pakdb index --build %s PATH", e.Build)
}

// changed returns an ErrChanged.
func changed(location, how string) error {
	return fmt.Errorf("%s: %w: %s", location, ErrChanged, how)
}

// Files are files of a build in the catalog, opened where they were when it was
// indexed: archives, and files beside them that are parts of them.
type Files struct {
	Inputs []delta.Input
	Known  []diff.BuildFile // of Inputs; of a part nothing but its name
	Opened []*os.File       // of Inputs
}

// Open opens files of a build. It fails with a [MissingError] for one that is not
// there, and with [ErrChanged] for one whose size, or whose parts' size, has changed.
// Check and Unchanged compare more. The caller closes the files.
func Open(build string, files []diff.BuildFile, registry *codecs.Registry) (f *Files, err error) {
	f = &Files{}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	for _, b := range files {
		src, err := f.add(b.Name, b.Location, b)
		if errors.Is(err, fs.ErrNotExist) {
			return f, &MissingError{build, b.Name, b.Location}
		}
		if err != nil {
			return f, err
		}
		if src.Size != b.Size {
			return f, changed(b.Location, fmt.Sprintf("it has %d bytes, and had %d", src.Size, b.Size))
		}
		if err := f.addParts(registry, b, src); err != nil {
			return f, err
		}
	}
	return f, nil
}

func (f *Files) add(name, location string, known diff.BuildFile) (codecs.Source, error) {
	file, err := regular.Open(location)
	if err != nil {
		return codecs.Source{}, err
	}
	f.Opened = append(f.Opened, file)
	in, err := delta.NewInput(name, file)
	if err != nil {
		return codecs.Source{}, err
	}
	f.Inputs, f.Known = append(f.Inputs, in), append(f.Known, known)
	return in.Source, nil
}

// addParts adds the files beside an archive that belong to it.
func (f *Files) addParts(r *codecs.Registry, b diff.BuildFile, src codecs.Source) error {
	if b.DataFiles == 0 {
		return nil
	}
	size := int64(0)
	for _, format := range r.Formats {
		if format.Name != b.Format || format.Parts == nil {
			continue
		}
		names, err := format.Parts(src)
		if err != nil {
			return err
		}
		for _, name := range names {
			part, err := f.add(path.Join(path.Dir(b.Name), name), filepath.Join(filepath.Dir(b.Location), name), diff.BuildFile{})
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			size += part.Size
		}
	}
	if size != b.Data {
		return changed(b.Location, fmt.Sprintf("the files beside it have %d bytes, and had %d", size, b.Data))
	}
	return nil
}

// hashMost is the size up to which Check reads all of a file.
const hashMost = 64 << 20

// Check compares the times of the files with those in the catalog. Where they differ,
// as those of copies do, it compares all bytes of files up to 64 MiB, and samples of
// larger ones. It fails with [ErrChanged] for a file whose bytes differ, and returns
// the locations of those of which only samples were compared.
func (f *Files) Check(ctx context.Context) (sampled []string, err error) {
	for i, known := range f.Known {
		if known.Location == "" {
			continue
		}
		st, err := f.Opened[i].Stat()
		if err != nil {
			return sampled, err
		}
		if st.ModTime().UnixNano() == known.ModTime {
			continue
		}
		all := known.Digest != "" && known.Size <= hashMost
		same, err := f.same(ctx, i, all)
		switch {
		case err != nil:
			return sampled, err
		case !same:
			return sampled, changed(known.Location, "its time and its bytes differ")
		case !all:
			sampled = append(sampled, known.Location)
		}
	}
	return sampled, nil
}

// same compares all bytes of a file, or samples, with their hash in the catalog.
func (f *Files) same(ctx context.Context, i int, all bool) (bool, error) {
	known := f.Known[i]
	if all {
		sum, err := stored.Hash(ctx, f.Opened[i], known.Size)
		return hex.EncodeToString(sum[:]) == known.Digest, err
	}
	sum, err := stored.Sample(f.Opened[i], known.Size)
	return hex.EncodeToString(sum[:]) == known.Quick, err
}

// Close closes the files.
func (f *Files) Close() (err error) {
	for _, file := range f.Opened {
		err = errors.Join(err, file.Close())
	}
	return err
}
