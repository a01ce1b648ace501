package codecs

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"pakdb/internal/process"
)

// Staged is an archive that is written and synced, and has no name of its own
// yet: whoever has more to check than [WriteFile] does looks at it first. It is
// not safe for concurrent use.
type Staged struct {
	files   *tempFiles
	written *written
}

// StageFile writes a new archive of format f that is to be at path, as
// [WriteFile] does, and leaves it under a temporary name in the same folder.
// The caller ends it by Commit or Discard. On an error, and when ctx is done,
// nothing is left.
func StageFile(ctx context.Context, path string, f *Format, o *CreateOptions, fill func(Writer) error) (_ *Staged, err error) {
	if f.Create == nil {
		return nil, &FormatError{Format: f.Name, File: filepath.Base(path), Off: -1, Err: ErrReadOnly}
	}
	files, err := newTempFiles(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &Staged{files: files}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Discard())
		}
	}()
	defer process.Rescue(&err)
	out, err := s.files.create("")
	if err != nil {
		return nil, err
	}
	if s.written, err = writeArchive(ctx, out, f, s.files.options(o), fill); err != nil {
		return nil, err
	}
	return s, s.files.sync()
}

// StageBytes is StageFile for a file that is no archive.
func StageBytes(ctx context.Context, path string, b []byte) (_ *Staged, err error) {
	files, err := newTempFiles(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &Staged{files: files}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Discard())
		}
	}()
	out, err := s.files.create("")
	if err != nil {
		return nil, err
	}
	if _, err := out.Write(b); err != nil {
		return nil, err
	}
	return s, s.files.sync()
}

// Source is the file under the name that it will have, with those beside it
// that belong to it. It may be read until Commit or Discard.
func (s *Staged) Source() (Source, error) {
	if len(s.files.list) == 0 {
		return Source{}, os.ErrClosed
	}
	f := s.files.list[0]
	st, err := f.file.Stat()
	if err != nil {
		return Source{}, err
	}
	return Source{ReaderAt: f.file.File, Name: f.name, Size: st.Size(), Dir: s.files}, nil
}

// Size is that of all its files together, in bytes.
func (s *Staged) Size() (n int64, err error) {
	for _, f := range s.files.list {
		st, err := f.file.Stat()
		if err != nil {
			return n, err
		}
		n += st.Size()
	}
	return n, nil
}

// Commit gives the files their names, the archive's own last, in place of what
// stands there.
func (s *Staged) Commit() error { return s.files.commit() }

// Discard removes what has no name of its own yet; after Commit that is
// nothing.
func (s *Staged) Discard() error { return s.files.remove() }
