package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/result"
)

type packOptions struct {
	out, kind, version, like string

	replace   []string
	overwrite bool
	create    createOptions
	response  string
	order     string
}

func newPackCommand(a *cli.App) *cobra.Command {
	var opts packOptions
	cmd := &cobra.Command{
		Use:   "pack [flags] {DIR | ARCHIVE | --response FILE} -o OUT",
		Short: "Write an archive from a folder or another archive",
		Long: `Write an archive. From a folder: all regular files below it, sorted, named by
their paths below it, with their times, or with SOURCE_DATE_EPOCH where that is
set. From another archive: all its entries in their order, with their times;
stored bytes are taken over as they are where the new archive can hold them,
and decoded and encoded anew where it cannot.

The format is that of --type, of --like, of the archive that is read, or the one
that has OUT's extension, and the --version. The version is that of --version, of --like, of the
archive that is read if it is of the same format, or the format's newest. --like
also gives the mount point, and what else the format keeps beside its entries.

--replace PATH=FILE puts a file in the place of an entry of the archive that is
read, and leaves the others as they are, in their order and with their names.
PATH is anything that "pakdb cat" takes; all copies that the archive has of one
asset are replaced.

--response packs what a response file of UnrealPak lists, one line a file:

  "source" "dest" [-compress] [-encrypt] [-delete]

Sources may be folders or have wildcards, and are relative to the current folder.
The folder that all destinations share becomes the mount point, unless --mount
or --like gives another. Lines with -compress are compressed by --method (zlib),
the others stored. --order, also for folders, takes UnrealPak's order file:
"path" NUMBER, in the order of which files are packed, the others behind them.

--method, --block-size and --encrypt=false or =true on an archive encode all of
its entries anew. Which of these options a format has is told by its errors.

OUT appears when it is complete and has been read back. The same input gives the
same bytes.`,
		Example: `  pakdb pack mod/ -o Calligraphy.sip --like old/Calligraphy.sip
  pakdb pack mod/ -o mod.sip --type gpak --version 1.6
  pakdb pack mu_cdata.sip -o repacked.sip --version kapg
  pakdb pack mod/ -o Game_1_P.pak --like Game.pak --method zlib
  pakdb pack --response list.txt --version 11 -o Game_P.pak
  pakdb pack Metroid1.pak --replace TXTR/7b2ea5b1=visor.txtr -o new/Metroid1.pak`,
		Args: cli.Args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.out == "" {
				return cli.UsageError(cmd, errors.New("pack into which file? pass -o OUT"))
			}
			opts.create.set = cmd.Flags().Changed
			switch {
			case opts.response != "" && (len(args) > 0 || opts.replace != nil):
				return cli.UsageError(cmd, errors.New("--response says what to pack; no folder or archive goes with it"))
			case opts.response != "":
				return packResponse(cmd.Context(), a, opts)
			case len(args) == 0:
				return cli.UsageError(cmd, errors.New("pack what? name a folder, an archive, or pass --response FILE"))
			}
			return runPack(cmd.Context(), a, opts, args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&opts.out, "output", "o", "", "the archive `OUT` to write")
	flags.StringVarP(&opts.kind, "type", "t", "", "format by `NAME`, see pakdb formats")
	flags.StringVar(&opts.version, "version", "", "`VERSION` of the format")
	flags.StringVar(&opts.like, "like", "", "format, version and mount point of the archive `REF`")
	flags.StringArrayVar(&opts.replace, "replace", nil, "put FILE in the place of the entry: `PATH=FILE`")
	flags.BoolVar(&opts.overwrite, "overwrite", false, "replace OUT if it is there")
	flags.StringVar(&opts.response, "response", "", "pack what a response `FILE` of UnrealPak lists")
	flags.StringVar(&opts.order, "order", "", "order of the files, from an order `FILE` of UnrealPak")
	opts.create.add(cmd)
	cli.CompleteFlag(cmd, "type", writableFormats(a.Registry())...)
	return cli.Reporting(a, cmd, result.Packed{})
}

func writableFormats(r *codecs.Registry) []string {
	var names []string
	for _, f := range r.Formats {
		if f.Create != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

// refuseOverwriting keeps what stands at OUT, unless told otherwise.
func (opts *packOptions) refuseOverwriting(r *codecs.Registry) error {
	if err := cli.RefuseExisting(opts.out, opts.overwrite); err != nil || opts.overwrite {
		return err
	}
	return refuseParts(r, opts.out)
}

func runPack(ctx context.Context, a *cli.App, opts packOptions, from string) error {
	if err := opts.refuseOverwriting(a.Registry()); err != nil {
		return err
	}
	if st, err := os.Stat(from); err == nil && st.IsDir() {
		if opts.replace != nil {
			return fmt.Errorf("%w: --replace is for an archive, and %s is a folder", cli.ErrUsage, from)
		}
		target, err := packTarget(ctx, a, opts, nil)
		if err != nil {
			return err
		}
		defer target.close()
		if opts.create.set("block-size") && target.options.Method.String() == compress.None.String() {
			return fmt.Errorf("%w: --block-size is for compressed entries, and no --method was given", cli.ErrUsage)
		}
		if err := noteSubstitute(a, target.instead); err != nil {
			return err
		}
		return packFolder(ctx, a, target, opts.order, from, opts.out)
	}
	if opts.order != "" {
		return fmt.Errorf("%w: --order is for folders and --response; the entries of %s keep theirs", cli.ErrUsage, from)
	}
	ar, err := operand.Open(ctx, a, from)
	if err != nil {
		return err
	}
	defer func() { _ = ar.Close() }()
	target, err := packTarget(ctx, a, opts, ar)
	if err != nil {
		return err
	}
	defer target.close()
	replace, err := newReplacements(ar, opts.replace)
	if err != nil {
		return err
	}
	return repack(ctx, a, target, ar, replace, opts.create, opts.out)
}

// target is what kind of archive is written.
type target struct {
	format  *codecs.Format
	options codecs.CreateOptions
	model   *operand.Archive // of the same format, whose habits are taken over; or nil
	like    *operand.Archive // the reference, which is closed at the end; or nil
	instead substitute
}

func (t *target) close() {
	if t.like != nil {
		_ = t.like.Close()
	}
}

// imitate takes over what the model keeps beside its entries, where the format
// has anything of the kind.
func (t *target) imitate(w codecs.Writer) error {
	if t.model == nil {
		return nil
	}
	if i, ok := codecs.WriterAs[codecs.Imitator](w); ok {
		return i.Imitate(t.model.Archive)
	}
	return nil
}

// packTarget decides from the flags, the reference, the archive that is read
// (nil: a folder) and the name of what is written, in this order.
func packTarget(ctx context.Context, a *cli.App, opts packOptions, source *operand.Archive) (_ *target, err error) {
	t := &target{}
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	model := source
	if opts.like != "" {
		if t.like, err = operand.Open(ctx, a, opts.like); err != nil {
			return nil, err
		}
		model = t.like
	}
	if t.format, err = packFormat(a, opts, model); err != nil {
		return nil, err
	}
	if t.like != nil && t.like.Format.Name != t.format.Name {
		return nil, fmt.Errorf("%w: --like %s is of format %s, and what is written of format %s", cli.ErrUsage, opts.like, t.like.Format.Name, t.format.Name)
	}
	if model != nil && model.Format.Name == t.format.Name {
		err = t.follow(model, opts.version, a.Keys.Ring.Key)
	} else {
		t.options.Version = opts.version
	}
	if err != nil {
		return nil, err
	}
	if v := t.options.Version; v != "" && !slices.Contains(t.format.Versions, v) {
		return nil, cli.WithHint(fmt.Errorf("%w: %s has no version %q", cli.ErrUsage, t.format.Name, v),
			"pakdb writes "+strings.Join(t.format.Versions, ", "))
	}
	if err := opts.create.apply(t.format, &t.options); err != nil {
		return nil, err
	}
	t.substituteMethod(model)
	if t.options.Encrypt || t.options.EncryptIndex {
		t.options.Keys = a.Keys.Ring.Key // formats that never encrypt want none
	}
	return t, nil
}

// follow makes t like an archive of its format. What only another version keeps
// is not taken over.
func (t *target) follow(model *operand.Archive, wanted string, keys codecs.KeyFunc) error {
	o, err := t.format.OptionsLike(model.Archive)
	if errors.Is(err, errors.ErrUnsupported) { // its version is not written
		if wanted == "" {
			return cli.WithHint(err, "choose another with --version: pakdb writes "+strings.Join(t.format.Versions, ", "))
		}
		o, err = &codecs.CreateOptions{MountPoint: model.Info().MountPoint, Keys: keys}, nil
	}
	if err != nil {
		return err
	}
	t.options = *o
	if wanted == "" || wanted == t.options.Version {
		t.model = model
	} else {
		t.options.Version, t.options.Template, t.options.Seed = wanted, nil, 0
	}
	return nil
}

func packFormat(a *cli.App, opts packOptions, model *operand.Archive) (*codecs.Format, error) {
	r := a.Registry()
	var format *codecs.Format
	var candidates []*codecs.Format
	switch {
	case opts.kind != "":
		var ok bool
		if format, ok = r.Format(opts.kind); !ok {
			return nil, cli.NoSuchFormat(opts.kind, writableFormats(r))
		}
	case model != nil:
		format = model.Format
	default:
		candidates = candidateFormats(r, opts.out, opts.version)
		if len(candidates) == 1 {
			format = candidates[0]
		}
	}
	writes := "pakdb writes " + strings.Join(writableFormats(r), ", ")
	switch {
	case len(candidates) > 1:
		return nil, cli.WithHint(ambiguousFormat(opts, candidates), "pass --type, --version or --like")
	case format == nil:
		return nil, cli.WithHint(fmt.Errorf("%w: %s does not tell the format", cli.ErrUsage, opts.out), "pass --type or --like; "+writes)
	case format.Create == nil:
		return nil, cli.WithHint(&codecs.FormatError{Format: format.Name, Off: -1, Err: codecs.ErrReadOnly}, writes)
	}
	return format, nil
}

// candidateFormats returns the writable formats that out can be of: those that
// usually have its extension, and if that is not exactly one, those of them, or
// of all, that have the version, where one is given.
func candidateFormats(r *codecs.Registry, out, version string) []*codecs.Format {
	var byName, byVersion []*codecs.Format
	for _, f := range r.Formats {
		if f.Create != nil && slices.Contains(f.Exts, strings.ToLower(filepath.Ext(out))) {
			byName = append(byName, f)
		}
	}
	if len(byName) == 1 || version == "" {
		return byName
	}
	for _, f := range r.Formats {
		if f.Create != nil && slices.Contains(f.Versions, version) && (byName == nil || slices.Contains(byName, f)) {
			byVersion = append(byVersion, f)
		}
	}
	if byVersion == nil {
		return byName
	}
	return byVersion
}

func ambiguousFormat(opts packOptions, candidates []*codecs.Format) error {
	var names []string
	for _, c := range candidates {
		names = append(names, c.Name)
	}
	err := fmt.Errorf("%w: %s may be %s", cli.ErrUsage, opts.out, strings.Join(names, " or "))
	if opts.version != "" && !slices.Contains(candidates[0].Versions, opts.version) {
		err = fmt.Errorf("%w; none of them has version %q", err, opts.version)
	}
	return err
}

// printPacked tells what was written.
func printPacked(a *cli.App, f *codecs.Format, out string, s cli.Sums) error {
	size, err := sizeOnDisk(f, out)
	if err != nil {
		return err
	}
	a.Result.Done(result.Packed{Archive: out, Format: f.Name, Entries: s.Entries, Size: s.Size, Stored: size})
	if a.Quiet {
		return nil
	}
	_, err = fmt.Fprintf(a.Stdout, "%s: %s, %s decoded, %s\n", out, cli.Plural(s.Entries, "entry", "entries"),
		cli.HumanSize(s.Size), cli.HumanSize(size))
	return err
}
