package archive

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zeebo/blake3"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/locate"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/iostore"
	"pakdb/codecs/mods"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/pkg"
	"pakdb/codecs/unreal/property"
	"pakdb/diff"
	"pakdb/internal/asset"
	"pakdb/schema"
)

// modSide is a mod, or a build as far as mods touch it.
type modSide struct {
	label string
	order int // of its first archive among those that a game mounts
	units map[string]*modUnit

	deleted int // delete records, which are not merged
}

// modUnit is an asset with all its files, or another file.
type modUnit struct {
	path  string // of its first file in the game
	files []modPlace
}

// modPlace is a file of a unit.
type modPlace struct {
	ar   *modArchive
	e    *codecs.Entry
	path string // in the game
}

func (p *modPlace) ext() string {
	_, ext, _ := asset.Split(p.path)
	return strings.ToLower(ext)
}

// header returns the file of a unit that is its package, or the unit's only file.
func (u *modUnit) header() *modPlace {
	for i := range u.files {
		if _, _, part := asset.Split(u.files[i].path); part == asset.Header || len(u.files) == 1 {
			return &u.files[i]
		}
	}
	return &u.files[0]
}

// body returns the file beside a package that has its exports, nil for none.
func (u *modUnit) body() *modPlace {
	for i := range u.files {
		if _, _, part := asset.Split(u.files[i].path); part == asset.Body {
			return &u.files[i]
		}
	}
	return nil
}

// add adds an entry of an archive. One of an archive that is mounted later hides those before.
func (s *modSide) add(ar *modArchive, e *codecs.Entry) {
	if e.Flags&codecs.Deleted != 0 || e.Type == iostore.TypeContainerHeader {
		return
	}
	p := modPlace{ar, e, ar.mount + e.Name}
	key := unitKey(p.path)
	u := s.units[key]
	if u == nil {
		u = &modUnit{path: p.path}
		s.units[key] = u
	}
	if i := slices.IndexFunc(u.files, func(o modPlace) bool { return strings.EqualFold(o.path, p.path) }); i >= 0 {
		u.files[i] = p
		return
	}
	u.files = append(u.files, p)
	slices.SortFunc(u.files, func(a, b modPlace) int { return strings.Compare(a.path, b.path) })
}

func unitKey(path string) string { return cmp.Or(asset.Of(path), strings.ToLower(path)) }

// openMod opens the archive of a mod, or all those of a folder, whose other files are passed over.
func (r *modRun) openMod(ctx context.Context, name string) (*modSide, error) {
	s := &modSide{label: filepath.Base(filepath.Clean(name)), units: map[string]*modUnit{}}
	sources := []operand.Source{{Open: func(ctx context.Context) (*operand.Archive, error) { return operand.Open(ctx, r.a, name) }}}
	if st, err := os.Stat(name); err == nil && st.IsDir() {
		if sources, err = operand.Below(ctx, r.a, name); err != nil {
			return nil, err
		}
	}
	var opened []*modArchive
	for _, source := range sources {
		ar, err := source.Open(ctx)
		if source.Found && errors.Is(err, codecs.ErrUnknown) {
			continue
		}
		if err != nil {
			return nil, err
		}
		kept, err := r.keep(ctx, ar)
		if err != nil {
			return nil, err
		}
		opened = append(opened, kept)
	}
	if len(opened) == 0 {
		return nil, fmt.Errorf("%w: no archives in %s", cli.ErrUsage, name)
	}
	order := func(ar *modArchive) int {
		if by := ar.Format.Mounts().Order; by != nil {
			return by(filepath.Base(ar.File.Name()))
		}
		return 0
	}
	slices.SortStableFunc(opened, func(a, b *modArchive) int { return cmp.Compare(order(a), order(b)) })
	s.order = order(opened[len(opened)-1])
	for _, ar := range opened {
		for e, err := range ar.Entries() {
			if err != nil {
				return nil, cli.OfFile(err, ar.Path, "")
			}
			if e.Flags&codecs.Deleted != 0 {
				s.deleted++
			}
			s.add(ar, e)
		}
	}
	if s.deleted > 0 {
		r.a.Warn(fmt.Sprintf("%s: %s left out", s.label, cli.Plural(int64(s.deleted), "delete record", "delete records")))
	}
	return s, nil
}

// openBase opens a build of the catalog, as far as its files are wanted.
func (r *modRun) openBase(ctx context.Context, label string, wanted func(key string) bool) (*modSide, error) {
	n, err := operand.Resolve(ctx, r.a, locate.Resolver{BuildsFirst: true}, label)
	if err == nil && (n.Build == "" || n.Entry != "") {
		err = cli.WithHint(fmt.Errorf("%w: %s is no build of the catalog", cli.ErrUsage, label), "pakdb index --build LABEL "+label)
	}
	if err != nil {
		return nil, err
	}
	type candidate struct {
		operand.Place
		ar *modArchive
		e  *codecs.Entry
	}
	var found []candidate
	seen, several := map[string]bool{}, false
	err = r.entries(ctx, n, func(ar *modArchive, e *codecs.Entry, at operand.Place) {
		path := strings.ToLower(ar.mount + e.Name)
		if wanted(unitKey(path)) {
			several = several || seen[path]
			seen[path] = true
			found = append(found, candidate{at, ar, e})
		}
	})
	if err != nil {
		return nil, err
	}
	var hidden map[operand.Place]bool
	if several {
		if hidden, err = operand.Hidden(ctx, r.a, n.Build); err != nil {
			return nil, err
		}
	}
	s := &modSide{label: n.Build, units: map[string]*modUnit{}}
	for _, c := range found {
		if !hidden[c.Place] {
			s.add(c.ar, c.e)
		}
	}
	return s, nil
}

// read returns the content of a file.
func (p *modPlace) read(ctx context.Context) ([]byte, error) {
	r, err := p.ar.Open(ctx, p.e)
	if err != nil {
		return nil, cli.OfFile(err, p.ar.Path, cli.Label(p.e))
	}
	b, err := io.ReadAll(io.LimitReader(r, p.e.Size+1))
	if err = errors.Join(err, r.Close()); err == nil && int64(len(b)) != p.e.Size {
		err = codecs.ErrCorrupt
	}
	if err != nil {
		return nil, cli.OfFile(err, p.ar.Path, cli.Label(p.e))
	}
	return b, nil
}

// sum identifies the contents of the files of a unit that which chooses.
func (u *modUnit) sum(ctx context.Context, which func(asset.Part) bool) (string, error) {
	if u == nil {
		return "", nil
	}
	var all bytes.Buffer
	for i := range u.files {
		p := &u.files[i]
		if _, _, part := asset.Split(p.path); !which(part) {
			continue
		}
		r, err := p.ar.Open(ctx, p.e)
		if err != nil {
			return "", cli.OfFile(err, p.ar.Path, cli.Label(p.e))
		}
		h := blake3.New()
		_, err = io.Copy(h, r)
		if err = errors.Join(err, r.Close()); err != nil {
			return "", cli.OfFile(err, p.ar.Path, cli.Label(p.e))
		}
		fmt.Fprintf(&all, "%s %x\n", p.ext(), h.Sum(nil))
	}
	return all.String(), nil
}

func everyPart(asset.Part) bool { return true }

func isBulk(p asset.Part) bool { return p == asset.Bulk }

// pack opens the unit as a package, with the classes that the archives of others declare too.
func (u *modUnit) pack(ctx context.Context, others *modUnit) (*mods.Package, error) {
	h, b := u.header(), u.body()
	content, err := h.read(ctx)
	if err != nil {
		return nil, err
	}
	var exports []byte
	if b != nil {
		if exports, err = b.read(ctx); err != nil {
			return nil, err
		}
	}
	in := others.header().ar.in
	o := mods.Options{Name: pkg.NameOf(h.path), Engine: in.engine, Schemas: property.NewLibrary(h.ar.in.declared, in.declared)}
	if h.e.ID.Bits != codecs.ChunkBits {
		return mods.Open(ctx, content, exports, o)
	}
	var globals *unreal.ScriptObjectFacts
	for _, of := range []*modPlace{others.header(), h} {
		globals = cmp.Or(globals, of.ar.in.scripts(filepath.Dir(of.ar.File.Name())), of.ar.in.named)
	}
	return mods.OpenZen(content, globals, o)
}

// asFiles returns the files of a unit as they are, with data of some of them, by their extensions.
func (u *modUnit) asFiles(data map[string][]byte) (files []modFile) {
	for i := range u.files {
		p := &u.files[i]
		files = append(files, modFile{p.ar, p.e, p.path, data[p.ext()]})
	}
	return files
}

// warnOfBase warns of mods that change fewer values of another build: they were made for that
// one, and what the game changed since looks like changes of theirs. A few packages of each mod
// are compared.
func (m *modMerge) warnOfBase(ctx context.Context) (err error) {
	each := min(8, max(1, 64/len(m.sides)))
	sampled := make([][]string, len(m.sides))
	wanted := map[string]bool{}
	for i, s := range m.sides {
		for _, key := range m.keys {
			if base := m.base.units[key]; s.units[key] != nil && base != nil && isPackage(base.header().e) && len(sampled[i]) < each {
				sampled[i], wanted[key] = append(sampled[i], key), true
			}
		}
	}
	others, err := m.otherBuilds(ctx, wanted)
	if err != nil || len(others) == 0 {
		return err
	}
	for i, s := range m.sides {
		least, best := 0, m.base
		for _, build := range append([]*modSide{m.base}, others...) {
			n, err := changesOf(ctx, build, s, sampled[i])
			if err != nil {
				return err
			}
			if build == m.base {
				least = n
			} else if n >= 0 && n < least {
				least, best = n, build
			}
		}
		if best != m.base {
			m.a.Warn(fmt.Sprintf("%s differs less from %s than from %s, and may be made for it", s.label, best.label, m.base.label))
		}
	}
	return nil
}

// mostBases is how many other builds are compared.
const mostBases = 4

// otherBuilds opens builds that have other contents of units than the base, the first that have
// each.
func (m *modMerge) otherBuilds(ctx context.Context, wanted map[string]bool) (others []*modSide, err error) {
	db, err := m.a.OpenCatalog(ctx)
	if err != nil {
		return nil, err
	}
	asked := schema.NewStatements(db)
	defer func() { err = errors.Join(err, asked.Close(), db.Close()) }()
	contents := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		for i := range m.base.units[key].files {
			found, err := diff.FindAll(ctx, asked, m.base.units[key].files[i].e.Name)
			if err != nil {
				return nil, err
			}
			for build, f := range found {
				contents[build] += fmt.Sprintln(key, i, f.Content)
			}
		}
	}
	taken := map[string]bool{contents[m.base.label]: true}
	for _, build := range slices.Sorted(maps.Keys(contents)) {
		if taken[contents[build]] || len(others) == mostBases {
			continue
		}
		taken[contents[build]] = true
		s, err := m.openBase(ctx, build, func(key string) bool { return wanted[key] })
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil { // else its archives are not at hand
			others = append(others, s)
		}
	}
	return others, nil
}

// changesOf counts what a mod changes of some packages of a build, -1 for a build without one
// of them.
func changesOf(ctx context.Context, build, mod *modSide, keys []string) (n int, err error) {
	for _, key := range keys {
		base := build.units[key]
		if base == nil {
			return -1, nil
		}
		merged, err := mergePackages(ctx, base, []*modUnit{mod.units[key]}, []int{0}, mods.MergeOptions{})
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
