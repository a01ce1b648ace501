package overlay

import (
	"context"
	"errors"
	"fmt"

	"pakdb/codecs"
)

// sources keeps the archives open that contents are taken from, with the entries
// that are wanted of them.
type sources struct {
	d       *Disk
	opened  map[string]*opened // by place
	entries map[*File]*codecs.Entry
}

func newSources(d *Disk) *sources {
	return &sources{d, map[string]*opened{}, map[*File]*codecs.Entry{}}
}

func (s *sources) close() error {
	var errs []error
	for _, o := range s.opened {
		errs = append(errs, o.Close())
	}
	s.opened = map[string]*opened{}
	return errors.Join(errs...)
}

func (s *sources) open(ctx context.Context, m *Mount) (*opened, error) {
	place := m.Location
	if m.staged != nil {
		place = "staged:" + place // it may take the place of one that is read
	}
	if o := s.opened[place]; o != nil {
		return o, nil
	}
	o, err := s.d.open(ctx, m)
	if err != nil {
		return nil, err
	}
	if m.ModTime != 0 && o.src.Size != m.Size {
		return nil, errors.Join(fmt.Errorf("%s: %w", m.Location, ErrChanged), o.Close())
	}
	s.opened[place] = o
	return o, nil
}

// ErrChanged means that an archive is not the one that was scanned.
var ErrChanged = errors.New("has changed since it was scanned")

// find looks the entries of files up, each archive gone through once.
func (s *sources) find(ctx context.Context, files []*File) error {
	byMount := map[*Mount]map[int]*File{}
	var mounts []*Mount
	for _, f := range files {
		if s.entries[f] != nil {
			continue
		}
		if byMount[f.Mount] == nil {
			byMount[f.Mount] = map[int]*File{}
			mounts = append(mounts, f.Mount)
		}
		byMount[f.Mount][f.Ordinal] = f
	}
	for _, m := range mounts {
		if err := s.findIn(ctx, m, byMount[m]); err != nil {
			return err
		}
	}
	return nil
}

func (s *sources) findIn(ctx context.Context, m *Mount, wanted map[int]*File) error {
	o, err := s.open(ctx, m)
	if err != nil {
		return err
	}
	left := len(wanted)
	for e, err := range o.Entries() {
		if e == nil {
			return err
		}
		f := wanted[e.Ordinal]
		if f == nil {
			continue
		}
		if err != nil {
			return err
		}
		if !m.Loose() && e.Name != f.Name || e.Size != f.Size {
			return fmt.Errorf("%s: %w: entry %d is %q", m.Location, ErrChanged, e.Ordinal, e.Name)
		}
		s.entries[f] = e
		if left--; left == 0 {
			return nil
		}
	}
	return fmt.Errorf("%s: %w: %s it had are gone", m.Location, ErrChanged, count(left, "entry"))
}

// entry returns the archive and the entry of a file.
func (s *sources) entry(ctx context.Context, f *File) (*opened, *codecs.Entry, error) {
	if s.entries[f] == nil {
		if err := s.find(ctx, []*File{f}); err != nil {
			return nil, nil, err
		}
	}
	o, err := s.open(ctx, f.Mount)
	return o, s.entries[f], err
}
