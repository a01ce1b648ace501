package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/place"
	"pakdb/internal/atomicfile"
)

// source is a store that is looked at, wherever it lies.
type source struct {
	at     string
	files  store.Files
	from   *store.Reader
	remote *remote // nil: a folder
}

// openSource opens a store to look at it. The error wraps [store.ErrNoStore] if there is
// none.
func openSource(ctx context.Context, location string) (s *source, err error) {
	s = &source{at: location, files: store.Folder(location)}
	if place.IsBucket(location) {
		var out *atomicfile.Dir
		if s.remote, out, err = openRemote(ctx, location); err != nil {
			return nil, err
		}
		s.files = s.remote
		if err := out.Close(); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	s.from = store.NewReader(ctx, s.files)
	if err := isStore(s.from, location); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *source) close() error {
	if s.remote == nil {
		return nil
	}
	return s.remote.scratch.Close()
}

// isStore returns ErrNoStore for a place without a list of builds, which may be
// anyone's.
func isStore(from *store.Reader, location string) error {
	_, _, err := from.File(store.IndexName)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w: there is no %s", location, store.ErrNoStore, store.IndexName)
	}
	return err
}

// packNumbers returns the packs that are there, in their order. Of a bucket these are
// those of its builds: others may be of publishers at work.
func (s *source) packNumbers(builds []*store.Build) (numbers []int, err error) {
	if s.remote == nil {
		return packNumbers(s.at)
	}
	infos, err := listedPacks(s.from, builds)
	if err != nil {
		return nil, err
	}
	err = s.remote.List(s.remote.ctx, "p", func(in store.Info) error {
		n, err := strconv.Atoi(strings.TrimPrefix(in.Name, "p/"))
		if _, listed := infos[n]; err == nil && listed && store.PackName(n) == in.Name {
			numbers = append(numbers, n)
		}
		return nil
	})
	slices.Sort(numbers)
	return numbers, err
}

// verifyDelta reads a patch between files and compares it with its hashes.
func (s *source) verifyDelta(ctx context.Context, name string) (err error) {
	a, err := s.files.Open(ctx, store.Ask{Name: name, N: -1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if _, err := delta.Verify(ctx, a); err != nil {
		return delta.Named(s.files.At(name), err)
	}
	return nil
}

// listedPacks returns the packs that builds have.
func listedPacks(from *store.Reader, builds []*store.Build) (store.Tables, error) {
	infos := store.Tables{}
	for _, b := range builds {
		t, err := store.ReadTables(from, b.Tables)
		if err != nil {
			return nil, err
		}
		for n, info := range t {
			infos[n] = info
		}
	}
	return infos, nil
}
