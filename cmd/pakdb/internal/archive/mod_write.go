package archive

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/iostore"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unrealpak"
	"pakdb/diff/ship/overlay"
	"pakdb/internal/terminal"
)

// writeMod writes the packages that changed: a file, or a pak.
func writeMod(ctx context.Context, a *cli.App, opts *modOptions, all []*modded) error {
	loose := all[0].ar == nil
	for _, m := range all {
		if (m.ar == nil) != loose || loose && len(all) > 1 || !loose && m.ar.Format.Name != all[0].ar.Format.Name {
			return fmt.Errorf("%w: several packages go into one archive only if they come from archives of one format", cli.ErrUsage)
		}
	}
	if loose {
		return writeLooseMod(ctx, a, opts, all[0])
	}
	if all[0].ar.Format.Name == iostore.Format().Name {
		return writeContainerMod(ctx, a, opts, all)
	}
	return writePakMod(ctx, a, opts, all)
}

// writeContainerMod writes a container of the kind that the packages come from, and the
// .pak by which a game mounts it.
func writeContainerMod(ctx context.Context, a *cli.App, opts *modOptions, all []*modded) error {
	first := all[0].ar
	toc := strings.TrimSuffix(opts.out, filepath.Ext(opts.out)) + ".utoc"
	o, err := iostore.Overlay(first.Archive.Archive, filepath.Base(toc))
	if err != nil {
		return err
	}
	if !slices.Contains(iostore.Format().Methods, o.Method) && o.Method != compress.None {
		o.Method = compress.Zlib // Oodle is read and not written; every engine reads this
	}
	o.Keys = a.Keys.Ring.Key
	var entries []*codecs.Entry
	var from []codecs.Archive
	var sum int64
	for _, m := range all {
		entries, sum = append(entries, m.header), sum+int64(len(m.asset))
		if !slices.Contains(from, m.ar.Archive.Archive) {
			from = append(from, m.ar.Archive.Archive)
		}
	}
	err = codecs.WriteFile(ctx, toc, iostore.Format(), o, func(w codecs.Writer) error {
		for _, m := range all {
			e := &codecs.Entry{Name: m.header.Name, Type: m.header.Type, ID: m.header.ID, Size: int64(len(m.asset))}
			if err := w.Add(ctx, e, bytes.NewReader(m.asset)); err != nil {
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
		return err
	}
	pak := strings.TrimSuffix(toc, ".utoc") + ".pak"
	if _, statErr := os.Stat(pak); statErr != nil || opts.overwrite {
		stub := &codecs.CreateOptions{MountPoint: first.Info().MountPoint}
		if err := codecs.WriteFile(ctx, pak, unrealpak.Format(), stub, func(codecs.Writer) error { return nil }); err != nil {
			return err
		}
	}
	return printWrittenMod(a, toc, all, sum)
}

func printWrittenMod(a *cli.App, out string, all []*modded, size int64) error {
	what := cli.Plural(int64(len(all)), "package", "packages")
	if slices.ContainsFunc(all, func(m *modded) bool { return !isPackage(m.header) }) {
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

// writePakMod writes a pak of the kind that the packages come from.
func writePakMod(ctx context.Context, a *cli.App, opts *modOptions, all []*modded) error {
	first := all[0].ar
	for _, m := range all {
		if m.ar.Info().MountPoint != first.Info().MountPoint {
			return fmt.Errorf("%w: packages of paks with the mount points %s and %s: write a pak for each", cli.ErrUsage, first.Info().MountPoint, m.ar.Info().MountPoint)
		}
	}
	o := packOptions{out: opts.out, create: createOptions{effort: "normal"}}
	o.create.set = func(string) bool { return false }
	t, err := packTarget(ctx, a, o, first.Archive)
	if err != nil {
		return err
	}
	defer t.close()
	if err := noteSubstitute(a, t.instead); err != nil {
		return err
	}
	var sum int64
	err = codecs.WriteFile(ctx, opts.out, t.format, &t.options, func(w codecs.Writer) error {
		add := func(like *codecs.Entry, b []byte) error {
			sum += int64(len(b))
			return w.Add(ctx, &codecs.Entry{Name: like.Name, Size: int64(len(b))}, bytes.NewReader(b))
		}
		for _, m := range all {
			if err := add(m.header, m.asset); err != nil {
				return err
			}
			if m.uexp != nil {
				if err := add(m.body, m.uexp); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := os.Stat(strings.TrimSuffix(first.File.Name(), filepath.Ext(first.File.Name())) + ".sig"); err == nil {
		a.Warn(first.Path + " is signed, and pakdb cannot sign " + opts.out)
	}
	return printWrittenMod(a, opts.out, all, sum)
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
