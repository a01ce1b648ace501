package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"pakdb/codecs"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/inside"
)

// addAllowDamaged adds the flag by which a command takes damaged archives for what
// is left of them.
func addAllowDamaged(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "allow-damaged", false, "go on though an archive is damaged as a whole: what it lacks counts as removed")
}

// damagedHint is for who is refused because of damaged archives.
func damagedHint(e *codecs.DamageError) string {
	if e.Found[0].NeedsKey() {
		return keyHint
	}
	return "get the archive again; what it has lost would count as removed. --allow-damaged goes on all the same"
}

// findDamage looks for damage of the files of the sides of a transport patch, or of
// a build that is published alone.
func findDamage(ctx context.Context, a *app, sides ...damagedSide) (found []codecs.Damage, err error) {
	registry := a.registry()
	named := make([][]codecs.NamedFormat, len(sides))
	all := make([][]codecs.Damage, len(sides))
	for i, side := range sides {
		if all[i], named[i], err = inside.FindDamage(ctx, side.inputs, registry, side.open); err != nil {
			return nil, err
		}
	}
	if len(sides) == 2 {
		inOld, inNew := registry.Demoted(named[0], named[1])
		all[0], all[1] = codecs.MergeDamage(all[0], inOld), codecs.MergeDamage(all[1], inNew)
	}
	for i, side := range sides {
		for _, d := range all[i] {
			d.Build = side.name
			found = append(found, d)
		}
	}
	return found, nil
}

// damagedSide are files that are looked at.
type damagedSide struct {
	name   string // how messages call them, "" where there is one side only
	inputs []pkdelta.Input
	open   *codecs.Options
}

// refuseDamaged refuses damaged files; where that is allowed, it warns of them.
func refuseDamaged(a *app, found []codecs.Damage, allowed bool) error {
	if err := codecs.RefuseDamaged(found, allowed); err != nil {
		return err
	}
	warnDamaged(a, found)
	return nil
}

// warnDamaged tells of damage on stderr, all of it.
func warnDamaged(a *app, found []codecs.Damage) {
	for _, d := range found {
		a.warn("damaged archive: " + d.String())
	}
}

// hidesEntries reports whether one of the archives may lack entries: of the others
// only contents are missing, and what changed is known.
func hidesEntries(found []codecs.Damage) bool {
	return slices.ContainsFunc(found, func(d codecs.Damage) bool { return !d.Listed })
}

// damageTexts are lines for manifests and reports.
func damageTexts(found []codecs.Damage) (lines []string) {
	for _, d := range found {
		lines = append(lines, d.String())
	}
	return slices.Clip(lines)
}

// listDamage tells of damage on stdout, before a result for people.
func listDamage(a *app, found []codecs.Damage) error {
	for _, d := range found {
		word := "damaged "
		if d.Listed {
			word = "missing "
		}
		if _, err := fmt.Fprintf(a.stdout, "%s  %s\n", newPalette(a).paint(red, word), printable(d.String())); err != nil {
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
