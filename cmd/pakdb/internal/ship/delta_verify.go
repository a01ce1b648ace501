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
	"pakdb/query"
)

func newDeltaVerifyCommand(a *cli.App) *cobra.Command {
	var key, format string
	cmd := &cobra.Command{
		Use:   "verify [flags] FILE.pkdelta...",
		Short: "Show the files of patches, and check every hash",
		Long: `Read patches to their ends, check every hash in them, and show the old files
that each needs and the new ones that it makes, with their BLAKE3, and the root
hash of the whole patch. A patch of several files has a prefix of each old
hash, and one hash of all new files. "pakdb delta apply --dry-run" shows if
your old files fit.

With --format there is a row for each file; "keys" are the AES keys that
applying takes, "problem" is NULL for a sound patch. The exit code is 1 if one
is not sound.`,
		Example: `  pakdb delta verify game.pkdelta
  pakdb delta verify --trust release.key.pub game.pkdelta
  pakdb delta verify --format jsonl patches/*.pkdelta`,
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runDeltaVerify(cmd.Context(), a, args, key, format)
		},
	}
	cli.Flag(cmd, "trust", &key)
	cli.AddFormat(cmd, &format)
	return cmd
}

// runDeltaVerify checks patches and shows their files. A patch that is not sound has one
// row, with the problem.
func runDeltaVerify(ctx context.Context, a *cli.App, files []string, key, format string) error {
	var rows *query.Rows
	if format != "" {
		var err error
		if rows, err = a.Rows(format, "patch", "side", "name", "size", "blake3", "patch_bytes", "segments", "root", "signed", "keys", "problem"); err != nil {
			return err
		}
	}
	bad := false
	for _, file := range files {
		h, problem, err := verifyPatch(ctx, a, file, key)
		switch {
		case err != nil:
			return err
		case problem != nil && rows == nil:
			_, _ = fmt.Fprintln(a.Stderr, "pakdb: "+terminal.PrintableLines(problem.Error()))
		case problem != nil:
			err = rows.Write(file, nil, nil, nil, nil, nil, nil, nil, nil, nil, problem.Error())
		case rows != nil:
			err = writeDeltaFiles(rows, file, h)
		case !a.Quiet:
			err = describeDelta(a, file, h, key)
		}
		if bad = bad || problem != nil; err != nil {
			return err
		}
	}
	if rows != nil {
		if err := rows.Close(); err != nil {
			return err
		}
	}
	if bad {
		return cli.ErrProblems
	}
	return nil
}

func describeDelta(a *cli.App, file string, h *delta.Header, key string) error {
	if err := h.Describe(a.Stdout); err != nil {
		return err
	}
	signed := ""
	if key != "" {
		signed = ", and signed by the key"
	}
	_, err := fmt.Fprintf(a.Stdout, "%s: all hashes are right%s\n", file, signed)
	return err
}

// writeDeltaFiles writes the files of a patch as rows.
func writeDeltaFiles(rows *query.Rows, patch string, h *delta.Header) error {
	var keys []string
	for _, k := range h.Keys {
		keys = append(keys, k.String())
	}
	write := func(side string, files []delta.File) error {
		for _, f := range files {
			if err := rows.Write(patch, side, f.Name, f.Size, orNull(f.Hash()), h.Length(), int64(len(h.Parts)), cli.HexDigits(h.RootHash),
				cli.Bit(len(h.Signature) > 0), orNull(strings.Join(keys, "; ")), nil); err != nil {
				return err
			}
		}
		return nil
	}
	return cmp.Or(write("old", h.Old), write("new", h.New))
}

// orNull is NULL for what a patch does not have.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
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
