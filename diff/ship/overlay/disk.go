package overlay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"pakdb/codecs"
	"pakdb/internal/process"
	"pakdb/internal/regular"
)

// Disk opens archives that lie on disk. It is safe for concurrent use.
type Disk struct {
	Registry *codecs.Registry
	Options  *codecs.Options // keys and limits; nil is the default
	// Header makes what an archive of a patch needs beside its files, in formats
	// that have entries of their own (Mounting.OwnTypes): from the patch's entries and the
	// archives that they come from. Nil: nothing is made.
	Header func(ctx context.Context, name string, entries []*codecs.Entry, from []codecs.Archive) (*codecs.Entry, []byte, error)
	// Passed is called for pipes, devices and links to nothing, which are left out. It may be nil.
	Passed func(error)
	// Virtual returns the file at a location that is not on the disk. It may be nil.
	Virtual func(location string) (codecs.Source, bool)
}

// Place is an archive to be mounted.
type Place struct{ Name, Location string }

// StackOf mounts the archives at these places, and nothing else.
func (d *Disk) StackOf(ctx context.Context, label string, places []Place) (*Stack, error) {
	s := &Stack{Label: label}
	for _, p := range places {
		if err := d.mount(ctx, s, &Mount{Name: p.Name, Location: p.Location}, false); err != nil {
			return nil, err
		}
	}
	s.arrange()
	return s, nil
}

// opened is an archive and the file that it is read from, if it is its own.
type opened struct {
	codecs.Archive
	format *codecs.Format
	src    codecs.Source
	file   *os.File
}

func (o *opened) Close() error {
	err := o.Archive.Close()
	if o.file != nil {
		err = errors.Join(err, o.file.Close())
	}
	return err
}

// open opens the archive of a mount.
func (d *Disk) open(ctx context.Context, m *Mount) (*opened, error) {
	if m.staged != nil {
		src, err := m.staged.Source()
		if err != nil {
			return nil, err
		}
		return d.openSource(ctx, src, nil)
	}
	if d.Virtual != nil {
		if src, ok := d.Virtual(m.Location); ok {
			return d.openSource(ctx, src, nil)
		}
	}
	return d.openFile(ctx, m.Location)
}

func (d *Disk) openFile(ctx context.Context, path string) (*opened, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	src, err := codecs.FileSource(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return d.openSource(ctx, src, f)
}

func (d *Disk) openSource(ctx context.Context, src codecs.Source, f *os.File) (*opened, error) {
	a, format, err := d.Registry.Open(ctx, src, d.Options)
	if err != nil {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
		return nil, err
	}
	return &opened{a, format, src, f}, nil
}

// Stack mounts the archives at the paths: files as they are, folders with all
// that is below them. Each path is mounted over those before it, as far as
// formats without a mount order go; a file takes the place of one of the same
// name. Files that are no archives count only where loose is true. What is damaged
// of archives as a whole is in Stack.Damage: one that cannot be read is not mounted.
func (d *Disk) Stack(ctx context.Context, label string, paths []string, loose bool) (*Stack, error) {
	all := &Stack{Label: label}
	for _, path := range paths {
		s, err := d.stackOf(ctx, path, loose)
		if err != nil {
			return nil, err
		}
		all = all.Over(s)
	}
	all.Label = label
	return all, nil
}

func (d *Disk) stackOf(ctx context.Context, root string, loose bool) (*Stack, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	files, passed, err := regular.Walk(ctx, root, regular.Read, nil)
	if err != nil {
		return nil, err
	}
	for _, err := range passed {
		if d.Passed != nil {
			d.Passed(err)
		}
	}
	s := &Stack{}
	for _, f := range files {
		if d.Registry.IsPart(filepath.Base(f.Path), regular.FS(filepath.Dir(f.Path))) {
			continue // it is read with the archive beside it
		}
		if err := d.mount(ctx, s, &Mount{Name: f.Name, Location: f.Path}, loose); err != nil {
			return nil, err
		}
	}
	s.arrange()
	return s, nil
}

// damageOf begins to gather the damage of an archive that was opened.
func (d *Disk) damageOf(m *Mount, o *opened) *codecs.DamageCollector {
	c := codecs.NewDamageCollector(m.Name, o.Archive)
	if m.staged != nil {
		return c
	}
	if o.format.Fallback() {
		if why := d.Registry.ExplainLoss(o.src); why != nil {
			c.Found = append(c.Found, codecs.NewDamage(m.Name, why))
		}
	}
	c.Found = append(c.Found, codecs.MissingParts(m.Name, o.format, o.src)...)
	return c
}

// mount opens an archive and adds it with its entries.
func (d *Disk) mount(ctx context.Context, s *Stack, m *Mount, loose bool) error {
	o, err := d.open(ctx, m)
	switch {
	case err != nil && m.staged == nil && codecs.DamagesFile(err):
		s.Damage = append(s.Damage, codecs.NewDamage(m.Name, err))
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", m.Location, err)
	}
	info := o.Info()
	m.Format, m.Version, m.MountPoint, m.Size = o.format.Name, info.Version, info.MountPoint, o.src.Size
	m.Follow(o.format)
	padder, pads := o.Archive.(codecs.Padder)
	m.Order = m.rules.Archive(m.Name, m.Location).Order
	damage := d.damageOf(m, o)
	if m.Loose() && !loose {
		s.Damage = append(s.Damage, damage.Found...)
		s.passed = append(s.passed, codecs.NamedFormat{Name: m.Name, Format: m.Format})
		return o.Close()
	}
	var files []File
	for e, err := range o.Entries() {
		if e != nil && err == nil {
			damage.AddTable(ctx, d.Registry, o.Archive, e)
		}
		switch damaged := damage.Add(e, err); {
		case damaged && e == nil:
			continue
		case err != nil && !damaged:
			return errors.Join(err, o.Close())
		case m.rules.Describes(e):
			continue
		case e.Name == "":
			s.Nameless++
			continue
		}
		f := File{Mount: m, Ordinal: e.Ordinal, Name: e.Name, Offset: e.Offset, Stored: e.Stored, Size: e.Size, Flags: e.Flags,
			Type: e.Type, ID: e.ID}
		if pads {
			align, _ := padder.Padding(e)
			f.Padded = align > 1
		}
		f.SetKey()
		files = append(files, f)
		if m.Entries++; ctx.Err() != nil {
			return errors.Join(ctx.Err(), o.Close())
		}
	}
	if damage.Failed != nil {
		return errors.Join(damage.Failed, o.Close())
	}
	s.Add(m, files)
	s.Damage = append(s.Damage, damage.Found...)
	return o.Close()
}

// FindDamage is the damage of two stacks, and what only one of them reads as an
// archive.
func FindDamage(registry *codecs.Registry, old, new *Stack) []codecs.Damage {
	inOld, inNew := registry.Demoted(old.named(), new.named())
	all := slices.Clone(old.damageWith(inOld))
	if old != new && (old.Label != new.Label || old.Label == "") {
		all = append(all, new.damageWith(inNew)...)
	}
	return all
}

func (s *Stack) named() (list []codecs.NamedFormat) {
	for _, m := range s.Mounts {
		list = append(list, codecs.NamedFormat{Name: m.Name, Format: m.Format})
	}
	return append(list, s.passed...)
}

// damageWith is the damage of a stack and more of it.
func (s *Stack) damageWith(more []codecs.Damage) []codecs.Damage {
	all := codecs.MergeDamage(slices.Clone(s.Damage), more)
	for i := range all {
		all[i].Build = s.Label
	}
	return all
}

// MissParts adds files of contents that are missing beside archives which are
// there: a scan may do without them, a patch cannot. Of builds whose archives are
// gone altogether, or may not be read, nothing is known or reported.
func (s *Stack) MissParts(registry *codecs.Registry) {
	for _, m := range s.Mounts {
		f, ok := registry.Format(m.Format)
		if !ok || f.Parts == nil {
			continue
		}
		file, err := regular.Open(m.Location)
		if errors.Is(err, fs.ErrNotExist) || process.MachineFailed(err) {
			continue
		}
		var src codecs.Source
		if err == nil {
			src, err = codecs.FileSource(file)
		}
		if err != nil {
			s.Damage = codecs.MergeDamage(s.Damage, []codecs.Damage{codecs.NewDamage(m.Name, err)})
			continue
		}
		s.Damage = codecs.MergeDamage(s.Damage, codecs.MissingParts(m.Name, f, src))
		_ = file.Close()
	}
}

// refuse is the error for damaged stacks, unless damage is allowed. What was
// allowed is kept, for the manifest.
func refuse(p *Plan, registry *codecs.Registry, old, new *Stack, allowed bool) error {
	found := FindDamage(registry, old, new)
	for _, d := range found {
		p.Damaged = append(p.Damaged, d.String())
	}
	return codecs.RefuseDamaged(found, allowed)
}

// RefuseDamaged returns a [codecs.DamageError] if one of the stacks is damaged.
func RefuseDamaged(registry *codecs.Registry, have, want *Stack) error {
	return codecs.RefuseDamaged(FindDamage(registry, have, want), false)
}
