package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/locate"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/mods"
	"pakdb/diff"
	"pakdb/schema"
)

// openMod opens the archive of a mod, or all those of a folder, whose other files are passed over.
func (r *modRun) openMod(ctx context.Context, name string) (*mods.Side, error) {
	s := &mods.Side{Label: filepath.Base(filepath.Clean(name)), Units: map[string]*mods.Unit{}}
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
	s.Order = order(opened[len(opened)-1])
	for _, ar := range opened {
		for e, err := range ar.Entries() {
			if err != nil {
				return nil, cli.OfFile(err, ar.Path, "")
			}
			s.Add(ar, e)
		}
	}
	if s.Deleted > 0 {
		r.a.Warn(fmt.Sprintf("%s: %s left out", s.Label, cli.Plural(int64(s.Deleted), "delete record", "delete records")))
	}
	return s, nil
}

// openBase opens a build of the catalog, as far as its files are wanted.
func (r *modRun) openBase(ctx context.Context, label string, wanted func(key string) bool) (*mods.Side, error) {
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
		if wanted(mods.UnitKey(path)) {
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
	s := &mods.Side{Label: n.Build, Units: map[string]*mods.Unit{}}
	for _, c := range found {
		if !hidden[c.Place] {
			s.Add(c.ar, c.e)
		}
	}
	return s, nil
}

// warnOfBase warns of mods that change fewer values of another build: they were made for that
// one, and what the game changed since looks like changes of theirs. A few packages of each mod
// are compared.
func (m *modMerge) warnOfBase(ctx context.Context) (err error) {
	each := min(8, max(1, 64/len(m.Sides)))
	sampled := make([][]string, len(m.Sides))
	wanted, keys := map[string]bool{}, m.Keys()
	for i, s := range m.Sides {
		for _, key := range keys {
			if base := m.Base.Units[key]; s.Units[key] != nil && base != nil && mods.IsPackage(base.Header().Entry) && len(sampled[i]) < each {
				sampled[i], wanted[key] = append(sampled[i], key), true
			}
		}
	}
	others, err := m.otherBuilds(ctx, wanted)
	if err != nil || len(others) == 0 {
		return err
	}
	for i, s := range m.Sides {
		least, best := 0, m.Base
		for _, build := range append([]*mods.Side{m.Base}, others...) {
			n, err := mods.CountChanges(ctx, build, s, sampled[i])
			if err != nil {
				return err
			}
			if build == m.Base {
				least = n
			} else if n >= 0 && n < least {
				least, best = n, build
			}
		}
		if best != m.Base {
			m.a.Warn(fmt.Sprintf("%s differs less from %s than from %s, and may be made for it", s.Label, best.Label, m.Base.Label))
		}
	}
	return nil
}

// mostBases is how many other builds are compared.
const mostBases = 4

// otherBuilds opens builds that have other contents of units than the base, the first that have
// each.
func (m *modMerge) otherBuilds(ctx context.Context, wanted map[string]bool) (others []*mods.Side, err error) {
	db, err := m.a.OpenCatalog(ctx)
	if err != nil {
		return nil, err
	}
	asked := schema.NewStatements(db)
	defer func() { err = errors.Join(err, asked.Close(), db.Close()) }()
	contents := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		for i := range m.Base.Units[key].Files {
			found, err := diff.FindAll(ctx, asked, m.Base.Units[key].Files[i].Entry.Name)
			if err != nil {
				return nil, err
			}
			for build, f := range found {
				contents[build] += fmt.Sprintln(key, i, f.Content)
			}
		}
	}
	taken := map[string]bool{contents[m.Base.Label]: true}
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
