package archive

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/compress"
)

func newPackCommand(a *cli.App) *cobra.Command {
	var opts packOptions
	cmd := &cobra.Command{
		Use:   "pack [flags] {DIR | ARCHIVE | --response FILE} -o OUT",
		Short: "Write an archive from a folder or another archive",
		Long: `Write an archive. From a folder: all files below it, sorted, named by their paths
below it, with their times, or with SOURCE_DATE_EPOCH where that is set. Symbolic links
to files and folders below it are followed; all others are refused, but for those that
--follow-outside takes. From another archive: all its entries in their order, with their times;
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

--effort exact, the default, writes the bytes that zlib and the engines' packers
write. --effort fast writes zlib that is 3 to 6 % larger with about a third less CPU.
Other methods have one effort.

--method, --block-size, --effort and --encrypt=false or =true on an archive encode
all of its entries anew. A format refuses the options that it does not have.

OUT is created atomically, after verification. The same input gives the same
bytes.`,
		Example: `  pakdb pack mod/ -o Calligraphy.sip --like old/Calligraphy.sip
  pakdb pack mod/ -o mod.sip --type gpak --version 1.6
  pakdb pack mu_cdata.sip -o repacked.sip --version kapg
  pakdb pack mod/ -o Game_1_P.pak --like Game.pak --method zlib
  pakdb pack mod/ -o test.pak --type unrealpak --method zlib --effort fast
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
	cli.AddFollowOutside(cmd, &opts.outside)
	flags.StringVar(&opts.order, "order", "", "order of the files, from an order `FILE` of UnrealPak")
	opts.create.add(cmd)
	cli.CompleteFlag(cmd, "type", writableFormats(a.Registry())...)
	return cli.Reporting(a, cmd, cli.Packed{})
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
		return packFolder(ctx, a, target, opts, from)
	}
	if opts.order != "" {
		return fmt.Errorf("%w: --order is for folders and --response; the entries of %s keep theirs", cli.ErrUsage, from)
	}
	ar, err := operand.Open(ctx, a, from)
	if errors.Is(err, codecs.ErrUnknown) {
		return cli.WithHint(err, "to pack a file that is no archive, name a folder that holds it")
	}
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
