package update

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/inside"
	"pakdb/diff/ship/overlay"
	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
	"pakdb/internal/stored"
)

// overlayName is where a folder remembers which archives an update made for it.
const overlayName = atomicfile.Prefix + "overlay.json"

// overlayDir is where these are made.
const overlayDir = store.WorkDir + "/" + atomicfile.Prefix + "overlay"

// overlayState is what the folder remembers.
type overlayState struct {
	Build    string   `json:"build"`
	Archives []string `json:"archives"`          // paths of the files that were made last
	Leaving  []string `json:"leaving,omitempty"` // of those before, while they are being removed
}

// made returns the paths of all files that were made for the folder.
func (s *overlayState) made() []string { return slices.Concat(s.Archives, s.Leaving) }

func (d *disk) overlayState() (s overlayState, err error) {
	b, err := d.out.ReadFile(overlayName)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w: remove it, and the archives that were made for this folder", overlayName, err)
	}
	return s, nil
}

func (d *disk) rememberOverlay(s overlayState) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return d.out.Replace(overlayName, append(b, '\n'))
}

// Overlay is the part of a plan that leaves installed archives as they are.
type Overlay struct {
	Archives []string `json:"archives"`           // of the build, that differ and are not replaced
	Replaces []string `json:"replaces,omitempty"` // archives that were mounted over those before
	Made     []Made   `json:"made,omitempty"`     // archives that were made: Apply says so
	Stays    []string `json:"stays,omitempty"`    // files that the build has not, and that no delete record can hide: Apply says so
}

// Made is a file that was made for the folder alone.
type Made struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
}

// overlaying is an update that makes one archive over those that are installed.
type overlaying struct {
	*Folder
	state   overlayState
	formats []*codecs.Format  // with patches
	over    map[string]bool   // files of the build that are not replaced
	base    []string          // archives that stay, with their parts
	leaves  []string          // archives that were mounted over those, with their parts
	names   map[string]nameFS // of the files in each folder; nil until they are asked for
}

// planOverlay decides which files stay as they are. It returns nil if no archive is
// installed that others can be mounted over.
func (f *Folder) planOverlay(keep bool) (*overlaying, error) {
	if f.local.registry == nil || len(f.local.registry.Formats) == 0 {
		return nil, fmt.Errorf("%w: an overlay without formats of archives", errors.ErrUnsupported)
	}
	o := &overlaying{Folder: f, over: map[string]bool{}}
	for _, format := range f.local.registry.Formats {
		if format.Mounts().PatchName != nil && format.Create != nil {
			o.formats = append(o.formats, format)
		}
	}
	var err error
	if o.state, err = f.disk.overlayState(); err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for i := range f.build.Files {
		wanted[f.build.Files[i].Path] = true
	}
	gone := map[string]bool{}
	for _, name := range f.diff.gone {
		gone[name] = true
	}
	right := map[string]bool{}
	for _, in := range f.diff.right {
		right[in.Name] = true
	}
	for _, name := range f.disk.names() {
		switch {
		case !o.isArchive(name):
		case slices.Contains(o.state.made(), name) && !right[name], gone[name] && !keep && o.isPatch(name):
			o.leaves = append(o.leaves, name)
		case wanted[name] || gone[name]:
			o.base = append(o.base, name)
		}
	}
	if len(o.base) == 0 {
		return nil, nil
	}
	for _, t := range f.diff.todo {
		if o.isArchive(t.Path) {
			o.over[t.Path] = true
		}
	}
	return o, nil
}

// isArchive reports whether a file is an archive that others can be mounted over, or a
// part of one, by its name.
func (o *overlaying) isArchive(name string) bool { return o.formatOf(name) != nil }

func (o *overlaying) formatOf(name string) *codecs.Format {
	ext := path.Ext(name)
	for _, f := range o.formats {
		if slices.ContainsFunc(f.Exts, func(e string) bool { return strings.EqualFold(e, ext) }) {
			return f
		}
	}
	for _, f := range o.formats {
		if f.IsPart != nil && f.IsPart(path.Base(name), o.folderOf(name)) {
			return f
		}
	}
	return nil
}

// folderOf shows the names of the files beside one: those of the build, and of the folder.
func (o *overlaying) folderOf(name string) fs.FS {
	if o.names == nil {
		o.names = map[string]nameFS{}
		add := func(name string) {
			dir, base := path.Split(name)
			if o.names[dir] == nil {
				o.names[dir] = nameFS{}
			}
			o.names[dir][base] = true
		}
		for name := range o.disk.here {
			add(name)
		}
		for i := range o.build.Files {
			add(o.build.Files[i].Path)
		}
	}
	dir, _ := path.Split(name)
	return o.names[dir]
}

// isPatch reports whether an archive, or the one that the file is a part of, is mounted
// above those that are no patches.
func (o *overlaying) isPatch(name string) bool {
	stem := strings.TrimSuffix(name, path.Ext(name))
	return slices.ContainsFunc(o.formats, func(f *codecs.Format) bool {
		return f.Mounts().Order != nil && overlay.IsPatchOrder(int64(f.Mounts().Order(stem+f.Exts[0])))
	})
}

// overlay takes what is not replaced out of a plan of files.
func (p *Plan) overlay(o *overlaying) {
	p.Overlay = &Overlay{Replaces: o.leaves}
	var files []File
	all := p.Files
	p.Files, p.Bill.Write, p.Bill.New, p.Bill.Changed = nil, 0, 0, 0
	for _, f := range all {
		if !o.over[f.Path] {
			files = append(files, f)
			p.Bill.Write = store.SumSizes(p.Bill.Write, f.Size)
			if f.New {
				p.Bill.New++
			} else {
				p.Bill.Changed++
			}
			continue
		}
		p.Overlay.Archives = append(p.Overlay.Archives, f.Path)
		p.Bill.Write = store.SumSizes(p.Bill.Write, store.SumSizes(f.Missing, f.Coded))
	}
	p.Files = files
	for _, name := range o.leaves {
		p.Bill.Write = store.SumSizes(p.Bill.Write, o.disk.here[name].Size)
	}
	p.Remove = slices.DeleteFunc(slices.Clone(p.Remove), func(name string) bool { return slices.Contains(o.base, name) })
	p.Modes = slices.DeleteFunc(slices.Clone(p.Modes), func(m Mode) bool { return slices.Contains(o.base, m.Path) })
	for _, name := range o.leaves {
		if !slices.Contains(p.Remove, name) { // the build has another file of the name
			p.Remove = append(p.Remove, name)
		}
	}
	slices.Sort(p.Remove)
	p.Bill.Gone = len(p.Remove)
}

// make makes the archive beside the folder's files. It has no name in the folder yet.
func (o *overlaying) make(ctx context.Context, m *maker) (made []Made, stays []string, err error) {
	files := map[string]*virtualFile{}
	for _, t := range m.contents.files {
		if o.over[t.Path] {
			if files[t.Path], err = m.virtual(ctx, t); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", t.Path, err)
			}
		}
	}
	d := &overlay.Disk{Registry: o.local.registry, Options: o.local.opt, Header: overlay.ContainerHeader}
	d.Virtual = func(at string) (codecs.Source, bool) {
		f := files[strings.TrimPrefix(at, virtualPrefix)]
		if f == nil || !strings.HasPrefix(at, virtualPrefix) {
			return codecs.Source{}, false
		}
		return f.input(files, o.disk.out.FS()).Source, true
	}
	have, err := o.stack(ctx, d, "the installed archives", o.base, nil)
	if err != nil {
		return nil, nil, err
	}
	gone, err := o.stack(ctx, d, "earlier patches", o.leaves, nil)
	if err != nil {
		return nil, nil, err
	}
	var build []string
	for i := range o.build.Files {
		if name := o.build.Files[i].Path; o.isArchive(name) {
			build = append(build, name)
		}
	}
	want, err := o.stack(ctx, d, o.build.Label, build, files)
	if err != nil {
		return nil, nil, err
	}
	if err := o.identify(ctx, files, want, have, gone); err != nil {
		return nil, nil, err
	}
	if top := gone.Mounted(); top <= 1 { // to remove one archive takes one step
		p, err := overlay.Settle(have, &overlay.Stack{}, want, o.local.registry)
		if errors.Is(err, overlay.ErrNothing) {
			return nil, p.KeptPaths(), nil
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if right, err := o.isRight(have, gone, want); err != nil {
		return nil, nil, err
	} else if right {
		return nil, nil, errIsRight
	}
	p, err := overlay.Settle(have, gone, want, o.local.registry)
	if errors.Is(err, overlay.ErrNothing) {
		return nil, p.KeptPaths(), nil
	}
	if err != nil {
		return nil, nil, err
	}
	made, err = o.write(ctx, d, p)
	return made, p.KeptPaths(), err
}

// write writes the archive and proves it.
func (o *overlaying) write(ctx context.Context, d *overlay.Disk, p *overlay.Plan) (made []Made, err error) {
	if err := o.disk.out.RemoveAll(overlayDir); err != nil {
		return nil, err
	}
	stored.Step(ctx, store.StepMaking, p.Stored())
	count := stored.ProgressOf(ctx)
	root := filepath.Join(o.disk.name, filepath.FromSlash(overlayDir))
	if _, _, err := p.Write(ctx, d, overlay.Output{Dir: root, Overwrite: true, Progress: count.Add}); err != nil {
		return nil, err
	}
	beside, err := filepath.Rel(o.disk.name, p.Beside())
	if err != nil {
		return nil, err
	}
	list, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		st, err := e.Info()
		if err != nil {
			return nil, err
		}
		made = append(made, Made{path.Join(filepath.ToSlash(beside), e.Name()), st.Size()})
	}
	// What an archive needs comes before it: a container is mounted by the .pak beside it.
	rank := func(m Made) int {
		switch f := o.formatOf(m.Path); {
		case f == nil || !slices.Contains(f.Exts, strings.ToLower(path.Ext(m.Path))):
			return 0
		case f.Mounts().By != "":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(made, func(a, b Made) int { return rank(a) - rank(b) })
	return made, nil
}

// current returns the files of the archive that an update made last, and of those that
// leave the others.
func (o *overlaying) current() (current, others []string) {
	for _, name := range o.leaves {
		if slices.Contains(o.state.Archives, name) {
			current = append(current, name)
		} else {
			others = append(others, name)
		}
	}
	return current, others
}

// isRight reports whether a game sees the build by the archive that was made last. The
// others that leave are then those that it was made to win over.
func (o *overlaying) isRight(have, gone, want *overlay.Stack) (bool, error) {
	current, others := o.current()
	if len(current) == 0 || slices.ContainsFunc(others, func(name string) bool { return !slices.Contains(o.state.Leaving, name) }) {
		return false, nil
	}
	top, _ := gone.Split(func(m *overlay.Mount) bool { return slices.Contains(current, m.Name) })
	_, err := overlay.Settle(have.Over(top), &overlay.Stack{}, want, o.local.registry)
	if errors.Is(err, overlay.ErrNothing) {
		return true, nil
	}
	return false, err
}

// errIsRight means that a game sees the build already.
var errIsRight = errors.New("the archive that an earlier update made is right")

const virtualPrefix = "\x00build/"

// stack mounts files of the folder, or of the build where the folder has others.
func (o *overlaying) stack(ctx context.Context, d *overlay.Disk, label string, names []string, files map[string]*virtualFile) (*overlay.Stack, error) {
	var places []overlay.Place
	for _, name := range names {
		if d.Registry.IsPart(path.Base(name), o.folderOf(name)) {
			continue // it is read with the archive beside it
		}
		at := filepath.Join(o.disk.name, filepath.FromSlash(name))
		if files[name] != nil {
			at = virtualPrefix + name
		} else if _, there := o.disk.here[name]; !there {
			return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
		}
		places = append(places, overlay.Place{Name: name, Location: at})
	}
	s, err := d.StackOf(ctx, label, places)
	if err == nil && len(s.Mounts)+len(s.Damage) < len(places) {
		for _, p := range places {
			if !slices.ContainsFunc(s.Mounts, func(m *overlay.Mount) bool { return m.Name == p.Name }) {
				return nil, fmt.Errorf("%w: %s is no archive that another can be mounted over: update without an overlay", errors.ErrUnsupported, p.Name)
			}
		}
	}
	return s, err
}

// identity is what an entry contains: by its contents, and by its stored bytes.
type identity struct{ decoded, stored [32]byte }

// identify says of the entries of changed archives which have the same content: by the
// contents that files were cut into. Entries of which that is not known count as
// changed.
func (o *overlaying) identify(ctx context.Context, files map[string]*virtualFile, want *overlay.Stack, have ...*overlay.Stack) error {
	var old, fresh []delta.Input
	for _, name := range slices.Concat(o.base, o.leaves) {
		if _, read := o.local.spans[name]; read {
			old = append(old, o.disk.here[name])
		}
	}
	for _, name := range sortedNames(files) {
		fresh = append(fresh, files[name].input(files, o.disk.out.FS()))
	}
	olds, err := o.identities(ctx, old, func(name string) []span { return o.local.spans[name] })
	if err != nil {
		return err
	}
	spans := map[string][]span{}
	for name, f := range files {
		spans[name] = f.spans()
	}
	news, err := o.identities(ctx, fresh, func(name string) []span { return spans[name] })
	if err != nil {
		return err
	}
	for _, s := range append(slices.Clone(have), want) {
		for i := range s.Files {
			f := &s.Files[i]
			f.Known = f.Size == 0 && !f.Deleted() // all empty contents are the same
		}
	}
	wanted := map[overlay.Key][32]byte{}
	for i := range want.Files {
		f := &want.Files[i]
		if id, ok := news[entryOf{f.Mount.Name, f.Ordinal}]; ok {
			f.Content, f.Known = id.decoded, true
			wanted[f.Key] = id.decoded
		}
	}
	for _, s := range have {
		for i := range s.Files {
			f := &s.Files[i]
			id, ok := olds[entryOf{f.Mount.Name, f.Ordinal}]
			if !ok {
				continue
			}
			if f.Content, f.Known = id.decoded, true; id.stored == wanted[f.Key] {
				f.Content = id.stored
			}
		}
	}
	return nil
}

// entryOf is an entry of an archive.
type entryOf struct {
	archive string
	ordinal int
}

func (o *overlaying) identities(ctx context.Context, inputs []delta.Input, spans func(file string) []span) (map[entryOf]identity, error) {
	all := map[entryOf]identity{}
	err := inside.StoredEntries(ctx, inputs, o.local.registry, o.local.opt, func(archive, file int, e *codecs.Entry) {
		if id, ok := identityOf(e, spans(inputs[file].Name)); ok {
			all[entryOf{inputs[archive].Name, e.Ordinal}] = id
		}
	})
	return all, err
}

// identityOf identifies an entry. ok is false if its blocks are not whole spans.
func identityOf(e *codecs.Entry, spans []span) (id identity, ok bool) {
	blocks := e.Blocks
	if blocks == nil {
		blocks = []codecs.Block{{Offset: e.Offset, Stored: e.Stored}}
	}
	var found []span
	for i := 0; i < len(blocks); {
		at, end := blocks[i].Offset, blocks[i].Offset
		for ; i < len(blocks) && blocks[i].Offset == end; i++ {
			end += blocks[i].Stored
		}
		n := sort.Search(len(spans), func(i int) bool { return spans[i].off >= at })
		for ; at < end; n++ {
			if n == len(spans) || spans[n].off != at || !spans[n].known || spans[n].off+spans[n].n > end {
				return id, false
			}
			found = append(found, spans[n])
			at += spans[n].n
		}
	}
	sum := func(of func(*span) uint64) [32]byte {
		b := binary.LittleEndian.AppendUint64(nil, uint64(e.Size))
		raw := false
		for i := range found {
			b = binary.LittleEndian.AppendUint64(b, of(&found[i]))
			raw = raw || of(&found[i]) == found[i].stored
		}
		if sealed := e.Flags & (codecs.Encrypted | codecs.Sealed); raw && (e.Method != compress.None || sealed != 0) {
			b = fmt.Appendf(b, "%s %d", e.Method, sealed)
		}
		return blake3.Sum256(b)
	}
	return identity{sum(func(s *span) uint64 { return s.decoded }), sum(func(s *span) uint64 { return s.stored })}, true
}

func sortedNames(files map[string]*virtualFile) []string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// nameFS shows that files are there.
type nameFS map[string]bool

// Open implements fs.FS.
func (n nameFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// Stat implements fs.StatFS.
func (n nameFS) Stat(name string) (fs.FileInfo, error) {
	if !n[name] {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return virtualInfo{&target{File: store.File{Path: name}}}, nil
}
