package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"pakdb/codecs"
	"pakdb/diff/overlay"
	"pakdb/query"
)

func newMountPlanCommand(a *app) *cobra.Command {
	var files bool
	var format string
	cmd := &cobra.Command{
		Use:   "mount-plan [flags] DIR|BUILD...",
		Short: "Show in which order a game mounts archives, and what hides what",
		Long: `Show the archives below folders, or of builds in the catalog, as a game mounts
them: the one that wins first, with its order; how many of its entries the game
sees and how many nothing can reach, with their stored bytes; delete records, and
those of them that hide nothing; and ties, files over which archives of one order
compete, so that nothing but a name decides.

--files lists each entry that is hidden, and by what.`,
		Example: `  pakdb mount-plan Game/Content/Paks
  pakdb mount-plan Game/Content/Paks ~/mods --files
  pakdb mount-plan 1.52 --format json`,
		Args:              usage(cobra.MinimumNArgs(1)),
		ValidArgsFunction: completing(a, completeBuilds),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runMountPlan(cmd.Context(), a, args, files, format)
		},
	}
	cmd.Flags().BoolVar(&files, "files", false, "list what is hidden, and by what")
	addFormat(cmd, &format)
	return cmd
}

func runMountPlan(ctx context.Context, a *app, names []string, files bool, format string) error {
	if err := (query.Output{W: a.stdout, Format: format}).Check(); err != nil {
		return err
	}
	s, err := mountAll(ctx, a, names, false)
	if err != nil {
		return err
	}
	if err := codecs.RefuseDamaged(s.Damage, false); err != nil {
		return hinted(err, "get the archive again, or name the others")
	}
	mounts, shadows := s.Survey()
	if files {
		return printShadows(a, shadows, format)
	}
	if err := printMounts(a, mounts, format); err != nil || format != "" || a.quiet {
		return err
	}
	_, err = fmt.Fprintln(a.stdout, mountSums(s, mounts, shadows))
	return err
}

func printMounts(a *app, mounts []overlay.MountState, format string) error {
	rows, err := a.rows(format, "archive", "mount_order", "chunk", "mount_point", "files", "seen", "dead", "dead_bytes", "delete_records", "idle", "ties")
	if err != nil {
		return err
	}
	for i := range mounts {
		m := &mounts[i]
		chunk := textOrNull("")
		if f, ok := a.registry().Format(m.Format); ok && f.Mounts().Chunk != nil {
			if n, ok := f.Mounts().Chunk(m.Name); ok {
				chunk = int64(n)
			}
		}
		if err := rows.Write(m.Name, m.Order, chunk, m.MountPoint, int64(m.Files), int64(m.Seen), int64(m.Dead), m.Bytes,
			int64(m.Deletes), int64(m.Idle), int64(m.Ties)); err != nil {
			return err
		}
	}
	return rows.Close()
}

func printShadows(a *app, shadows []overlay.Shadow, format string) error {
	rows, err := a.rows(format, "path", "archive", "by_archive", "mount_order", "by_mount_order", "deleted", "tie", "stored")
	if err != nil {
		return err
	}
	for i := range shadows {
		sh := &shadows[i]
		if err := rows.Write(sh.File.Path(), sh.File.Mount.Name, sh.By.Mount.Name, sh.File.Mount.Order, sh.By.Mount.Order,
			bit(sh.By.Deleted()), bit(sh.Tie), sh.File.Stored); err != nil {
			return err
		}
	}
	return rows.Close()
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func mountSums(s *overlay.Stack, mounts []overlay.MountState, shadows []overlay.Shadow) string {
	var dead int64
	ties := int64(0)
	for i := range shadows {
		dead += shadows[i].File.Stored
		ties += bit(shadows[i].Tie)
	}
	text := fmt.Sprintf("%s, %s to see; %s that nothing can reach, %s stored", plural(int64(len(mounts)), "archive", "archives"),
		plural(int64(len(s.View())), "file", "files"), plural(int64(len(shadows)), "entry", "entries"), humanSize(dead))
	if ties > 0 {
		text += fmt.Sprintf("; %s decided by a name alone: do not rely on it", plural(ties, "file", "files"))
	}
	return text
}
