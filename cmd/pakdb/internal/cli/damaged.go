package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"pakdb/codecs"
	"pakdb/internal/terminal"
)

// AddAllowDamaged adds the flag by which a command takes damaged archives for what
// is left of them.
func AddAllowDamaged(cmd *cobra.Command, to *bool) {
	Flag(cmd, "allow-damaged", to)
}

// AddFollowOutside adds the flag by which a command follows links out of a folder.
func AddFollowOutside(cmd *cobra.Command, to *bool) {
	Flag(cmd, "follow-outside", to)
}

// damagedHint is the hint for a refusal because of damaged archives.
func damagedHint(e *codecs.DamageError) string {
	if e.Found[0].NeedsKey() {
		return KeyHint
	}
	return "get the archive again; its lost entries would count as removed (patch build, delta make and publish have --allow-damaged)"
}

// RefuseDamaged refuses damaged files; where that is allowed, it warns of them.
func RefuseDamaged(a *App, found []codecs.Damage, allowed bool) error {
	if err := codecs.RefuseDamaged(found, allowed); err != nil {
		return err
	}
	WarnDamaged(a, found)
	return nil
}

// WarnDamaged reports damage on stderr, all of it.
func WarnDamaged(a *App, found []codecs.Damage) {
	for _, d := range found {
		a.Warn("damaged archive: " + d.String())
	}
}

// ListDamage reports damage on stdout, before a result for people.
func ListDamage(a *App, found []codecs.Damage) error {
	for _, d := range found {
		word := "damaged "
		if d.Listed {
			word = "missing "
		}
		if _, err := fmt.Fprintf(a.Stdout, "%s  %s\n", NewPalette(a).Paint(Red, word), terminal.Printable(d.String())); err != nil {
			return err
		}
	}
	return nil
}

// damageHint returns the hint for an error of damaged archives, "" for any other.
func damageHint(err error) string {
	var e *codecs.DamageError
	if !errors.As(err, &e) {
		return ""
	}
	return damagedHint(e)
}
