package ship

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/ship/delta"
	"pakdb/internal/terminal"
)

func newDeltaInfoCommand(a *cli.App) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "info FILE.pkdelta",
		Short: "Show what a patch needs and makes",
		Long: `Show the old files that a patch needs, the new ones it makes, the recipes by which
blocks are coded again, and the root hash, which stands for the whole patch. Files
are listed with the BLAKE3 hashes that the patch stores. With several files only a
prefix of each old hash is stored, none with very many files, and one combined hash for
the new files.

With --format there is a row for each file, "old" or "new"; "keys" are those that
applying takes, by what a patch knows of them, NULL for none.`,
		Example: `  pakdb delta info game.pkdelta
  pakdb delta info game.pkdelta --format jsonl`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			h, err := delta.ReadFileHeader(args[0])
			if err != nil {
				return deltaHint(err)
			}
			if format == "" {
				return h.Describe(a.Stdout)
			}
			return printDeltaFiles(a, h, format)
		},
	}
	cli.AddFormat(cmd, &format)
	return cmd
}

// printDeltaFiles writes the files of a patch as rows.
func printDeltaFiles(a *cli.App, h *delta.Header, format string) error {
	rows, err := a.Rows(format, "side", "name", "size", "blake3", "patch_bytes", "segments", "root", "signed", "keys")
	if err != nil {
		return err
	}
	var keys []string
	for _, k := range h.Keys {
		keys = append(keys, k.String())
	}
	write := func(side string, files []delta.File) error {
		for _, f := range files {
			if err := rows.Write(side, f.Name, f.Size, orNull(f.Hash()), h.Length(), int64(len(h.Parts)), cli.HexDigits(h.RootHash), cli.Bit(len(h.Signature) > 0), orNull(strings.Join(keys, "; "))); err != nil {
				return err
			}
		}
		return nil
	}
	return cmp.Or(write("old", h.Old), write("new", h.New), rows.Close())
}

// orNull is NULL for what a patch does not have.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func newDeltaVerifyCommand(a *cli.App) *cobra.Command {
	var key, format string
	cmd := &cobra.Command{
		Use:   "verify FILE.pkdelta...",
		Short: "Check every hash in patches, without old files",
		Long: `Read patches to their ends and check every hash in them: that what was downloaded
is what was made. Whether the old files are right, "pakdb delta apply" tells.

The exit code is 1 when a patch is not sound. With --format there is a row for each
patch, whose problem is NULL when it is.`,
		Example: `  pakdb delta verify game.pkdelta
  pakdb delta verify --key pakdb.pub game.pkdelta
  pakdb delta verify --format jsonl patches/*.pkdelta`,
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "" {
				return verifyDeltaRows(cmd.Context(), a, args, key, format)
			}
			return runDeltaVerify(cmd.Context(), a, args, key)
		},
	}
	cmd.Flags().StringVar(&key, "key", "", "also require a signature by the public `KEY` (a file, or its text)")
	cli.AddFormat(cmd, &format)
	return cmd
}

// verifyPatch checks one patch. What makes the others not worth looking at is an
// error of its own.
func verifyPatch(ctx context.Context, a *cli.App, file, key string) (h *delta.Header, problem, err error) {
	watched, stop := a.WatchPatch(ctx)
	h, problem = delta.VerifyFile(watched, file)
	stop()
	if problem == nil {
		problem = checkKey(h, file, key)
	}
	if errors.Is(problem, cli.ErrUsage) || ctx.Err() != nil {
		return nil, nil, problem
	}
	return h, problem, nil
}

func runDeltaVerify(ctx context.Context, a *cli.App, files []string, key string) error {
	bad := false
	for _, file := range files {
		h, problem, err := verifyPatch(ctx, a, file, key)
		switch {
		case err != nil:
			return err
		case problem != nil:
			bad = true
			_, _ = fmt.Fprintln(a.Stderr, "pakdb: "+terminal.PrintableLines(problem.Error()))
			continue
		case a.Quiet:
			continue
		}
		signed := ""
		if key != "" {
			signed = ", and signed by the key"
		}
		if _, err := fmt.Fprintf(a.Stdout, "%s: %s, %s, root %x: as its hashes say%s\n", file, cli.HumanSize(h.Length()),
			cli.Plural(int64(len(h.Parts)), "segment", "segments"), h.RootHash, signed); err != nil {
			return err
		}
	}
	if bad {
		return cli.ErrProblems
	}
	return nil
}

func verifyDeltaRows(ctx context.Context, a *cli.App, files []string, key, format string) error {
	rows, err := a.Rows(format, "file", "bytes", "segments", "root", "signed", "problem")
	if err != nil {
		return err
	}
	bad := false
	for _, file := range files {
		h, problem, err := verifyPatch(ctx, a, file, key)
		switch {
		case err != nil:
			return cmp.Or(err, rows.Close())
		case problem != nil:
			bad = true
			err = rows.Write(file, nil, nil, nil, nil, problem.Error())
		default:
			err = rows.Write(file, h.Length(), int64(len(h.Parts)), cli.HexDigits(h.RootHash), cli.Bit(len(h.Signature) > 0), nil)
		}
		if err != nil {
			return err
		}
	}
	if err := rows.Close(); err != nil || !bad {
		return err
	}
	return cli.ErrProblems
}
