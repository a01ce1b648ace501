package codecs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"pakdb/internal/regular"
)

// Registry is the set of formats and inspectors in use. It is immutable: build
// it once, share it freely.
type Registry struct {
	Formats    []*Format // the last one may be a fallback that always matches weakly
	Inspectors []*Inspector
	Values     *ValueReader // nil: values are not read
}

// Detect returns the format of src, decided from its bytes. No match is
// ErrUnknown; two matches of the highest certainty are ErrAmbiguous.
func (r *Registry) Detect(src Source) (*Format, error) {
	var best []*Format
	level := WeakMatch
	for _, f := range r.Formats {
		m, err := f.Probe(src)
		if err != nil {
			return nil, &FormatError{Format: f.Name, File: src.Name, Field: "probe", Off: -1, Err: err}
		}
		if m > level {
			level, best = m, nil
		}
		if m == level {
			best = append(best, f)
		}
	}
	switch {
	case len(best) == 0:
		return nil, &FormatError{Format: "detect", File: src.Name, Off: -1, Err: ErrUnknown}
	case len(best) > 1:
		return nil, &FormatError{Format: "detect", File: src.Name, Off: -1,
			Err: Errorf(ErrAmbiguous, "%s", names(best))}
	}
	return best[0], nil
}

// DetectArchive is [Registry.Detect] for callers that need an archive, not a file that is
// one entry of its own. For a file that only the format of any file recognises, it returns
// the error of [Registry.Explain], or else [ErrUnknown].
func (r *Registry) DetectArchive(src Source) (*Format, error) {
	format, err := r.Detect(src)
	if err != nil || !format.Mounts().Loose {
		return format, err
	}
	if err := r.Explain(src); err != nil {
		return nil, err
	}
	return nil, &FormatError{Format: "detect", File: src.Name, Off: -1, Err: ErrUnknown}
}

// Open detects and opens src.
func (r *Registry) Open(ctx context.Context, src Source, o *Options) (Archive, *Format, error) {
	f, err := r.Detect(src)
	if err != nil {
		return nil, nil, err
	}
	a, err := f.Open(ctx, src, o)
	if err != nil {
		return nil, f, err
	}
	return a, f, nil
}

// File is an archive that [OpenFile] opened.
type File struct {
	Archive
	Format *Format // that recognised it
	Path   string  // as it was given
	Size   int64   // of the file at Path, in bytes; files beside it do not count

	file *os.File
}

// OpenFile opens the archive at path, in the format of r that recognises its
// bytes; the name decides nothing. Formats of several files find the others beside
// it: of an IoStore container, path is the .utoc. o has limits and keys; nil means
// none. The caller closes the File, which releases all of its files. ctx is for
// OpenFile alone.
//
// It fails with [ErrUnknown] when no format recognises the file or only the one
// that takes any file does, with an error of the class that [Format.Explain] gives
// when the file is a damaged archive, and with an [*fs.PathError] when it cannot be
// opened or is no regular file. OpenFile of codecs/all knows all formats.
func OpenFile(ctx context.Context, path string, r *Registry, o *Options) (*File, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	opened, err := openIn(ctx, f, r, o)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	opened.Path = path
	return opened, nil
}

func openIn(ctx context.Context, f *os.File, r *Registry, o *Options) (*File, error) {
	src, err := FileSource(f)
	if err != nil {
		return nil, err
	}
	format, err := r.DetectArchive(src)
	if err != nil {
		return nil, err
	}
	a, err := format.Open(ctx, src, o)
	if err != nil {
		return nil, err
	}
	return &File{Archive: a, Format: format, Size: src.Size, file: f}, nil
}

// Unwrap returns the Archive, for [ArchiveAs].
func (f *File) Unwrap() Archive { return f.Archive }

// Close closes the archive and all of its files. Nothing that was opened of it may
// be used any more.
func (f *File) Close() error { return errors.Join(f.Archive.Close(), f.file.Close()) }

// IsPart reports whether the file of that name in dir belongs to an archive
// beside it, see [Format.IsPart].
func (r *Registry) IsPart(name string, dir fs.FS) bool {
	return slices.ContainsFunc(r.Formats, func(f *Format) bool { return f.IsPart != nil && f.IsPart(name, dir) })
}

// Explain reports why no container format recognises src, where one of them has
// an idea: what its name claims to be, and is not. Else it returns nil.
func (r *Registry) Explain(src Source) error {
	for _, f := range r.Formats {
		if f.Explain == nil {
			continue
		}
		if why := f.Explain(src); why != nil {
			return why
		}
	}
	return nil
}

// Format returns the format of that name.
func (r *Registry) Format(name string) (*Format, bool) {
	for _, f := range r.Formats {
		if f.Name == name {
			return f, true
		}
	}
	return nil, false
}

// Inspector returns the inspector for an entry whose content starts with head,
// or nil.
func (r *Registry) Inspector(e *Entry, head []byte) *Inspector {
	for _, in := range r.Inspectors {
		if in.Match(e, head) {
			return in
		}
	}
	return nil
}

// ForComparing returns a registry of the same formats whose inspectors read only those
// contents whose facts bear on how builds compare, and give no symbols and references.
// What a catalog that is scanned so says of changes is the same, but for what changed
// inside contents and what depends on them.
func (r *Registry) ForComparing() *Registry {
	lean := &Registry{Formats: r.Formats}
	for _, in := range r.Inspectors {
		if in.Compares == nil {
			continue
		}
		lean.Inspectors = append(lean.Inspectors, &Inspector{Name: in.Name, Doc: in.Doc, Spec: in.Spec, Revision: in.Revision,
			Match: func(e *Entry, head []byte) bool { return in.Compares(e, head) && in.Match(e, head) },
			Inspect: func(ctx context.Context, content io.ReaderAt, size int64, e *Entry) (*Facts, error) {
				f, err := in.Inspect(ctx, content, size, e)
				if f == nil || err != nil {
					return f, err
				}
				few := *f
				few.Symbols, few.Refs, few.Scan = nil, nil, nil
				if f.Digest != nil || f.Body != nil {
					few.Detail = nil // the digest is all that counts
				}
				return &few, nil
			}})
	}
	return lean
}

// Check reports formats that cannot work together: missing functions, a name
// twice.
func (r *Registry) Check() error {
	var errs []error
	seen := map[string]bool{}
	for _, f := range r.Formats {
		if f.Name == "" || f.Probe == nil || f.Open == nil || f.Spec == "" || f.Revision < 1 {
			errs = append(errs, fmt.Errorf("format %q is incomplete", f.Name))
		}
		if seen[f.Name] {
			errs = append(errs, fmt.Errorf("format %q is listed twice", f.Name))
		}
		seen[f.Name] = true
	}
	return errors.Join(errs...)
}

func names(formats []*Format) string {
	s := make([]string, len(formats))
	for i, f := range formats {
		s[i] = f.Name
	}
	return strings.Join(s, ", ")
}
