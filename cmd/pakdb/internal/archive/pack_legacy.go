package archive

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/codecs/iostore"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/media"
	"pakdb/codecs/unreal/zen"
	"pakdb/diff/ship/overlay"
	"pakdb/internal/asset"
	"pakdb/internal/regular"
)

// legacyPacker writes a container of legacy packages, which become Zen packages, and of
// other files as they are. The container's header lists the packages.
type legacyPacker struct {
	target *target
	bodies map[string]regular.File // .uexp, by their paths without it in lower case
	used   map[string]bool
	names  map[string]bool // of all files, in lower case
	header unreal.ContainerFacts
	old    *unreal.ContainerFacts // of the container that is the model; nil
	sum    cli.Sums
}

// packsLegacy reports whether files have legacy packages, and what they are packed into is a
// container.
func packsLegacy(t *target, files []regular.File) (bool, error) {
	if t.format.Name != iostore.Format().Name {
		return false, nil
	}
	for _, f := range files {
		if _, _, part := asset.Split(f.Name); part != asset.Header {
			continue
		}
		if ok, err := startsLegacy(f.Path); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// startsLegacy reports whether a file starts with the tag of packages.
func startsLegacy(name string) (bool, error) {
	f, err := regular.Open(name)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	var head [4]byte
	n, _ := f.ReadAt(head[:], 0)
	return n == 4 && bytes.Equal(head[:], unreal.PackageTag()), nil
}

// packLegacy writes the files below a folder, some of which are legacy packages.
func packLegacy(ctx context.Context, t *target, out string, files []regular.File) (cli.Sums, error) {
	p := &legacyPacker{target: t, bodies: map[string]regular.File{}, used: map[string]bool{}, names: map[string]bool{}}
	if t.like != nil {
		o, err := iostore.Overlay(t.like.Archive, filepath.Base(out))
		if err != nil {
			return p.sum, err
		}
		t.options.Template = o.Template // with an id of its own
		if p.old, err = overlay.ReadContainerHeader(ctx, t.like.Archive); err != nil {
			return p.sum, err
		}
	}
	for _, f := range files {
		p.names[strings.ToLower(f.Name)] = true
		if stem, _, part := asset.Split(f.Name); part == asset.Body {
			p.bodies[strings.ToLower(stem)] = f
		}
	}
	for _, f := range files {
		stem, _, part := asset.Split(f.Name)
		stem = strings.ToLower(ofSegment(stem))
		if part == asset.Bulk && !slices.ContainsFunc(asset.Headers(stem), func(name string) bool { return p.names[name] }) {
			return p.sum, fmt.Errorf("%w: %s has no .uasset beside it", codecs.ErrNotFound, f.Path)
		}
	}
	names := func(yield func(string) bool) {
		for _, f := range files {
			if _, _, part := asset.Split(f.Name); part != asset.Body && !yield(f.Name) {
				return
			}
		}
	}
	if err := codecs.CheckNames(ctx, t.format, &t.options, names); err != nil {
		return p.sum, err
	}
	epoch, err := cli.SourceDateEpoch()
	if err != nil {
		return p.sum, err
	}
	err = codecs.WriteFile(ctx, out, t.format, &t.options, func(w codecs.Writer) error {
		for _, f := range files {
			if err := p.add(ctx, w, f, epoch); err != nil {
				return err
			}
		}
		for stem, f := range p.bodies {
			if !p.used[stem] {
				return fmt.Errorf("%w: %s has no .uasset beside it", codecs.ErrNotFound, f.Path)
			}
		}
		return p.addHeader(ctx, w, out)
	})
	return p.sum, err
}

// ofSegment returns the stem of a package by that of a file of bulk data in parts: "T.001".
func ofSegment(stem string) string {
	if ext := path.Ext(stem); len(ext) == 4 && strings.Trim(ext[1:], "0123456789") == "" {
		return strings.TrimSuffix(stem, ext)
	}
	return stem
}

// checkBulk fails if a file is not there in which a package has data. Games lack optional ones.
func (p *legacyPacker) checkBulk(f regular.File, bulk []unreal.BulkData) error {
	stem, _, _ := asset.Split(f.Name)
	for i := range bulk {
		file := media.FileOf(&bulk[i])
		name := stem + string(file)
		if bulk[i].Size == 0 || file == media.Whole || strings.HasSuffix(name, ".uptnl") || p.names[strings.ToLower(name)] {
			continue
		}
		return fmt.Errorf("%w: %s, which has data of the package", codecs.ErrNotFound, name)
	}
	return nil
}

// add writes a file. Those with exports go with the packages that they belong to.
func (p *legacyPacker) add(ctx context.Context, w codecs.Writer, f regular.File, epoch time.Time) error {
	stem, _, part := asset.Split(f.Name)
	switch part {
	case asset.Body:
		return nil
	case asset.Header:
	default:
		return addFile(ctx, w, f, epoch, &p.sum)
	}
	chunk, err := regular.ReadFile(f.Path)
	if err != nil {
		return err
	}
	if bytes.HasPrefix(chunk, unreal.PackageTag()) {
		var uexp []byte
		if body, ok := p.bodies[strings.ToLower(stem)]; ok {
			p.used[strings.ToLower(stem)] = true
			if uexp, err = regular.ReadFile(body.Path); err != nil {
				return err
			}
		}
		if chunk, err = zen.FromLegacy(ctx, chunk, uexp, unreal.LongName(p.target.options.MountPoint+f.Name)); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	if err := p.list(f, chunk); err != nil {
		return cli.WithHint(fmt.Errorf("%s: %w", f.Path, err), cli.Hint(err))
	}
	e := &codecs.Entry{Name: f.Name, Size: int64(len(chunk)), Mod: epoch}
	p.sum.Add(e)
	return w.Add(ctx, e, bytes.NewReader(chunk))
}

// list adds a package to the container's header: as the model's lists it, with the packages
// that it imports from now.
func (p *legacyPacker) list(f regular.File, chunk []byte) error {
	z, err := zen.Read(bytes.NewReader(chunk), int64(len(chunk)))
	if err != nil {
		return err
	}
	if name := unreal.LongName(p.target.options.MountPoint + f.Name); !strings.EqualFold(name, z.Name) {
		return cli.WithHint(fmt.Errorf("%w: it is the package %s, and its place makes it %s", codecs.ErrName, z.Name, name),
			"--mount or --like gives the mount point")
	}
	if err := p.checkBulk(f, z.Bulk); err != nil {
		return err
	}
	entry := unreal.StoredPackage{ID: z.Zen.PackageID}
	known := false
	if p.old != nil {
		for _, s := range p.old.Packages {
			if s.ID == entry.ID {
				entry, known = s, true
			}
		}
	}
	for i := range z.Exports {
		if class := shaderClass(z.ClassOf(i)); !known && class != "" {
			return cli.WithHint(cli.Refusal(fmt.Errorf("%w: new package with a %s, whose shader maps the container's header states", unreal.ErrNoWriting, class)),
				"--like names the container that has it")
		}
	}
	entry.Imports = nil
	for _, imported := range z.Zen.Packages {
		entry.Imports = append(entry.Imports, imported.ID)
	}
	p.header.Packages = append(p.header.Packages, entry)
	return nil
}

// shaderClass returns the name of a class whose objects use shaders of their own, "" for
// others. That of a package's class may be an id, as global.utoc is not at hand.
func shaderClass(class string) string {
	for _, name := range []string{"Material", "MaterialInstanceConstant"} {
		if class == name || class == fmt.Sprintf("<script %016x>", unreal.ScriptObjectID("/Script/Engine."+name)) {
			return name
		}
	}
	return ""
}

// withoutExports is the version of a container's header that counts no exports, of UE 5.3.
const withoutExports = 3

// addHeader writes the header, without which no engine loads the packages.
func (p *legacyPacker) addHeader(ctx context.Context, w codecs.Writer, out string) error {
	h := &p.header
	switch {
	case p.old == nil:
		return cli.WithHint(cli.Refusal(fmt.Errorf("%s: %w: the version of the header of a new container", out, unreal.ErrNoWriting)),
			"--like names a container of the game")
	case p.old.Version < withoutExports:
		return cli.Refusal(fmt.Errorf("%s: %w: packages for a container with a header of version %d, before UE 5.3", out, unreal.ErrNoWriting, p.old.Version))
	}
	h.Version, h.ContainerID = p.old.Version, iostore.ContainerID(filepath.Base(out))
	sorted := unreal.Overriding(h.ContainerID, func(uint64) bool { return true }, h)
	b, err := zen.AppendContainerHeader(nil, sorted)
	if err != nil {
		return err
	}
	e := iostore.HeaderEntry(h.ContainerID)
	e.Size = int64(len(b))
	return w.Add(ctx, e, bytes.NewReader(b))
}
