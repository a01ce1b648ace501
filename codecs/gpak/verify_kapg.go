package gpak

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"pakdb/codecs"
)

// Verify recomputes the path hashes and checks what the game's readers rely
// on: unsigned hash order, each hash once, data contiguous from 0 in table
// order and nothing after it.
func (a *kapg) Verify(ctx context.Context, report func(*codecs.FormatError)) error {
	ordered, next, last := true, int64(0), uint64(0)
	for rec, err := range a.records() {
		if err != nil {
			return err
		}
		if err := everyThousand(ctx, rec.ordinal); err != nil {
			return err
		}
		path, _ := readable(rec.name)
		if h := Hash(string(rec.name)); h != rec.hash {
			report(a.fail(path, "path hash", rec.pos, codecs.Errorf(codecs.ErrCorrupt, "%016x, the name has %016x", rec.hash, h)))
		}
		if rec.ordinal > 0 && rec.hash <= last {
			ordered = false
			if rec.hash < last {
				report(a.fail(path, "path hash", rec.pos, codecs.Errorf(codecs.ErrNonStrict,
					"%016x comes after %016x", rec.hash, last)))
			}
		}
		if int64(rec.off) != next {
			report(a.fail(path, "offset", rec.tail()+4, codecs.Errorf(codecs.ErrNonStrict,
				"%d, contiguous data would be at %d", rec.off, next)))
		}
		last, next = rec.hash, int64(rec.off)+int64(rec.csz)
	}
	if !ordered {
		if err := a.duplicates(report); err != nil {
			return err
		}
	}
	if err := a.trailing(report); err != nil {
		return err
	}
	return ctx.Err()
}

// everyThousand asks ctx now and then.
func everyThousand(ctx context.Context, i int) error {
	if i%1024 != 0 {
		return nil
	}
	return ctx.Err()
}

// duplicates reports hashes that occur twice: of names that differ in case
// only, or by a collision.
func (a *kapg) duplicates(report func(*codecs.FormatError)) error {
	all := make([]record, 0, a.count)
	for rec, err := range a.records() {
		if err != nil {
			return err
		}
		rec.name = slices.Clone(rec.name)
		all = append(all, rec)
	}
	slices.SortStableFunc(all, func(x, y record) int { return cmp.Compare(x.hash, y.hash) })
	for i := 1; i < len(all); i++ {
		if prev, rec := all[i-1], all[i]; prev.hash == rec.hash {
			first, _ := readable(prev.name)
			path, _ := readable(rec.name)
			report(a.fail(path, "path hash", rec.pos, codecs.Errorf(codecs.ErrCorrupt, "%s", sameHash(first, path))))
		}
	}
	return nil
}

// sameHash says how two names come to have one hash.
func sameHash(first, second string) string {
	switch {
	case first == second:
		return "the entry stands twice"
	case strings.EqualFold(first, second):
		return "differs from " + first + " in case only"
	}
	return "collides with " + first
}

// trailing reports bytes after the last stored one, where the peers do not
// look.
func (a *kapg) trailing(report func(*codecs.FormatError)) error {
	end := a.data
	for rec, err := range a.records() {
		if err != nil {
			return err
		}
		end = max(end, a.data+int64(rec.off)+int64(rec.csz))
	}
	if end < a.src.Size {
		report(a.fail("", "trailing bytes", end, codecs.Errorf(codecs.ErrNonStrict, "%d bytes after the data", a.src.Size-end)))
	}
	return nil
}
