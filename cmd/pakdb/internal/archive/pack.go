package archive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/compress"
)

func newPackCommand(a *cli.App) *cobra.Command {
	var opts packOptions
	cmd := &cobra.Command{
		Use:   "pack [flags] DIR|ARCHIVE|LIST -o OUT",
		Short: "Write an archive from a folder or another archive",
		Long: `Write an archive: of the files below a folder, sorted; of another archive,
whose data is copied when the format allows, else recompressed; or of LIST, a
response file of UnrealPak. The format is that of --type, --like, the input, or
the name of the output. --like also gives the mount point. The same input gives
the same bytes. The archive is created atomically, after verification.

Cooked legacy packages (.uasset with .uexp, UE 5.3 to 5.8) in a folder become
packages of an IoStore container, whose header lists them as --like has them.

--replace puts a file in the place of an entry and keeps the others as they
are. An option that the format lacks is refused. "pakdb help pack-files"
explains response and order files, symbolic links and encryption.`,
		Example: `  pakdb pack mod/ -o Game_1_P.pak --like Game.pak --method zlib
  pakdb pack list.txt --type unrealpak@11 -o Game_P.pak
  pakdb pack Metroid1.pak --replace TXTR/7b2ea5b1=visor.txtr -o new/Metroid1.pak`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.out == "" {
				return cli.UsageError(cmd, errors.New("no output: pass -o OUT"))
			}
			opts.kind, opts.version, _ = strings.Cut(opts.kind, "@")
			opts.create.set = cmd.Flags().Changed
			return runPack(cmd.Context(), a, opts, args[0])
		},
	}
	flags := cmd.Flags()
	cli.Flag(cmd, "output", &opts.out)
	flags.StringVarP(&opts.kind, "type", "t", "", "the format `NAME[@VERSION]` (pakdb formats)")
	flags.StringVar(&opts.like, "like", "", "format, version, mount point of the archive `REF`")
	flags.StringArrayVar(&opts.replace, "replace", nil, "replace an entry by a file, `PATH=FILE`; may repeat")
	cli.Flag(cmd, "overwrite", &opts.overwrite)
	cli.AddFollowOutside(cmd, &opts.outside)
	flags.StringVar(&opts.order, "order", "", "pack in the order of an order `FILE` of UnrealPak")
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
	if isResponse(from) {
		if opts.replace != nil {
			return fmt.Errorf("%w: --replace is for an archive, and %s is a response file", cli.ErrUsage, from)
		}
		return packResponse(ctx, a, opts, from)
	}
	if opts.order != "" {
		return fmt.Errorf("%w: --order is for folders and response files; the entries of %s keep theirs", cli.ErrUsage, from)
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
