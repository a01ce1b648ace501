package side

// pairArchives gives each archive and its counterpart the same group: the one of
// the same name, else the very same file; the last that are left over, one on
// each side, are counterparts as well, for a file's name often has the version.
func pairArchives(old, new *Side) {
	next := int32(0)
	pair := func(a, b *Archive) {
		a.Group, b.Group = next, next
		next++
	}
	for _, key := range []func(*Archive) any{
		func(a *Archive) any { return a.Name },
		func(a *Archive) any { return a.ID },
	} {
		open := map[any]*Archive{}
		for i := range old.Archives {
			if a := &old.Archives[i]; a.Group < 0 {
				open[key(a)] = a
			}
		}
		for i := range new.Archives {
			b := &new.Archives[i]
			if a := open[key(b)]; b.Group < 0 && a != nil && a.Group < 0 {
				pair(a, b)
			}
		}
	}
	if a, b := lone(old), lone(new); a != nil && b != nil && a.Format == b.Format {
		pair(a, b)
	}
	for _, side := range []*Side{old, new} {
		for i := range side.Archives {
			if a := &side.Archives[i]; a.Group < 0 {
				a.Group = next
				next++
			}
		}
	}
}

// markShared marks the archives that both builds mount.
func markShared(old, new *Side) {
	before := map[int64]*Archive{}
	for i := range old.Archives {
		before[old.Archives[i].ID] = &old.Archives[i]
	}
	for i := range new.Archives {
		b := &new.Archives[i]
		if a := before[b.ID]; a != nil && a.Group == b.Group {
			a.Shared, b.Shared = true, true
			a.twin, b.twin = b.Ordinal, a.Ordinal
		}
	}
}

// baseMount is the mount point of most entries: their path ids are their keys.
func baseMount(builds ...*Side) string {
	entries := map[string]int64{}
	best := ""
	for _, b := range builds {
		for i := range b.Archives {
			a := &b.Archives[i]
			entries[a.mount] += a.Entries
			if n := entries[a.mount]; n > entries[best] || n == entries[best] && a.mount < best {
				best = a.mount
			}
		}
	}
	return best
}

// lone returns the only archive of a side without a counterpart.
func lone(b *Side) *Archive {
	var found *Archive
	for i := range b.Archives {
		if a := &b.Archives[i]; a.Group < 0 {
			if found != nil {
				return nil
			}
			found = a
		}
	}
	return found
}
