package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/gpak"
	"pakdb/codecs/iostore"
	"pakdb/codecs/mods"
	"pakdb/codecs/retropak"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unrealpak"
	"pakdb/diff/ship/overlay"
	"pakdb/internal/terminal"
)

// writeMod writes the packages that changed: a file, or an archive.
func writeMod(ctx context.Context, a *cli.App, opts *modOptions, all []*modded) error {
	loose := all[0].ar == nil
	if slices.ContainsFunc(all, func(m *modded) bool { return (m.ar == nil) != loose }) || loose && len(all) > 1 {
		return fmt.Errorf("%w: several packages go into one archive only if they come from archives of one format", cli.ErrUsage)
	}
	if loose {
		return writeLooseMod(ctx, a, opts, all[0])
	}
	if writtenWhole(all[0].ar.Archive) {
		return writeWholeMod(ctx, a, opts, all)
	}
	name, size, err := writeModFiles(ctx, a, opts.out, opts.overwrite, filesOf(all))
	if err != nil {
		return err
	}
	return printWrittenMod(a, name, all, size)
}

// writtenWhole reports whether games have no archives that they mount over one of that format.
func writtenWhole(ar *operand.Archive) bool {
	return ar.Format.Name == gpak.Format().Name || ar.Format.Name == retropak.Format().Name
}

// writeWholeMod writes the archive that the files come from anew: what did not change as it
// is stored.
func writeWholeMod(ctx context.Context, a *cli.App, opts *modOptions, all []*modded) error {
	first, replace := all[0].ar, replacements{}
	for _, m := range all {
		if m.ar != first {
			return fmt.Errorf("%w: files of %s and %s: write an archive for each", cli.ErrUsage, first.Path, m.ar.Path)
		}
		// Paks of Retro Studios have copies of an asset.
		copies, err := cli.FindCopies(first.Path, first.Archive.Archive, m.header.Name)
		if err != nil {
			return err
		}
		for _, e := range copies {
			replace[e.Ordinal] = replacement{content: m.asset}
		}
	}
	return repackMod(ctx, a, opts.out, first, replace)
}

func repackMod(ctx context.Context, a *cli.App, out string, first *modArchive, replace replacements) error {
	o := packOptions{out: out, create: createOptions{effort: "normal"}}
	o.create.set = func(string) bool { return false }
	t, err := packTarget(ctx, a, o, first.Archive)
	if err != nil {
		return err
	}
	defer t.close()
	return repack(ctx, a, t, first.Archive, replace, o.create, out)
}

// write writes an archive of files of mods. Where games have no archives that they mount over
// others, it is the one of the build, with those files.
func (r *modRun) write(ctx context.Context, out string, overwrite bool, build *mods.Side, files []mods.File) (name string, size int64, err error) {
	if !writtenWhole(archiveOf(&files[0]).Archive) {
		return writeModFiles(ctx, r.a, out, overwrite, files)
	}
	var first *modArchive
	replace := replacements{}
	for i := range files {
		f := &files[i]
		u := build.Units[mods.UnitKey(f.Path)]
		if u == nil || first != nil && archiveOf(u.Header()) != first {
			return out, 0, cli.Refusal(fmt.Errorf("%s: build %s has no such file, and files are not added to its archives", f.Path, build.Label))
		}
		first = archiveOf(u.Header())
		b, err := f.Read(ctx)
		if err != nil {
			return out, 0, err
		}
		replace[u.Header().Entry.Ordinal] = replacement{content: b}
	}
	if err := repackMod(ctx, r.a, out, first, replace); err != nil {
		return out, 0, err
	}
	st, err := os.Stat(out)
	if err != nil {
		return out, 0, err
	}
	return out, st.Size(), nil
}

func fileOf(ar *modArchive, e *codecs.Entry, data []byte) mods.File {
	return mods.File{Archive: ar, Entry: e, Path: ar.mount + e.Name, Data: data}
}

// archiveOf returns the archive that a file comes from.
func archiveOf(f *mods.File) *modArchive { return f.Archive.(*modArchive) }

// addModFile adds a file to an archive under a name.
func addModFile(ctx context.Context, w codecs.Writer, f *mods.File, e *codecs.Entry) (size int64, err error) {
	if f.Data != nil {
		e.Size = int64(len(f.Data))
		return e.Size, w.Add(ctx, e, bytes.NewReader(f.Data))
	}
	r, err := archiveOf(f).Open(ctx, f.Entry)
	if err != nil {
		return 0, err
	}
	e.Size = f.Entry.Size
	return e.Size, errors.Join(w.Add(ctx, e, r), r.Close())
}

// filesOf returns the files of packages that changed.
func filesOf(all []*modded) (files []mods.File) {
	for _, m := range all {
		files = append(files, fileOf(m.ar, m.header, m.asset))
		if m.uexp != nil {
			files = append(files, fileOf(m.ar, m.body, m.uexp))
		}
	}
	return files
}

// writeModFiles writes an archive of the kind that the files come from, and returns the size of
// what is in it.
func writeModFiles(ctx context.Context, a *cli.App, out string, overwrite bool, files []mods.File) (name string, size int64, err error) {
	for i := range files {
		if archiveOf(&files[i]).Format.Name != archiveOf(&files[0]).Format.Name {
			return "", 0, fmt.Errorf("%w: several packages go into one archive only if they come from archives of one format", cli.ErrUsage)
		}
	}
	if archiveOf(&files[0]).Format.Name == iostore.Format().Name {
		return writeContainer(ctx, a, out, overwrite, files)
	}
	size, err = writePak(ctx, a, out, files)
	return out, size, err
}

// writeContainer writes a container of the kind that the packages come from, and the .pak by
// which a game mounts it.
func writeContainer(ctx context.Context, a *cli.App, out string, overwrite bool, files []mods.File) (toc string, size int64, err error) {
	first := archiveOf(&files[0])
	toc = strings.TrimSuffix(out, filepath.Ext(out)) + ".utoc"
	o, err := iostore.Overlay(first.Archive.Archive, filepath.Base(toc))
	if err != nil {
		return toc, 0, err
	}
	if !slices.Contains(iostore.Format().Methods, o.Method) && o.Method != compress.None {
		o.Method = compress.Zlib // Oodle is read and not written; every engine reads this
	}
	o.Keys = a.Keys.Ring.Key
	var entries []*codecs.Entry
	var from []codecs.Archive
	for i := range files {
		entries = append(entries, files[i].Entry)
		if ar := archiveOf(&files[i]).Archive.Archive; !slices.Contains(from, ar) {
			from = append(from, ar)
		}
	}
	err = codecs.WriteFile(ctx, toc, iostore.Format(), o, func(w codecs.Writer) error {
		for i := range files {
			f := &files[i]
			n, err := addModFile(ctx, w, f, &codecs.Entry{Name: f.Entry.Name, Type: f.Entry.Type, ID: f.Entry.ID})
			if size += n; err != nil {
				return err
			}
		}
		e, header, err := overlay.ContainerHeader(ctx, filepath.Base(toc), entries, from)
		if err != nil || e == nil {
			return err
		}
		return w.Add(ctx, e, bytes.NewReader(header))
	})
	if err != nil {
		return toc, 0, err
	}
	return toc, size, writeStub(ctx, toc, first.mount, overwrite)
}

// writeStub writes the .pak without entries by which a game mounts a container. One that is there
// stays, unless it is to be replaced.
func writeStub(ctx context.Context, toc, mount string, overwrite bool) error {
	pak := strings.TrimSuffix(toc, ".utoc") + ".pak"
	if _, err := os.Stat(pak); err == nil && !overwrite {
		return nil
	}
	stub := &codecs.CreateOptions{MountPoint: mount}
	return codecs.WriteFile(ctx, pak, unrealpak.Format(), stub, func(codecs.Writer) error { return nil })
}

func printWrittenMod(a *cli.App, out string, all []*modded, size int64) error {
	what := cli.Plural(int64(len(all)), "package", "packages")
	if slices.ContainsFunc(all, func(m *modded) bool { return !mods.IsPackage(m.header) }) {
		what = cli.Plural(int64(len(all)), "file", "files")
	}
	_, err := fmt.Fprintf(a.Stdout, "%s written: %s, %s\n", terminal.Printable(out), what, cli.HumanSize(size))
	return err
}

func writeLooseMod(ctx context.Context, a *cli.App, opts *modOptions, m *modded) error {
	write := func(name string, b []byte) error {
		err := toFile(ctx, name, time.Time{}, func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
		if err == nil {
			_, err = fmt.Fprintln(a.Stdout, terminal.Printable(name)+" written")
		}
		return err
	}
	if m.uexp != nil {
		if err := write(strings.TrimSuffix(opts.out, filepath.Ext(opts.out))+".uexp", m.uexp); err != nil {
			return err
		}
	}
	return write(opts.out, m.asset)
}

// writePak writes a pak of the kind that the files come from.
func writePak(ctx context.Context, a *cli.App, out string, files []mods.File) (size int64, err error) {
	first := archiveOf(&files[0])
	o := packOptions{out: out, create: createOptions{effort: "normal"}}
	o.create.set = func(string) bool { return false }
	t, err := packTarget(ctx, a, o, first.Archive)
	if err != nil {
		return 0, err
	}
	defer t.close()
	if err := noteSubstitute(a, t.instead); err != nil {
		return 0, err
	}
	mount := first.mount
	for i := range files {
		for !strings.HasPrefix(files[i].Path, mount) {
			above := path.Dir(strings.TrimSuffix(mount, "/")) + "/"
			if above == "./" || above == mount || strings.HasSuffix(mount, "../") {
				return 0, fmt.Errorf("%w: packages of paks with the mount points %s and %s: write a pak for each", cli.ErrUsage, first.mount, archiveOf(&files[i]).mount)
			}
			mount = above
		}
	}
	t.options.MountPoint = mount
	err = codecs.WriteFile(ctx, out, t.format, &t.options, func(w codecs.Writer) error {
		for i := range files {
			n, err := addModFile(ctx, w, &files[i], &codecs.Entry{Name: strings.TrimPrefix(files[i].Path, mount)})
			if size += n; err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if _, err := os.Stat(strings.TrimSuffix(first.File.Name(), filepath.Ext(first.File.Name())) + ".sig"); err == nil {
		a.Warn(first.Path + " is signed, and pakdb cannot sign " + out)
	}
	return size, nil
}

// refuseShadowed fails if a game would not see the new pak over the one that the packages
// come from.
func refuseShadowed(out string, ar *operand.Archive) error {
	mounts := ar.Format.Mounts()
	if mounts.Order == nil || mounts.PatchName == nil {
		return cli.Refusal(fmt.Errorf("%w: an archive of format %s", unreal.ErrNoWriting, ar.Format.Name))
	}
	base := filepath.Base(ar.File.Name())
	name := strings.TrimSuffix(filepath.Base(out), filepath.Ext(out)) + filepath.Ext(base)
	old := mounts.Order(base)
	if mounts.Order(name) > old {
		return nil
	}
	better := base
	for n := 1; mounts.Order(better) <= old; n++ {
		better = mounts.PatchName(base, n)
	}
	return cli.WithHint(fmt.Errorf("%w: a game does not mount %s over %s", cli.ErrUsage, name, base), "call it "+better)
}
