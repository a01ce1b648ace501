package mods

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/iostore"
	"pakdb/codecs/unreal"
	"pakdb/internal/asset"
)

// Archive is an open archive of a mod or a build.
type Archive interface {
	MountPoint() string
	// Entry reads the content of an entry. Errors name it.
	Entry(ctx context.Context, e *codecs.Entry, read func(io.Reader) error) error
	// Options are those of a package of that long name.
	Options(name string) Options
	// Scripts returns the objects of the program that packages of containers import, nil if
	// nothing names them.
	Scripts() *unreal.ScriptObjectFacts
	// Database returns the files of Marvel Heroes' game database in the archive.
	Database(ctx context.Context) *Database
}

// Side is a mod, or a build as far as mods touch it.
type Side struct {
	Label   string
	Order   int              // of its first archive among those that a game mounts
	Units   map[string]*Unit // by [UnitKey]
	Deleted int              // delete records, which are not merged
}

// Unit is an asset with all its files, or another file.
type Unit struct {
	Path  string // of its first file in the game
	Files []File
}

// File is a file of a unit: an entry of an archive as it is, or with other data.
type File struct {
	Archive Archive
	Entry   *codecs.Entry
	Path    string // in the game, "../../../Game/A.uasset"
	Data    []byte // nil: as it is
}

// IsPackage reports whether an entry is a package by its name or its type.
func IsPackage(e *codecs.Entry) bool {
	return e.Type == iostore.TypeExportBundleData || e.ID.Bits != codecs.ChunkBits && unreal.HasPackageExt(e.Name)
}

func (f *File) ext() string {
	_, ext, _ := asset.Split(f.Path)
	return strings.ToLower(ext)
}

// Header returns the file of a unit that is its package, or the unit's only file.
func (u *Unit) Header() *File {
	for i := range u.Files {
		if _, _, part := asset.Split(u.Files[i].Path); part == asset.Header || len(u.Files) == 1 {
			return &u.Files[i]
		}
	}
	return &u.Files[0]
}

// body returns the file beside a package that has its exports, nil for none.
func (u *Unit) body() *File {
	for i := range u.Files {
		if _, _, part := asset.Split(u.Files[i].Path); part == asset.Body {
			return &u.Files[i]
		}
	}
	return nil
}

// Add adds an entry of an archive. One of an archive that is mounted later hides those before.
func (s *Side) Add(ar Archive, e *codecs.Entry) {
	if e.Flags&codecs.Deleted != 0 {
		s.Deleted++
		return
	}
	if e.Type == iostore.TypeContainerHeader {
		return
	}
	p := File{Archive: ar, Entry: e, Path: ar.MountPoint() + e.Name}
	key := UnitKey(p.Path)
	u := s.Units[key]
	if u == nil {
		u = &Unit{Path: p.Path}
		s.Units[key] = u
	}
	if i := slices.IndexFunc(u.Files, func(o File) bool { return strings.EqualFold(o.Path, p.Path) }); i >= 0 {
		u.Files[i] = p
		return
	}
	u.Files = append(u.Files, p)
	slices.SortFunc(u.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
}

// UnitKey returns what the files of a unit have in common.
func UnitKey(path string) string { return cmp.Or(asset.Of(path), strings.ToLower(path)) }

// Read returns the content of a file.
func (f *File) Read(ctx context.Context) (b []byte, err error) {
	if f.Data != nil {
		return f.Data, nil
	}
	err = f.Archive.Entry(ctx, f.Entry, func(r io.Reader) (err error) {
		if b, err = io.ReadAll(io.LimitReader(r, f.Entry.Size+1)); err == nil && int64(len(b)) != f.Entry.Size {
			err = codecs.ErrCorrupt
		}
		return err
	})
	return b, err
}

// sum identifies the contents of the files of a unit that which chooses.
func (u *Unit) sum(ctx context.Context, which func(asset.Part) bool) (string, error) {
	if u == nil {
		return "", nil
	}
	var all bytes.Buffer
	for i := range u.Files {
		p := &u.Files[i]
		if _, _, part := asset.Split(p.Path); !which(part) {
			continue
		}
		h := blake3.New()
		err := p.Archive.Entry(ctx, p.Entry, func(r io.Reader) error {
			_, err := io.Copy(h, r)
			return err
		})
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&all, "%s %x\n", p.ext(), h.Sum(nil))
	}
	return all.String(), nil
}

func everyPart(asset.Part) bool { return true }

func isBulk(p asset.Part) bool { return p == asset.Bulk }

// pack opens the unit as a package, with the classes that the archives of others declare too.
func (u *Unit) pack(ctx context.Context, others *Unit) (*Package, error) {
	h, b := u.Header(), u.body()
	content, err := h.Read(ctx)
	if err != nil {
		return nil, err
	}
	var exports []byte
	if b != nil {
		if exports, err = b.Read(ctx); err != nil {
			return nil, err
		}
	}
	other, own := others.Header().Archive, h.Archive
	o := other.Options(unreal.LongName(h.Path))
	o.Schemas = property.NewLibrary(own.Options("").Schemas, o.Schemas)
	if h.Entry.ID.Bits != codecs.ChunkBits {
		return Open(ctx, content, exports, o)
	}
	globals := other.Scripts()
	if globals == nil {
		globals = own.Scripts()
	}
	return OpenZen(content, globals, o)
}

// asFiles returns the files of a unit as they are, with data of some of them, by their extensions.
func (u *Unit) asFiles(data map[string][]byte) (files []File) {
	for i := range u.Files {
		p := &u.Files[i]
		files = append(files, File{p.Archive, p.Entry, p.Path, data[p.ext()]})
	}
	return files
}

// MergedUnit is what becomes of an asset or file.
type MergedUnit struct {
	Path  string
	Mods  []int // that change it
	Items []MergeItem
	Frame int // the mod whose tables, code and bulk data it has; -1 for none
	Files []File
	Whole bool // it is taken as a whole
}

// Open counts the conflicts that nobody decided.
func (u *MergedUnit) Open() (n int) {
	for i := range u.Items {
		if u.Items[i].Open {
			n++
		}
	}
	return n
}

// mergeSides merges a unit: what sides make of base. Versions of items are positions in sides.
func mergeSides(ctx context.Context, base *Unit, sides []*Unit, o MergeOptions) (*MergedUnit, error) {
	out := &MergedUnit{Frame: -1}
	was, err := base.sum(ctx, everyPart)
	if err != nil {
		return nil, err
	}
	sums, values := map[int]string{}, map[string]bool{}
	for i, u := range sides {
		if u == nil {
			continue
		}
		sum, err := u.sum(ctx, everyPart)
		if err != nil {
			return nil, err
		}
		if out.Path = u.Header().Path; sum != was {
			out.Mods, sums[i], values[sum] = append(out.Mods, i), sum, true
		}
	}
	if base != nil {
		out.Path = base.Header().Path
	}
	switch len(values) {
	case 0:
		return out, nil
	case 1:
		out.Whole, out.Files = true, sides[out.Mods[0]].asFiles(nil)
		out.Items = []MergeItem{{Taken: out.Mods[0], Values: sums, Base: was}}
		return out, nil
	}
	merged, err := mergeContents(ctx, base, sides, out.Mods, o)
	switch {
	case err == nil && merged != nil:
		if out.Items = merged.Items; IsPackage(base.Header().Entry) {
			out.Frame = merged.Frame
		}
		if merged.Open() > 0 {
			return out, nil
		}
		of := base
		if merged.Frame >= 0 {
			of = sides[merged.Frame]
		}
		data := map[string][]byte{of.Header().ext(): merged.Asset}
		if b := of.body(); b != nil {
			data[b.ext()] = merged.Uexp
		}
		out.Files = of.asFiles(data)
		return out, nil
	case err != nil && !isUnmergeable(err):
		return nil, err
	}
	// By the entry as a whole.
	item := MergeItem{Taken: -1, Values: sums, Base: was, Why: "its values are not understood", Open: true}
	if base == nil {
		item.Why = "both add it"
	} else if err != nil {
		item.Why = err.Error()
	}
	if o.Take != nil {
		if v, ok := o.Take("", ""); ok {
			item.Taken, item.Open = v, false
		}
	}
	for _, v := range o.Prefer {
		if _, ok := sums[v]; ok && item.Open {
			item.Taken, item.Open = v, false
		}
	}
	out.Whole, out.Items = true, []MergeItem{item}
	if !item.Open && item.Taken >= 0 {
		out.Files = sides[item.Taken].asFiles(nil)
	}
	return out, nil
}

// isUnmergeable reports errors about contents that are merged as a whole.
func isUnmergeable(err error) bool {
	for _, known := range []error{property.ErrRefused, unreal.ErrNoWriting, ErrProof, codecs.ErrCorrupt, codecs.ErrUnknown, codecs.ErrNotFound, codecs.ErrTruncated, codecs.ErrLimit, errors.ErrUnsupported} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// mergeContents merges the contents of a unit by their values. It returns nil for contents
// that have none.
func mergeContents(ctx context.Context, base *Unit, sides []*Unit, changed []int, o MergeOptions) (merged *Merged, err error) {
	if base == nil {
		return nil, nil
	}
	local := o
	local.Prefer = nil
	for _, v := range o.Prefer {
		if i := slices.Index(changed, v); i >= 0 {
			local.Prefer = append(local.Prefer, i)
		}
	}
	if o.Take != nil {
		local.Take = func(object, field string) (int, bool) {
			v, ok := o.Take(object, field)
			if v >= 0 {
				v = slices.Index(changed, v)
			}
			return v, ok
		}
	}
	switch h := base.Header(); {
	case IsPackage(h.Entry):
		merged, err = mergePackages(ctx, base, sides, changed, local)
	case mergeable(h.Path) && len(base.Files) == 1:
		merged, err = mergeFiles(ctx, base, sides, changed, local)
	}
	if merged == nil || err != nil {
		return nil, err
	}
	for i := range merged.Items {
		item := &merged.Items[i]
		values := map[int]string{}
		for v, text := range item.Values {
			values[changed[v]] = text
		}
		if item.Values = values; item.Taken >= 0 {
			item.Taken = changed[item.Taken]
		}
	}
	if merged.Frame >= 0 {
		merged.Frame = changed[merged.Frame]
	}
	return merged, nil
}

func mergePackages(ctx context.Context, base *Unit, sides []*Unit, changed []int, o MergeOptions) (*Merged, error) {
	b, err := base.pack(ctx, base)
	if err != nil {
		return nil, err
	}
	beside, err := base.sum(ctx, isBulk)
	o.Beside = []string{beside}
	var versions []*Package
	for _, i := range changed {
		p, openErr := sides[i].pack(ctx, base)
		beside, sumErr := sides[i].sum(ctx, isBulk)
		if err = errors.Join(err, openErr, sumErr); err != nil {
			return nil, err
		}
		versions, o.Beside = append(versions, p), append(o.Beside, beside)
	}
	return mergeVersions(ctx, b, versions, o)
}

func mergeFiles(ctx context.Context, base *Unit, sides []*Unit, changed []int, o MergeOptions) (*Merged, error) {
	b, err := base.Header().Read(ctx)
	var versions [][]byte
	for _, i := range changed {
		v, readErr := sides[i].Header().Read(ctx)
		versions, err = append(versions, v), errors.Join(err, readErr)
	}
	if err != nil {
		return nil, err
	}
	h := base.Header()
	return mergeFile(h.Entry.Name, b, versions, func() *Database { return h.Archive.Database(ctx) }, o)
}

// DiffUnit returns the edits that make one unit another, and what no edit makes.
func DiffUnit(ctx context.Context, base, mod *Unit) (edits []Edit, rest []MergeItem, err error) {
	was, err := base.sum(ctx, everyPart)
	is, sumErr := mod.sum(ctx, everyPart)
	if err = errors.Join(err, sumErr); err != nil || was == is {
		return nil, nil, err
	}
	whole := []MergeItem{{}}
	if base == nil {
		return nil, whole, nil
	}
	if !IsPackage(base.Header().Entry) {
		old, err := base.Header().Read(ctx)
		new, readErr := mod.Header().Read(ctx)
		if err = errors.Join(err, readErr); err != nil {
			return nil, nil, err
		}
		h := base.Header()
		edits, rest = diffFile(h.Entry.Name, old, new, func() *Database { return h.Archive.Database(ctx) })
		return edits, rest, nil
	}
	bulk, err := base.sum(ctx, isBulk)
	moved, sumErr := mod.sum(ctx, isBulk)
	if err = errors.Join(err, sumErr); err != nil {
		return nil, nil, err
	}
	if bulk != moved {
		rest = append(rest, MergeItem{Field: "files beside the package"})
	}
	old, err := base.pack(ctx, base)
	new, openErr := mod.pack(ctx, base)
	if err = errors.Join(err, openErr); isUnmergeable(err) {
		return nil, whole, nil
	} else if err != nil {
		return nil, nil, err
	}
	edits, left, err := diffVersions(ctx, old, new)
	return edits, append(rest, left...), err
}

// CountChanges counts what a mod changes of some packages of a build, -1 for a build without one
// of them.
func CountChanges(ctx context.Context, build, mod *Side, keys []string) (n int, err error) {
	for _, key := range keys {
		base := build.Units[key]
		if base == nil {
			return -1, nil
		}
		merged, err := mergePackages(ctx, base, []*Unit{mod.Units[key]}, []int{0}, MergeOptions{})
		switch {
		case err == nil:
			n += len(merged.Items)
		case isUnmergeable(err):
			n++
		default:
			return 0, err
		}
	}
	return n, nil
}

// Merging is several mods, in mount order, and the build that they change.
type Merging struct {
	Base  *Side
	Sides []*Side
	// Prefer lists mods that win conflicts, those that win first.
	Prefer []int
	// Take decides single conflicts: the mod to take, or -1 for the build.
	Take func(path, object, field string) (version int, ok bool)
}

// Keys returns the keys of all units that mods have.
func (m *Merging) Keys() []string {
	all := map[string]bool{}
	for _, s := range m.Sides {
		for key := range s.Units {
			all[key] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// Each merges all units that mods change, in the order of their keys.
func (m *Merging) Each(ctx context.Context, each func(u *MergedUnit) error) error {
	for _, key := range m.Keys() {
		sides := make([]*Unit, len(m.Sides))
		path := ""
		for i, s := range m.Sides {
			if sides[i] = s.Units[key]; sides[i] != nil {
				path = sides[i].Header().Path
			}
		}
		base := m.Base.Units[key]
		if base != nil {
			path = base.Header().Path
		}
		o := MergeOptions{Prefer: m.Prefer, Take: func(object, field string) (int, bool) { return m.Take(path, object, field) }}
		u, err := mergeSides(ctx, base, sides, o)
		if err == nil && len(u.Mods) > 0 {
			err = each(u)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
