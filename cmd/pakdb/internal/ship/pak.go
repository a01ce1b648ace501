package ship

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/apply"
	"pakdb/internal/terminal"
)

func newPakCommand(a *cli.App) *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "pak",
		Short: "Look after paks that were appended to",
		Long: `Look after Unreal paks that "pakdb delta apply --append" made: they have the
entries of a new version and the bytes of an old one, and dead bytes between.`,
		Example: `  pakdb pak compact Game.pak
  pakdb pak info Game.pak`,
	}, newPakCompactCommand(a), newPakInfoCommand(a))
}

func newPakCompactCommand(a *cli.App) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "compact FILE.pak...",
		Short: "Make appended paks exact, or drop dead bytes",
		Long: `Make of a pak that was appended to the very file of the version that it stands
for, bit for bit, by the record in it. Its hash is compared before the pak is
replaced.

Any other Unreal pak is rewritten without the bytes that its index does not refer
to: entries as they are stored, in the order of their offsets. The result is opened
and compared with what was there before the pak is replaced. A pak without such
bytes stays as it is.

The folder needs room for the new file meanwhile.`,
		Example: `  pakdb pak compact Game.pak
  pakdb pak compact --dry-run Paks/*.pak`,
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, err := operand.Expand(args)
			if err != nil {
				return err
			}
			for _, path := range paths {
				if err := runPakCompact(cmd.Context(), a, path, dryRun); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "tell what would be done, and write nothing")
	return cmd
}

func runPakCompact(ctx context.Context, a *cli.App, path string, dryRun bool) error {
	c, err := apply.Compact(ctx, path, a.Registry(), a.OpenOptions(), dryRun)
	if err != nil {
		return recoverHint(compactError(path, err), filepath.Dir(path))
	}
	if a.Quiet {
		return nil
	}
	does := "is"
	if dryRun {
		does = "would be"
	}
	switch {
	case c.Same:
		_, err = fmt.Fprintf(a.Stdout, "%s: no dead bytes\n", path)
	case c.Exact:
		_, err = fmt.Fprintf(a.Stdout, "%s: %s %s, bit for bit: %d bytes, %d before\n", path, does, versionOf(c.Stands), c.After, c.Before)
	default:
		_, err = fmt.Fprintf(a.Stdout, "%s: %s without %d dead bytes: %d bytes, every entry as it was\n", path, does, c.Before-c.After, c.After)
	}
	return err
}

// compactError says which file an error is about, where it does not.
func compactError(path string, err error) error {
	var named *codecs.FormatError
	if errors.As(err, &named) || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

func versionOf(f pkdelta.File) string { return fmt.Sprintf("%s %x", f.Name, f.Sum[:8]) }

func newPakInfoCommand(a *cli.App) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "info [flags] FILE.pak...",
		Short: "Tell which version an appended pak stands for",
		Long: `Tell whether a pak was appended to, and if so, which version it stands for: the
size and the BLAKE3 hash of the file that its record makes, which is compared. The
exit code is 1 if a file was not appended to. With --format there is a row for each
file, whose last three columns are NULL for these.`,
		Example: `  pakdb pak info Game.pak
  pakdb pak info --format csv Paks/*.pak`,
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, err := operand.Expand(args)
			if err != nil {
				return err
			}
			if format == "" {
				return eachAppended(cmd.Context(), paths, func(path string, file pkdelta.File, appended bool) error {
					return printAppended(a, path, file, appended)
				})
			}
			rows, err := a.Rows(format, "file", "appended", "name", "size", "blake3")
			if err != nil {
				return err
			}
			return errors.Join(eachAppended(cmd.Context(), paths, func(path string, file pkdelta.File, appended bool) error {
				if !appended {
					return rows.Write(path, int64(0), nil, nil, nil)
				}
				return rows.Write(path, int64(1), file.Name, file.Size, cli.HexDigits(file.Sum))
			}), rows.Close())
		},
	}
	cli.AddFormat(cmd, &format)
	return cmd
}

// eachAppended calls each with the version that every pak stands for. It returns
// cli.ErrProblems if a pak was not appended to.
func eachAppended(ctx context.Context, paths []string, each func(path string, file pkdelta.File, appended bool) error) error {
	none := false
	for _, path := range paths {
		file, appended, err := apply.Stands(ctx, path)
		if err == nil {
			err = each(path, file, appended)
		}
		if err != nil {
			return err
		}
		none = none || !appended
	}
	if none {
		return cli.ErrProblems
	}
	return nil
}

func printAppended(a *cli.App, path string, file pkdelta.File, appended bool) error {
	text := "was not appended to"
	if appended {
		text = fmt.Sprintf("appended; stands for %x  %d  %s", file.Sum, file.Size, file.Name)
	}
	_, err := fmt.Fprintf(a.Stdout, "%s: %s\n", path, terminal.PrintableLines(text))
	return err
}
