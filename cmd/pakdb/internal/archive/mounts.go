package archive

import (
	"context"
	"fmt"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/diff/ship/overlay"
	"pakdb/query"
)

// runMounts shows archives as a game mounts them, or the entries that it cannot see.
func runMounts(ctx context.Context, a *cli.App, names []string, hidden bool, format string) error {
	if err := (query.Output{W: a.Stdout, Format: format}).Check(); err != nil {
		return err
	}
	s, err := operand.MountAll(ctx, a, names, false)
	if err != nil {
		return err
	}
	if err := codecs.RefuseDamaged(s.Damage, false); err != nil {
		return cli.WithHint(err, "get the archive again, or name the others")
	}
	mounts, shadows := s.Survey()
	if hidden {
		return printShadows(a, shadows, format)
	}
	if err := printMounts(a, mounts, format); err != nil || format != "" || a.Quiet {
		return err
	}
	_, err = fmt.Fprintln(a.Stdout, mountSums(s, mounts, shadows))
	return err
}

func printMounts(a *cli.App, mounts []overlay.MountState, format string) error {
	rows, err := a.Brief(format, []string{"archive", "mount_order", "files", "seen", "dead", "delete_records", "ties"},
		"archive", "mount_order", "chunk", "mount_point", "files", "seen", "dead", "dead_bytes", "delete_records", "idle", "ties")
	if err != nil {
		return err
	}
	registry := a.Registry()
	for i := range mounts {
		m := &mounts[i]
		chunk := cli.TextOrNull("")
		if n, ok := m.Chunk(registry); ok {
			chunk = int64(n)
		}
		if err := rows.Write(m.Name, m.Order, chunk, m.MountPoint, int64(m.Files), int64(m.Seen), int64(m.Dead), m.Bytes,
			int64(m.Deletes), int64(m.Idle), int64(m.Ties)); err != nil {
			return err
		}
	}
	return rows.Close()
}

func printShadows(a *cli.App, shadows []overlay.Shadow, format string) error {
	rows, err := a.Rows(format, "path", "archive", "by_archive", "mount_order", "by_mount_order", "deleted", "tie", "stored")
	if err != nil {
		return err
	}
	for i := range shadows {
		sh := &shadows[i]
		if err := rows.Write(sh.File.Path(), sh.File.Mount.Name, sh.By.Mount.Name, sh.File.Mount.Order, sh.By.Mount.Order,
			cli.Bit(sh.By.Deleted()), cli.Bit(sh.Tie), sh.File.Stored); err != nil {
			return err
		}
	}
	return rows.Close()
}

func mountSums(s *overlay.Stack, mounts []overlay.MountState, shadows []overlay.Shadow) string {
	dead, ties := overlay.SumShadows(shadows)
	text := fmt.Sprintf("%s, %s to see; %s that nothing can reach, %s stored", cli.Plural(int64(len(mounts)), "archive", "archives"),
		cli.Plural(int64(len(s.View())), "file", "files"), cli.Plural(int64(len(shadows)), "entry", "entries"), cli.HumanSize(dead))
	if ties > 0 {
		text += fmt.Sprintf("; %s decided by a name alone: do not rely on it", cli.Plural(int64(ties), "file", "files"))
	}
	return text
}
