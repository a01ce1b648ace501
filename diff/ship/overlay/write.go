package overlay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/atomicfile"
)

// Output says where a patch goes.
type Output struct {
	Dir       string             // made if need be
	Overwrite bool               // replace existing files
	Epoch     time.Time          // of loose files, in formats that store times; zero is their own
	Progress  func(stored int64) // called after each entry, if not nil
}

// Written is an archive of a patch that is in its place.
type Written struct {
	Part
	Path string
	Size int64
	Raw  int64 // bytes passed through untouched
}

// Write writes the patch, proves it, and gives its files their names: the
// archives, then a response file for each, by which UnrealPak makes the same
// from the unpacked new build, and last the manifest, which says that the patch
// is whole. A merge has neither, but for a manifest where [Merged.Leads] says
// what to put in. Until the proof has succeeded nothing has a name; the error is then
// [ErrDiffers].
func (p *Plan) Write(ctx context.Context, d *Disk, o Output) (written []Written, proof *Report, err error) {
	if len(p.Items) == 0 {
		return nil, nil, ErrNothing
	}
	if err := refuseTooLarge(p); err != nil {
		return nil, nil, err
	}
	if _, there := os.Stat(o.Dir); there != nil {
		defer func() {
			if err != nil {
				_ = os.Remove(o.Dir) // what was made for nothing; it stays if it has files
			}
		}()
	}
	dir, err := atomicfile.Make(ctx, o.Dir)
	if err != nil {
		return nil, nil, err
	}
	if err := dir.Close(); err != nil {
		return nil, nil, err
	}
	if err := p.refuseOverwriting(o); err != nil {
		return nil, nil, err
	}
	for i := range p.Items {
		if f := p.Items[i].New; f != nil && p.under != nil {
			f.Known = false // Settle may compare contents by other means than the proof
		}
	}
	w := &patchWriter{p: p, d: d, o: o, sources: newSources(d)}
	defer func() { err = errors.Join(err, w.sources.close(), w.discard()) }()
	for n := range p.Parts {
		if err := w.part(ctx, n); err != nil {
			return nil, nil, err
		}
	}
	if proof, err = w.prove(ctx); err != nil {
		return nil, proof, err
	}
	if err := w.describe(ctx); err != nil {
		return nil, proof, err
	}
	return w.written, proof, w.commit()
}

func (p *Plan) refuseOverwriting(o Output) error {
	if o.Overwrite {
		return nil
	}
	there, err := os.ReadDir(o.Dir)
	for i := range p.Parts {
		for _, f := range there { // case does not distinguish names
			if strings.EqualFold(f.Name(), p.Parts[i].Name) {
				return fmt.Errorf("%s %w", filepath.Join(o.Dir, f.Name()), ErrExists)
			}
		}
	}
	return err
}

// patchWriter writes the archives of one plan.
type patchWriter struct {
	p       *Plan
	d       *Disk
	o       Output
	sources *sources
	staged  []*codecs.Staged // archives, response files, manifest
	written []Written
}

func (w *patchWriter) discard() error {
	var errs []error
	for _, s := range w.staged {
		errs = append(errs, s.Discard())
	}
	return errors.Join(errs...)
}

func (w *patchWriter) commit() error {
	for _, s := range w.staged {
		if err := s.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// part writes one archive under a temporary name. Stored bytes are taken over
// until the format's writer refuses a method, which it alone knows; then it
// begins again, and entries of that method are decoded.
func (w *patchWriter) part(ctx context.Context, n int) error {
	part := &w.p.Parts[n]
	o, model, err := w.options(ctx, part)
	if err != nil {
		return fmt.Errorf("%s: %w", part.Name, err)
	}
	path := filepath.Join(w.o.Dir, part.Name)
	decode := map[compress.Method]bool{}
	for {
		f := filler{w: w, part: part, options: o, model: model, decode: decode}
		staged, err := codecs.StageFile(ctx, path, part.Format, o, func(out codecs.Writer) error { return f.fill(ctx, out) })
		if err != nil && f.refused != nil {
			decode[*f.refused] = true
			continue
		}
		if err != nil {
			return err
		}
		w.staged = append(w.staged, staged)
		size, err := staged.Size()
		w.written = append(w.written, Written{Part: *part, Path: path, Size: size, Raw: f.raw})
		return errors.Join(err, checkSize(w.p, part, size))
	}
}

// options are those of the model: version, methods, block size, encryption, and
// what else its packer left to itself.
func (w *patchWriter) options(ctx context.Context, part *Part) (o *codecs.CreateOptions, model *opened, err error) {
	if part.model == nil { // it only has to be there
		o = &codecs.CreateOptions{MountPoint: part.MountPoint}
		return o, nil, nil
	}
	model, err = w.sources.open(ctx, part.model)
	if errors.Is(err, os.ErrNotExist) {
		model, err = w.openCounterpart(ctx, part, err)
	}
	if err != nil {
		return nil, nil, err
	}
	if overlay := part.Format.Mounts().Overlay; overlay != nil && part.Use == Over {
		o, err = overlay(model.Archive, part.Name)
	} else {
		o, err = part.Format.OptionsLike(model.Archive)
	}
	if err != nil {
		return nil, nil, err
	}
	if !encodes(part.Format, o.Method) {
		o.Method = compress.Zlib // Oodle is read and not written; every engine reads this
	}
	if part.MountPoint != "" {
		o.MountPoint = part.MountPoint
	}
	if part.Format.Like != nil && w.d.Options != nil {
		o.Keys = w.d.Options.Keys
	}
	return o, model, nil
}

// openCounterpart is for old builds that are in the catalog alone: an archive of
// the new build of the same version shows what the model was like.
func (w *patchWriter) openCounterpart(ctx context.Context, part *Part, missing error) (*opened, error) {
	for _, m := range w.p.New.Mounts {
		if m.Format == part.model.Format && m.Version == part.model.Version {
			return w.sources.open(ctx, m)
		}
	}
	return nil, missing
}

// filler puts the items of a part into a writer.
type filler struct {
	w       *patchWriter
	part    *Part
	options *codecs.CreateOptions
	model   *opened
	decode  map[compress.Method]bool
	refused *compress.Method // by the last run
	raw     int64
}

func (f *filler) fill(ctx context.Context, out codecs.Writer) error {
	files, names := f.lines()
	wanted := slices.DeleteFunc(slices.Clone(files), func(file *File) bool { return file == nil })
	if err := f.w.sources.find(ctx, wanted); err != nil {
		return err
	}
	if f.part.anew() {
		if i, ok := codecs.WriterAs[codecs.Imitator](out); ok {
			if err := i.Imitate(f.model.Archive); err != nil {
				return err
			}
		}
	}
	for i, file := range files {
		if err := f.add(ctx, out, file, names[i]); err != nil {
			return err
		}
		if file != nil && f.w.o.Progress != nil {
			f.w.o.Progress(file.Stored)
		}
	}
	return errors.Join(f.addHeader(ctx, out, files), f.addNames(ctx, out))
}

// lines are the files of the archive with their names in it; nil is a delete
// record.
func (f *filler) lines() (files []*File, names []string) {
	if f.part.anew() {
		for _, file := range f.part.whole {
			files, names = append(files, file), append(names, file.Name)
		}
		return files, names
	}
	for _, i := range f.part.Items {
		files = append(files, f.w.p.Items[i].New)
	}
	return files, f.part.names
}

func (f *filler) add(ctx context.Context, out codecs.Writer, file *File, name string) error {
	if file == nil {
		return out.Add(ctx, &codecs.Entry{Name: name, Flags: codecs.Deleted}, strings.NewReader(""))
	}
	src, e, err := f.w.sources.entry(ctx, file)
	if err != nil {
		return err
	}
	fresh := *e
	fresh.Name = name
	if !f.w.o.Epoch.IsZero() && file.Mount.Loose() {
		fresh.Mod = f.w.o.Epoch
	}
	if f.passes(src, e) {
		return f.addRaw(ctx, out, src, e, &fresh)
	}
	content, err := src.Open(ctx, e)
	if err != nil {
		return err
	}
	fresh.Method = f.method(src, e)
	fresh.Flags &^= codecs.Sealed
	return errors.Join(out.Add(ctx, &fresh, codecs.ContextReader(ctx, content)), content.Close())
}

// method is how a content that was decoded is encoded anew: as it was, where this
// program can do that, else as the options say.
func (f *filler) method(src *opened, e *codecs.Entry) compress.Method {
	switch {
	case src.format.Name != f.part.Format.Name || f.part.Format.Like == nil, !encodes(f.part.Format, e.Method):
		return ""
	case e.Method == compress.None:
		return "none" // and not what the options say
	}
	return e.Method
}

func encodes(f *codecs.Format, m compress.Method) bool {
	return m == compress.None || slices.Contains(f.Methods, m)
}

// addHeader adds what the archive needs to describe itself.
func (f *filler) addHeader(ctx context.Context, out codecs.Writer, files []*File) error {
	if f.w.d.Header == nil || f.part.Format.Mounts().OwnTypes == nil {
		return nil
	}
	var entries []*codecs.Entry
	var from []codecs.Archive
	seen := map[*opened]bool{}
	for _, file := range files {
		src, e, err := f.w.sources.entry(ctx, file)
		if err != nil {
			return err
		}
		entries = append(entries, e)
		if !seen[src] {
			seen[src] = true
			from = append(from, src.Archive)
		}
	}
	e, content, err := f.w.d.Header(ctx, f.part.Name, entries, from)
	if err != nil || e == nil {
		return err
	}
	return out.Add(ctx, e, bytes.NewReader(content))
}

// passes reports whether stored bytes mean the same in the patch.
func (f *filler) passes(src *opened, e *codecs.Entry) bool {
	switch {
	case src.format.Name != f.part.Format.Name, f.decode[e.Method], e.Flags&codecs.Sealed != 0:
		return false
	case e.Flags&codecs.Encrypted == 0 || f.part.Format.Like == nil:
		return true
	}
	like, err := f.part.Format.Like(src.Archive)
	return err == nil && like.KeyID == f.options.KeyID
}

func (f *filler) addRaw(ctx context.Context, out codecs.Writer, src *opened, e, fresh *codecs.Entry) error {
	raw, err := src.OpenRaw(e)
	if err != nil {
		return err
	}
	err = out.AddRaw(ctx, fresh, codecs.ContextReader(ctx, raw))
	if errors.Is(err, errors.ErrUnsupported) {
		f.refused = &e.Method
	}
	f.raw += e.Stored
	return err
}

// Make compares two stacks. The format of the patch is that of the old stack's
// archives; where no archive can be mounted over those, each that changed is made
// anew. A file whose content one side does not know counts as changed,
// unless both sides have it in the very same place. Damaged archives are a
// [codecs.DamageError], see Options.AllowDamaged.
func Make(old, new *Stack, registry *codecs.Registry, o Options) (*Plan, error) {
	p := &Plan{Old: old, New: new, options: o}
	if err := refuse(p, registry, old, new, o.AllowDamaged); err != nil {
		return nil, err
	}
	var err error
	if p.Format, err = patchFormat(old, registry); errors.Is(err, errors.ErrUnsupported) {
		return p, (&rebuilder{p}).rebuild(registry)
	}
	if o.Overlay {
		return nil, fmt.Errorf("%w: archives of format %s are patched by archives mounted over them", errors.ErrUnsupported, p.Format.Name)
	}
	p.formats = patchFormats(old, registry, p.Format)
	if err := choose(p, changes(p)); err != nil {
		return nil, err
	}
	countHidden(p)
	if err := (&layout{p: p}).layOut(); err != nil {
		return nil, err
	}
	warn(p)
	return p, nil
}

// patchFormat is that of the most archives which can be patched by archives on
// top of them.
func patchFormat(old *Stack, registry *codecs.Registry) (*codecs.Format, error) {
	entries := map[string]int64{}
	var best *codecs.Format
	for _, m := range old.Mounts {
		f, ok := registry.Format(m.Format)
		if !ok || f.Mounts().PatchName == nil || f.Create == nil {
			continue
		}
		entries[f.Name] += 1 + m.Entries
		if best == nil || entries[f.Name] > entries[best.Name] {
			best = f
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%w: %s has no archives that others can be mounted over", errors.ErrUnsupported, old.Label)
	}
	return best, nil
}
